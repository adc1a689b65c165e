"""k-means of weighted rows from many starts at once, as products of matrices.

For the choices that are made on a sample: with a few thousand rows and dozens of starts, this is
many times faster than scikit-learn's, which runs one start after another.

Tables of categories have many equal distances. What is later in order (a cluster, a draw, a
start) is put at a disadvantage that is far below any distance and far above rounding, so that
ties fall by the order of the rows and the draws, whatever the coordinates.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from untie._util.types import FloatArray

MAX_ITER = 100
"""A run ends after at most this many steps; most take about twenty."""

TRIAL_STEPS, KEPT_SHARE = 8, 1 / 3
"""After `TRIAL_STEPS` steps only this share of the runs, those of lowest inertia, goes on."""

BATCH_NUMBERS = 2**23
"""At most this many distances are held at a time; more starts are run in turns."""

TIE = 1e-10
"""Squared distances that differ by less than this share of the largest row's square are equal."""


def best_labels(
    rows: FloatArray, weights: FloatArray, n_clusters: int, n_starts: int, rng: RandomState
) -> NDArray[np.intp]:
    """Return the cluster of each row in the run of lowest inertia.

    Parameters
    ----------
    rows : array of shape (n_rows, n_dimensions)
        Distinct or not; at least as many as clusters.
    weights : array of shape (n_rows,)
        How often each counts.
    n_clusters : int
        Number of clusters. Some may be empty where fewer rows are distinct.
    n_starts : int
        Number of starts.
    rng : RandomState
        Where they are drawn from.

    Examples
    --------
    >>> rows = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> labels = best_labels(rows, np.ones(4), 2, 5, RandomState(0))
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    total = weights.sum()
    rows = rows - weights @ rows / total
    tie = _tie_width(rows)
    # More than all that the numbers of clusters add up to.
    handicap = n_clusters * tie * total
    at_once = max(1, BATCH_NUMBERS // (len(rows) * n_clusters))
    best = np.zeros(len(rows), dtype=np.intp)
    lowest = np.inf
    for start in range(0, n_starts, at_once):
        n_now = min(at_once, n_starts - start)
        centres = _seeds(rows, weights, n_clusters, n_now, tie, rng)
        handicaps = handicap * np.arange(start, start + n_now)
        labels, inertia = _run(rows, weights, centres, tie, handicaps)
        winner = int(np.argmin(inertia))
        if inertia[winner] < lowest:
            best, lowest = labels[:, winner].astype(np.intp), float(inertia[winner])
    return best


def nearest_means(rows: FloatArray, means: FloatArray) -> NDArray[np.intp]:
    """Return each row's nearest mean, the first of equally near ones.

    Examples
    --------
    >>> nearest_means(np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [2.0]]))
    array([0, 0, 1])
    """
    found, _ = _nearest(rows, means[:, None], _tie_width(rows))
    return found[:, 0].astype(np.intp)


def _tie_width(rows: FloatArray) -> float:
    """Return by how much squared distances must differ to count as different."""
    return TIE * float(np.einsum("ij,ij->i", rows, rows).max(initial=0.0))


def _seeds(
    rows: FloatArray,
    weights: FloatArray,
    n_clusters: int,
    n_starts: int,
    tie: float,
    rng: RandomState,
) -> FloatArray:
    """Draw centres far from each other: k-means++, the best of a few draws each time.

    Returns
    -------
    array of shape (n_clusters, n_starts, n_dimensions)
    """
    squares = np.einsum("ij,ij->i", rows, rows)
    n_trials = 2 + int(math.log(n_clusters))
    drawn = np.empty((n_starts, n_clusters), dtype=np.intp)
    drawn[:, 0] = _draw(np.broadcast_to(weights, (n_starts, len(rows))), 1, rng)[:, 0]
    nearest = _squared_distances(rows, squares, drawn[:, 0], tie)
    every = np.arange(n_starts)
    handicaps = tie * weights.sum() * np.arange(n_trials)
    for cluster in range(1, n_clusters):
        trials = _draw(nearest * weights, n_trials, rng)
        distances = _squared_distances(rows, squares, trials.ravel(), tie)
        distances = np.minimum(distances.reshape(n_starts, n_trials, -1), nearest[:, None])
        choice = (distances @ weights + handicaps).argmin(axis=1)
        drawn[:, cluster] = trials[every, choice]
        nearest = distances[every, choice]
    return rows[drawn.T]


def _draw(weights: FloatArray, n_draws: int, rng: RandomState) -> NDArray[np.intp]:
    """Draw columns in proportion to each row's weights; shape (n_rows, n_draws)."""
    sums = np.cumsum(weights, axis=1)
    marks = rng.random_sample((len(weights), n_draws)) * sums[:, -1:]
    found = [
        np.searchsorted(line, mark, side="right") for line, mark in zip(sums, marks, strict=True)
    ]
    return np.minimum(found, weights.shape[1] - 1)


