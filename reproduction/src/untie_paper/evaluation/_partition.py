"""How good a partition is by the data alone, without known classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from untie_paper.arrays import FloatArray
from untie_paper.evaluation._contingency import values_by_label
from untie_paper.evaluation._labels import read_labels

SYMMETRY_TOLERANCE = 1e-8
"""Mirrored similarities may differ by this share of the largest one, through rounding."""


def category_utility(X: Any, labels: Any) -> float:
    """Return how much better values can be guessed once the cluster is known; high is good.

    (1/K) sum_l P(l) sum_j sum_v [P(v | l)^2 - P(v)^2] over K clusters l, columns j and their
    values v.

    Parameters
    ----------
    X : table of shape (n_objects, n_columns)
        The objects; a missing cell is a value of its own.
    labels : array-like of shape (n_objects,)
        The cluster of each object.

    Returns
    -------
    float
        From 0 to below the number of columns.

    References
    ----------
    D. H. Fisher, Knowledge acquisition via incremental conceptual clustering, Machine Learning 2,
    139-172, 1987.

    Examples
    --------
    >>> category_utility([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], [0, 0, 1, 1])
    0.25
    """
    gain, n_clusters = 0.0, 1
    for table in values_by_label(X, labels, "labels"):
        n, n_clusters = table.sum(), table.shape[1]
        within = (table**2).sum(axis=0) / table.sum(axis=0)
        gain += float(within.sum() / n - (table.sum(axis=1) ** 2).sum() / n**2)
    return max(0.0, gain) / n_clusters


def conditional_entropy(X: Any, labels: Any) -> float:
    """Return how many bits the values of an object have left once its cluster is known.

    The entropy of each column given the cluster, summed over columns; low is good.

    Parameters
    ----------
    X : table of shape (n_objects, n_columns)
        The objects; a missing cell is a value of its own.
    labels : array-like of shape (n_objects,)
        The cluster of each object.

    Returns
    -------
    float
        In bits, 0 or more.

    Examples
    --------
    >>> conditional_entropy([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], [0, 0, 1, 1])
    1.0
    """
    tables = values_by_label(X, labels, "labels")
    return float(sum(_entropy_given_label(table) for table in tables))


def _entropy_given_label(table: FloatArray) -> float:
    shares = table / table.sum(axis=0)
    bits = -(shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=0)
    return float(bits @ table.sum(axis=0) / table.sum())


def normalized_cut(S: Any, labels: Any) -> float:
    """Return the mean over clusters of the share of their similarity that leaves them.

    For a cluster, the paper's Definition 1 with all other objects as the second set: the
    similarity of its objects to objects outside, divided by their similarity to all objects
    (themselves included). Low is good. A cluster with no similarity to anything has 0.

    Parameters
    ----------
    S : array of shape (n_objects, n_objects)
        Similarities: symmetric, none negative; 8 bytes per pair of objects.
    labels : array-like of shape (n_objects,)
        The cluster of each object.

    Returns
    -------
    float
        In [0, 1]; 0 for a single cluster.

    Examples
    --------
    >>> normalized_cut([[1.0, 0.5, 0.5], [0.5, 1.0, 0.5], [0.5, 0.5, 1.0]], [0, 0, 1])
    0.375
    """
    similarity = _check_similarity(S)
    clusters = read_labels(labels, "labels", len(similarity))
    n_clusters = int(clusters.max()) + 1
    by_row = np.stack([similarity[clusters == c].sum(axis=0) for c in range(n_clusters)])
    between = np.stack([by_row[:, clusters == c].sum(axis=1) for c in range(n_clusters)], axis=1)
    total = between.sum(axis=1)
    # Added up without the diagonal, not subtracted from the total: that would round.
    cut = np.where(np.eye(n_clusters, dtype=bool), 0.0, between).sum(axis=1)
    return float(np.divide(cut, total, out=np.zeros(n_clusters), where=total > 0).mean())


def _check_similarity(S: Any) -> FloatArray:
    try:
        similarity = np.asarray(S, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"S must be a square matrix of similarities, as encoder.similarity(X) gives: {error}"
        ) from error
    if similarity.ndim != 2 or similarity.shape[0] != similarity.shape[1]:
        raise ValueError(f"S must be a square matrix, got shape {similarity.shape}.")
    if not np.isfinite(similarity).all():
        row, column = np.argwhere(~np.isfinite(similarity))[0]
        raise ValueError(f"S[{row}, {column}] is {similarity[row, column]}; it must be finite.")
    if similarity.min(initial=0.0) < 0:
        row, column = np.argwhere(similarity < 0)[0]
        raise ValueError(
            f"S[{row}, {column}] is {similarity[row, column]:g}; a normalized cut needs "
            "similarities that are not negative. Shift or scale them first."
        )
    gap = np.abs(similarity - similarity.T)
    if gap.max(initial=0.0) > SYMMETRY_TOLERANCE * similarity.max(initial=0.0):
        row, column = np.unravel_index(gap.argmax(), gap.shape)
        raise ValueError(f"S must be symmetric, but S[{row}, {column}] and its mirror differ.")
    return similarity
