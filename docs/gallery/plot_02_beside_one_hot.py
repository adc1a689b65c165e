"""
A map beside that of one-hot encoding
=====================================

The same table and the same projection; only the vectors differ. ``solver="exact"`` is the paper's objective, made well-posed.
"""

import matplotlib.pyplot as plt
from sklearn.decomposition import PCA
from sklearn.preprocessing import OneHotEncoder

from untie import UNTIE
from untie.datasets import load

plants, disease = load("soybeanlarge")
vectors = {
    "one-hot": OneHotEncoder(sparse_output=False).fit_transform(plants),
    "UNTIE": UNTIE(n_clusters=19).fit_transform(plants),
    'UNTIE(solver="exact")': UNTIE(n_clusters=19, solver="exact").fit_transform(plants),
}
figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
for ax, (name, X) in zip(axes, vectors.items()):
    ax.scatter(*PCA(2).fit_transform(X).T, c=disease.astype("category").cat.codes, cmap="tab20", s=12)
    ax.set_title(name)
    ax.set_xticks([])
    ax.set_yticks([])
