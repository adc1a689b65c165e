"""Tables of the page: cells as people read them, and as they are downloaded."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from untie.report._limits import LONG_TEXT, TEXT, shown

Columns = Mapping[str, Sequence[Any]]

NONE = "\N{EN DASH}"
"""What stands for a number that there is not."""

NAMES = {
    "other_column": "other column",
    "in_common": "in common",
    "other_value": "other value",
    "what_was_done": "what was done",
    "its_share": "its share",
    "other_weight": "rows with the other",
    "weight": "rows with it",
    "share_elsewhere": "elsewhere",
    "p_value": "p",
    "error": "standard error",
    "f_score": "F",
    "ari": "adjusted Rand index",
    "most_frequent": "most frequent value",
}
"""What people call the columns of the library's frames."""


TOTALS = ("all", "all rows")
"""Heads of heat maps' columns that are no value and no cluster."""

SIGNS = {"text": "t", "long": "l"}

SPANS = {
    "tnnn": (24, 12, 12, 12),
    "tnnnnn": (60, 12, 12, 12, 12, 12),
    "ttn": (24, 24, 12),
    "tnt": (30, 15, 15),
    "tttnnnn": (60, 30, 30, 15, 15, 15, 15),
    "tlnntn": (60, 60, 12, 12, 24, 12),
    "ntnnnl": (12, 48, 20, 20, 20, 60),
}
"""How the cells of a row fill its lines on a narrow screen, by their kinds: t text, l long text."""


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
        Length of a bar below the number, from 0 to 1.
    heat : float or None
        Color of the cell in a heat map, from -1 to 1.
    """

    text: str
    raw: str | None = None
    bar: float | None = None
    heat: float | None = None

    @property
    def number(self) -> float | int | None:
        """The number with all its digits; None if there is none."""
        text = self.text if self.raw is None else self.raw
        try:
            return int(text)
        except ValueError:
            return float(text) if text and text != NONE else None


@dataclass(frozen=True)
class Heading:
    """The head of a column, and how its cells are written.

    Parameters
    ----------
    name : str
        The text.
    kind : {"text", "long", "number", "cut", "count", "share", "bar", "scaled", "points", ...}
        How cells are written, also "lift" and "p"; "scaled" is a share whose bar is as long as that
        of the largest, "points" is a difference of shares, and "cut" is not rounded up.
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
    is_heat : bool
        Whether it is a heat map: all but the first column are colored numbers.
    """

    name: str
    caption: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]
    is_heat: bool = False

    @property
    def is_square(self) -> bool:
        """Whether it is a heat map whose rows and columns have the same names."""
        heads = [heading.name for heading in self.headings[1:]]
        return self.is_heat and heads == [row[0].text for row in self.rows]

    @property
    def keys(self) -> tuple[str, ...]:
        """What a heat map's columns are called where there is no room for their names."""
        heads = [heading.name for heading in self.headings[1:]]
        numbers = [head.partition(":")[0] if ": " in head else "" for head in heads]
        return tuple(
            "all" if head in TOTALS else number if number.isdecimal() else str(place)
            for place, (head, number) in enumerate(zip(heads, numbers, strict=True), 1)
        )

    @property
    def spans(self) -> tuple[int, ...]:
        """How many sixtieths of a narrow screen each cell takes, where a row has several lines."""
        signs = "".join(SIGNS.get(heading.kind, "n") for heading in self.headings)
        if signs in SPANS:
            return SPANS[signs]
        n_numbers = sum(heading.is_number for heading in self.headings)
        of_numbers = {1: 30, 2: 30, 3: 20, 4: 15, 6: 10}.get(n_numbers, 12)
        kinds = [heading.kind for heading in self.headings]
        # A text after numbers shares a line with them.
        widths = [
            24 if sum(k not in ("text", "long") for k in kinds[:at]) > 1 else 30
            for at in range(len(kinds))
        ]
        return tuple(
            {"text": width, "long": 60}.get(kind, of_numbers)
            for kind, width in zip(kinds, widths, strict=True)
        )

    def plain(self) -> dict[str, Any]:
        """Return what JSON holds of it: numbers with all their digits, and texts.

        Examples
        --------
        >>> view("t", "T", {"k": "count", "why": "text"}, {"k": [2], "why": ["so"]}).plain()
        {'caption': 'T', 'columns': ['k', 'why'], 'rows': [[2, 'so']]}
        """
        return {
            "caption": self.caption,
            "columns": [heading.name for heading in self.headings],
            "rows": [
                [
                    cell.number if heading.is_number else cell.text
                    for heading, cell in zip(self.headings, row, strict=True)
                ]
                for row in self.rows
            ],
        }


