"""Clusters of half of the rows -> what they tell of cells that they were not shown.

A row of the other half joins the cluster that is nearest in all columns but one, and the cluster's
shares of values foretell the cell of that column: by how many nats per row better than the shares
of the whole table do? Clusters that follow noise foretell worse, whatever the number of rows, as
they are judged by rows that they were not fitted to; so do clusters that repeat one column, which
nobody can tell without it. Distances are sums over the columns, so to leave one out is free. A
column goes together with those that say the same (copies, and what follows from it).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from untie._count.cluster_entries import cross_table
from untie._learn.value_space import ValueSpace, count_members
from untie._util.types import FloatArray

PRIOR = 10.0
"""A cluster's shares are drawn towards those of all rows as by this many rows."""

DECIMALS = 9
"""Distances that agree in this many decimals, relative to the largest, are equal."""

MOST_DRAWN = 2**53
"""At most this many equal rows are drawn one by one; of more, the halves have the same shares."""

Labels = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Rows whose cells are to be foretold.

    Parameters
    ----------
    space : ValueSpace
        The value vectors, which distances are made of.
    codes : integer array of shape (n_rows, n_attributes)
        The rows, in the codes of the space.
    cells : integer array of shape (n_rows, n_attributes)
        What is foretold: the rows, perhaps in coarser codes.
    sizes : tuple of int
        Number of values of each attribute in these codes; a code equal to it is unknown and is not
        foretold.
    weights : array of shape (n_rows,)
        How often each row counts.
    draws : array of shape (n_rows,)
        How many of the equal rows that each stands for were drawn independently of each other: the
        weights, or 1 where equal rows were drawn together.
    votes : array of shape (n_attributes,)
        How much each attribute counts.
    related : boolean array of shape (n_attributes, n_attributes)
        Which attributes are hidden together with each; all with itself.
    """

    space: ValueSpace
    codes: NDArray[np.int64]
    cells: NDArray[np.int64]
    sizes: tuple[int, ...]
    weights: FloatArray
    draws: FloatArray
    votes: FloatArray
    related: NDArray[np.bool_]

    @cached_property
    def groups(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Attributes that are hidden with the same others: (hidden ones, foretold ones)."""
        kinds, which = np.unique(self.related, axis=0, return_inverse=True)
        return [
            (np.flatnonzero(kind), np.flatnonzero(which.ravel() == number))
            for number, kind in enumerate(kinds)
        ]


@dataclass(frozen=True, eq=False)
class HalfFit:
    """Clusters of some of the rows.

    Parameters
    ----------
    weights : array of shape (n_rows,)
        How often each row was counted; 0 for those of the other half.
    labels : integer array of shape (n_rows,)
        The cluster of each row that was counted; anything for the others.
    distances : list of arrays of shape (n_codes, n_clusters)
        For each attribute, squared distances of its codes to the clusters' means.
    """

    weights: FloatArray
    labels: Labels
    distances: list[FloatArray]

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.distances[0].shape[1])


