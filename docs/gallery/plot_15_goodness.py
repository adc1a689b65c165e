"""
Goodness of a similarity
========================

The share of rows whose similarity to their own class is not larger than that to others by a
margin; the lower the curve, the better.
"""

import matplotlib.pyplot as plt
import numpy as np

from untie import TableEncoder
from untie.baselines import OneHot
from untie.datasets import load
from untie.evaluation import goodness_curve

animals, kind = load("zoo")
margins = np.linspace(0, 1, 101)
figure, ax = plt.subplots(layout="constrained")
for name, method in {"TableEncoder()": TableEncoder(n_clusters=7), "one-hot": OneHot()}.items():
    curve = goodness_curve(method.fit_transform(animals), kind)
    ax.plot(margins, [curve.epsilon(margin) for margin in margins], label=name)
ax.set_xlabel("margin gamma")
ax.set_ylabel("share of rows below it, epsilon")
ax.legend()
