"""
Rows on a map
=============

The rows of a table in two dimensions, coloured by a label that was not learned from.
"""

from untie import UNTIE, plot
from untie.datasets import load

animals, kind = load("zoo")
encoder = UNTIE(n_clusters=7).fit(animals)
plot.map_rows(encoder, animals, labels=kind)
