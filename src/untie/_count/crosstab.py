"""What can be said of a cluster in one column: its values, or a run of neighboring ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from untie._table.intervals import best_run, names_in_order, run_name
from untie._table.orders import Positions
from untie._util.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Entries:
    """Values of a column, or runs of them, and how often the clusters have them.

    Parameters
    ----------
    names : tuple of str
        What they are called.
    counts : array of shape (n_clusters, n_entries)
        Weight of each cluster's rows that have them.
    own : boolean array of shape (n_clusters, n_entries)
        Whether they are said of the cluster: a value that occurs in it, or the run that sets it
        apart most.
    n_tried : integer array of shape (n_entries,)
        From how many each was chosen, by looking at the clusters.
    """

    names: tuple[str, ...]
    counts: FloatArray
    own: BoolArray
    n_tried: IntArray


def cross_table(
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    shape: tuple[int, int],
    weights: FloatArray | None = None,
) -> FloatArray:
    """Return the weight of the rows with each pair of two codes.

    Parameters
    ----------
    first, second : integer arrays of shape (n_rows,)
        The codes.
    shape : pair of int
        The number of codes of either.
    weights : array of shape (n_rows,), optional
        How often each row counts.

    Examples
    --------
    >>> cross_table(np.array([0, 0, 1]), np.array([2, 2, 0]), (2, 3)).tolist()
    [[0.0, 0.0, 2.0], [1.0, 0.0, 0.0]]
    """
    cells = first.astype(np.intp, copy=False) * shape[1] + second
    sums = np.bincount(cells, weights, minlength=shape[0] * shape[1])
    return sums.reshape(shape).astype(float, copy=False)


def find_entries(counts: FloatArray, labels: Sequence[str], positions: Positions | None) -> Entries:
    """Return the values of a column; of one with an order, a run of neighbors for each cluster.

    It is the run whose share of the cluster's rows is the most above that of the other rows. Values
    without a place in the order, such as missing cells, stay apart. A single cluster, which has no
    other rows, has its values.

    Parameters
    ----------
    counts : array of shape (n_clusters, n_values)
        Weight of each cluster's rows with each value.
    labels : sequence of str
        The values.
    positions : integer array of shape (n_values,) or None
        Their order, if they have one.

    Examples
    --------
    >>> ages = ["up to 20", "21 to 30", "31 to 40", "over 40", "missing"]
    >>> counts = np.array([[5.0, 4.0, 1.0, 0.0, 0.0], [0.0, 2.0, 3.0, 4.0, 1.0]])
    >>> found = find_entries(counts, ages, np.array([0, 1, 2, 3, -1]))
    >>> found.names, found.counts.tolist(), found.own.tolist()[0]
    (('up to 30', 'over 30', 'missing'), [[9.0, 1.0, 0.0], [2.0, 7.0, 1.0]], [True, False, False])
    """
    if positions is None or np.count_nonzero(counts.sum(axis=1)) < 2 or positions.max() < 1:
        return Entries(tuple(labels), counts, counts > 0, np.ones(len(labels), dtype=np.intp))
    placed = np.flatnonzero(positions >= 0)
    others = np.flatnonzero(positions < 0)
    n_places = int(positions.max()) + 1
    at_each = np.zeros((len(counts), n_places))
    np.add.at(at_each.T, positions[placed], counts[:, placed].T)
    runs = _runs(at_each, counts.sum(axis=1))
    distinct = sorted({run for run in runs if run is not None})
    sums = [at_each[:, slice(*run)].sum(axis=1) for run in distinct]
    own = [[run == found for found in distinct] for run in runs]
    names = names_in_order(labels, positions)
    return Entries(
        (*(run_name(names, *run) for run in distinct), *(labels[code] for code in others.tolist())),
        np.column_stack([*sums, counts[:, others]]),
        np.hstack([np.reshape(own, (len(runs), len(distinct))), counts[:, others] > 0]),
        np.repeat([n_places * (n_places + 1) // 2, 1], [len(distinct), len(others)]),
    )


def _runs(at_each: FloatArray, sizes: FloatArray) -> list[tuple[int, int] | None]:
    """Return the run of each cluster; None if it has no value of it, such as missing cells only."""
    everywhere, total = at_each.sum(axis=0), sizes.sum()
    runs: list[tuple[int, int] | None] = []
    for counts, size in zip(at_each, sizes, strict=True):
        run = None
        if counts.any():
            run = best_run(counts / size - (everywhere - counts) / (total - size))
        runs.append(run if run is not None and counts[slice(*run)].any() else None)
    return runs
