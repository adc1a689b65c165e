"""k-means of weighted rows from many starts at once, as products of matrices.

For choices made on a sample: with a few thousand rows and dozens of starts this is faster than one
start after another. The vectors of the rows are one array, or parts that are looked up: a row has
its values' vectors side by side, which need not be formed where columns have many values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy import sparse

from untie._util.arrays import squared_lengths
from untie._util.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class WholeRows:
    """Rows in one array.

    Parameters
    ----------
    with_one : array of shape (n_rows, n_dimensions + 1)
        Rows, with a last column of ones, for products that add a number.

    Examples
    --------
    >>> rows = WholeRows.of(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> rows.products(np.array([[1.0, 0.0, 10.0]]))
    array([[11., 13.]])
    """

    with_one: FloatArray

    @classmethod
    def of(cls, rows: FloatArray, weights: FloatArray | None = None) -> WholeRows:
        """Copy rows; with weights, less their weighted mean."""
        result = cls(np.column_stack([rows, np.ones(len(rows))]))
        if weights is not None:
            centered = result.rows
            centered -= weights @ centered / weights.sum()
        return result

    @property
    def rows(self) -> FloatArray:
        return self.with_one[:, :-1]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of dimensions."""
        return self.rows.shape[0], self.rows.shape[1]

    def squares(self) -> FloatArray:
        """Return the squared length of each row."""
        return squared_lengths(self.rows)

    def some(self, numbers: IntArray) -> FloatArray:
        """Return some rows; the dimensions come after those of `numbers`."""
        return self.rows[numbers]

    def part(self, numbers: IntArray) -> WholeRows:
        """Return some rows, with the same methods."""
        return WholeRows(self.with_one[numbers])

    def products(self, sides: FloatArray) -> FloatArray:
        """Return the product of each side with each row, plus a number; (n_sides, n_rows).

        Parameters
        ----------
        sides : array of shape (n_sides, n_dimensions + 1)
            The last column is what is added.
        """
        return sides @ self.with_one.T

    def sums(self, members: FloatArray) -> FloatArray:
        """Return weighted sums of rows, and in the last column the sums of weights.

        Parameters
        ----------
        members : array of shape (n_sums, n_rows)
            The weight of each row in each sum.
        """
        return members @ self.with_one


@dataclass(frozen=True, eq=False)
class LookedUpRows:
    """Rows whose parts are looked up; they have the methods of `WholeRows`.

    Parameters
    ----------
    tables : sequence of arrays of shape (n_codes, width)
        The vectors of the codes of each part.
    codes : sequence of integer arrays of shape (n_rows,)
        The rows' codes in each part.

    Examples
    --------
    >>> tables = [np.array([[1.0], [2.0]]), np.array([[0.0, 5.0], [6.0, 0.0]])]
    >>> rows = LookedUpRows(tables, [np.array([0, 1, 1]), np.array([0, 0, 1])])
    >>> rows.some(np.arange(3))
    array([[1., 0., 5.],
           [2., 0., 5.],
           [2., 6., 0.]])
    >>> rows.sums(np.array([[1.0, 1.0, 0.0]]))
    array([[ 3.,  0., 10.,  2.]])
    """

    tables: Sequence[FloatArray]
    codes: Sequence[NDArray[np.integer]]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.codes[0]), sum(table.shape[1] for table in self.tables)

    def less_mean(self, weights: FloatArray) -> LookedUpRows:
        """Return the rows less their weighted mean."""
        means = np.split(self.sums(weights[None])[0, :-1] / weights.sum(), self._ends)
        tables = [table - mean for table, mean in zip(self.tables, means, strict=True)]
        return LookedUpRows(tables, self.codes)

    def squares(self) -> FloatArray:
        return self._add_up([squared_lengths(table) for table in self.tables])

    def some(self, numbers: IntArray) -> FloatArray:
        pairs = zip(self.tables, self.codes, strict=True)
        return np.concatenate([table[column[numbers]] for table, column in pairs], axis=-1)

    def part(self, numbers: IntArray) -> LookedUpRows:
        return LookedUpRows(self.tables, [column[numbers] for column in self.codes])

    def products(self, sides: FloatArray) -> FloatArray:
        parts = np.split(sides[:, :-1], self._ends, axis=1)
        pairs = zip(parts, self.tables, strict=True)
        return self._add_up([part @ table.T for part, table in pairs]) + sides[:, -1:]

    def sums(self, members: FloatArray) -> FloatArray:
        totals = np.split((self._one_hot @ members.T).T, self._starts[1:], axis=1)
        pairs = zip(totals, self.tables, strict=True)
        of_rows = [of_codes @ table for of_codes, table in pairs]
        return np.hstack([*of_rows, totals[0].sum(axis=1, keepdims=True)])

    def _add_up(self, numbers: Sequence[FloatArray]) -> FloatArray:
        """Add up what each row's codes have in the last axis of arrays, one array per part."""
        total = np.zeros((*numbers[0].shape[:-1], len(self.codes[0])))
        for of_codes, column in zip(numbers, self.codes, strict=True):
            total += of_codes.take(column, axis=-1)
        return total

    @cached_property
    def _ends(self) -> IntArray:
        """Where a part of the dimensions ends and another begins."""
        return np.cumsum([table.shape[1] for table in self.tables])[:-1]

    @cached_property
    def _starts(self) -> IntArray:
        """The number of each part's first code, if all are numbered on."""
        return np.cumsum([0, *(len(table) for table in self.tables)])[:-1]

    @cached_property
    def _one_hot(self) -> sparse.csr_array:
        """Which code which row has; shape (n_codes of all parts, n_rows)."""
        columns = np.stack(self.codes, axis=1) + self._starts
        n_rows, n_parts = columns.shape
        entries = (np.ones(columns.size), columns.ravel(), np.arange(n_rows + 1) * n_parts)
        n_codes = sum(len(table) for table in self.tables)
        return sparse.csr_array(entries, (n_rows, n_codes)).T.tocsr()


