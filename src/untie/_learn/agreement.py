"""How well clusters agree with others or with a label, and how far apart they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

from untie._count.cluster_entries import cross_table
from untie._util.types import FloatArray


def adjusted_rand(first: NDArray[np.intp], second: NDArray[np.intp], weights: FloatArray) -> float:
    """Return the adjusted Rand index of two partitions of weighted rows.

    The weights are numbers of equal rows, which are in one cluster together.

    Examples
    --------
    >>> adjusted_rand(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]), np.ones(4))
    1.0
    """
    table = cross_table(first, second, (int(first.max()) + 1, int(second.max()) + 1), weights)
    rows, columns = (_n_pairs(table.sum(axis=axis)) for axis in (1, 0))
    both, total = _n_pairs(table), _n_pairs(table.sum())
    expected = rows * columns / total if total > 0 else 0.0
    most = (rows + columns) / 2.0
    return float((both - expected) / (most - expected)) if most > expected else 1.0


def _n_pairs(counts: Any) -> float:
    return float(np.sum(counts * np.maximum(counts - 1.0, 0.0)) / 2.0)


def clustering_f_score(y_true: Any, labels: Any) -> float:
    """Return the macro F1 after matching each cluster to at most one class.

    The matching is one to one and maximizes the number of rows whose cluster is matched to their
    class; among matchings that are equal in this, the one with the highest F counts. A class
    without a cluster has F1 = 0.

    Parameters
    ----------
    y_true, labels : array of shape (n_rows,)
        The class and the cluster of each row.

    Examples
    --------
    >>> clustering_f_score(["low", "low", "low", "low", "high", "high"], [0, 0, 0, 1, 0, 1])
    0.625
    """
    classes, clusters = (np.asarray(given).astype(str) for given in (y_true, labels))
    shared: FloatArray = contingency_matrix(classes, clusters).astype(float)
    sizes = shared.sum(axis=1, keepdims=True) + shared.sum(axis=0)
    f_scores = 2.0 * shared / sizes
    # The F of all matches together is worth less than one row, so it decides only between
    # matchings with equally many rows.
    worth = shared + f_scores / (2 * min(shared.shape) + 2)
    matched = linear_sum_assignment(worth, maximize=True)
    return float(f_scores[matched].sum() / len(shared))


def purity(y_true: Any, labels: Any) -> float:
    """Return the share of rows that are of the most frequent class of their cluster.

    Parameters
    ----------
    y_true, labels : array of shape (n_rows,)
        The class and the cluster of each row.

    Examples
    --------
    >>> purity(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.75
    """
    shared = contingency_matrix(np.asarray(y_true).astype(str), np.asarray(labels))
    return float(shared.max(axis=0).sum() / shared.sum())


def distances_of(rows: FloatArray) -> FloatArray:
    """Return the distances of all pairs of vectors; shape (n_rows, n_rows)."""
    squares = np.einsum("ij,ij->i", rows, rows)
    distances = squares[:, None] + squares - 2.0 * (rows @ rows.T)
    np.fill_diagonal(distances, 0.0)
    return np.sqrt(np.maximum(distances, 0.0))


def silhouette(distances: FloatArray, weights: FloatArray, labels: NDArray[np.intp]) -> float:
    """Return the weighted mean silhouette; copies of a row are at distance 0 of it.

    Parameters
    ----------
    distances : array of shape (n_rows, n_rows)
        Of distinct rows.
    weights : array of shape (n_rows,)
        How often each counts.
    labels : integer array of shape (n_rows,)
        Their clusters.

    Examples
    --------
    >>> rows, labels = np.array([[0.0], [1.0], [10.0]]), np.array([0, 0, 1])
    >>> round(silhouette(distances_of(rows), np.ones(3), labels), 3)
    0.596
    """
    members = np.zeros((len(labels), int(labels.max()) + 1))
    members[np.arange(len(labels)), labels] = weights
    sizes = members.sum(axis=0)
    sums = distances @ members
    every = np.arange(len(labels))
    others = sizes[labels] - np.minimum(weights, 1.0)
    alone = others <= 1e-12
    own = sums[every, labels] / np.where(alone, 1.0, others)
    means = np.divide(sums, sizes, out=np.full_like(sums, np.inf), where=sizes > 0)
    means[every, labels] = np.inf
    nearest = means.min(axis=1)
    larger = np.maximum(own, nearest)
    usable = ~alone & np.isfinite(nearest) & (larger > 0)
    widths = np.zeros(len(labels))
    widths[usable] = (nearest - own)[usable] / larger[usable]
    return float(weights @ widths / weights.sum())
