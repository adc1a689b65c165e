"""
How many clusters there are
===========================

Above, the gain on hidden cells: by how much clusters of half of the rows predict the cells of the
other half, and its standard error. Below, how well clusters made from half of the rows agree with
those of all rows, and in which share of the splits each number is the best.
"""

from untie import TableClusterer, plot
from untie.datasets import load

animals, kind = load("zoo")
clusterer = TableClusterer().fit(animals)
plot.choice_of_k(clusterer)

# %%

clusterer.k_choice_.table().round(2)
