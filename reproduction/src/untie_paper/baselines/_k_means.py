"""k-means from squared distances: rows with as many columns as there are rows.

For the values of `CDE`, which are clustered into 2, 3, ... up to hundreds of clusters: with the
distances at hand, a step costs (number of rows)^2 whatever the number of clusters, and seeding
next to nothing, which is far cheaper than to compare every row with every centre.
"""

from __future__ import annotations

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances

from untie_paper.arrays import FloatArray

MAX_ITER = 300
"""Steps after which a run ends; it takes a few."""


def squared_distances(rows: FloatArray) -> FloatArray:
    """Return the squared Euclidean distances of rows; shape (n_rows, n_rows)."""
    # Centred: two numbers far from 0 lose digits in the difference of their squares.
    return euclidean_distances(rows - rows.mean(axis=0), squared=True)


def best_partition(
    distances: FloatArray,
    weights: FloatArray,
    n_clusters: int,
    n_init: int,
    random_state: RandomState,
) -> tuple[NDArray[np.intp], float]:
    """Return each row's cluster and the inertia, in the best of several runs.

    Parameters
    ----------
    distances : array of shape (n_rows, n_rows)
        Squared distances of distinct rows.
    weights : array of shape (n_rows,)
        How often each row counts.
    n_clusters : int
        Number of clusters, at most that of the rows.
    n_init : int
        Number of runs.
    random_state : RandomState
        Where the starts are drawn from.
    """
    if n_clusters == len(distances):
        return np.arange(n_clusters), 0.0
    runs = []
    for _ in range(n_init):
        seeds = draw_seeds(distances, weights, n_clusters, random_state)
        runs.append(run_from(distances, weights, seeds))
    return min(runs, key=lambda run: run[1])


def draw_seeds(
    distances: FloatArray, weights: FloatArray, n_clusters: int, random_state: RandomState
) -> NDArray[np.intp]:
    """Draw rows far from each other (k-means++, the best of a few draws each time)."""
    seeds = np.empty(n_clusters, dtype=np.intp)
    seeds[0] = random_state.choice(len(weights), p=weights / weights.sum())
    nearest = distances[seeds[0]]
    n_draws = 2 + int(np.log(n_clusters))
    for position in range(1, n_clusters):
        chances = np.cumsum(weights * nearest)
        drawn = np.searchsorted(chances, random_state.random_sample(n_draws) * chances[-1])
        drawn = np.minimum(drawn, len(weights) - 1)
        reached = np.minimum(nearest, distances[drawn])
        best = int(np.argmin(reached @ weights))
        seeds[position], nearest = drawn[best], reached[best]
    return seeds


def run_from(
    distances: FloatArray, weights: FloatArray, seeds: NDArray[np.intp]
) -> tuple[NDArray[np.intp], float]:
    """Move rows to the nearest centre and centres to their rows' mean, from seeds, to the end."""
    positions = np.arange(len(weights))
    labels = _fill_empty(np.argmin(distances[seeds], axis=0), distances[seeds])
    for _ in range(MAX_ITER):
        from_centres = _distances_from_centres(distances, weights, labels, len(seeds))
        moved = _fill_empty(np.argmin(from_centres, axis=0), from_centres)
        if np.array_equal(moved, labels):
            break
        labels = moved
    return labels, float(weights @ from_centres[labels, positions])


def _distances_from_centres(
    distances: FloatArray, weights: FloatArray, labels: NDArray[np.intp], n_clusters: int
) -> FloatArray:
    """Return squared distances from each cluster's mean; shape (n_clusters, n_rows).

    That to the mean of some points is the mean of those to the points, less half the mean of
    those between the points.
    """
    positions = np.arange(len(weights))
    members = sparse.csr_array((weights, (labels, positions)), shape=(n_clusters, len(weights)))
    sizes = np.bincount(labels, weights, minlength=n_clusters)
    means = (members @ distances) / sizes[:, None]
    spread = np.bincount(labels, weights * means[labels, positions], minlength=n_clusters) / sizes
    return np.maximum(means - 0.5 * spread[:, None], 0.0)


def _fill_empty(labels: NDArray[np.intp], from_centres: FloatArray) -> NDArray[np.intp]:
    """Give every empty cluster the row farthest from its own centre."""
    sizes = np.bincount(labels, minlength=len(from_centres))
    for empty in np.flatnonzero(sizes == 0):
        away = np.where(sizes[labels] > 1, from_centres[labels, np.arange(len(labels))], -1.0)
        farthest = int(np.argmax(away))
        sizes[labels[farthest]] -= 1
        labels[farthest], sizes[empty] = empty, 1
    return labels