def heat_view(
    name: str,
    caption: str,
    corner: str,
    columns: Sequence[str],
    rows: Sequence[tuple[str, Sequence[Cell]]],
) -> TableView:
    """Make a heat map.

    Parameters
    ----------
    name, caption : str
        See `TableView`.
    corner : str
        The head of the first column, which names the rows.
    columns : sequence of str
        The heads of the others.
    rows : sequence of names and cells
        What is below them.
    """
    headings = (Heading(corner), *(Heading(column, "number") for column in columns))
    lines = tuple((Cell(label), *cells) for label, cells in rows)
    return TableView(name, caption, headings, lines, is_heat=True)


def view(name: str, caption: str, kinds: Mapping[str, str] | str, columns: Columns) -> TableView:
    """Make a table of some columns.

    Parameters
    ----------
    name, caption : str
        See `TableView`.
    kinds : mapping of names of columns to kinds, or str
        The columns to show, in this order; `NAMES` has what they are called. As a text, it is like
        "name:kind name:kind".
    columns : mapping of names to cells
        What to show.

    Examples
    --------
    >>> table = view("t", "T", "k:count share:share", {"k": [2], "share": [0.25]})
    >>> [cell.text for cell in table.rows[0]], table.rows[0][1].raw
    (['2', '25%'], '0.25')
    """
    if isinstance(kinds, str):
        kinds = {key: kind for key, _, kind in (part.partition(":") for part in kinds.split())}
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
        return Cell(NONE, "")
    raw = str(value.item() if isinstance(value, np.generic) else value)
    if kind == "bar":
        return Cell(percent(number), raw, min(max(number, 0.0), 1.0))
    written = {
        "share": percent,
        "count": count,
        "number": decimal,
        "p": chance,
        "points": points,
        "lift": times,
        "cut": cut,
    }
    return Cell(written[kind](number), raw)


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


def times(lift: float) -> str:
    """Write how many times more frequent a value is.

    Examples
    --------
    >>> times(1.234), times(12.34), times(1234.5)
    ('1.23', '12.3', '1,234')
    """
    return f"{lift:.2f}" if lift < 10 else f"{lift:.1f}" if lift < 100 else f"{lift:,.0f}"


def points(difference: float) -> str:
    """Write a difference of shares, in hundredths.

    Examples
    --------
    >>> points(0.25), points(-0.004)
    ('+25', '-0.4')
    """
    return f"{100 * difference:+.{0 if abs(difference) >= 0.0095 else 1}f}"


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


def cut(number: float) -> str:
    """Write a number with two digits, cut: what is called doubtful below 0.75 does not read 0.75.

    Examples
    --------
    >>> cut(0.749), cut(0.29)
    ('0.74', '0.29')
    """
    return f"{math.floor(100 * number + 1e-9) / 100:.2f}"


def chance(p_value: float) -> str:
    """Write a p-value.

    Examples
    --------
    >>> chance(0.2), chance(1e-9)
    ('0.20', '<0.001')
    """
    return "<0.001" if p_value < 0.001 else f"{p_value:.3f}" if p_value < 0.1 else f"{p_value:.2f}"
