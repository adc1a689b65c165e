"""The rows that summarize all others, such as a total at the end: which they are, and why."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
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

_WORDS = {
    TOTAL: "(grand |over)?(total|all)s?|sums?",
    MEAN: "(grand |overall )?(averages?|means?)|avg",
    MEDIAN: "(overall )?medians?",
}
_CALLED = {
    kind: re.compile(rf"(?i)\W*({words})(\W*\d{{4}}|\s*\(.*\))?\W*")
    for kind, words in _WORDS.items()
}
"""What such a row is called, in one of its cells; a year or a parenthesis may follow."""

CLOSE = 1e-6
"""Sums of rounded amounts differ from a total by at most this part of it."""

FEWEST_OTHERS = 3
"""A row summarizes at least this many others."""

LUCK = 0.01
"""Numbers summarize others if some from the same columns would agree as well with less than this
chance: a 3 is the rounded mean of answers from 1 to 5 too often, and a 2 the sum of ones."""

MOST_LUCK_OF_FEW = LUCK**2
"""If less than half of the numbers are totals, as beside many rates, this is the limit."""


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
    for ends in look.ends(lambda text: _kind(text) is not None):
        seen = dict(zip(look.columns, look.summaries(), strict=True))
        # Of two at an end, each is of the rows without the other.
        summaries = [find_summary(row, seen, [o for o in ends if o is not row]) for row in ends]
        if None in summaries:
            ends = ends[:1]
            summaries = [find_summary(row, seen) for row in ends]
        for row, summary in zip(ends, summaries, strict=True):
            if summary is not None:
                look.leave_out(row)
                found.append(summary)
    return found


def find_summary(
    row: EndRow, seen: Mapping[str, Summary], beside: Sequence[EndRow] = ()
) -> SummaryRow | None:
    """Return what a row summarizes; None if it is a row like others.

    Only this row has the name, and its numbers are as the name says, which may not be luck. The
    cell of a total is the sum of all others and larger than each of them; half of the numbers or
    more are, or so few that are by very little luck, as rates and years are not. Of means and
    medians no number may differ by more than it is rounded.

    Parameters
    ----------
    row : EndRow
        The row, which counts.
    seen : mapping from names to Summary
        All columns, with the row.
    beside : sequence of EndRow
        Rows that are not among those it may summarize, though they count.

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
        others = {
            name: _others(seen[name], own, [other.cells.get(name) for other in beside])
            for name, own in row.cells.items()
        }
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

    def adds_up(self) -> bool:
        """Return whether the number is the sum of the others."""
        total = float(self.numbers @ self.rows)
        return abs(total - self.own) <= CLOSE * abs(self.own)

    @property
    def lead(self) -> float:
        """How much larger the number is than each of the others."""
        return abs(self.own) - float(np.abs(self.numbers).max())

    @property
    def luck_of_sum(self) -> float:
        """The chance that a number between the largest of the others and their sum is the sum."""
        return min(1.0, 2.0 * max(self.rounding, CLOSE * abs(self.own)) / self.lead)

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


def _others(seen: Summary, cell: Value, beside: Sequence[Value]) -> _Others | None:
    """Return a cell and all others of its column as numbers; None if they are not or too few.

    Those beside it are none of them.
    """
    if cell is None or seen.scale > 1 or seen.problem or cell not in seen.values:
        return None
    writing = None if isinstance(cell, int | float) else find_writing(seen.values)
    reading = Reading(writing=writing if isinstance(writing, NumberWriting) else None)
    numbers = read(reading.read(list(seen.values)), NUMBER)
    place = seen.values.index(cell)
    rows = seen.rows.copy()
    for one in (cell, *beside):
        if one is not None:
            rows[seen.values.index(one)] -= 1
    known = np.flatnonzero(np.isfinite(numbers) & (rows > 0))
    if not np.isfinite(numbers[place]) or rows[known].sum() < FEWEST_OTHERS:
        return None
    known = known[np.argsort(numbers[known], kind="stable")]
    return _Others(float(numbers[place]), numbers[known], rows[known])


def _sums(numbers: Mapping[str, _Others]) -> list[str]:
    """Return the columns with totals; none if they may be by luck.

    The largest of n rows is so with a chance of 1 / n, in all columns at once. Where one row has
    all there is in a column, the total says nothing, for or against it.
    """
    own = {
        name: others
        for name, others in numbers.items()
        if not others.counts_rows() and not (others.adds_up() and others.lead <= 0)
    }
    names = [name for name, others in own.items() if others.adds_up()]
    if not names:
        return []
    n_rows = 1.0 + min(own[name].rows.sum() for name in names)
    luck = np.prod([own[name].luck_of_sum for name in names]) * comb(len(own), len(names)) / n_rows
    return names if luck < (LUCK if 2 * len(names) >= len(own) else MOST_LUCK_OF_FEW) else []


def _centers(numbers: Mapping[str, _Others], kind: str) -> list[str]:
    """Return the columns with means or medians; none if a number of the row is something else."""
    own = {name: others for name, others in numbers.items() if not others.counts_rows()}
    agree = (abs(one.center(kind) - one.own) <= one.rounding for one in own.values())
    luck = np.prod([one.luck for one in own.values()])
    return list(own) if all(agree) and luck < LUCK else []
