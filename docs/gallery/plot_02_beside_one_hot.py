"""
A map beside that of one-hot encoding
=====================================

A made table of three kinds of rows. Four columns have twelve values each, and every kind has four
of them to itself; eight columns are noise. Rows of one kind may have no value in common, so
one-hot encoding sees little; what values occur with tells.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.preprocessing import OneHotEncoder

from untie import TableEncoder

rng = np.random.default_rng(0)
kinds = rng.integers(3, size=600)
told = {f"told {n}": 4 * kinds + rng.integers(4, size=600) for n in range(4)}
noise = {f"noise {n}": rng.integers(2, size=600) for n in range(8)}
table = pd.DataFrame(told | noise).astype(str)

# %%
# The kinds are not learned from; they are the colors. Both maps are the first two principal
# components.

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for ax, method in zip(
    axes, [OneHotEncoder(sparse_output=False), TableEncoder(n_clusters=3)], strict=True
):
    ax.scatter(*PCA(2).fit_transform(method.fit_transform(table)).T, c=kinds, cmap="Dark2", s=10)
    ax.set_title(type(method).__name__)
    ax.set_xticks([])
    ax.set_yticks([])
