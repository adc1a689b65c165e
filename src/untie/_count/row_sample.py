"""A sample of distinct rows with their weights, the same for every order and chunking.

Each row has a number that depends on its cells and on the names of their columns; the smallest
numbers are kept. Before anything is drawn from the rows they are put in an order that no name and
no column's place decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._count.counting import count_column
from untie._count.memory import SAMPLE_ROWS
from untie._count.packed_rows import Packs
from untie._table.column_codes import in_utc
from untie._table.orders import Positions
from untie._table.vocabulary import Vocabulary
from untie._util.arrays import mixed
from untie._util.threads import in_threads, pays
from untie._util.types import BoolArray, Codes, FloatArray, IntArray, LongArray, Value

BLOCK_ROWS = 2**16
"""This many rows are numbered at a time."""

GROUP_BLOCKS = 16
"""This many blocks may be numbered at the same time, whatever the number of threads."""

FIRST_ROWS = 2**12
"""The first block has this many rows: until there is a sample, every row has to be sorted."""

JOINT_CELLS = 4096
"""Attributes are looked up together while they have at most this many combinations."""

DECIMAL_BITS = 2_000
"""Integers with more bits than this are written in base 16; every float is shorter."""

MOST_DIGITS = 20_000
"""Decimals with more digits before or after the point are written with an exponent; no float has so
many, and only an integer that was written out has."""

Numbers = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class RowSample:
    """Distinct rows with their weights; ``+`` merges the samples of two chunks.

    Parameters
    ----------
    numbers : array of shape (n_sampled,)
        The rows' numbers, ascending.
    codes : integer array of shape (n_sampled, n_attributes)
        The rows, in the codes of a vocabulary.
    weights : array of shape (n_sampled,)
        Weight of all rows of the table that are equal to each.
    """

    numbers: Numbers
    codes: LongArray
    weights: FloatArray

    def __add__(self, other: RowSample) -> RowSample:
        if not isinstance(other, RowSample):
            return NotImplemented
        kept, first, totals = _smallest(
            np.concatenate([self.numbers, other.numbers]),
            np.concatenate([self.weights, other.weights]),
        )
        return RowSample(kept, np.concatenate([self.codes, other.codes])[first], totals)

    def check(self, sizes: Sequence[int], frequencies: FloatArray) -> None:
        """Refuse rows that are not of the table with these counts.

        Parameters
        ----------
        sizes : sequence of int
            Number of values of each attribute.
        frequencies : array of shape (n_values,)
            Weight of the table's rows with each value of each attribute.
        """
        reason = None
        if self.codes.shape != (len(self.weights), len(sizes)):
            reason = f"its rows have {self.codes.shape[1]} columns, the counts {len(sizes)}"
        elif (self.codes < 0).any() or (self.codes > np.array(sizes)).any():
            reason = "its codes go beyond the values that were counted"
        else:
            columns = zip(self.codes.T, sizes, strict=True)
            found = [count_column(column, size, self.weights) for column, size in columns]
            if (np.concatenate(found) > frequencies * (1 + 1e-6)).any():
                reason = "some value has more weight in it than in the counts"
        if reason:
            raise ValueError(
                f"The sample is not of the table that was counted: {reason}. Pass what "
                "untie.count_table gave as it is, or without its sample."
            )

    @property
    def is_whole(self) -> bool:
        """Whether no distinct row of the table is left out."""
        return len(self.numbers) < SAMPLE_ROWS

    def spread(self, places: IntArray, sizes: Sequence[int]) -> RowSample:
        """Return the rows as rows of a table with more columns, whose cells are unknown.

        Parameters
        ----------
        places : integer array of shape (n_attributes,)
            The places of the columns of the sample in that table.
        sizes : sequence of int
            Number of values of each column of the table.
        """
        rows = np.tile(np.array(sizes, dtype=np.int64), (len(self.weights), 1))
        rows[:, places] = self.codes
        return replace(self, codes=rows)

    def relabel(self, targets: Sequence[IntArray], sizes: Sequence[int]) -> RowSample:
        """Move every value to a new code, as `Counts.relabel` does; the numbers stay."""
        columns = [
            np.append(target, size)[column]  # an unknown value has the code after the last
            for target, size, column in zip(targets, sizes, self.codes.T, strict=True)
        ]
        return RowSample(self.numbers, np.stack(columns, axis=1), self.weights)


def sample_rows(
    codes: Codes, vocabulary: Vocabulary, weights: FloatArray | None, limit: np.uint64 | None = None
) -> RowSample:
    """Return the distinct rows with the smallest numbers.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        The rows, in the codes of the vocabulary.
    vocabulary : Vocabulary
        The values.
    weights : array of shape (n_rows,) or None
        How often each row counts.
    limit : int, optional
        Rows with a larger number are left out: those before these had enough smaller ones.
    """
    numbers = _PackedNumbers(vocabulary)
    n_rows = len(codes[0])
    sample: RowSample | None = None

    def sample_block(rows: slice) -> RowSample:
        block = [column[rows] for column in codes]
        part = np.ones(len(block[0])) if weights is None else weights[rows]
        own = numbers.of(block)
        if largest is not None:
            chosen = np.flatnonzero(own <= largest)
            own, part, block = own[chosen], part[chosen], [column[chosen] for column in block]
        kept, first, totals = _smallest(own, part)
        lines = [column[first].astype(np.int64) for column in block]
        return RowSample(kept, np.stack(lines, axis=1), totals)

    for group in _groups(n_rows, has_limit=limit is not None):
        # Rows above the largest number kept so far are out, and these are nearly all.
        largest = limit if sample is None else sample_limit(sample, limit)
        for found in in_threads(sample_block, group, pays(n_rows * len(codes))):
            sample = found if sample is None else sample + found
    if sample is None:  # there are no rows
        sample = RowSample(np.empty(0, np.uint64), np.empty((0, len(codes)), np.int64), np.empty(0))
    return sample


def _groups(n_rows: int, has_limit: bool) -> Iterator[list[slice]]:
    """Yield blocks of rows that are sampled at the same time; the first ones find the limit."""
    start = 0
    if not has_limit:
        while start < min(n_rows, BLOCK_ROWS):
            stop = min(n_rows, max(FIRST_ROWS, 2 * start))
            yield [slice(start, stop)]
            start = stop
    step = BLOCK_ROWS * GROUP_BLOCKS
    for first in range(start, n_rows, step):
        stop = min(n_rows, first + step)
        yield [slice(at, min(stop, at + BLOCK_ROWS)) for at in range(first, stop, BLOCK_ROWS)]


def row_numbers(codes: Codes, vocabulary: Vocabulary) -> Numbers:
    """Return a number for each row that depends on its cells alone; shape (n_rows,)."""
    return _PackedNumbers(vocabulary).of(codes)


def sample_limit(sample: RowSample, limit: np.uint64 | None = None) -> np.uint64 | None:
    """Return the number above which no further row is kept; `limit` if the sample has room."""
    return sample.numbers[-1] if len(sample.numbers) == SAMPLE_ROWS else limit


class _PackedNumbers:
    """The numbers of all combinations of the values of several attributes, to look up at once."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        columns = zip(vocabulary.values, vocabulary.columns, strict=True)
        tables = [_value_numbers(values, column) for values, column in columns]
        self._packs = Packs(tuple(len(table) for table in tables), JOINT_CELLS)
        added = self._packs.add_tables([table[:, None] for table in tables])
        self._tables = [table.ravel() for table in added]

    def of(self, codes: Codes) -> Numbers:
        """Add up the numbers of the rows' values, modulo 2^64, and mix the sums.

        As they are, small sums would have some values together more often than the table has.
        """
        total = np.zeros(len(codes[0]), dtype=np.uint64)
        for joint, table in zip(self._packs.join_codes(codes), self._tables, strict=True):
            total += table.take(joint)
        return mixed(total)