@dataclass(frozen=True, eq=False)
class Gains:
    """What clusters tell of hidden cells.

    Parameters
    ----------
    of_rows : array of shape (n_rows,)
        The gain of each row that was foretold, in nats times its weight, over all attributes.
    of_attributes : array of shape (n_attributes,)
        The same over the rows, for each attribute.
    squares : array of shape (n_attributes,)
        Sums over independent draws of squared gains, for the attributes' standard errors.
    """

    of_rows: FloatArray
    of_attributes: FloatArray
    squares: FloatArray

    def __add__(self, other: Gains) -> Gains:
        return Gains(*(a + b for a, b in zip(self._parts, other._parts, strict=True)))

    def __truediv__(self, number: float) -> Gains:
        return Gains(*(part / number for part in self._parts))

    @property
    def _parts(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self.of_rows, self.of_attributes, self.squares


def halves(
    weights: FloatArray, rng: RandomState, whole_rows: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Give every single row to one of two halves; equal rows may go to both.

    Parameters
    ----------
    weights : array of shape (n_rows,)
        Numbers of equal rows; a fraction goes to one half as a whole.
    rng : RandomState
        Where they are drawn from.
    whole_rows : bool
        Whether equal rows stay together.

    Examples
    --------
    >>> one, other = halves(np.array([10.0, 1.0, 0.5]), RandomState(0))
    >>> one + other
    array([10. ,  1. ,  0.5])
    """
    if whole_rows:
        first = weights * (rng.random_sample(len(weights)) < 0.5)
        return first, weights - first
    whole = np.floor(weights)
    n_drawn = np.minimum(whole, MOST_DRAWN).astype(np.int64)
    first = rng.binomial(n_drawn, 0.5) * (whole / np.maximum(n_drawn, 1))
    first += (weights - whole) * (rng.random_sample(len(weights)) < 0.5)
    return first, weights - first


def fit_half(rows: JudgedRows, weights: FloatArray, drawn: Labels, found: Labels) -> HalfFit:
    """Return the means of clusters of some rows.

    Parameters
    ----------
    rows : JudgedRows
        All rows.
    weights : array of shape (n_rows,)
        How often each is counted.
    drawn : integer array
        The rows with a positive weight.
    found : integer array of the same shape
        Their clusters; some numbers may be unused.
    """
    if not len(drawn):  # of a few rows, all may be in the other half: there is nothing to tell
        labels = np.zeros(len(weights), dtype=np.intp)
        return HalfFit(weights, labels, [np.zeros((n, 1)) for n in rows.space.n_codes])
    _, members = np.unique(found, return_inverse=True)
    labels = np.zeros(len(weights), dtype=np.intp)
    labels[drawn] = members
    k = int(members.max()) + 1
    codes = [column[drawn] for column in rows.codes.T]
    counts = count_members(codes, rows.space.n_codes, members, k, weights[drawn])
    return HalfFit(weights, labels, rows.space.distances_to_points(rows.space.centres(counts)))


def all_labels(rows: JudgedRows, fit: HalfFit) -> Labels:
    """Return the nearest cluster of every row, by all of its columns."""
    distances = _distances(rows, fit, range(len(rows.sizes)))
    return _nearest(distances, distances)


def hidden_gains(
    rows: JudgedRows,
    fit: HalfFit,
    test: FloatArray,
    *,
    refit: bool = False,
    never: NDArray[np.bool_] | None = None,
) -> Gains:
    """Foretell each cell of the other half from the rest of its row.

    Parameters
    ----------
    rows : JudgedRows
        All rows.
    fit : HalfFit
        Clusters of one half.
    test : array of shape (n_rows,)
        How often each row is in the other half.
    refit : bool
        Whether the clusters' shares of a column's values are those of the rows that would join them
        without the column. Otherwise they are those of the clusters as they were made, so that
        clusters which need the column lose where they are not recognised without it.
    never : boolean array of shape (n_attributes,), optional
        Attributes that are hidden all the time, and not foretold.
    """
    tested, trained = np.flatnonzero(test > 0), np.flatnonzero(fit.weights > 0)
    of_rows = np.zeros(len(test))
    of_attributes, squares = np.zeros((2, len(rows.sizes)))
    in_each = test[tested] * (rows.weights / rows.draws)[tested]
    for foretold, labels in _labels_without(rows, fit, never):
        members = labels if refit else fit.labels
        for attribute in foretold.tolist():
            table = _log_ratios(rows, fit, attribute, members[trained], trained)
            cells = rows.cells[tested, attribute]
            found = table[labels[tested], cells] * rows.votes[attribute]
            of_rows[tested] += found * test[tested]
            of_attributes[attribute] = found @ test[tested]
            squares[attribute] = np.square(found) @ in_each
    return Gains(of_rows, of_attributes, squares)


def _labels_without(
    rows: JudgedRows, fit: HalfFit, never: NDArray[np.bool_] | None
) -> Iterator[tuple[NDArray[np.intp], Labels]]:
    """Yield attributes that are foretold, and the clusters that rows join without them."""
    never = np.zeros(len(rows.sizes), dtype=bool) if never is None else never
    seen = np.flatnonzero(~never)
    total = _distances(rows, fit, seen)
    for hidden, foretold in rows.groups:
        foretold = foretold[~never[foretold]]
        if len(foretold):
            hidden = hidden[~never[hidden]]
            yield foretold, _nearest(total - _distances(rows, fit, hidden), total)


def _distances(rows: JudgedRows, fit: HalfFit, attributes: NDArray[np.intp] | range) -> FloatArray:
    """Add up the distances of all rows to the clusters over some attributes."""
    total = np.zeros((len(rows.weights), fit.n_clusters))
    for attribute in attributes:
        total += fit.distances[attribute].take(rows.codes[:, attribute], axis=0)
    return total


def _nearest(distances: FloatArray, total: FloatArray) -> Labels:
    """Return the nearest cluster; sums that differ by rounding are equal, and the first wins.

    What rounding is depends on the distances in all columns, `total`: of rows whose other columns
    say nothing, nothing but rounding is left.
    """
    scale = float(total.max(initial=0.0)) or 1.0
    return np.round(distances / scale, DECIMALS).argmin(axis=1)


def _log_ratios(
    rows: JudgedRows, fit: HalfFit, attribute: int, members: Labels, trained: Labels
) -> FloatArray:
    """Return ln(share in the cluster / share in all rows); shape (n_clusters, n_values + 1).

    0 for values that the trained rows do not have, of which the clusters know nothing, and for
    unknown ones, which come last.
    """
    size = rows.sizes[attribute]
    column = rows.cells[trained, attribute]
    shape = fit.n_clusters, size + 1
    joint = cross_table(members, column, shape, fit.weights[trained])[:, :size]
    totals = joint.sum(axis=0)
    result = np.zeros((fit.n_clusters, size + 1))
    seen = np.flatnonzero(totals > 0)
    if len(seen):
        shares = totals[seen] / totals.sum()
        within = joint[:, seen] + PRIOR * shares
        within /= joint.sum(axis=1, keepdims=True) + PRIOR
        result[:, seen] = np.log(within / shares)
    return result
