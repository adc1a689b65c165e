"""What ranges are called: "up to 25", "26 to 40", "65+", "$10 to $20", "18 to 24 years"."""

from __future__ import annotations

import re

NUMBER = r"[-+]?(?:\d+(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?"
DATE = r"\d{4}-\d{2}(?:-\d{2}(?: \d{2}:\d{2}:\d{2})?)?"
_END = rf"({DATE}|{NUMBER})"
_BELOW = re.compile(
    rf"(?:up to|until|under|below|less than|at most|<=|<|\u2264)\s*{_END}"
    rf"|{_END}\s*(?:or|and) (?:less|fewer|under|below|lower|younger)",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    rf"(?:over|after|above|more than|at least|from|>=|>|\u2265)\s*{_END}"
    rf"|{_END}\s*(?:\+|(?:or|and) (?:more|over|above|higher|older|up))",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    rf"[\[(]?{_END}\s*(?:to|-|\u2013|\.\.)\s*{_END}[\])]?"
    rf"|[\[(]{_END}\s*,\s*{_END}[\])]",  # 1,2 may be a number or two answers
    re.IGNORECASE,
)
_ALONE = re.compile(_END)

_BEFORE = re.compile(r"(?<![\w$])((?:US|A|C|NZ|HK|R)?\$|[€£¥₹])\s?(?=\d)")
_WORD = r"(?!(?:or|and|to)\b)[^\W\d_]{1,12}\.?"
_AFTER = re.compile(rf"(?<=[\d+])(\s?(?:{_WORD}|[%€£¥₹$]|°\s?[A-Z]?))(?=$|[\s+)\]\u2013-])", re.I)

Unit = tuple[str, str]
"""What stands before and after the numbers of a range; either may be empty."""

NO_UNIT: Unit = ("", "")


def end_texts(value: str) -> tuple[str | None, str | None] | None:
    """Return the ends of a range as they are written, None where it has none; None if it is none.

    A unit is no part of them.

    Examples
    --------
    >>> end_texts("up to 1,200"), end_texts("26 to 40"), end_texts("65+"), end_texts("7")
    ((None, '1,200'), ('26', '40'), ('65', None), ('7', '7'))
    >>> end_texts("$10 to $20"), end_texts("65 years or older"), end_texts("red")
    (('10', '20'), ('65', None), None)
    """
    return _ends_and_unit(value)[0]


def unit_of(value: str) -> Unit:
    """Return what stands before and after the numbers of a range.

    Examples
    --------
    >>> unit_of("$10 to $20"), unit_of("18 to 24 years"), unit_of("26 to 40")
    (('$', ''), ('', ' years'), ('', ''))
    """
    return _ends_and_unit(value)[1]


def same_unit(unit: Unit) -> Unit:
    """Return a unit in a form in which year and years are the same.

    Examples
    --------
    >>> same_unit(("", " years")) == same_unit(("", "Year"))
    True
    """
    before, after = unit
    return before, after.strip().casefold().rstrip(".").removesuffix("s")


def _ends_and_unit(value: str) -> tuple[tuple[str | None, str | None] | None, Unit]:
    text = value.strip()
    if not any(map(str.isdigit, text)):
        return None, NO_UNIT
    ends = _plain_ends(text)
    if ends is not None:
        return ends, NO_UNIT
    before, after = _BEFORE.findall(text), _AFTER.findall(text)
    units = {same_unit((one, "")) for one in before} | {same_unit(("", one)) for one in after}
    if not units or len(set(before)) > 1 or len({same_unit(("", one)) for one in after}) > 1:
        return None, NO_UNIT
    ends = _plain_ends(_AFTER.sub("", _BEFORE.sub("", text)))
    if ends is None:
        return None, NO_UNIT
    return ends, (before[0] if before else "", after[-1] if after else "")


def _plain_ends(text: str) -> tuple[str | None, str | None] | None:
    if match := _BELOW.fullmatch(text):
        return None, match[1] or match[2]
    if match := _ABOVE.fullmatch(text):
        return match[1] or match[2], None
    if match := _ALONE.fullmatch(text):
        return match[1], match[1]
    match = _BETWEEN.fullmatch(text)
    return match and (match[1] or match[3], match[2] or match[4])