def _smallest(numbers: Numbers, weights: FloatArray) -> tuple[Numbers, IntArray, FloatArray]:
    """Return the smallest numbers, where each stands first, and the weight of all its rows."""
    kept, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    totals = np.bincount(inverse, weights).astype(float)
    return kept[:SAMPLE_ROWS], first[:SAMPLE_ROWS], totals[:SAMPLE_ROWS]


def _value_numbers(values: Sequence[Value], column: str) -> Numbers:
    """Return a number for each value of a column, and for an unknown one."""
    texts = [_as_text(value) for value in values] + ["unknown"]
    salt = blake2b(_encoded(column), digest_size=blake2b.SALT_SIZE).digest()
    digests = b"".join(blake2b(_encoded(t), digest_size=8, salt=salt).digest() for t in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _as_text(value: Any) -> str:
    """Return one text for all values that Python calls equal."""
    if value is None:
        return "missing"
    if isinstance(value, str):
        return "text " + value
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > MOST_DIGITS:
        return _short_form(value)
    if hasattr(value, "as_integer_ratio"):
        # 1, 1.0, True and Decimal(1) are one value, and so is this exact form of them.
        try:
            return "number {}/{}".format(*map(_digits, value.as_integer_ratio()))
        except OverflowError:
            return f"number {float(value)}"
    if isinstance(value, datetime):
        return f"datetime {in_utc(value)}"
    if isinstance(value, date | time | timedelta):
        return f"{type(value).__name__} {value!s}"
    # What is made of values is equal if they are: (1, "a") and (1.0, "a") are one value.
    if isinstance(value, tuple):
        return f"tuple {[_as_text(item) for item in value]}"
    if isinstance(value, frozenset):
        return f"frozenset {sorted(_as_text(item) for item in value)}"
    if type(value).__name__ == "Interval":
        return f"interval {[_as_text(item) for item in (value.left, value.right, value.closed)]}"
    return f"{type(value).__name__} {value!r}"


def _short_form(value: Decimal) -> str:
    """Write a number whose digits are few and whose ratio of integers would fill memory."""
    sign, digits, exponent = value.as_tuple()
    text = "".join(map(str, digits))
    short = text.rstrip("0")
    end = int(exponent) + len(text) - len(short)
    return f"number {'-' * sign}{short}E{end}" if value else _as_text(0)


def _digits(number: int) -> str:
    """Write an integer; a very long one in base 16, as Python refuses to in base 10."""
    return hex(number) if number.bit_length() > DECIMAL_BITS else str(number)


MOST_ROUNDS = 8
"""Colors are refined at most this many times; two or three nearly always suffice."""

MOST_SINGLED = 24
"""At most this many rows are singled out; where more are alike, they can nearly always be exchanged
for each other."""

MOST_CELLS = 1_000_000
"""Rows are tried while they have at most this many cells together, times the table's; then one of
several that are alike stands for all."""

WEIGHT_BITS = 30
"""Weights that agree in this many bits, nine decimals, are equal: sums are rounded."""

Colors = NDArray[np.uint64]


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
    codes: NDArray[np.integer], weights: FloatArray, orders: Sequence[Positions | None] = ()
) -> IntArray:
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
    # A column whose cells are all the same, such as a supplementary one, is as if not there.
    varied = np.flatnonzero((codes != codes[:1]).any(axis=0))
    codes = codes[:, varied]
    if len(codes) < 2 or not codes.shape[1]:
        return np.arange(len(codes))
    graph = _Graph(codes)
    rows = graph.refine(mixed(_as_bits(weights / weights.sum())))
    of_varied = [orders[column] for column in varied.tolist()] if orders else []
    if any(order is not None for order in of_varied) and _n_colors(rows) < len(rows):
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
        # Those that give the same colors can be exchanged; of the others, one must be the first.
        found = min((graph.single_out(row, rows) for row in tried), key=_sum_of_colors)
        # Where it tells nothing of any other row, all of these can be exchanged for each other.
        exchangeable[alike] = _n_colors(found) == _n_colors(rows) + 1
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
        self._far: Colors | None = None

    def add_orders(self, codes: NDArray[np.integer], orders: Sequence[Positions | None]) -> None:
        """Let the orders of columns distinguish values, too.

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

    def _by_order(self, values: Colors) -> Colors:
        """Distinguish values by how far out they are, and by what else is on their side."""
        if self._far is None:
            return values
        values = mixed(values + self._far)
        sums = np.zeros(2 * len(self._sizes), dtype=np.uint64)
        np.add.at(sums, self._sides, values[self._on_side])
        values[self._on_side] = mixed(values[self._on_side] + mixed(sums)[self._sides])
        return values

    def refine(self, rows: Colors) -> Colors:
        """Return colors that distinguish all rows that their values distinguish."""
        values = np.zeros(int(self._sizes.sum()), dtype=np.uint64)
        n_before = _n_colors(rows)
        for _ in range(MOST_ROUNDS):
            # Sums modulo 2^64: in whatever order, they are the same.
            values = mixed(
                values + np.add.reduceat(mixed(rows)[self._rows_of_values], self._firsts)
            )
            values = self._by_order(values)
            columns = mixed(np.add.reduceat(values, self._starts))
            values = mixed(values + np.repeat(columns, self._sizes))
            rows = mixed(rows + values[self._places].sum(axis=1, dtype=np.uint64))
            n_now = _n_colors(rows)
            if n_now == n_before:
                break
            n_before = n_now
        return rows

    def single_out(self, row: np.intp, rows: Colors) -> Colors:
        """Return the colors that follow when one row has a color of its own."""
        single = rows.copy()
        single[[row]] = mixed(rows[[row]])
        return self.refine(single)


def _smallest_tie(rows: Colors, able: BoolArray) -> IntArray:
    """Return the rows of the rarest color that several have; none if there is no such color."""
    colors, times = np.unique(rows[able], return_counts=True)
    colors, times = colors[times > 1], times[times > 1]
    if not len(colors):
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(able & (rows == colors[np.argmin(times)]))


def _sum_of_colors(rows: Colors) -> int:
    return int(mixed(rows).sum(dtype=np.uint64))


def _n_colors(rows: Colors) -> int:
    return len(np.unique(rows))


def _as_bits(weights: FloatArray) -> Colors:
    """Return one integer for all weights that are equal but for rounding."""
    share, power = np.frexp(weights)
    return np.ldexp(np.rint(np.ldexp(share, WEIGHT_BITS)), power).view(np.uint64)
