"""Blocks of HTML for notebooks: texts are escaped, and no style leaves a block.

Style is inline, as a style sheet would be that of the whole notebook. Colors are the notebook's
own, light or dark. There are no scripts.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any
from unicodedata import category

LONGEST, LONGEST_NAME = 240, 40
"""Cells are cut after so many characters; names of columns and values within a text after fewer."""

MOST_LINES = 20
"""A table shows at most this many lines."""

BOX = "border:1px solid #8886;border-radius:6px;padding:.5em .9em;margin:.4em 0;overflow-x:auto"
CELL = "padding:.15em .8em .15em 0;vertical-align:top;text-align:"


def shown(text: Any) -> str:
    r"""Return the text of a user as HTML: on one line, cut if it is long; nothing in it is run.

    Examples
    --------
    >>> shown("<b>a & b</b>"), shown("x" * 100)[-3:], shown("a\u202eb\x00")
    ('&lt;b&gt;a &amp; b&lt;/b&gt;', 'xxx', 'a�b�')
    """
    return said(cut(text, LONGEST))


def cut(text: Any, most: int = LONGEST_NAME) -> str:
    r"""Return a text on one line, and no longer than so many characters; it is no HTML yet.

    Examples
    --------
    >>> cut("a\n b"), cut("x" * 100, 4)
    ('a b', 'xxx…')
    """
    line = " ".join(str(text).split())
    return line if len(line) <= most else f"{line[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def block(title: str, *parts: str) -> str:
    """Return a box with a title in bold and what stands below it, which is HTML already."""
    return f'<div style="{BOX}"><div><strong>{said(title)}</strong></div>{"".join(parts)}</div>'


def said(text: str) -> str:
    r"""Return sentences as HTML; they may be long, and name columns.

    Spaces of all kinds and joiners of letters stay; other characters that do not print, such as
    those that turn the direction of what follows, are replaced.

    Examples
    --------
    >>> said("Prix\u00a0\N{EURO SIGN} <b>") == "Prix\u00a0\N{EURO SIGN} &lt;b&gt;"
    True
    >>> said("a\u202eb") == "a\ufffdb"
    True
    """
    return "".join(escape(c) if _is_shown(c) else "\N{REPLACEMENT CHARACTER}" for c in text)


JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"


def _is_shown(character: str) -> bool:
    return character.isprintable() or character in JOINERS or category(character) == "Zs"


def paragraph(text: str) -> str:
    """Return sentences as a paragraph; nothing if there are none."""
    return f'<p style="margin:.3em 0;max-width:60em">{said(text)}</p>' if text else ""


def folded(title: str, sentences: Iterable[str]) -> str:
    """Return sentences that a click unfolds; nothing if there are none."""
    parts = "".join(map(paragraph, sentences))
    return f"<details><summary>{said(title)}</summary>{parts}</details>" if parts else ""


def table(caption: str, columns: Mapping[str, Sequence[Any]], bold: int | None = None) -> str:
    """Return columns as an HTML table; nothing if they are empty.

    Parameters
    ----------
    caption : str
        What the table is.
    columns : mapping of str to sequences
        The cells, column by column.
    bold : int, optional
        The line that stands out.
    """
    rows = list(zip(*columns.values(), strict=True))
    if not rows:
        return ""
    heads = "".join(
        f'<th scope="col" style="{CELL}{_side(cells)}">{shown(name)}</th>'
        for name, cells in columns.items()
    )
    sides = [_side(cells) for cells in columns.values()]
    lines = [_row(row, sides, place == bold) for place, row in enumerate(rows[:MOST_LINES])]
    rest = len(rows) - MOST_LINES
    more = paragraph(f"... and {rest:,} more.") if rest > 0 else ""
    return (
        '<table style="border-collapse:collapse;margin:.4em 0">'
        f'<caption style="text-align:left;caption-side:top">{said(caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>{more}"
    )


def _row(row: Sequence[Any], sides: Sequence[str], is_bold: bool) -> str:
    weight = ";font-weight:bold" if is_bold else ""
    cells = (
        f'<td style="{CELL}{side}{weight}">{_cell(cell)}</td>'
        for cell, side in zip(row, sides, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


def _side(cells: Sequence[Any]) -> str:
    is_number = any(_is_number(cell) for cell in cells)
    return "right" if is_number else "left"


def _is_number(cell: Any) -> bool:
    return hasattr(cell, "__float__") and not isinstance(cell, str)


def _cell(cell: Any) -> str:
    """Return a cell as HTML: numbers with three digits, missing ones as a dash.

    Examples
    --------
    >>> _cell(0.12345), _cell(1234.0), _cell(float("nan")), _cell("<"), _cell(7)
    ('0.123', '1,234', '–', '&lt;', '7')
    """
    if cell is None:
        return "\N{EN DASH}"
    if not _is_number(cell):
        return shown(cell)
    number = float(cell)
    if math.isnan(number):
        return "\N{EN DASH}"
    if number == round(number) and abs(number) < 1e12:
        return f"{number:,.0f}"
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"
