"""What is odd about the values of a column, in words: the user may want to set it right."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from untie._prepare.date_writing import possible_orders
from untie._table.vocabulary import sort_values
from untie._util.types import FloatArray, Value

PLACEHOLDERS = frozenset({"", "?", "na", "n/a", "nan", "null", "none", "missing", "-", "--"})
"""Texts, in lower case, that often stand for a missing value."""

MOSTLY = 0.9
"""A column counts as written in a way if at least this share of its rows is."""

FEW_UNITS = 5
"""Where numbers have more different endings than this, they are parts of names: 7a, 7b, ..., 7z."""

N_SHOWN = 3
"""At most this many values are named."""

_DAY = r"(\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](\d{4}|\d\d))"
_DATE = re.compile(_DAY + r"([T ,].*)?")
# Not 007, which is a name, nor 10.0.0.1.
_DIGITS = r"(?!0\d)(\d{1,3}([,'.]\d{3})+|\d+)([.,]\d+)?"
_UNIT = r"\s?(?P<unit>[^\W\d_]{1,6}\.?|[%$€£¥°]\w?)?"
_WITH_UNIT = re.compile(r"[-+]?[$€£¥]?\s?" + _DIGITS + _UNIT)


def find_placeholders(values: Sequence[Value]) -> tuple[str, ...]:
    """Return the values that may be missing cells."""
    texts = (value for value in values if isinstance(value, str))
    return tuple(text for text in texts if text.strip().lower() in PLACEHOLDERS)


def odd_values(values: Sequence[Value], with_placeholders: bool = True) -> str:
    """Return which values may be missing cells, or spellings of one value; empty if none."""
    texts = [value for value in values if isinstance(value, str)]
    said = []
    odd = find_placeholders(values)
    if odd and with_placeholders:
        said.append(f"{some(odd)} counted as a value, not as missing")
    alike = _spellings([text for text in texts if text not in odd])
    if alike:
        said.append(f"values that differ in case or blanks alone stay apart: {'; '.join(alike)}")
    return "; ".join(said)


def odd_writing(values: Sequence[Value], rows: FloatArray) -> str:
    """Return how to write cells so that they can be binned; empty if they are just text.

    Parameters
    ----------
    values : sequence
        The distinct values.
    rows : array of shape (n_values,)
        Number of rows that have each.
    """
    texts = [value.strip() if isinstance(value, str) else "" for value in values]
    dates = np.array([_DATE.fullmatch(text) is not None for text in texts], dtype=bool)
    if _is_most(dates, rows):
        if len(possible_orders(texts)) > 1:
            return (
                "looks like dates, and nothing tells whether the day or the month comes first; say "
                "so with day_first=True or False (--day-first, --month-first)"
            )
        return "looks like dates; all written as 2024-12-31 they would be binned"
    found = [_WITH_UNIT.fullmatch(text) for text in texts]
    units = {(match["unit"] or "").lower() for match in found if match}
    numbers = np.array([match is not None for match in found], dtype=bool)
    if _is_most(numbers, rows) and len(units) <= FEW_UNITS:
        example = next(text for text, match in zip(texts, found, strict=True) if match)
        return (
            f"looks like numbers with other signs ({example!r}); as plain numbers, in one unit, "
            "they would be binned"
        )
    return ""


def said_of_others(others: Sequence[Value], kind: str) -> str:
    """Say which cells among numbers or dates are none, and how to call them missing.

    Examples
    --------
    >>> print(said_of_others(["not asked"], "numbers"))
    not numbers, kept as values of their own: 'not asked'; if that means missing, name it \
with all that do: missing=['not asked'] (--missing 'not asked')
    """
    texts = [str(value) for value in sort_values(others)[:N_SHOWN]]
    means = "that means missing, name it" if len(others) == 1 else "they mean missing, name them"
    # Who names some has none found by themselves.
    return (
        f"not {kind}, kept as values of their own: {some(others)}; if {means} with all that do: "
        f"missing={texts!r} (--missing {quote(','.join(texts))})"
    )


def some(values: Sequence[Value], n_shown: int = N_SHOWN) -> str:
    """Return the first values and how many more there are."""
    shown = ", ".join(repr(value) for value in sort_values(values)[:n_shown])
    more = f" and {len(values) - n_shown:,} more" if len(values) > n_shown else ""
    return shown + more


def _is_most(chosen: NDArray[np.bool_], rows: FloatArray) -> bool:
    return bool(rows[chosen].sum() >= MOSTLY * rows.sum() > 0)


def _spellings(texts: Sequence[str], n_shown: int = 2) -> list[str]:
    """Return the spellings of the first few values that have several."""
    groups: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        groups[" ".join(text.split()).casefold()].append(text)
    several = sorted(key for key, found in groups.items() if len(found) > 1)
    said = [", ".join(map(repr, sorted(groups[key])[:4])) for key in several[:n_shown]]
    if len(several) > n_shown:
        said.append(f"and {len(several) - n_shown:,} more")
    return said
