"""
What makes the clusters
=======================

A line is a value, a column a cluster. The number is the share of the cluster's rows that have the
value, the color its lift: how much more often than in the whole table.
"""

from untie import TableClusterer, explain, plot
from untie.datasets import load

animals, kind = load("zoo")
clusterer = TableClusterer(random_state=0).fit(animals)
plot.cluster_profiles(clusterer, animals, n=3)

# %%
# The clusters in words:

explain.cluster_names(clusterer, animals)
