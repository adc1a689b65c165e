"""One run of k-modes: rows to their nearest modes, modes from their rows, until nothing moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from untie.cluster._problem import Modes, Problem


@dataclass(frozen=True, eq=False)
class Run:
    """The outcome of a run.

    Parameters
    ----------
    labels : integer array of shape (n_distinct,)
        The cluster of each distinct row.
    modes : integer array of shape (n_clusters, n_attributes)
        The clusters' modes.
    cost : float
        Weighted sum of the distances to the modes.
    n_iter : int
        How often the rows were assigned.
    settled : bool
        Whether the run ended by itself, not by its limit.
    """

    labels: NDArray[np.intp]
    modes: Modes
    cost: float
    n_iter: int
    settled: bool


def run(problem: Problem, modes: Modes, max_iter: int, rng: np.random.RandomState) -> Run:
    """Assign and update in turns.

    Ends when an assignment is that of the time before. Frequent values are not the best modes
    for every distance, and then the modes can come back to where they were; the run ends
    there, too, with the cheapest of those that it would visit again and again.
    """
    costs: list[float] = []
    visited: list[Modes] = []
    places: dict[bytes, int] = {}
    assigned: NDArray[np.intp] | None = None
    labels = np.empty(0, dtype=np.intp)
    settled = False
    for _ in range(max_iter):
        nearest, cost = problem.nearest(modes)
        settled = assigned is not None and np.array_equal(nearest, assigned)
        if not settled:
            assigned, labels = nearest, fill_empty(problem, nearest, rng)
        places[modes.tobytes()] = len(visited)
        visited.append(modes)
        costs.append(cost)
        if settled or len(visited) == max_iter:
            break
        updated = problem.update(labels)
        if np.array_equal(updated, modes):
            settled = True
            break
        start = places.get(updated.tobytes())
        if start is not None:
            settled = True
            modes = visited[start + int(np.argmin(costs[start:]))]
            labels = fill_empty(problem, problem.nearest(modes)[0], rng)
            break
        modes = updated
    return Run(labels, modes, problem.cost(labels, modes), len(visited), settled)


def fill_empty(
    problem: Problem, labels: NDArray[np.intp], rng: np.random.RandomState
) -> NDArray[np.intp]:
    """Move a random row of the largest cluster into each empty one.

    Parameters
    ----------
    problem : Problem
        A table with more distinct rows than clusters.
    labels : integer array of shape (n_distinct,)
        Clusters, some of which may be empty.
    rng : RandomState
        Draws the rows, each with a probability in proportion to its weight.
    """
    n_rows = np.bincount(labels, minlength=problem.n_clusters)
    if n_rows.all():
        return labels
    labels, weights = labels.copy(), problem.rows.weights
    for empty in np.flatnonzero(n_rows == 0):
        n_rows = np.bincount(labels, minlength=problem.n_clusters)
        sizes = np.bincount(labels, weights, minlength=problem.n_clusters)
        # A cluster of one distinct row would be empty itself without it.
        members = np.flatnonzero(labels == np.where(n_rows > 1, sizes, -1.0).argmax())
        shares = weights[members] / weights[members].sum()
        labels[rng.choice(members, p=shares)] = empty
    return labels


def one_row_a_cluster(problem: Problem) -> Run:
    """Make each distinct row a mode, where they are at most as many as the clusters.

    They are numbered in the order of the table. Clusters that are left over have the modes of
    the first ones once more, and no rows.
    """
    order = np.argsort(problem.rows.first)
    labels = np.empty_like(order)
    labels[order] = np.arange(len(order))
    modes = problem.modes_at(order[np.arange(problem.n_clusters) % len(order)])
    return Run(labels, modes, problem.cost(labels, modes), 1, True)
