"""The user's own lists of values, checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from untie._table.plain_values import plain
from untie._util.types import Value


def check_categories(categories: Any, names: Sequence[str]) -> list[tuple[Value, ...]] | None:
    """Validate the user's lists of values: one list per column, no value twice."""
    if isinstance(categories, str) and categories == "auto":
        return None
    if isinstance(categories, str) or not isinstance(categories, Iterable):
        raise ValueError(f"categories must be 'auto' or a list of lists, got {categories!r}.")
    lists = [_category_list(entries) for entries in categories]
    if len(lists) != len(names):
        raise ValueError(
            f"categories has {len(lists)} lists but the table has {len(names)} columns; "
            "pass one list of values per column."
        )
    for name, values in zip(names, lists, strict=True):
        if len(set(values)) < len(values):
            raise ValueError(f"categories of column {name!r} name a value twice: {values}.")
        if not values:
            raise ValueError(f"categories of column {name!r} are empty; name its values.")
    return lists


def _category_list(entries: Any) -> tuple[Value, ...]:
    if isinstance(entries, str | bytes) or not isinstance(entries, Iterable):
        raise ValueError(
            f"categories must be 'auto' or a list of lists, one per column, but has {entries!r} "
            "in the place of a list."
        )
    values = tuple(plain(value) for value in entries)
    try:
        hash(values)
    except TypeError as error:
        raise TypeError(f"categories must be hashable, got {values!r:.60}: {error}.") from None
    return values
