"""What keeps the page small and its text harmless, whatever the table."""

from __future__ import annotations

import math
import unicodedata
from typing import Any

PAGE_BYTES = 5_000_000
"""Most bytes of a page."""

MAP_ROWS = 2_000
"""Rows on the map."""

MAP_COLUMNS = 40
"""Columns that the map knows the cells of."""

MAP_TEXT_BYTES = 1_000_000
"""Most bytes of the values of these columns, and of the answers."""

CODE_BYTES = 100_000
"""Most bytes of a piece of code, which may name all columns."""

LEAST_OF_A_CLUSTER = 30
"""Rows on the map that each cluster has at least, if there are so many."""

N_NEIGHBORS = 5
"""Nearest rows of each row on the map."""

N_REASONS = 8
"""Columns that are named as reasons for a neighbour."""

COMPARED_ROWS = 2_000
"""Most rows that the other methods cluster."""

COMPARED_NUMBERS = 4_000_000
"""Numbers of their vectors; of a table with many values fewer rows are compared."""

COMPARED_VALUES = 20_000
"""With more values than these, other methods take minutes."""

CARDS = 12
"""Clusters with a card of their own."""

CARD_COLUMNS = 25
"""Columns of the rows on a card."""

CARD_VALUES = 8
"""Values that a card names."""

LISTED_COLUMNS = 200
"""Columns listed on the data card, and bars of weights."""

HEAT_MAPS = 12
"""Columns with a heat map."""

HEAT_VALUES = 16
"""Values of a heat map."""

N_OUTLIERS = 20
"""Unusual rows that are listed."""

PAIRS_LOOKED_UP = 1_000_000_000
"""Pairs of cells that the search for unusual rows looks at."""

TEXT = 80
"""Characters of a name or value; longer ones are cut."""

DIRECTIONS = frozenset(map(chr, (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F))))
DIRECTIONS |= frozenset(map(chr, range(0x2066, 0x206A)))
"""Invisible characters that say which way text runs."""

EMPTY, BLANK = "(empty)", "(blank)"
"""What stands for a text of no characters, and of spaces alone."""

LONG_TEXT = 600
"""Characters of a sentence with several of them."""


def shown(value: Any, most: int = TEXT) -> str:
    """Return any text as one line that a page can hold; what is cut off ends in an ellipsis.

    Examples
    --------
    >>> shown("two" + chr(10) + "lines" + chr(0)), shown("abcdef", 4)
    ('two lines\N{REPLACEMENT CHARACTER}', 'abc…')
    """
    text = str(value)
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
