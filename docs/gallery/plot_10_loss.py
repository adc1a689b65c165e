"""
How a solver converges
======================

The objective of the exact solver, step by step; below it that of the paper's protocol, which draws
a batch of rows for every step.
"""

import warnings

from sklearn.exceptions import ConvergenceWarning

from untie import UNTIE, plot
from untie.datasets import load

animals, kind = load("zoo")
plot.loss(UNTIE(n_clusters=7, solver="exact").fit(animals))

# %%
# The printed protocol takes all of its 1,000 steps, and would warn of it.

warnings.simplefilter("ignore", ConvergenceWarning)
plot.loss(UNTIE.from_paper(n_clusters=7).fit(animals))
