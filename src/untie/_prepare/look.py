"""The rows of a table, in memory or in chunks -> how often each column has each value.

Up to `EXACT_VALUES` distinct values of a column are counted exactly. Of columns with more, which
are measurements, ids or text, a sample of the rows is enough; it depends on the rows' numbers
alone, so that chunks of any size give the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._count.chunked import PiecePlace
from untie._count.counts import common_unit
from untie._engines.source import PartRows, Source
from untie._table.column_codes import factorize
from untie._table.rows import column_weights, split_weights
from untie._table.table import Table, read_table
from untie._util.arrays import STEP, mixed
from untie._util.threads import alone
from untie._util.types import AnyArray, BoolArray, FloatArray, IntArray, Value

EXACT_VALUES = 2**16
"""At most this many distinct values of a column are counted."""

SAMPLE_CELLS = 2**22
"""The sample has at most this many cells over all columns."""

PIECE_ROWS = 2**20
"""A table in memory is looked at this many rows at a time, as each takes some 60 bytes more."""

SAMPLE_ROWS = (2**10, 2**17)
"""The sample has at least and at most this many rows, if the table has them."""


NOT_SINGLE = (
    "its cells are lists or objects, not single values; join the texts of a list (--sql: "
    "SELECT array_to_string(COLUMN, ';') FROM 'FILE'; pandas: "
    "column.map(';'.join)), and flatten objects (--sql: SELECT unnest(COLUMN, recursive := true) "
    "FROM 'FILE')"
)


@dataclass(frozen=True, eq=False)
class Summary:
    """How often a column has each value.

    Parameters
    ----------
    values : list
        The distinct values, without missing ones.
    rows : array of shape (n_values,)
        Number of rows that have each, among those looked at.
    weights : array of shape (n_values,)
        Weight of these rows, in the unit of the table's weights: a row that counts often is many,
        but a factor of all weights says nothing, and neither does a table that is there twice.
    n_missing : int
        Number of rows in which the cell is missing.
    scale : float
        Number of rows of the table per row that was looked at; 1 unless they were sampled.
    problem : str
        Why its cells can't be categories; empty if they can.
    reason : str
        The same in short.
    places : mapping from values to float
        For a column of few values: the sum over the rows that have each, missing ones too, of a
        number that is as good as random. Columns with the same content have the same sums.
    """

    values: list[Any]
    rows: FloatArray
    weights: FloatArray
    n_missing: float
    scale: float = 1.0
    problem: str = ""
    reason: str = ""
    places: Mapping[Value, float] = field(default_factory=dict)


FEWEST_COLUMNS = 3
"""In a table of fewer columns, a row without cells is a combination of missing ones like others."""

MOST_PLACES = 16
"""Columns with at most this many values are compared with each other; scales have fewer."""

PLACE_BITS = 20
"""Sums of so many bits are exact for as many rows as there may be."""

N_ENDS = 2
"""So many rows at the start and at the end may summarize the others: a total and a mean."""

SHOWN_EMPTY = 5
"""At most this many rows without cells are named."""


Coded = dict[str, tuple[AnyArray, list[Value]]]
"""The codes and values of some columns, by their names."""

CountsOf = dict[Value, tuple[float, float]] | None
"""The rows and the weight of each value of a column; None if they are too many to count."""


def empty_rows(
    table: Table,
    columns: Sequence[str],
    counts: BoolArray | None = None,
    coded: Coded | None = None,
) -> IntArray:
    """Return the positions of the rows in which every cell of some columns is missing or blank.

    Parameters
    ----------
    table : Table
        The rows.
    columns : sequence of str
        The columns; with fewer than three, no row is empty.
    counts : boolean array of shape (n_rows,), optional
        The rows to look at.
    coded : mapping from names to codes and values, optional
        Gets the columns that were coded as a whole, so that nobody needs to do so again.
    """
    rows = np.arange(table.n_rows) if counts is None else np.flatnonzero(counts)
    if len(columns) < FEWEST_COLUMNS:
        return rows[:0]
    cells = dict(zip(table.names, table.columns, strict=True))
    for name in columns:
        if not len(rows):
            break
        try:
            is_whole = len(rows) == table.n_rows
            codes, values = factorize(cells[name] if is_whole else cells[name][rows], name)
        except (TypeError, ValueError):  # lists, or what can't be read
            return rows[:0]
        if is_whole and coded is not None:
            coded[name] = codes, values
        blank = [not v.strip() if isinstance(v, str) else v is None for v in values]
        rows = rows[np.array(blank, dtype=bool)[codes]]
    return rows


@dataclass(frozen=True)
class EndRow:
    """The first or the last row of a table that counts.

    Parameters
    ----------
    position : int
        Its place among all rows.
    cells : mapping from names to values
        Its cells, but for those that can't be read.
    weight : float
        How often it counts.
    """

    position: int
    cells: Mapping[str, Value]
    weight: float


def look_at(source: Source, columns: Sequence[str], sample_weight: Any) -> Look:
    """Count the values of some columns of any table, in one pass over its rows.

    Rows in which every cell is missing or blank do not count.

    Parameters
    ----------
    source : Source
        The rows.
    columns : sequence of str
        The columns to look at.
    sample_weight : array of shape (n_rows,), str or None
        How often each row counts, or the column that says so.
    """
    weight = source.check_weight(sample_weight)
    own = [*columns, *([weight] if isinstance(weight, str) else [])]
    if source.has_workers:
        rows = source.count_rows((own or source.columns)[-1], is_weight=weight is not None)
        return source.select(own).add_up(LookTask(tuple(columns), weight, rows))
    look = Look(columns)
    for piece in source.pieces(own):
        _take(look, piece, weight)
    return look


def _take(look: Look, piece: Any, weight: Any) -> None:
    """Let a look take the rows of a piece in."""
    features, cells = split_weights(piece, weight)
    table = read_table(features, min_rows=0)
    weights = None
    if weight is not None:
        weights = column_weights(cells, table.n_rows, weight, " can't hold the weights")
    for start in range(0, max(1, table.n_rows), PIECE_ROWS):
        rows = slice(start, start + PIECE_ROWS)
        look.add(_rows_of(table, rows), None if weights is None else weights[rows])


@dataclass(frozen=True, eq=False)
class LookTask:
    """Looks at a piece of a table; a pure function, which can be sent to a worker.

    Parameters
    ----------
    columns : tuple of str
        The columns to look at.
    weight : str or None
        The column with the rows' weights.
    rows : PartRows
        How many rows each partition has, so that a row has the number that it has in memory.
    """

    columns: tuple[str, ...]
    weight: str | None
    rows: PartRows

    @alone()
    def __call__(self, frame: Any, place: PiecePlace) -> Look:
        """Look at a piece."""
        # A partition that was not there before still gets numbers that no other row has.
        start = self.rows.starts.get(place.part, self.rows.total * (place.part + 1)) + place.row
        look = Look(self.columns, start, self._shift)
        _take(look, frame, self.weight)
        return look.detached()

    @property
    def _shift(self) -> int:
        """Return how sparse the sample of a part may be, so that no more rows travel than needed.

        The sample of the whole is at most so dense, unless a third of the rows have no cells.
        """
        shift, most = 0, 1.5 * _capacity(len(self.columns))
        while self.rows.n_counting >> shift > most:
            shift += 1
        return shift


def _capacity(n_columns: int) -> int:
    """Return how many rows the sample of a table has at most."""
    fewest, most = SAMPLE_ROWS
    return min(most, max(fewest, SAMPLE_CELLS // max(1, n_columns)))


def _rows_of(table: Table, rows: slice) -> Table:
    if table.n_rows <= PIECE_ROWS:
        return table
    columns = tuple(column[rows] for column in table.columns)
    return replace(table, columns=columns, n_rows=len(range(*rows.indices(table.n_rows))))


class Look:
    """Counts and a sample of the rows of a table that comes in chunks; ``+`` adds later rows.

    Parameters
    ----------
    columns : sequence of str
        The columns to look at.
    start : int
        The number of the first row.
    shift : int
        Rows are sampled if their hashed numbers end in so many zeros, or more if these are many.

    Attributes
    ----------
    n_empty : int
        Number of rows in which every cell is missing or blank.
    first_empty : list of int
        The positions of the first of them.
    """

    def __init__(self, columns: Sequence[str], start: int = 0, shift: int = 0) -> None:
        self.columns = list(columns)
        self._capacity = _capacity(len(columns))
        self._shift = shift  # rows are kept whose hashed numbers end in this many zeros
        self._start = start
        self._n_read = 0
        self._n_rows = 0  # those that count, which a row of weight 0 does not
        self._counts: list[CountsOf] = [{} for _ in columns]
        self._problems: dict[int, tuple[str, str]] = {}
        self._hashes = np.empty(0, dtype=np.uint64)
        self._weights = np.empty(0)
        self._cells: list[list[Value]] = [[] for _ in columns]
        self.n_empty = 0
        self.first_empty: list[int] = []
        self._places: list[dict[Value, float] | None] = [{} for _ in columns]
        self._first: list[_RowOfTable | _RowAlone] = []
        self._last: list[_RowOfTable | _RowAlone] = []  # as in the table

    def __add__(self, other: Look) -> Look:
        both = Look(self.columns, self._start, max(self._shift, other._shift))
        both._n_read = self._n_read + other._n_read
        both._n_rows = self._n_rows + other._n_rows
        both.n_empty = self.n_empty + other.n_empty
        both.first_empty = (self.first_empty + other.first_empty)[:SHOWN_EMPTY]
        both._first = (self._first + other._first)[:N_ENDS]
        both._last = (self._last + other._last)[-N_ENDS:]
        both._problems = {**other._problems, **self._problems}
        pairs = zip(self._counts, other._counts, strict=True)
        both._counts = [_added_counts(*pair) for pair in pairs]
        both._places = [
            None if counts is None else _added_places(first, second, len(counts))
            for counts, first, second in zip(both._counts, self._places, other._places, strict=True)
        ]
        both._hashes = np.append(self._hashes, other._hashes)
        both._weights = np.append(self._weights, other._weights)
        both._cells = [
            [] if number in both._problems else [*pair[0], *pair[1]]
            for number, pair in enumerate(zip(self._cells, other._cells, strict=True))
        ]
        both._thin_out(np.flatnonzero(both._is_kept(both._hashes)))
        return both

    def detached(self) -> Look:
        """Return itself, with single rows in the place of the tables that they are in."""
        self._first = [row.alone(self.columns) for row in self._first]
        self._last = [row.alone(self.columns) for row in self._last]
        return self

    def add(self, table: Table, weights: FloatArray | None) -> None:
        """Take more rows in."""
        hashes = _hashed(self._start + self._n_read, table.n_rows)
        weights = np.ones(table.n_rows) if weights is None else weights
        coded: Coded = {}
        weights = self._without_empty(table, weights, coded)
        short = ((hashes >> np.uint64(64 - PLACE_BITS)) * (weights > 0)).astype(float)
        self._n_read += table.n_rows
        self._n_rows += int(np.count_nonzero(weights))
        chosen = self._choose(hashes, weights)
        cells = dict(zip(table.names, table.columns, strict=True))
        for number, name in enumerate(self.columns):
            if number in self._problems:
                continue
            is_counted = self._counts[number] is not None
            try:
                # Of a column with too many values to count, the sampled cells are enough.
                column = cells[name] if is_counted else cells[name][chosen]
                is_known = is_counted and name in coded
                codes, values = coded[name] if is_known else factorize(column, name)
            except TypeError as error:
                self._problems[number] = str(error), NOT_SINGLE
            except ValueError as error:
                self._problems[number] = str(error), str(error.__cause__)
            if number in self._problems:
                self._cells[number] = []  # which would be fewer than the sampled rows
                continue
            if is_counted:
                self._count(number, codes, values, weights)
                self._place(number, codes, values, short)
                codes = codes[chosen]
            self._cells[number] += [values[code] for code in codes.tolist()]

    def _without_empty(self, table: Table, weights: FloatArray, coded: Coded) -> FloatArray:
        """Return the weights with 0 for rows without cells, and remember the ends of the others."""
        empty = empty_rows(table, self.columns, weights > 0, coded)
        if len(empty):
            weights = weights.copy()
            weights[empty] = 0.0
            n_more = SHOWN_EMPTY - len(self.first_empty)
            self.first_empty += (empty[:n_more] + self._start + self._n_read).tolist()
            self.n_empty += len(empty)
        counting = np.flatnonzero(weights)

        def found(rows: IntArray) -> list[_RowOfTable]:
            start = self._start + self._n_read
            return [_RowOfTable(table, row, start, weights[row]) for row in rows.tolist()]

        self._first += found(counting[: N_ENDS - len(self._first)])
        self._last = (self._last + found(counting[-N_ENDS:]))[-N_ENDS:]
        return weights

    def ends(self, has_name: Callable[[str], bool]) -> list[list[EndRow]]:
        """Return the rows at the end, and at the start, that have a text that is a name.

        Only rows that count are there; the outer ones come first, at most two, none of them twice.
        """
        ends, seen = [], set[int]()
        for rows in (self._last[::-1], self._first):
            named = takewhile(lambda row: any(map(has_name, row.texts(self.columns))), rows)
            new = [row for row in named if row.position not in seen]
            seen |= {row.position for row in new}
            ends.append([row.read(self.columns) for row in new])
        return ends

    def leave_out(self, row: EndRow) -> None:
        """Forget one of the ends, which does not count any more."""
        (found,) = _hashed(row.position, 1)
        short = float(found >> np.uint64(64 - PLACE_BITS))
        self._n_rows -= 1
        for number, name in enumerate(self.columns):
            counts, places = self._counts[number], self._places[number]
            if name not in row.cells or counts is None:
                continue
            cell = row.cells[name]
            n, total = counts[cell]
            counts[cell] = n - 1, total - row.weight
            if places is not None and cell in places:
                places[cell] -= short
            if n == 1:
                del counts[cell]
                (places or {}).pop(cell, None)
        sampled = np.flatnonzero(self._hashes == found)
        self._hashes = np.delete(self._hashes, sampled)
        self._weights = np.delete(self._weights, sampled)
        for place in sampled.tolist():
            for cells in self._cells:
                del cells[place : place + 1]

    def summaries(self) -> list[Summary]:
        """Return what was found about each column."""
        if self._n_read and not self._n_rows and not self.n_empty:
            raise ValueError("Every sample weight is zero; at least one row must count.")
        return _in_units([self._summary(number) for number in range(len(self.columns))])

    def _thin_out(self, kept: IntArray) -> None:
        """Keep some of the sampled rows, and of these so many as there is room for."""
        n_before = len(self._hashes)
        while len(kept) > self._capacity:
            self._shift += 1
            kept = kept[self._is_kept(self._hashes[kept])]
        if len(kept) < n_before:
            self._hashes, self._weights = self._hashes[kept], self._weights[kept]
            rows = kept.tolist()
            self._cells = [[cells[row] for row in rows] if cells else [] for cells in self._cells]

    def _is_kept(self, hashes: NDArray[np.uint64]) -> BoolArray:
        return hashes & np.uint64((1 << self._shift) - 1) == 0

    def _count(
        self, number: int, codes: AnyArray, values: list[Value], weights: FloatArray
    ) -> None:
        counts = self._counts[number]
        assert counts is not None
        rows = np.bincount(codes, weights > 0, minlength=len(values))
        totals = np.bincount(codes, weights, minlength=len(values))
        used = np.flatnonzero(rows)
        if len(used) > EXACT_VALUES:
            self._counts[number] = None
            return
        for code in used.tolist():
            n, total = counts.get(values[code], (0.0, 0.0))
            counts[values[code]] = (n + float(rows[code]), total + float(totals[code]))
        if len(counts) > EXACT_VALUES:
            self._counts[number] = None

    def _place(self, number: int, codes: AnyArray, values: list[Value], short: FloatArray) -> None:
        """Add up where the rows with each value of a column are, if it has few."""
        places, counts = self._places[number], self._counts[number]
        if places is None or counts is None or len(counts) > MOST_PLACES + 1:
            self._places[number] = None
            return
        sums = np.bincount(codes, short, minlength=len(values)).tolist()
        for value, found in zip(values, sums, strict=True):
            if found:
                places[value] = places.get(value, 0.0) + found

    def _choose(self, hashes: NDArray[np.uint64], weights: FloatArray) -> IntArray:
        """Return which of the new rows are sampled, and forget those of before that are not."""
        chosen = np.flatnonzero(self._is_kept(hashes) & (weights > 0))
        n_before = len(self._hashes)
        kept = np.arange(n_before + len(chosen))
        self._hashes = np.append(self._hashes, hashes[chosen])
        self._weights = np.append(self._weights, weights[chosen])
        while len(self._hashes) > self._capacity:
            self._shift += 1
            still = np.flatnonzero(self._is_kept(self._hashes))
            self._hashes, self._weights = self._hashes[still], self._weights[still]
            kept = kept[still]
        if len(kept) < n_before + len(chosen):
            before = kept[kept < n_before].tolist()
            self._cells = [[cells[i] for i in before] if cells else [] for cells in self._cells]
            chosen = chosen[kept[kept >= n_before] - n_before]
        return chosen

    def _summary(self, number: int) -> Summary:
        if number in self._problems:
            nothing = np.empty(0)
            problem, reason = self._problems[number]
            return Summary([], nothing, nothing, 0, problem=problem, reason=reason)
        counts, scale = self._counts[number], 1.0
        if counts is None:
            counts = {}
            scale = self._n_rows / len(self._hashes)
            for value, weight in zip(self._cells[number], self._weights.tolist(), strict=True):
                n, total = counts.get(value, (0.0, 0.0))
                counts[value] = (n + 1, total + weight)
        counts = dict(counts)  # which may be summarized again
        n_missing, _ = counts.pop(None, (0.0, 0.0))
        pairs = np.array(list(counts.values())).reshape(-1, 2)
        places = self._places[number] or {}
        return Summary(list(counts), pairs[:, 0], pairs[:, 1], n_missing, scale, places=places)


def _added_counts(first: CountsOf, second: CountsOf) -> CountsOf:
    """Return the rows and weights of each value of two parts; None if there are too many values."""
    if first is None or second is None:
        return None
    both = dict(first)
    for value, (n, total) in second.items():
        known_n, known_total = both.get(value, (0.0, 0.0))
        both[value] = known_n + n, known_total + total
    return both if len(both) <= EXACT_VALUES else None


def _added_places(
    first: dict[Value, float] | None, second: dict[Value, float] | None, n_values: int
) -> dict[Value, float] | None:
    """Return the sums of two parts; None if the column has too many values."""
    if first is None or second is None or n_values > MOST_PLACES + 1:
        return None
    return {value: first.get(value, 0.0) + second.get(value, 0.0) for value in {**first, **second}}


TIMES = ("date", "time", "duration")
"""What types of dates and times are called; some of their cells fit no Python object."""


@dataclass(frozen=True, eq=False)
class _RowOfTable:
    """A row of a table that is a part of another, from a position on."""

    table: Table
    row: int
    start: int
    weight: float

    @property
    def position(self) -> int:
        """Its place in the whole table."""
        return self.start + self.row

    def texts(self, columns: Sequence[str]) -> Iterator[str]:
        """Yield the cells that are texts."""
        cells = dict(zip(self.table.names, self.table.columns, strict=True))
        for name in columns:
            kind = str(getattr(cells[name], "dtype", getattr(cells[name], "type", ""))).lower()
            if any(word in kind for word in TIMES):
                continue
            cell = None
            with suppress(ArithmeticError, NotImplementedError, ValueError):  # times in categories
                cell = cells[name][self.row]
            if isinstance(cell, str):
                yield cell

    def alone(self, columns: Sequence[str]) -> _RowAlone:
        """Return the row without the table."""
        return _RowAlone(self.position, tuple(self.texts(columns)), self.read(columns))

    def read(self, columns: Sequence[str]) -> EndRow:
        """Return the row with its cells."""
        cells = dict(zip(self.table.names, self.table.columns, strict=True))
        place = np.array([self.row])
        found = {}
        for name in columns:
            with suppress(TypeError, ValueError):
                (code,), values = factorize(cells[name][place], name)
                found[name] = values[code]  # a categorical has values that no row has
        return EndRow(self.position, found, float(self.weight))


@dataclass(frozen=True, eq=False)
class _RowAlone:
    """A row of a table that is somewhere else, with its cells in some columns."""

    position: int
    found: tuple[str, ...]
    row: EndRow

    def texts(self, columns: Sequence[str]) -> Iterator[str]:
        """Yield the cells that are texts."""
        return iter(self.found)

    def alone(self, columns: Sequence[str]) -> _RowAlone:
        """Return the row itself."""
        return self

    def read(self, columns: Sequence[str]) -> EndRow:
        """Return the row with its cells."""
        return self.row


def _in_units(found: list[Summary]) -> list[Summary]:
    """Divide the weights by their common divisor in all columns; fractions add up to the rows."""
    units = [common_unit(seen.weights) for seen in found if len(seen.weights)]
    known = [unit for unit in units if unit is not None]
    unit = common_unit(np.array(known)) if known and len(known) == len(units) else None
    result = []
    for seen in found:
        of_column = unit or float(seen.weights.sum() / max(seen.rows.sum(), 1.0)) or 1.0
        result.append(replace(seen, weights=seen.weights / of_column))
    return result


def _hashed(start: int, n_rows: int) -> NDArray[np.uint64]:
    """Return a number for each row's number that is as good as random."""
    rows = np.arange(start, start + n_rows, dtype=np.uint64)
    with np.errstate(over="ignore"):
        return mixed(rows * STEP)
