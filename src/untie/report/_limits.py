"""What keeps the page small and its text harmless, whatever the table."""

import math
import unicodedata
from typing import Any

from untie._table.column_codes import value_text

PAGE_BYTES = 5_000_000
"""A page has at most this many bytes."""

MAP_ROWS = 2_000
"""The map shows at most this many rows."""

MAP_COLUMNS = 40
"""The map knows the cells of at most this many columns."""

ANSWERS = 12
"""At most this many values of the label have a column of their own."""

LISTED_COLUMNS = 200
"""The data card lists at most this many columns, and the weights have as many bars."""

TEXT = 80
"""Names and values are cut after this many characters."""

ROW_NAME = 40
"""Names of rows are cut after this many characters."""

DIRECTIONS = frozenset(map(chr, (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F))))
DIRECTIONS |= frozenset(map(chr, range(0x2066, 0x206A)))
"""Invisible characters that say which way text runs."""

EMPTY, BLANK = "(empty)", "(blank)"
"""What stands for a text of no characters, and of spaces alone."""

LONG_TEXT = 600
"""Sentences with several of them are cut after this many characters."""


def shown(value: Any, most: int = TEXT) -> str:
    """Return any text as one line that a page can hold; what is cut off ends in an ellipsis.

    Examples
    --------
    >>> shown("two" + chr(10) + "lines" + chr(0)), shown("abcdef", 4)
    ('two lines\N{REPLACEMENT CHARACTER}', 'abc…')
    """
    text = value_text(value)
    if not text.strip():  # else a button or a cell would have no name
        return BLANK if text else EMPTY
    cut = text if len(text) <= most else text[: most - 1] + "…"
    return "".join(_harmless(character) for character in cut)


def _harmless(character: str) -> str:
    if character.isspace():
        return " "
    # Half a pair of surrogates can't be written as UTF-8, control characters break lines, and
    # marks of direction turn around what comes after them.
    if unicodedata.category(character) in ("Cc", "Cs") or character in DIRECTIONS:
        return "\N{REPLACEMENT CHARACTER}"
    return character


def short(number: float, digits: int = 4) -> float | int | None:
    """Return a number with few digits, as JSON has it.

    Examples
    --------
    >>> short(1.0), short(0.123456), short(float("nan")) is None
    (1, 0.1235, True)
    """
    if not math.isfinite(number):
        return None
    rounded = float(f"{number:.{digits}g}")
    return int(rounded) if rounded == int(rounded) and abs(rounded) < 1e15 else rounded
