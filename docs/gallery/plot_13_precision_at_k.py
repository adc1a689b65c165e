"""
Neighbours of the same class
============================

The share of rows of the same class among the k nearest. ``purpose="neighbors"`` chooses vectors
for finding similar rows. Which method is ahead depends on the table; the pages of evidence have
many.
"""

import matplotlib.pyplot as plt

from untie import TableEncoder
from untie.baselines import CDE, MCA, OneHot
from untie.datasets import load
from untie.evaluation import precision_at_k

sequences, kind = load("dnapromoter")
methods = {
    'TableEncoder(purpose="neighbors")': TableEncoder(purpose="neighbors"),
    "TableEncoder()": TableEncoder(n_clusters=2),
    "one-hot": OneHot(),
    "MCA": MCA(),
    "CDE": CDE(random_state=0),
}
ks = list(range(1, 31))
figure, ax = plt.subplots(layout="constrained")
for name, method in methods.items():
    ax.plot(ks, precision_at_k(method.fit_transform(sequences), kind, k=ks), label=name)
ax.set_xlabel("k")
ax.set_ylabel("precision at k")
ax.legend()
