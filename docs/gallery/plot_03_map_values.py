"""
Values on a map
===============

Near values are in similar rows. Of all columns together, the map shows what goes with what; of one
column, which of its values could be merged.
"""

from untie import TableEncoder, plot
from untie.datasets import load

ODORS = {
    "a": "almond",
    "l": "anise",
    "c": "creosote",
    "y": "fishy",
    "f": "foul",
    "m": "musty",
    "n": "none",
    "p": "pungent",
}

mushrooms, edible = load("mushroom")
mushrooms["odor"] = mushrooms["odor"].replace(ODORS)
encoder = TableEncoder(n_clusters=2).fit(mushrooms)
plot.map_values(encoder, max_values=40)

# %%
# One column: the odors.

plot.map_values(encoder, "odor")
