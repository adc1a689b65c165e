"""Regular expressions of numbers, as PostgreSQL, RE2 and Java all read them; and their names."""

import math
from collections.abc import Iterable

from untie._prepare.numbers import NumberWriting, as_number
from untie._prepare.rules import as_text
from untie._util.types import Value

BLANKS = "".join(character for character in map(chr, range(0x3001)) if character.isspace())
"""What Python calls white space, and strips from texts; no later character is."""

DIGITS = "(0|[1-9][0-9]*)"
"""Whole numbers; 007 is a name."""

PLAIN_NUMBER = f"[-+]?({DIGITS}([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?"
"""Numbers as Python writes and reads them."""

_SIGN = "[-+\u2212]"


def written_number(writing: NumberWriting, blanks: str = BLANKS, most_groups: str = "") -> str:
    """Return the pattern of texts that are numbers in a writing, stripped.

    Parameters
    ----------
    writing : NumberWriting
        How numbers are written.
    blanks : str
        The white space that may be around signs and before units.
    most_groups : str
        The largest number of groups of thousands; empty for any.
    """
    gap = f"[{blanks}]?"
    before, after = literal(writing.before), literal(writing.after)
    mark, point = (f"[{in_class(part)}]" for part in (writing.thousands, writing.decimal))
    grouped = (
        f"[1-9][0-9]{{0,2}}({mark}[0-9]{{3}}){{1,{most_groups}}}|" if writing.thousands else ""
    )
    sign = f"({_SIGN}?{before}{gap}|{before}{gap}{_SIGN})"
    return f"{sign}({grouped}{DIGITS})({point}[0-9]+)?{gap}{after}"


def named_numbers(texts: Iterable[Value]) -> dict[str, float]:
    """Return the numbers of those texts that are the names that Python gives numbers.

    Examples
    --------
    >>> named_numbers(["1e-05", "0.5", "0.00001", "7", "007", "many"])
    {'1e-05': 1e-05, '0.5': 0.5, '7': 7.0}
    """
    numbers = {text: as_number(text) for text in texts if isinstance(text, str)}
    return {
        text: number
        for text, number in numbers.items()
        if number is not None and math.isfinite(number) and as_text(number) == text
    }


def literal(text: str) -> str:
    """Return the pattern of a text alone."""
    return "".join(c if c.isalnum() else f"[{in_class(c)}]" for c in text)


def in_class(characters: str) -> str:
    """Return characters as they are written between brackets."""
    return "".join(f"\\{c}" if c in "\\]^-[" else c for c in characters)
