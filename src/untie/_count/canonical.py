"""Sampled rows -> the same rows in an order that no name and no column's place decides.

Whatever is drawn from rows in this order is the same for every naming of a table: the starts of
k-means, resamples, which of two equal distances comes first. Rows and values are told apart by
where they stand among each other alone (colour refinement): a value is what its rows are, a row
is what its values are, a column is what its values are. Where that leaves rows alike, the orders of
columns tell more: how far a value is from the middle, and what else is on its side. Where rows are
still alike, as in designed tables, one of them is singled out, and what follows from it is found in
the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from untie._count.row_sample import RowSample
from untie._table.orders import Positions
from untie._util.mixing import mixed
from untie._util.types import FloatArray

MOST_ROUNDS = 8
"""Colours are refined at most this many times; two or three nearly always suffice."""

MOST_SINGLED = 24
"""At most this many rows are singled out; where more are alike, they can nearly always be exchanged
for each other."""

MOST_CELLS = 1_000_000
"""Rows are tried while they have at most this many cells together, times the table's; then one of
several that are alike stands for all."""

WEIGHT_BITS = 30
"""Weights that agree in this many bits, nine decimals, are equal: sums are rounded."""

Colours = NDArray[np.uint64]


def in_canonical_order(sample: RowSample, orders: Sequence[Positions | None] = ()) -> RowSample:
    """Return the rows of a sample in an order that depends on neither names nor places.

    Rows that nothing tells apart, as an exchange of values and columns makes one into the other,
    keep the order they come in.

    Parameters
    ----------
    sample : RowSample
        Rows in any codes.
    orders : sequence of integer arrays of shape (n_values,) or None
        Where the values of each column stand in its order; empty if no column has one.

    Examples
    --------
    >>> from untie import count_table
    >>> rows = [["a", "x"], ["a", "y"], ["a", "y"], ["b", "y"], ["b", "y"], ["b", "y"]]
    >>> renamed = [[{"x": "u", "y": "t"}[second], {"a": "n", "b": "m"}[first]]
    ...     for first, second in rows]
    >>> for table in (rows, renamed):
    ...     in_canonical_order(count_table(table).sample).weights
    array([1., 2., 3.])
    array([1., 2., 3.])
    """
    order = canonical_order(sample.codes, sample.weights, orders)
    return RowSample(sample.numbers[order], sample.codes[order], sample.weights[order])


def canonical_order(
    codes: NDArray[np.integer],
    weights: FloatArray,
    orders: Sequence[Positions | None] = (),
) -> NDArray[np.intp]:
    """Return the rows' positions in canonical order.

    An order counts from either end: to turn it round changes nothing.

    Parameters
    ----------
    codes : integer array of shape (n_rows, n_attributes)
        The rows; which code stands for which value does not matter.
    weights : array of shape (n_rows,)
        How often each counts; only their proportions matter.
    orders : sequence of integer arrays of shape (n_values,) or None
        Where the values of each column stand in its order; empty if no column has one.
    """
    # A column whose cells are all the same, as those of passive ones are, is as if not there.
    varied = np.flatnonzero((codes != codes[:1]).any(axis=0))
    codes = codes[:, varied]
    if len(codes) < 2 or not codes.shape[1]:
        return np.arange(len(codes))
    graph = _Graph(codes)
    rows = graph.refine(mixed(_as_bits(weights / weights.sum())))
    of_varied = [orders[column] for column in varied.tolist()] if orders else []
    if any(order is not None for order in of_varied) and _n_colours(rows) < len(rows):
        graph.add_orders(codes, of_varied)
        rows = graph.refine(rows)
    exchangeable = np.zeros(len(rows), dtype=bool)
    n_trials = MOST_CELLS // codes.size
    for _ in range(MOST_SINGLED):
        alike = _smallest_tie(rows, ~exchangeable)
        if not len(alike):
            break
        tried = alike[: max(1, n_trials)]
        n_trials -= len(tried)
        # Those that give the same colours can be exchanged; of the others, one must be the first.
        found = min((graph.single_out(row, rows) for row in tried), key=_sum_of_colours)
        # Where it tells nothing of any other row, all of these can be exchanged for each other.
        exchangeable[alike] = _n_colours(found) == _n_colours(rows) + 1
        rows = found
    return np.argsort(rows, kind="stable")


class _Graph:
    """Which value of which column each row has, made for sums over rows, values and columns.

    Parameters
    ----------
    codes : integer array of shape (n_rows, n_attributes)
        The rows.
    """

    def __init__(self, codes: NDArray[np.integer]) -> None:
        columns = [np.unique(column, return_inverse=True) for column in codes.T]
        self._sizes = np.array([len(values) for values, _ in columns])
        self._starts = np.cumsum(self._sizes) - self._sizes
        places = [
            inverse + start for (_, inverse), start in zip(columns, self._starts, strict=True)
        ]
        self._places = np.stack(places, axis=1)
        by_value = np.argsort(self._places, axis=None, kind="stable")
        self._rows_of_values = by_value // codes.shape[1]
        ends = np.cumsum(np.bincount(self._places.ravel()))
        self._firsts = np.concatenate([[0], ends[:-1]])
        self._far: Colours | None = None

    def add_orders(self, codes: NDArray[np.integer], orders: Sequence[Positions | None]) -> None:
        """Let the orders of columns tell values apart, too.

        Parameters
        ----------
        codes : integer array of shape (n_rows, n_attributes)
            The rows.
        orders : sequence of integer arrays of shape (n_values,) or None
            Where the values of each column stand in its order.
        """
        # From the middle of the order; 0 there, and for values that have no place in one.
        places = np.zeros(int(self._sizes.sum()), dtype=np.int64)
        has_place = np.zeros(len(places), dtype=bool)
        for start, column, order in zip(self._starts, codes.T, orders, strict=True):
            if order is not None:
                known = np.append(order, -1)[np.unique(column)]  # the last code is unknown
                chosen = start + np.flatnonzero(known >= 0)
                ranks = np.unique(known[known >= 0], return_inverse=True)[1]
                places[chosen] = 2 * ranks - ranks.max(initial=0)
                has_place[chosen] = True
        self._far = mixed((np.abs(places) + has_place).astype(np.uint64))
        self._on_side = np.flatnonzero(places)
        attributes = np.repeat(np.arange(len(self._sizes)), self._sizes)
        self._sides = (2 * attributes + (places > 0))[self._on_side]

    def _by_order(self, values: Colours) -> Colours:
        """Tell values apart by how far out they are, and by what else is on their side."""
        if self._far is None:
            return values
        values = mixed(values + self._far)
        sums = np.zeros(2 * len(self._sizes), dtype=np.uint64)
        np.add.at(sums, self._sides, values[self._on_side])
        values[self._on_side] = mixed(values[self._on_side] + mixed(sums)[self._sides])
        return values

    def refine(self, rows: Colours) -> Colours:
        """Return colours that tell apart all rows that their values tell apart."""
        values = np.zeros(int(self._sizes.sum()), dtype=np.uint64)
        n_before = _n_colours(rows)
        for _ in range(MOST_ROUNDS):
            # Sums modulo 2^64: in whatever order, they are the same.
            values = mixed(
                values + np.add.reduceat(mixed(rows)[self._rows_of_values], self._firsts)
            )
            values = self._by_order(values)
            columns = mixed(np.add.reduceat(values, self._starts))
            values = mixed(values + np.repeat(columns, self._sizes))
            rows = mixed(rows + values[self._places].sum(axis=1, dtype=np.uint64))
            n_now = _n_colours(rows)
            if n_now == n_before:
                break
            n_before = n_now
        return rows

    def single_out(self, row: np.intp, rows: Colours) -> Colours:
        """Return the colours that follow when one row has a colour of its own."""
        single = rows.copy()
        single[[row]] = mixed(rows[[row]])
        return self.refine(single)


def _smallest_tie(rows: Colours, able: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the rows of the rarest colour that several have; none if there is no such colour."""
    colours, times = np.unique(rows[able], return_counts=True)
    colours, times = colours[times > 1], times[times > 1]
    if not len(colours):
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(able & (rows == colours[np.argmin(times)]))


def _sum_of_colours(rows: Colours) -> int:
    return int(mixed(rows).sum(dtype=np.uint64))


def _n_colours(rows: Colours) -> int:
    return len(np.unique(rows))


def _as_bits(weights: FloatArray) -> Colours:
    """Return one integer for all weights that are equal but for rounding."""
    share, power = np.frexp(weights)
    return np.ldexp(np.rint(np.ldexp(share, WEIGHT_BITS)), power).view(np.uint64)
