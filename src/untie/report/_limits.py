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

MAP_TEXT_BYTES = 1_000_000
"""The values of the map's columns, and the answers, have at most this many bytes."""

CODE_BYTES = 100_000
"""A piece of code, which may name all columns, has at most this many bytes."""

LEAST_OF_A_CLUSTER = 30
"""Each cluster has at least this many rows on the map, or all that it has."""

N_NEIGHBORS = 5
"""Number of nearest rows listed for each row on the map."""

N_REASONS = 8
"""At most this many columns are named as reasons for a neighbour."""

COMPARED_ROWS = 2_000
"""The other methods cluster at most this many rows."""

COMPARED_NUMBERS = 4_000_000
"""Their vectors have at most this many numbers: of many values fewer rows are compared."""

COMPARED_VALUES = 20_000
"""With more values than this, other methods take minutes and are left out."""

CARDS = 12
"""At most this many clusters have a card of their own."""

CARD_COLUMNS = 25
"""Rows on a card show at most this many columns."""

CARD_VALUES = 8
"""A card names at most this many values."""

SHARE_COLUMNS, SHARE_VALUES = 20, 3
"""The heat map of clusters and values has at most this many columns, and values of each."""

PAIR_COLUMNS, PAIR_VALUES = 40, 6
"""Two clusters are compared in at most this many columns, and values of each."""

PAIR_SHOWN = 15
"""At most this many values are shown in which two clusters differ."""

ANSWERS = 12
"""At most this many values of the label have a column of their own."""

ASSOCIATED = 20
"""At most this many columns are in the heat map of columns."""

LISTED_FAMILIES = 12
"""At most this many families of columns have a sentence."""

LISTED_COLUMNS = 200
"""The data card lists at most this many columns, and the weights have as many bars."""

HEAT_MAPS = 12
"""At most this many columns have a heat map."""

HEAT_VALUES = 16
"""A heat map has at most this many values."""

HEAT_RANGES = 10
"""Of a column with an order and more values than that, neighbours make this many ranges."""

N_OUTLIERS = 20
"""At most this many unusual rows are listed."""

PAIRS_LOOKED_UP = 1_000_000_000
"""The search for unusual rows looks at about this many pairs of cells at most."""

TEXT = 80
"""Names and values are cut after this many characters."""

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
