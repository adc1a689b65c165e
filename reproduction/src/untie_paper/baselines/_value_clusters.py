"""CDE's steps, each a function: what values are compared by -> clusters of them -> vectors.

The values of all attributes are clustered together.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy.linalg import svd

from untie_paper.arrays import FloatArray
from untie_paper.baselines._k_means import best_partition, squared_distances
from untie_paper.baselines._signs import orient

SAME = 10
"""Decimals, relative to the largest number, in which equal rows of a matrix agree."""


def cluster_indicators(
    matrix: FloatArray, alpha: float, n_init: int, random_state: RandomState
) -> list[FloatArray]:
    """Cluster the rows for k = 2, 3, ... and return 0/1 columns of each k's clusters.

    A cluster of at most one value, or of all but at most one, is left out; the k in which more
    than ``ceil(k / alpha)`` are left out is the last, and there are no more clusters than
    distinct rows.

    Parameters
    ----------
    matrix : array of shape (n_values, n_columns)
        What values are compared by.
    alpha : float
        At most one cluster in `alpha`, rounded up, may be left out.
    n_init : int
        Number of starts of each clustering.
    random_state : RandomState
        Where the starts are drawn from.

    Returns
    -------
    list of arrays of shape (n_values, n_clusters kept), one per k
    """
    if len(matrix) < 2:
        return []
    rows, multiplicity, row_of = _distinct_rows(matrix)
    distances = squared_distances(rows)
    clusterings = []
    for n_clusters in range(2, len(rows) + 1):
        labels, _ = best_partition(distances, multiplicity, n_clusters, n_init, random_state)
        indicators = np.eye(n_clusters)[labels[row_of]]
        sizes = indicators.sum(axis=0)
        keep = (sizes > 1) & (sizes < len(matrix) - 1)
        clusterings.append(indicators[:, keep])
        if n_clusters - np.count_nonzero(keep) > math.ceil(n_clusters / alpha):
            break
    return clusterings


def principal_components(indicators: FloatArray, beta: float) -> FloatArray:
    """Return the principal components whose range over the values is at least `beta`.

    With a small beta only those go that are 0 everywhere: distances are those of the
    indicators. Where nothing is left, one column of zeros stands for it.
    """
    if not indicators.size:
        return np.zeros((len(indicators), 1))
    left, lengths, _ = svd(indicators - indicators.mean(axis=0), full_matrices=False)
    components = left * lengths
    components = components[:, np.ptp(components, axis=0) >= beta]
    if not components.shape[1]:
        return np.zeros((len(indicators), 1))
    return components * orient(components, np.ones(len(components)))


def _distinct_rows(matrix: FloatArray) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
    """Return the distinct rows, how many values have each, and the number of each value's.

    They are ordered by their sorted entries: the starts of k-means, which are drawn by position,
    then depend neither on the names of the values nor on the order of the columns.
    """
    first, inverse, n_same = distinct_vectors(matrix, SAME)
    rounded = np.round(matrix[first] / np.abs(matrix).max(), SAME)
    order = np.lexsort(np.sort(rounded, axis=1).T)
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    return matrix[first[order]], n_same[order].astype(float), position[inverse]


def distinct_vectors(
    vectors: FloatArray, decimals: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return a position of each distinct vector, which of them each is, and how often it occurs.

    Parameters
    ----------
    vectors : array of shape (n_vectors, n_dimensions)
        The vectors.
    decimals : int
        Decimals, relative to the largest number, in which equal vectors agree.
    """
    largest = np.abs(vectors).max(initial=0.0)
    if largest == 0:
        every = np.zeros(len(vectors), dtype=np.intp)
        return every[:1], every, np.array([len(vectors)])
    # Bytes are faster to compare than numbers; 0 is added so that -0 becomes 0.
    rounded = np.ascontiguousarray(np.round(vectors / largest, decimals) + 0.0)
    as_bytes = rounded.view(np.dtype((np.void, rounded.itemsize * rounded.shape[1]))).ravel()
    _, first, places, times = np.unique(
        as_bytes, return_index=True, return_inverse=True, return_counts=True
    )
    return first, places, times
