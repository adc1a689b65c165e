"""
How many clusters there are
===========================

Above, the gain on hidden cells: by how much clusters of half of the rows foretell the cells of the
other half. Below, how well clusters come back, and in which share of the splits each number is the
best.
"""

from untie import UNTIE, choose_k, plot
from untie.datasets import load

animals, kind = load("zoo")
choice = choose_k(UNTIE().fit(animals), animals)
plot.choice_of_k(choice)

# %%

choice.table().round(2)
