"""Numbers as people write them: 1.234,5 or 1,234.5, $10, 12 kg, 35%."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

_CURRENCY = (
    r"(?:US|AU?|CA?|NZ|HK|R)?\$|[€£¥₹₽₩]|USD|EUR|GBP|JPY|CHF|CAD|AUD|CNY|INR|BRL|SEK|NOK|DKK|PLN"
)
_WORD = r"[^\W\d_]{1,12}"
_UNIT = rf"{_WORD}(?:/{_WORD})?[²³]?\.?|[%‰]|°\s?[A-Za-z]?|{_CURRENCY}"
_MARKS = ",.'\u2019 \u00a0\u202f"
_SIGN = "[-+\u2212]"
_ANY = re.compile(
    rf"(?P<first>{_SIGN})?(?P<before>{_CURRENCY})?\s?(?P<second>{_SIGN})?"
    rf"(?P<digits>\d+(?:[{_MARKS}]\d+)*)\s?(?P<after>{_UNIT})?"
)
_CODE = re.compile(r"0\d")  # 007 is a name, not a number

PLAIN = (".", "")
"""The marks of plain numbers: before decimals, and between thousands."""

_USUAL = (PLAIN, (",", ""), (".", ","), (",", "."))


@dataclass(frozen=True)
class NumberWriting:
    """How the numbers of a column are written.

    Parameters
    ----------
    decimal : str
        What stands before decimals.
    thousands : str
        What stands between thousands; empty for nothing.
    before, after : str
        What stands before and after each number: a currency, a unit; may be empty.

    Examples
    --------
    >>> writing = NumberWriting(",", ".", "", "kg")
    >>> writing.read("1.234,5 kg"), writing.read("12 g") is None
    (1234.5, True)
    """

    decimal: str
    thousands: str
    before: str = ""
    after: str = ""

    def read(self, text: str) -> float | None:
        """Return the number that a text is, None if it is not written so."""
        match = _ANY.fullmatch(text.strip())
        if match is None or (match["before"] or "", match["after"] or "") != self._around:
            return None
        number = self.number(match["digits"])
        if number is None or (match["first"] and match["second"]):
            return None
        sign = match["first"] or match["second"] or "+"
        return number if sign == "+" else -number

    def number(self, digits: str) -> float | None:
        """Return the number that digits with marks are, None if the marks are not these."""
        if not self._digits.fullmatch(digits) or _CODE.match(digits):
            return None
        whole = digits.replace(self.thousands, "") if self.thousands else digits
        return float(whole.replace(self.decimal, "."))

    @property
    def has_unit(self) -> bool:
        """Whether something stands before or after the numbers."""
        return bool(self.before or self.after)

    def words(self) -> str:
        """Return how numbers are read, for people."""
        said = "as numbers" + (f" in {self.before or self.after!r}" if self.has_unit else "")
        marks = []
        if self.decimal != PLAIN[0]:
            marks.append(f"{self.decimal!r} before decimals")
        if self.thousands:
            marks.append(f"{self.thousands!r} between thousands")
        return f"{said}, with {' and '.join(marks)}" if marks else said

    @cached_property
    def _around(self) -> tuple[str, str]:
        return self.before, self.after

    @cached_property
    def _digits(self) -> re.Pattern[str]:
        mark = re.escape(self.thousands)
        whole = rf"(?:[1-9]\d{{0,2}}(?:{mark}\d{{3}})+|\d+)" if self.thousands else r"\d+"
        return re.compile(rf"{whole}(?:{re.escape(self.decimal)}\d+)?")


def find_number_writing(texts: Sequence[str]) -> NumberWriting | None:
    """Return how all texts are written as numbers; None if they are not, or it can't be told.

    The unit is the same everywhere. Which mark is which is told by the texts themselves: 3,5 has a
    decimal comma, 1,234,567 has thousands; 1,234 alone could be either, and so it is None. Beside
    shorter numbers without a mark (30, 999) it has thousands, as decimals would have other lengths.

    Parameters
    ----------
    texts : sequence of str
        The distinct values, in any order; not all plain numbers.

    Examples
    --------
    >>> find_number_writing(["3,5", "12"])
    NumberWriting(decimal=',', thousands='', before='', after='')
    >>> find_number_writing(["1,234", "30"]).thousands, find_number_writing(["1,234", "5,678"])
    (',', None)
    """
    parts = set()
    bodies = []
    for text in texts:
        match = _ANY.fullmatch(text.strip())
        if match is None or (match["first"] and match["second"]):
            return None
        parts.add((match["before"] or "", match["after"] or ""))
        if len(parts) > 1:
            return None
        bodies.append(match["digits"])
    if not bodies:
        return None
    marks = _marks(bodies)
    if marks is None:
        return None
    before, after = parts.pop()
    return NumberWriting(*marks, before, after)


def _marks(bodies: Sequence[str]) -> tuple[str, str] | None:
    """Return the marks before decimals and between thousands, if they can be told."""
    used = {mark for body in bodies for mark in body if not mark.isdecimal()}
    others = used - {",", "."}
    candidates = [*_USUAL, *((decimal, mark) for mark in sorted(others) for decimal in ".,")]
    fitting = [
        marks
        for marks in candidates
        if (not marks[1] or marks[1] in used) and _fit(bodies, NumberWriting(*marks))
    ]
    if not fitting:
        return None
    if len(fitting) == 1 or not used or PLAIN in fitting:
        return fitting[0]  # a point alone stands before decimals, as everywhere in files
    if "," not in used or used != {","}:
        return fitting[0]  # they differ in a mark that no number has
    plain = [body for body in bodies if "," not in body]
    is_grouped = bool(plain) and all(len(body) <= 3 for body in plain)
    return (".", ",") if is_grouped else None


def _fit(bodies: Iterable[str], writing: NumberWriting) -> bool:
    return all(writing.number(body) is not None for body in bodies)
