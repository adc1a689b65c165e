"""
Rows and values together
========================

A biplot of multiple correspondence analysis: rows are light points, and the values that contribute
most to the two axes are labeled. Rows are near values that they have, or that similar rows have.
"""

from untie import plot
from untie.datasets import load
from untie.decomposition import MCA

votes, party = load("housevotes")
mca = MCA().fit(votes)
plot.biplot(mca, votes, max_values=20)

# %%
# Nearly all that the columns have in common is on the first axis:

mca.eigenvalues_summary("greenacre")