RowVectors = WholeRows | LookedUpRows

Labels = NDArray[np.signedinteger]

MAX_ITER = 100
"""A run ends after at most this many steps; most take about twenty."""

TRIAL_STEPS, KEPT_SHARE = 8, 1 / 3
"""After `TRIAL_STEPS` steps only this share of the runs, those of lowest inertia, goes on."""

BATCH_NUMBERS = 2**23
"""At most this many distances are held at a time; more starts are run in turns."""

EMPTY = 1e-13
"""A cluster with at most this share of the weight has no rows: it is what rounding left."""

TIE = 1e-10
"""Squared distances that differ by less than this share of the largest row's square are equal."""


def best_labels(
    rows: FloatArray | LookedUpRows,
    weights: FloatArray,
    n_clusters: int,
    n_starts: int,
    rng: RandomState,
) -> IntArray:
    """Return the cluster of each row in the run of lowest inertia.

    Parameters
    ----------
    rows : array of shape (n_rows, n_dimensions) or LookedUpRows
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
    vectors: RowVectors = (
        rows.less_mean(weights) if isinstance(rows, LookedUpRows) else WholeRows.of(rows, weights)
    )
    tie = TIE * float(vectors.squares().max(initial=0.0))
    # More than all that the numbers of clusters add up to.
    handicap = n_clusters * tie * weights.sum()
    at_once = max(1, BATCH_NUMBERS // (len(weights) * n_clusters))
    best = np.zeros(len(weights), dtype=np.intp)
    lowest = np.inf
    for start in range(0, n_starts, at_once):
        n_now = min(at_once, n_starts - start)
        centers = _seeds(vectors, weights, n_clusters, n_now, tie, rng)
        handicaps = handicap * np.arange(start, start + n_now)
        labels, inertia = _run(vectors, weights, centers, tie, handicaps)
        winner = int(np.argmin(inertia))
        if inertia[winner] < lowest:
            best, lowest = labels[winner].astype(np.intp), float(inertia[winner])
    return best


def _seeds(
    rows: RowVectors,
    weights: FloatArray,
    n_clusters: int,
    n_starts: int,
    tie: float,
    rng: RandomState,
) -> FloatArray:
    """Draw centers far from each other: k-means++, the best of a few draws each time.

    Returns
    -------
    array of shape (n_clusters, n_starts, n_dimensions)
    """
    n_trials = 2 + int(math.log(n_clusters))
    drawn = np.empty((n_starts, n_clusters), dtype=np.intp)
    drawn[:, 0] = _draw(np.broadcast_to(weights, (n_starts, len(weights))), 1, rng)[:, 0]
    # Squared distances to the nearest seed, less the squares of the rows.
    squares = rows.squares()
    nearest = _less_squares(rows, squares, drawn[:, 0], tie)
    every = np.arange(n_starts)
    handicaps = tie * weights.sum() * np.arange(n_trials)
    for cluster in range(1, n_clusters):
        trials = _draw(np.maximum(nearest + squares, 0.0) * weights, n_trials, rng)
        found = _less_squares(rows, squares, trials.ravel(), tie)
        found = found.reshape(n_starts, n_trials, -1)
        np.minimum(found, nearest[:, None], out=found)
        choice = (found @ weights + handicaps).argmin(axis=1)
        drawn[:, cluster] = trials[every, choice]
        nearest = found[every, choice]
    return rows.some(drawn.T)


def _draw(weights: FloatArray, n_draws: int, rng: RandomState) -> IntArray:
    """Draw columns in proportion to each row's weights; shape (n_rows, n_draws)."""
    n_rows, n_columns = weights.shape
    sums = np.cumsum(weights)  # of all rows, one after the other
    ends = sums[n_columns - 1 :: n_columns, None]
    starts = np.vstack([np.zeros((1, 1)), ends[:-1]])
    marks = starts + rng.random_sample((n_rows, n_draws)) * (ends - starts)
    firsts = n_columns * np.arange(n_rows)[:, None]
    return np.clip(np.searchsorted(sums, marks, side="right") - firsts, 0, n_columns - 1)


