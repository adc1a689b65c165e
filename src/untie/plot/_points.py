"""Vectors -> points of a plane."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from scipy.linalg import eigh
from threadpoolctl import threadpool_limits

from untie._util.types import FloatArray

PERPLEXITY = 30.0
N_NEIGHBOURS = 15
FEWEST = 5
"""Fewer points are drawn by their principal components: they have no neighbourhoods."""
DIMENSIONS = 50
"""t-SNE and UMAP get this many principal components; they take long for more."""

ROUNDING = 1e-12
"""Below this share of the largest product, a variance is none."""

METHODS = ("tsne", "umap", "pca")
NAMES = {"tsne": "t-SNE", "umap": "UMAP", "pca": "principal components"}


def principal(gram: FloatArray, weights: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    """Return the principal components of weighted vectors, from their inner products.

    Parameters
    ----------
    gram : array of shape (n_vectors, n_vectors)
        Inner products.
    weights : array of shape (n_vectors,)
        How often each counts, above 0.
    n : int
        Number of components; those beyond the rank are 0.

    Returns
    -------
    components, shares
        Array of shape (n_vectors, n), and the share of the variance of each.

    Examples
    --------
    >>> line = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    >>> components, shares = principal(line @ line.T, np.ones(3), 2)
    >>> np.abs(components).round(9).tolist(), shares.round(9).tolist()
    ([[5.0, 0.0], [0.0, 0.0], [5.0, 0.0]], [1.0, 0.0])
    """
    share = weights / weights.sum()
    means = gram @ share
    centred = gram - means[:, None] - means + share @ means
    roots = np.sqrt(share)
    weighted = roots[:, None] * centred * roots
    size = len(gram)
    values, vectors = eigh(weighted, subset_by_index=(max(0, size - n), size - 1))
    values, vectors = values[::-1], vectors[:, ::-1]
    components, shares = np.zeros((size, n)), np.zeros(n)
    for place in np.flatnonzero(values > ROUNDING * np.abs(gram).max()):
        column = vectors[:, place] * np.sqrt(values[place]) / roots
        # A component's sign is arbitrary; the longer side is put to the right.
        components[:, place] = column if weights @ column**3 >= 0 else -column
        shares[place] = values[place] / np.trace(weighted)
    return components, shares


def neighbourhoods(method: str, components: FloatArray, random_state: Any) -> FloatArray:
    """Return a map that keeps near points near, by t-SNE or UMAP."""
    n_rows = len(components)
    spread = components[:, :2].std(axis=0).max()
    start = (components[:, :2] / spread * 1e-4).astype(np.float32)
    if method == "umap":
        model = _umap()(
            n_neighbors=min(N_NEIGHBOURS, n_rows - 1),
            init=start * 1e5,
            random_state=random_state,
            n_jobs=1,  # as many as a seed allows
        )
    else:
        from sklearn.manifold import TSNE

        model = TSNE(
            perplexity=min(PERPLEXITY, (n_rows - 1) / 3), init=start, random_state=random_state
        )
    with threadpool_limits(1):  # the same sums in the same order
        return np.asarray(model.fit_transform(components), dtype=float)


def check_umap() -> None:
    """Refuse what is not installed, before anything is computed."""
    _umap()


def _umap() -> Any:
    try:
        return import_module("umap").UMAP
    except ImportError as error:
        raise ImportError(
            "method='umap' needs umap-learn, which no extra installs: pip install umap-learn; or "
            "take method='tsne'."
        ) from error
