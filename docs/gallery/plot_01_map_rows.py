"""
Rows on a map
=============

Every point is a patient, or several with the same findings; the more similar, the nearer. The
colors are the diagnoses, which were not learned from.
"""

from untie import TableEncoder, plot
from untie.datasets import load

findings, diagnosis = load("dermatology")
encoder = TableEncoder(n_clusters=6).fit(findings)
plot.map_rows(encoder, findings, labels=diagnosis)

# %%
# t-SNE keeps near rows near, and its distances between far groups mean nothing. Principal
# components keep distances as well as two dimensions can.

plot.map_rows(encoder, findings, labels=diagnosis, method="pca")