def _less_squares(
    rows: RowVectors, squares: FloatArray, chosen: IntArray, tie: float
) -> FloatArray:
    """Return squared distances of chosen rows to all rows, less the squares of the latter.

    They are less by `tie`, too, so that equal rows have no distance, and are not drawn.

    Returns
    -------
    array of shape (n_chosen, n_rows)
    """
    return rows.products(np.column_stack([-2.0 * rows.some(chosen), squares[chosen] - tie]))


def _run(
    rows: RowVectors, weights: FloatArray, centers: FloatArray, tie: float, handicaps: FloatArray
) -> tuple[Labels, FloatArray]:
    """Move centers to the means of their rows until no row changes its cluster.

    Clusters come first in the arrays, so that every step is a few passes over long lines.

    Parameters
    ----------
    rows : RowVectors
        Their weighted mean is 0.
    weights : array of shape (n_rows,)
        All above 0.
    centers : array of shape (n_clusters, n_starts, n_dimensions)
    tie : float
        By how much a distance must be lower than that to a cluster before.
    handicaps : array of shape (n_starts,)
        What is added to each start's inertia.

    Returns
    -------
    labels : array of shape (n_starts, n_rows)
    inertia : array of shape (n_starts,)
        Less the squares of the rows, which are the same for all starts.
    """
    n_starts = centers.shape[1]
    labels = np.zeros((n_starts, len(weights)), dtype=_label_type(len(centers)))
    inertia = np.full(n_starts, np.inf)
    total = rows.sums(weights[None])[0]
    sums = np.zeros((*centers.shape[:2], len(total)))
    sums[0] = total
    moving = np.arange(n_starts)
    for step in range(MAX_ITER):
        if step == TRIAL_STEPS:
            n_kept = math.ceil(KEPT_SHARE * n_starts)
            moving = np.intersect1d(moving, np.argsort(inertia, kind="stable")[:n_kept])
        if not len(moving):
            break
        now = centers[:, moving]
        found, nearer = _nearest(rows, now, tie)
        # The mean of all rows is 0, so their distances to the first center add up to this.
        to_first = total[-1] * np.einsum("ij,ij->i", now[0], now[0])
        inertia[moving] = nearer @ weights + to_first + handicaps[moving]
        differs = found != labels[moving]
        changed = differs.any(axis=1)
        moving, found = moving[changed], found[changed]
        movers = np.flatnonzero(differs.any(axis=0))
        sums[:, moving] += _shifts(labels[moving], found, rows, weights, movers, len(centers))
        labels[moving] = found
        sizes = sums[:, moving, -1:]
        is_empty = sizes <= EMPTY * total[-1]
        means = sums[:, moving, :-1] / np.where(is_empty, 1.0, sizes)
        centers[:, moving] = np.where(is_empty, now[:, changed], means)
    return labels, inertia


