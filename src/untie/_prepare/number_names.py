"""Numbers that are names of categories: 75000 and 75000.0 are one, 007 and 1.50 stay text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from untie._prepare.number_writing import PLAIN, find_number_writing
from untie._prepare.numbers import as_number
from untie._util.types import Value

# Neither 007 nor 1.50, which may be names; 1e+05 is how programs write some large numbers.
_PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.(?:0|\d*[1-9]))?|-?[1-9](?:\.\d*[1-9])?e[-+]\d\d")
_WHOLE = re.compile(r"-?(?:0|[1-9]\d*)(?:\.0)?")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}\.\d{3}")

POINT, COMMA = PLAIN[0], ","


@dataclass(frozen=True)
class NumberNames:
    """How numbers that are names of categories are read: as the same text for the same number.

    Parameters
    ----------
    decimal : {".", ","}
        What stands before decimals.

    Examples
    --------
    >>> names = NumberNames(".")
    >>> [names.read(text) for text in ("75000", "75000.0", "7.5", "1e+05", "007", "many")]
    ['75000', '75000', '7.5', '100000', None, None]
    >>> NumberNames(",").read("75000,0"), NumberNames(",").read("1.234")
    ('75000', None)
    """

    decimal: str

    def read(self, text: str) -> str | None:
        """Return a number as plain text, None if a text is no number."""
        text = text.strip()
        if self.decimal == COMMA:
            if _THOUSANDS.fullmatch(text) or (COMMA in text and POINT in text):
                return None
            text = text.replace(COMMA, POINT)
        if _WHOLE.fullmatch(text):  # whatever its length, which no float holds
            name = text.removesuffix(".0")
            return "0" if name == "-0" else name
        number = as_number(text)
        if number is None or not math.isfinite(number):
            return None
        return str(int(number)) if number.is_integer() else str(number)


def find_number_names(values: Sequence[Value]) -> NumberNames | None:
    """Return how a column of texts that are all plain numbers is read; None for other columns.

    A column with a single cell such as 007 or 1.50 is not read as numbers: these may be codes or
    versions, and then 7 and 1.5 are others.

    Parameters
    ----------
    values : sequence
        The distinct values, without missing ones, in any order.

    Examples
    --------
    >>> find_number_names(["1", "2.0"]), find_number_names(["7", "007"])
    (NumberNames(decimal='.'), None)
    """
    texts = [value for value in values if isinstance(value, str)]
    if not texts or len(texts) < len(values):
        return None
    if all(map(_PLAIN.fullmatch, texts)):
        return NumberNames(POINT)
    if not all(_PLAIN.fullmatch(text.replace(COMMA, POINT)) for text in texts):
        return None
    found = find_number_writing(texts)  # None where 1,234 may be 1234
    is_comma = found is not None and (found.decimal, found.thousands) == (COMMA, "")
    return NumberNames(COMMA) if is_comma else None
