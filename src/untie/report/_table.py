"""Tables of the page: cells as people read them, and as they are downloaded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from untie.report._limits import LONG_TEXT, TEXT, shown

Columns = Mapping[str, Sequence[Any]]

NAMES = {
    "other_value": "other value",
    "other_weight": "rows with the other",
    "weight": "rows with it",
    "share_elsewhere": "share elsewhere",
    "p_value": "p",
    "chosen_by": "best in splits",
    "error": "standard error",
    "f_score": "F",
    "ari": "adjusted Rand index",
    "what_was_done": "what was done",
    "most_frequent": "most frequent value",
    "its_share": "its share",
}
"""What people call the columns of the library's frames."""


@dataclass(frozen=True)
class Cell:
    """A cell.

    Parameters
    ----------
    text : str
        What is read.
    raw : str or None
        What is downloaded, if that is something else: a number with all its digits.
    bar : float or None
        Length of a bar behind the number, from 0 to 1.
    """

    text: str
    raw: str | None = None
    bar: float | None = None


@dataclass(frozen=True)
class Heading:
    """The head of a column, and how its cells are written.

    Parameters
    ----------
    name : str
        The text.
    kind : {"text", "long", "number", "count", "share", "bar", "scaled", "p"}
        How cells are written; "scaled" is a share whose bar is as long as that of the largest.
    """

    name: str
    kind: str = "text"

    @property
    def is_number(self) -> bool:
        """Whether the column holds numbers."""
        return self.kind not in ("text", "long")


@dataclass(frozen=True)
class TableView:
    """A table of the page.

    Parameters
    ----------
    name : str
        Of the file that it is downloaded as, without its ending.
    caption : str
        What it shows.
    headings : tuple of Heading
        Its columns.
    rows : tuple of tuples of Cell
        Its cells.
    """

    name: str
    caption: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]


def view(name: str, caption: str, kinds: Mapping[str, str], columns: Columns) -> TableView:
    """Make a table of some columns.

    Parameters
    ----------
    name, caption : str
        See `TableView`.
    kinds : mapping of names of columns to kinds
        The columns to show, in this order; `NAMES` has what they are called.
    columns : mapping of names to cells
        What to show.

    Examples
    --------
    >>> table = view("t", "T", {"k": "count", "share": "share"}, {"k": [2], "share": [0.25]})
    >>> [cell.text for cell in table.rows[0]], table.rows[0][1].raw
    (['2', '25%'], '0.25')
    """
    headings = tuple(Heading(NAMES.get(key, key), kind) for key, kind in kinds.items())
    cells = [_cells(columns[key], kind) for key, kind in kinds.items()]
    return TableView(name, caption, headings, tuple(zip(*cells, strict=True)))


def _cells(values: Sequence[Any], kind: str) -> list[Cell]:
    if kind != "scaled":
        return [_cell(value, kind) for value in values]
    largest = max((float(value) for value in values), default=0.0) or 1.0
    return [replace(_cell(value, "bar"), bar=float(value) / largest) for value in values]


def _cell(value: Any, kind: str) -> Cell:
    if kind in ("text", "long"):
        return Cell("" if value is None else shown(value, TEXT if kind == "text" else LONG_TEXT))
    number = math.nan if value is None else float(value)
    if not math.isfinite(number):
        return Cell("\N{EN DASH}", "")
    raw = str(value.item() if isinstance(value, np.generic) else value)
    if kind == "bar":
        return Cell(percent(number), raw, min(max(number, 0.0), 1.0))
    written = {"share": percent, "count": count, "number": decimal, "p": chance}[kind](number)
    return Cell(written, raw)


def percent(share: float) -> str:
    """Write a share.

    Examples
    --------
    >>> percent(0.5), percent(0.0012), percent(0.00001), percent(0.99999)
    ('50%', '0.12%', '<0.01%', '>99.99%')
    """
    if 0 < share < 1e-4:
        return "<0.01%"
    if 0.9999 < share < 1:
        return ">99.99%"
    if share in (0, 1) or 0.095 <= share <= 0.995:
        return f"{share:.0%}"
    return f"{share:.2%}" if share < 0.0095 else f"{share:.1%}"


def count(number: float) -> str:
    """Write a number of rows, or their weight.

    Examples
    --------
    >>> count(12345), count(2.5)
    ('12,345', '2.50')
    """
    return f"{number:,.0f}" if number == round(number) else f"{number:,.2f}"


def decimal(number: float) -> str:
    """Write a number with three digits or so.

    Examples
    --------
    >>> decimal(0.12345), decimal(1234.5), decimal(-0.0001)
    ('0.123', '1,234', '-0.000')
    """
    return f"{number:,.3f}" if abs(number) < 100 else f"{number:,.0f}"


def chance(p_value: float) -> str:
    """Write a p-value.

    Examples
    --------
    >>> chance(0.2), chance(1e-9)
    ('0.20', '<0.001')
    """
    return "<0.001" if p_value < 0.001 else f"{p_value:.3f}" if p_value < 0.1 else f"{p_value:.2f}"
