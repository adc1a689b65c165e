"""
The spectrum of the counts
==========================

Of independent columns all eigenvalues are 1, but for noise that stays below an edge. What columns
share stands above it; the widest gap gives the number of clusters that ``n_clusters=None`` takes.
"""

from untie import TableEncoder, plot
from untie.datasets import load

findings, diagnosis = load("dermatology")
plot.spectrum(TableEncoder().fit(findings))
