"""The one list of texts that stand for a missing cell: NA, n/a, ?, -, and the like."""

from __future__ import annotations

import re
from collections.abc import Sequence

from untie._util.types import Value

WORDS = frozenset({"", "na", "n/a", "n.a.", "#n/a", "#na", "<na>", "nan", "null", "#null!"})
"""Words, in lower case, that stand for a missing cell."""

UNSURE = frozenset({"none", "missing"})
"""Words that may as well be an answer: they stay values, and the user is told of them."""

SIGNS = frozenset({"?", "-", "--", "---", ".", "..", "\u2013", "\u2014"})
"""Signs that do, unless others of the column's values are signs, too."""

FEWEST_OTHERS = 2
"""A column needs this many other values: beside one alone, such as yes, - may mean no."""

_CODE = re.compile(r"[A-Za-z]{2}")


def means_missing(text: str) -> bool:
    """Tell whether a text is one of those that stand for a missing cell.

    Examples
    --------
    >>> means_missing(" N/A"), means_missing("none")
    (True, False)
    """
    return text.strip().lower() in WORDS | SIGNS


def may_be_missing(text: str) -> bool:
    """Tell whether a text is one of those, or a word that may be."""
    return means_missing(text) or text.strip().lower() in UNSURE


def find_missing(values: Sequence[Value]) -> tuple[str, ...]:
    """Return those of a column's distinct values that stand for a missing cell, in order.

    The list of such texts is closed, and none of a column of numbers is among them. "NA" stays a
    value where most others have two letters, too, as Namibia's in a column of countries does; signs
    stay where others are signs; and all stay where there is at most one other value.

    Parameters
    ----------
    values : sequence
        The distinct values, in any order.

    Examples
    --------
    >>> find_missing(["red", "blue", "?", "n/a"])
    ('?', 'n/a')
    >>> find_missing(["yes", "-"]), find_missing(["DE", "FR", "NA"]), find_missing(["+", "-", "o"])
    ((), (), ())
    """
    found = {v for v in values if isinstance(v, str) and means_missing(v)}
    if not found:
        return ()
    others = [value for value in values if not isinstance(value, str) or value not in found]
    if len(others) < FEWEST_OTHERS:
        return ()
    texts = [value.strip() for value in others if isinstance(value, str)]
    if 2 * sum(_CODE.fullmatch(text) is not None for text in texts) > len(others):
        found = {text for text in found if text.strip().lower() != "na"}
    if any(not any(map(str.isalnum, text)) for text in texts):
        found = {text for text in found if text.strip() not in SIGNS}
    return tuple(sorted(found))
