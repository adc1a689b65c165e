"""The rows that summarize all others, such as a total at the end: which they are, and why."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from untie._prepare.look import EndRow, Look, Summary
from untie._prepare.numbers import NUMBER, NumberWriting, read
from untie._prepare.rules import Reading, as_text, find_writing
from untie._table.column_codes import factorize
from untie._table.table import Table
from untie._util.types import BoolArray, FloatArray, IntArray, Value

TOTAL, MEAN, MEDIAN = "total", "mean", "median"
KINDS = (TOTAL, MEAN, MEDIAN)

_CALLED = {
    TOTAL: re.compile(r"(?i)\W*((grand |over)?(total|all)s?|sums?)\W*"),
    MEAN: re.compile(r"(?i)\W*((grand |overall )?(averages?|means?)|avg)\W*"),
    MEDIAN: re.compile(r"(?i)\W*(overall )?medians?\W*"),
}
"""What such a row is called, in one of its cells."""

CLOSE = 1e-6
"""Sums of rounded amounts differ from a total by at most this part of it."""

FEWEST_OTHERS = 3
"""A row summarizes at least this many others."""

LUCK = 0.01
"""Numbers are means if others from the same columns would agree as well with less than this chance:
a 3 is the rounded mean of answers from 1 to 5 too often."""


@dataclass(frozen=True)
class SummaryRow:
    """A row that summarizes all others.

    Parameters
    ----------
    kind : {"total", "mean", "median"}
        What its numbers are of the others'.
    column : str
        The column that has its name.
    name : str
        What it is called.
    position : int
        Its place among all rows.
    numbers : mapping of str to str
        The columns with totals or means, and its cells in them as text.
    """

    kind: str
    column: str
    name: str
    position: int
    numbers: Mapping[str, str]


def take_out_summaries(look: Look) -> list[SummaryRow]:
    """Return the rows at both ends of a table that summarize the others, which then do not count.

    Parameters
    ----------
    look : Look
        What the table has; the rows are taken out of it.
    """
    found = []
    for row in look.ends(lambda text: _kind(text) is not None):
        summary = find_summary(row, dict(zip(look.columns, look.summaries(), strict=True)))
        if summary is not None:
            look.leave_out(row)
            found.append(summary)
    return found


def find_summary(row: EndRow, seen: Mapping[str, Summary]) -> SummaryRow | None:
    """Return what a row summarizes; None if it is a row like others.

    Only this row has the name. The numbers of at least one column are as the name says: the cell of
    a total is the sum of all others and larger than each of them. Of means and medians no number
    may differ by more than it is rounded, and together they may not agree by luck.

    Parameters
    ----------
    row : EndRow
        The row, which counts.
    seen : mapping from names to Summary
        All columns, with the row.

    Examples
    --------
    >>> names = Summary(["a", "b", "c", "Total"], np.ones(4), np.ones(4), 0)
    >>> sales = Summary([20, 30, 40, 90], np.ones(4), np.ones(4), 0)
    >>> row = EndRow(3, {"name": "Total", "sales": 90}, 1.0)
    >>> find_summary(row, {"name": names, "sales": sales})
    SummaryRow(kind='total', column='name', name='Total', position=3, numbers={'sales': '90'})
    """
    for column, cell in row.cells.items():
        kind = _kind(cell)
        if kind is None or not _is_alone(seen[column], cell):
            continue
        others = {name: _others(seen[name], own) for name, own in row.cells.items()}
        numbers = {name: found for name, found in others.items() if found is not None}
        names = _sums(numbers) if kind == TOTAL else _centers(numbers, kind)
        if names:
            texts = {name: as_text(row.cells[name]) for name in names}
            return SummaryRow(kind, column, str(cell), row.position, texts)
    return None


def rows_like(table: Table, row: SummaryRow, counts: BoolArray | None = None) -> IntArray:
    """Return the positions of the rows of a table with the name and the numbers of a summary.

    Parameters
    ----------
    table : Table
        The rows.
    row : SummaryRow
        The summary.
    counts : boolean array of shape (n_rows,), optional
        The rows to look at.
    """
    rows = np.arange(table.n_rows) if counts is None else np.flatnonzero(counts)
    cells = dict(zip(table.names, table.columns, strict=True))
    for name, text in {row.column: row.name, **row.numbers}.items():
        if not len(rows) or name not in cells:
            return rows[:0]
        is_whole = len(rows) == table.n_rows
        codes, values = factorize(cells[name] if is_whole else cells[name][rows], name)
        same = [value is not None and as_text(value) == text for value in values]
        rows = rows[np.array(same, dtype=bool)[codes]]
    return rows


def _kind(cell: Any) -> str | None:
    """Return what a row with this cell is called."""
    if not isinstance(cell, str):
        return None
    return next((kind for kind, called in _CALLED.items() if called.fullmatch(cell)), None)


def _is_alone(seen: Summary, cell: Value) -> bool:
    """Return whether a single row has a value."""
    if cell not in seen.values:  # of a sample
        return seen.scale > 1
    return bool(seen.rows[seen.values.index(cell)] == 1)


@dataclass(frozen=True)
class _Others:
    """A number, and the numbers of all other rows: ascending, with the number of rows of each."""

    own: float
    numbers: FloatArray
    rows: FloatArray

    def is_sum(self) -> bool:
        """Return whether the number is the sum of the others, and larger than each of them."""
        total = float(self.numbers @ self.rows)
        is_larger = abs(self.own) > float(np.abs(self.numbers).max())
        return is_larger and abs(total - self.own) <= CLOSE * abs(self.own)

    def center(self, kind: str) -> float:
        """Return the mean or the median of the others."""
        n, until = self.rows.sum(), np.cumsum(self.rows)
        if kind == MEAN:
            return float(self.numbers @ self.rows / n)
        middle = np.searchsorted(until, [(n - 1) // 2, n // 2], side="right")
        return float(self.numbers[middle].mean())

    @property
    def rounding(self) -> float:
        """By how much the number may differ from one that is rounded to it."""
        text = np.format_float_positional(self.own, trim="-")
        return 0.5000001 * 10.0 ** -len(text.partition(".")[2]) + 1e-9 * abs(self.own)

    @property
    def luck(self) -> float:
        """The chance that a number from the range of the others agrees as well as a rounded one."""
        span = float(self.numbers[-1] - self.numbers[0])
        return min(1.0, 2.0 * self.rounding / span) if span else 1.0

    def counts_rows(self) -> bool:
        """Return whether the numbers count the rows, this one too."""
        numbers = np.sort(np.append(self.numbers, self.own))
        return bool((self.rows == 1).all() and (np.diff(numbers) == 1).all())


def _others(seen: Summary, cell: Value) -> _Others | None:
    """Return a cell and all others of its column as numbers; None if they are not or too few."""
    if cell is None or seen.scale > 1 or seen.problem or cell not in seen.values:
        return None
    writing = None if isinstance(cell, int | float) else find_writing(seen.values)
    reading = Reading(writing=writing if isinstance(writing, NumberWriting) else None)
    numbers = read(reading.read(list(seen.values)), NUMBER)
    place = seen.values.index(cell)
    rows = seen.rows.copy()
    rows[place] -= 1
    known = np.flatnonzero(np.isfinite(numbers) & (rows > 0))
    if not np.isfinite(numbers[place]) or rows[known].sum() < FEWEST_OTHERS:
        return None
    known = known[np.argsort(numbers[known], kind="stable")]
    return _Others(float(numbers[place]), numbers[known], rows[known])


def _sums(numbers: Mapping[str, _Others]) -> list[str]:
    return [name for name, others in numbers.items() if others.is_sum()]


def _centers(numbers: Mapping[str, _Others], kind: str) -> list[str]:
    """Return the columns with means or medians; none if a number of the row is something else."""
    own = {name: others for name, others in numbers.items() if not others.counts_rows()}
    agree = (abs(one.center(kind) - one.own) <= one.rounding for one in own.values())
    luck = np.prod([one.luck for one in own.values()])
    return list(own) if all(agree) and luck < LUCK else []
