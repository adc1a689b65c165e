"""What is odd about the values of a column: the user may want to set it right."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._prepare.date_writing import possible_orders
from untie._prepare.missing import may_be_missing
from untie._prepare.note import N_SPELLINGS, Reason, Reasons
from untie._util.types import FloatArray, Value

MOSTLY = 0.9
"""A column counts as written in a way if at least this share of its rows is."""

FEW_UNITS = 5
"""Where numbers have more different endings than this, they are parts of names: 7a, 7b, ..., 7z."""

_DAY = r"(\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](\d{4}|\d\d))"
_DATE = re.compile(_DAY + r"([T ,].*)?")
# Not 007, which is a name, nor 10.0.0.1.
_DIGITS = r"(?!0\d)(\d{1,3}([,'.]\d{3})+|\d+)([.,]\d+)?"
_UNIT = r"\s?(?P<unit>[^\W\d_]{1,6}\.?|[%$€£¥°]\w?)?"
_WITH_UNIT = re.compile(r"[-+]?[$€£¥]?\s?" + _DIGITS + _UNIT)


def odd_values(values: Sequence[Value], with_placeholders: bool = True) -> Reasons:
    """Return which values may be missing cells, or spellings of one value."""
    texts = [value for value in values if isinstance(value, str)]
    found: dict[Reason, dict[str, Any]] = {}
    odd = sorted(filter(may_be_missing, texts))
    if odd and with_placeholders:
        found[Reason.NOT_MISSING] = {"n": len(odd), "values": odd}
    alike = _spellings([text for text in texts if text not in set(odd)])
    if alike:
        found[Reason.SPELLINGS] = {"n": len(alike), "spellings": alike[:N_SPELLINGS]}
    return found


def odd_writing(values: Sequence[Value], rows: FloatArray) -> Reasons:
    """Return how cells are to be written so that they can be binned; nothing if they are just text.

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
        is_unclear = len(possible_orders(texts)) > 1
        return {Reason.UNCLEAR_DATES if is_unclear else Reason.ODD_DATES: {}}
    found = [_WITH_UNIT.fullmatch(text) for text in texts]
    units = {(match["unit"] or "").lower() for match in found if match}
    numbers = np.array([match is not None for match in found], dtype=bool)
    if _is_most(numbers, rows) and len(units) <= FEW_UNITS:
        example = next(text for text, match in zip(texts, found, strict=True) if match)
        return {Reason.ODD_NUMBERS: {"example": example}}
    return {}


def _is_most(chosen: NDArray[np.bool_], rows: FloatArray) -> bool:
    return bool(rows[chosen].sum() >= MOSTLY * rows.sum() > 0)


def _spellings(texts: Sequence[str]) -> list[list[str]]:
    """Return the spellings of each value that has several, at most four."""
    groups: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        groups[" ".join(text.split()).casefold()].append(text)
    return [sorted(found)[:4] for _, found in sorted(groups.items()) if len(found) > 1]