def _nearest(rows: RowVectors, centers: FloatArray, tie: float) -> tuple[Labels, FloatArray]:
    """Return each row's nearest center, the first of equally near ones, and how much nearer it is.

    Parameters
    ----------
    rows : RowVectors
    centers : array of shape (n_clusters, n_starts, n_dimensions)
    tie : float
        What squared distances are more by for each cluster before.

    Returns
    -------
    found : array of shape (n_starts, n_rows)
    nearer : array of shape (n_starts, n_rows)
        Its squared distance less that to the first center, at most 0.
    """
    n_clusters, n_starts, n_dimensions = centers.shape
    # All are compared with the first, which needs no product then.
    sides = np.empty((n_clusters - 1, n_starts, n_dimensions + 1))
    sides[..., :-1] = -2.0 * (centers[1:] - centers[0])
    squares = np.einsum("ijk,ijk->ij", centers, centers)
    sides[..., -1] = squares[1:] - squares[0] + tie * np.arange(1, n_clusters)[:, None]
    differences = rows.products(sides.reshape(-1, n_dimensions + 1))
    nearer = np.zeros((n_starts, rows.shape[0]))
    found = np.zeros(nearer.shape, dtype=_label_type(n_clusters))
    is_lower = np.empty(nearer.shape, dtype=bool)
    by_cluster = differences.reshape(-1, *nearer.shape)
    # Passes over all starts at a time, without a branch per number: many times faster than argmin
    # over a few clusters, or than writing only where a distance is lower. Numbers of one byte are
    # multiplied fastest, and booleans are read as such.
    for cluster, difference in enumerate(by_cluster, start=1):
        np.less(difference, nearer, out=is_lower)
        np.maximum(found, is_lower.view(np.int8) * found.dtype.type(cluster), out=found)
        np.minimum(nearer, difference, out=nearer)
    return found, nearer


def _label_type(n_clusters: int) -> type[np.signedinteger]:
    return np.int8 if n_clusters <= np.iinfo(np.int8).max else np.int16


def _shifts(
    before: Labels,
    found: Labels,
    rows: RowVectors,
    weights: FloatArray,
    movers: IntArray,
    n_clusters: int,
) -> FloatArray:
    """Return how much the sums of the clusters' rows change, start by start.

    After a few steps few rows change, and only those are added up.

    Parameters
    ----------
    before, found : arrays of shape (n_starts, n_rows)
        The labels before and after the change.
    rows : RowVectors
    weights : array of shape (n_rows,)
    movers : integer array
        The rows that change their cluster in any start.
    n_clusters : int

    Returns
    -------
    array of shape (n_clusters, n_starts, n_dimensions + 1)
    """
    if len(movers) < len(weights) / 2:
        before, found, weights = before[:, movers], found[:, movers], weights[movers]
        rows = rows.part(movers)
    clusters = np.arange(1, n_clusters, dtype=found.dtype)[:, None, None]
    joined = (found == clusters).view(np.int8) - (before == clusters).view(np.int8)
    shifts = np.empty((n_clusters, len(found), rows.shape[1] + 1))
    sums = rows.sums((joined * weights).reshape((n_clusters - 1) * len(found), len(weights)))
    shifts[1:] = sums.reshape(shifts[1:].shape)
    # The first cluster loses what the others win.
    shifts[0] = -shifts[1:].sum(axis=0)
    return shifts
