"""A table as text: measured beside published figures, and marks where they differ."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

from untie_paper.output.agreement import Agreement, compare, sentences
from untie_paper.output.report import PaperTable
from untie_paper.output.texts import (
    MISSING,
    cell_text,
    is_missing,
    is_number,
    label_parts,
    label_text,
)

ABOVE, BELOW, DIFFERENT = "▲", "▼", "≠"
"""The measured figure is higher, lower, or another text."""

FOOTNOTE_SIGNS = "†‡§¶"
"""Signs of footnotes in the order of their use; then doubled."""


@dataclass(frozen=True)
class GridCell:
    """One cell: `published` is empty where nothing was published, `mark` where they agree.

    `sign` is that of its footnote, if it has one.
    """

    measured: str
    published: str = ""
    mark: str = ""
    sign: str = ""


@dataclass(frozen=True)
class Grid:
    """A table ready to be set.

    Attributes
    ----------
    corners, headings : list of str
        Names over the row labels, and of the columns.
    right : list of bool
        The columns that hold numbers.
    rows : list of (labels, cells)
        In the table's order.
    agreement : Agreement
        Counts over all cells.
    remarks : list of str
        The counts in words, and published rows and columns that were not measured.
    footnotes : list of (sign, text)
        In the order in which the cells are read.
    """

    corners: list[str]
    headings: list[str]
    right: list[bool]
    rows: list[tuple[list[str], list[GridCell]]]
    agreement: Agreement
    remarks: list[str]
    footnotes: list[tuple[str, str]] = field(default_factory=list)


def make_grid(table: PaperTable) -> Grid:
    """Set measured and published figures side by side.

    Parameters
    ----------
    table : PaperTable
        With unique labels, if it has published figures.

    Returns
    -------
    Grid

    Examples
    --------
    >>> import pandas as pd
    >>> measured = pd.DataFrame({"F": [70.0, 81.2]}, index=pd.Index(["zoo", "crx"], name="set"))
    >>> published = pd.DataFrame({"F": [70.004, 85.5]}, index=["zoo", "crx"])
    >>> grid = make_grid(PaperTable("f", "F-scores", measured, published))
    >>> grid.rows[1][1]
    [GridCell(measured='81.20', published='85.50', mark='▼', sign='')]
    >>> grid.agreement.to_the_digit
    1
    """
    frame, printed = table.measured, _printed(table)
    rows, columns = frame.index.tolist(), frame.columns.tolist()
    agreement = Agreement()
    cells: list[list[GridCell]] = []
    for place, column in enumerate(columns):
        beside = [printed.pop((row, column), None) for row in rows]
        pairs = list(zip(frame.iloc[:, place].tolist(), beside, strict=True))
        agreement = sum((compare(*pair, table) for pair in pairs), agreement)
        cells.append(_column(pairs, table))
    signs = _signs(table)
    for (row, column), text in table.footnotes.items():
        line = cells[columns.index(column)]
        line[rows.index(row)] = replace(line[rows.index(row)], sign=signs[text])
    agreement += Agreement(unmeasured=len(printed))
    return Grid(
        corners=["" if name is None else str(name) for name in frame.index.names],
        headings=[label_text(column) for column in columns],
        right=[_reads_as_numbers(column) for column in cells],
        rows=[(label_parts(row), [column[i] for column in cells]) for i, row in enumerate(rows)],
        agreement=agreement,
        remarks=sentences(agreement, table.close) + _absent(table),
        footnotes=[(sign, text) for text, sign in signs.items()],
    )


def _signs(table: PaperTable) -> dict[str, str]:
    """Return the sign of each footnote's text, in the order in which the cells are read."""
    rows, columns = table.measured.index.tolist(), table.measured.columns.tolist()
    for row, column in table.footnotes:
        if row not in rows or column not in columns:
            raise ValueError(
                f"Table {table.name!r} has a footnote on the cell {row!r}, {column!r}, which it "
                "does not have; leave the footnote out."
            )
    read = sorted(table.footnotes, key=lambda cell: (rows.index(cell[0]), columns.index(cell[1])))
    texts = dict.fromkeys(table.footnotes[cell] for cell in read)
    n_signs = len(FOOTNOTE_SIGNS)
    return {
        text: FOOTNOTE_SIGNS[number % n_signs] * (1 + number // n_signs)
        for number, text in enumerate(texts)
    }


def _printed(table: PaperTable) -> dict[tuple[Any, Any], Any]:
    """Return the published figures by their labels, those that are there."""
    if table.published is None:
        return {}
    for frame in (table.measured, table.published):
        for labels in (frame.index, frame.columns):
            if labels.has_duplicates:
                twice = labels[labels.duplicated()][0]
                raise ValueError(
                    f"Table {table.name!r} has the label {twice!r} twice, so its measured and "
                    "published figures cannot be matched; make the labels unique."
                )
    rows = table.published.index.tolist()
    return {
        (row, column): value
        for place, column in enumerate(table.published.columns.tolist())
        for row, value in zip(rows, table.published.iloc[:, place].tolist(), strict=True)
        if not is_missing(value)
    }


def _column(pairs: list[tuple[Any, Any]], table: PaperTable) -> list[GridCell]:
    whole = all(isinstance(value, Integral) for value, _ in pairs if not is_missing(value))
    return [_cell(measured, published, table, whole) for measured, published in pairs]


def _cell(measured: Any, published: Any, table: PaperTable, whole: bool) -> GridCell:
    shown = cell_text(measured, table.digits)
    if is_missing(published):
        return GridCell(shown)
    # Counts are often printed figures that were read as fractions: 101.0 beside 101.
    count = whole and is_number(published) and float(published).is_integer()
    return GridCell(
        shown,
        cell_text(int(published) if count else published, table.digits),
        _mark(measured, published, compare(measured, published, table)),
    )


def _mark(measured: Any, published: Any, agreement: Agreement) -> str:
    if agreement.texts > agreement.same_texts:
        return DIFFERENT
    if agreement.compared > agreement.close:
        return ABOVE if measured > published else BELOW
    return ""


def _absent(table: PaperTable) -> list[str]:
    """Name what was published and is not in the table at all."""
    if table.published is None:
        return []
    ours, theirs = table.measured, table.published
    absent = [label for label in theirs.index.tolist() if label not in set(ours.index)]
    absent += [label for label in theirs.columns.tolist() if label not in set(ours.columns)]
    if not absent:
        return []
    return [f"Published but not part of this run: {', '.join(map(label_text, absent))}."]


def _reads_as_numbers(column: list[GridCell]) -> bool:
    """Tell whether every cell begins like a number, so that the digits should stand in line."""
    shown = [text for cell in column for text in (cell.measured, cell.published)]
    return all(re.match(r"[-+<±]?\d", text) for text in shown if text not in ("", MISSING))
