"""The rows of a table, in memory or in chunks -> how often each column has each value.

Up to `EXACT_VALUES` distinct values of a column are counted exactly. Of columns with more, which
are measurements, ids or text, a sample of the rows is enough; it depends on the rows' numbers
alone, so that chunks of any size give the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._count.counts import common_unit
from untie._engines.source import Source
from untie._table.column_codes import factorize
from untie._table.rows import column_weights, split_weights
from untie._table.table import Table, read_table
from untie._util.arrays import STEP, mixed
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
    "its cells are lists or objects, not single values; flatten them first (as --sql does: SELECT "
    "unnest(COLUMN, recursive := true) FROM 'FILE')"
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
    """

    values: list[Any]
    rows: FloatArray
    weights: FloatArray
    n_missing: float
    scale: float = 1.0
    problem: str = ""
    reason: str = ""


def look_at(source: Source, columns: Sequence[str], sample_weight: Any) -> list[Summary]:
    """Count the values of some columns of any table, in one pass over its rows.

    Parameters
    ----------
    source : Source
        The rows.
    columns : sequence of str
        The columns to look at.
    sample_weight : array of shape (n_rows,), str or None
        How often each row counts, or the column that says so.
    """
    look, weight = Look(columns), source.check_weight(sample_weight)
    for piece in source.pieces([*columns, *([weight] if isinstance(weight, str) else [])]):
        features, cells = split_weights(piece, weight)
        table = read_table(features, min_rows=0)
        weights = None
        if weight is not None:
            weights = column_weights(cells, table.n_rows, weight, " can't hold the weights")
        for start in range(0, max(1, table.n_rows), PIECE_ROWS):
            rows = slice(start, start + PIECE_ROWS)
            look.add(_rows_of(table, rows), None if weights is None else weights[rows])
    return look.summaries()


def _rows_of(table: Table, rows: slice) -> Table:
    if table.n_rows <= PIECE_ROWS:
        return table
    columns = tuple(column[rows] for column in table.columns)
    return replace(table, columns=columns, n_rows=len(range(*rows.indices(table.n_rows))))


class Look:
    """Counts and a sample of the rows of a table that comes in chunks.

    Parameters
    ----------
    columns : sequence of str
        The columns to look at.
    """

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = list(columns)
        fewest, most = SAMPLE_ROWS
        self._capacity = min(most, max(fewest, SAMPLE_CELLS // max(1, len(columns))))
        self._shift = 0  # rows are kept whose hashed numbers end in this many zeros
        self._n_read = 0
        self._n_rows = 0  # those that count, which a row of weight 0 does not
        self._counts: list[dict[Value, tuple[float, float]] | None] = [{} for _ in columns]
        self._problems: dict[int, tuple[str, str]] = {}
        self._hashes = np.empty(0, dtype=np.uint64)
        self._weights = np.empty(0)
        self._cells: list[list[Value]] = [[] for _ in columns]

    def add(self, table: Table, weights: FloatArray | None) -> None:
        """Take more rows in."""
        hashes = _hashed(self._n_read, table.n_rows)
        weights = np.ones(table.n_rows) if weights is None else weights
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
                codes, values = factorize(column, name)
            except TypeError as error:
                self._problems[number] = str(error), NOT_SINGLE
                continue
            except ValueError as error:
                self._problems[number] = str(error), str(error.__cause__)
                continue
            if is_counted:
                self._count(number, codes, values, weights)
                codes = codes[chosen]
            self._cells[number] += [values[code] for code in codes.tolist()]

    def summaries(self) -> list[Summary]:
        """Return what was found about each column."""
        if self._n_read and not self._n_rows:
            raise ValueError("Every sample weight is zero; at least one row must count.")
        return _in_units([self._summary(number) for number in range(len(self.columns))])

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
        n_missing, _ = counts.pop(None, (0.0, 0.0))
        pairs = np.array(list(counts.values())).reshape(-1, 2)
        return Summary(list(counts), pairs[:, 0], pairs[:, 1], n_missing, scale)


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
