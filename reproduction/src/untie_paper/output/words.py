"""Numbers and lists in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def many(number: int, thing: str) -> str:
    """Return a number of things, the thing in the singular or in the plural.

    Examples
    --------
    >>> many(1, "data set"), many(0, "data set")
    ('1 data set', '0 data sets')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def agree(number: int) -> str:
    """Return how many of some things agree.

    Examples
    --------
    >>> agree(1), agree(2)
    ('1 agrees', '2 agree')
    """
    return f"{number} agrees" if number == 1 else f"{number} agree"


def listing(parts: Sequence[str]) -> str:
    """Join parts by commas, the last by "and".

    Examples
    --------
    >>> listing(["1"]), listing(["1", "2"]), listing(["1", "2", "3"])
    ('1', '1 and 2', '1, 2 and 3')
    """
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def means_and_ranks(means: Any, ranks: Any) -> str:
    """List methods by their means, the highest first, with their mean ranks.

    Examples
    --------
    >>> import pandas as pd
    >>> means_and_ranks(pd.Series({"A": 0.5, "B": 0.75}), pd.Series({"A": 2.0, "B": 1.0}))
    'B 0.750 (rank 1.00), A 0.500 (rank 2.00)'
    """
    ordered = means.sort_values(ascending=False, kind="stable")
    return ", ".join(
        f"{name} {mean:.3f} (rank {ranks[name]:.2f})" for name, mean in ordered.items()
    )
