"""k-means as every experiment uses it: distinct rows, counted as often as they occur.

The objective is that of all rows; the work is that of the distinct ones. Rows with thousands of
columns are first rotated into the few dimensions that they span, which moves no two of them.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from untie_paper.arrays import FloatArray

WIDE = 512
"""Rows with more columns are rotated."""

FIRST_SPAN = 256
"""Dimensions that rows are first thought to span; twice as many where that is too few."""

SAME, LOST, EMPTY = 9, 1e-11, 1e-12
"""Decimals in which equal rows agree, the share of a squared length that may be lost in a
rotation, and the share of the longest axis that makes an axis empty."""


class Clusters(NamedTuple):
    """The cluster of each row, and the sum of squared distances to the clusters' means."""

    labels: NDArray[np.intp]
    inertia: float


def k_means(vectors: NDArray[np.floating], k: int, seed: int, n_restarts: int) -> Clusters:
    """Return the clusters of the run of lowest inertia.

    Parameters
    ----------
    vectors : array of shape (n_rows, n_columns)
        The rows.
    k : int
        Number of clusters; fewer are found where fewer rows are distinct.
    seed : int
        For the starts (k-means++).
    n_restarts : int
        Number of starts; each run goes on until no row changes its cluster.

    Examples
    --------
    >>> labels, inertia = k_means(np.array([[0.0], [0.0], [9.0], [8.0]]), 2, seed=0, n_restarts=3)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3]), inertia
    (True, 0.5)
    """
    rows = shorten(vectors) if vectors.shape[1] > WIDE else vectors
    first, inverse, times = distinct_rows(rows)
    model = KMeans(min(k, len(first)), n_init=n_restarts, tol=0.0, random_state=seed)
    with warnings.catch_warnings():
        # Some of the distinct rows may be equal but for rounding.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(rows[first], sample_weight=times)
    return Clusters(model.labels_[inverse].astype(np.intp), float(model.inertia_))


def distinct_rows(
    rows: NDArray[np.floating],
) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
    """Return a position of each distinct row, which of them each row is, and how often it occurs.

    Rows that differ by rounding alone are the same.

    Examples
    --------
    >>> first, inverse, times = distinct_rows(np.array([[2.0], [1.0], [2.0 + 1e-15]]))
    >>> first.tolist(), inverse.tolist(), times.tolist()
    ([1, 0], [1, 0, 1], [1.0, 2.0])
    """
    scale = float(np.abs(rows).max(initial=0.0)) or 1.0
    # 0 is added so that -0 becomes 0; the sort compares bytes.
    rounded = np.round(rows / scale, SAME) + 0.0
    _, first, inverse, times = np.unique(
        rounded, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return first, inverse.ravel(), times.astype(float)


def shorten(rows: NDArray[np.floating]) -> FloatArray:
    """Rotate rows into as few columns as they need; all their distances stay.

    The axes are those that random mixtures of the rows span. If these miss a part of any row, the
    number of mixtures is doubled.

    Examples
    --------
    >>> wide = np.outer([3.0, 4.0, 5.0], np.ones(1000))
    >>> shorten(wide).shape, bool(np.isclose(np.linalg.norm(wide[2]), np.ptp(shorten(wide)) * 2.5))
    ((3, 1), True)
    """
    squares = np.einsum("ij,ij->i", rows, rows)
    rng = np.random.default_rng(0)
    n_mixtures = FIRST_SPAN
    while n_mixtures < min(rows.shape):
        short = rows @ _axes(rng.standard_normal((n_mixtures, len(rows))) @ rows)
        lost = np.abs(np.einsum("ij,ij->i", short, short) - squares)
        if lost.max() <= LOST * squares.max():
            return short
        n_mixtures *= 2
    return rows @ _axes(rows) if len(rows) < rows.shape[1] else np.asarray(rows, dtype=float)


def _axes(rows: NDArray[np.floating]) -> FloatArray:
    """Return an orthonormal basis of what rows span; shape (n_columns, n_axes)."""
    basis, triangle = np.linalg.qr(rows.T)
    rotation, lengths, _ = np.linalg.svd(triangle)
    kept = lengths >= EMPTY * lengths.max(initial=0.0)
    return np.asarray(basis @ rotation[:, kept])
