"""Names and numbers, as a sentence has them."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str]) -> str:
    """Return names with commas between them, and "and" before the last.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b"]), listed(list("abc"))
    ('a', 'a and b', 'a, b and c')
    """
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def counted(n: int, noun: str) -> str:
    """Return how many of something there are.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
