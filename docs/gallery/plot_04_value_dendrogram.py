"""
A tree of values
================

The further left two values join, the more alike they are. The names of the colors are all that
the column has; that some are alike is learned from the other columns.
"""

from untie import UNTIE, plot
from untie.datasets import load

COLORS = {
    "k": "black",
    "n": "brown",
    "b": "buff",
    "h": "chocolate",
    "r": "green",
    "o": "orange",
    "u": "purple",
    "w": "white",
    "y": "yellow",
}

mushrooms, edible = load("mushroom")
mushrooms["spore-print-color"] = mushrooms["spore-print-color"].replace(COLORS)
encoder = UNTIE(n_clusters=2, solver="uniform").fit(mushrooms)
plot.value_dendrogram(encoder, "spore-print-color")
