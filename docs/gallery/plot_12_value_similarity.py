"""
How alike the values of a column are
====================================

``value_similarity`` is a labeled square table, which any library draws. The values are made
cosines here, so that a value has 1 with itself.
"""

import matplotlib.pyplot as plt
import numpy as np

from untie import UNTIE
from untie.datasets import load

PLACES = {
    "d": "woods",
    "g": "grasses",
    "l": "leaves",
    "m": "meadows",
    "p": "paths",
    "u": "urban",
    "w": "waste",
}

mushrooms, edible = load("mushroom")
mushrooms["habitat"] = mushrooms["habitat"].replace(PLACES)
alike = UNTIE(n_clusters=2, solver="uniform").fit(mushrooms).value_similarity("habitat")
lengths = np.sqrt(np.diag(alike))
figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
image = ax.imshow(alike / np.outer(lengths, lengths), vmin=0, vmax=1)
ax.set_xticks(range(len(alike)), alike.columns, rotation=45)
ax.set_yticks(range(len(alike)), alike.index)
ax.set_title("habitat")
figure.colorbar(image)
