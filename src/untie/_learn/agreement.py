"""How well two partitions agree, and how far apart the clusters of one are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

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