def _squared_distances(
    rows: FloatArray, squares: FloatArray, chosen: NDArray[np.intp], tie: float
) -> FloatArray:
    """Return squared distances of chosen rows to all rows; shape (n_chosen, n_rows).

    They are less by `tie`, so that equal rows have no distance, and are not drawn.
    """
    products = rows[chosen] @ rows.T
    products *= -2.0
    products += squares
    products += squares[chosen, None] - tie
    return np.maximum(products, 0.0, out=products)


def _run(
    rows: FloatArray, weights: FloatArray, centres: FloatArray, tie: float, handicaps: FloatArray
) -> tuple[NDArray[np.integer], FloatArray]:
    """Move centres to the means of their rows until no row changes its cluster.

    Clusters come first in the arrays, so that every step is a few passes over long lines.

    Parameters
    ----------
    rows : array of shape (n_rows, n_dimensions)
    weights : array of shape (n_rows,)
    centres : array of shape (n_clusters, n_starts, n_dimensions)
    tie : float
        By how much a distance must be lower than that to a cluster before.
    handicaps : array of shape (n_starts,)
        What is added to each start's inertia.

    Returns
    -------
    labels : array of shape (n_rows, n_starts)
    inertia : array of shape (n_starts,)
    """
    n_clusters, n_starts, _ = centres.shape
    labels = np.full((len(rows), n_starts), -1, dtype=np.int16)
    inertia = np.full(n_starts, np.inf)
    squares = float(weights @ np.einsum("ij,ij->i", rows, rows))
    moving = np.arange(n_starts)
    weighted = rows * weights[:, None]
    for step in range(MAX_ITER):
        if step == TRIAL_STEPS:
            n_kept = math.ceil(KEPT_SHARE * n_starts)
            moving = np.intersect1d(moving, np.argsort(inertia, kind="stable")[:n_kept])
        if not len(moving):
            break
        found, lowest = _nearest(rows, centres[:, moving], tie)
        inertia[moving] = weights @ lowest + squares + handicaps[moving]
        changed = (found != labels[:, moving]).any(axis=0)
        labels[:, moving] = found
        moving = moving[changed]
        sums, sizes = _sums(found[:, changed], weighted, weights, n_clusters)
        # An empty cluster keeps its centre.
        means = sums / np.where(sizes > 0, sizes, 1.0)[:, :, None]
        centres[:, moving] = np.where(sizes[:, :, None] > 0, means, centres[:, moving])
    return labels, inertia


def _nearest(
    rows: FloatArray, centres: FloatArray, tie: float
) -> tuple[NDArray[np.int16], FloatArray]:
    """Return each row's nearest centre, the first of equally near ones, and how far it is.

    Distances are less by the row's own square, and more by `tie` for each cluster before.
    """
    n_clusters, n_starts, n_dimensions = centres.shape
    flat = centres.reshape(-1, n_dimensions)
    distances = rows @ (-2.0 * flat.T)
    ties = tie * np.repeat(np.arange(n_clusters), n_starts)
    distances += np.einsum("ij,ij->i", flat, flat) + ties
    by_cluster = distances.reshape(len(rows), n_clusters, n_starts)
    lowest = by_cluster[:, 0].copy()
    found = np.zeros(lowest.shape, dtype=np.int16)
    # Passes over all starts at a time: many times faster than argmin over a few clusters.
    for cluster in range(1, n_clusters):
        np.copyto(found, cluster, where=by_cluster[:, cluster] < lowest)
        np.minimum(lowest, by_cluster[:, cluster], out=lowest)
    return found, lowest


def _sums(
    labels: NDArray[np.int16], weighted: FloatArray, weights: FloatArray, n_clusters: int
) -> tuple[FloatArray, FloatArray]:
    """Return the weighted sum of each cluster's rows, and its weight, for every start."""
    n_rows, n_starts = labels.shape
    members = np.empty((n_rows, n_clusters, n_starts))
    for cluster in range(n_clusters):
        np.equal(labels, cluster, out=members[:, cluster])
    flat = members.reshape(n_rows, -1)
    sums = (flat.T @ weighted).reshape(n_clusters, n_starts, weighted.shape[1])
    return sums, (weights @ flat).reshape(n_clusters, n_starts)
