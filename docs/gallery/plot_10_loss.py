"""
How a solver converges
======================

The objective of the exact solver, step by step; below it that of the paper's protocol, which draws
a batch of rows for every step.
"""

from untie import UNTIE, plot
from untie.datasets import load

animals, kind = load("zoo")
plot.loss(UNTIE(n_clusters=7, solver="exact").fit(animals))

# %%

plot.loss(UNTIE.from_paper(n_clusters=7).fit(animals))
