"""
What tells rows apart
=====================

Each column's share of the squared distances between rows.
"""

from untie import UNTIE, TableEncoder, plot
from untie.datasets import load

votes, party = load("housevotes")
encoder = TableEncoder(n_clusters=2).fit(votes)
plot.weights(encoder)

# %%
# With the paper's kernels, the shares of the couplings and kernels.

plot.weights(UNTIE(n_clusters=2, solver="exact").fit(votes), by="kernel")
