"""Names, as a sentence has them."""

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
