"""Names and patterns of names, such as `A*` -> names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def expand_names(given: Iterable[Any], present: Sequence[str]) -> list[Any]:
    """Return names of columns, with those that match for each pattern; each once.

    A pattern has * for any text or ? for one character. A column with such a name is meant by it,
    and a pattern that matches nothing stays, to be refused as a name.

    Parameters
    ----------
    given : iterable
        Names, patterns, or anything else that names a column, such as its position.
    present : sequence of str
        The columns that there are.

    Examples
    --------
    >>> expand_names(["A*", "age", 0], ["A1", "A2", "age", "B1"])
    ['A1', 'A2', 'age', 0]
    """
    found: list[Any] = []
    for name in given:
        found += _matching(name, present) if _is_pattern(name, present) else [name]
    return list(dict.fromkeys(found))


def expand_keys(given: Mapping[Any, Any], present: Sequence[str]) -> dict[Any, Any]:
    """Return a mapping from columns in which patterns stand for all that match; a name comes first.

    Examples
    --------
    >>> expand_keys({"A1": 3, "A*": 2, "age": 0}, ["A1", "A2", "age"])
    {'A1': 3, 'A2': 2, 'age': 0}
    """
    named = {name: own for name, own in given.items() if not _is_pattern(name, present)}
    found: dict[Any, Any] = {}
    for key, own in given.items():
        for name in expand_names([key], present):
            found.setdefault(name, named.get(name, own))
    return found


def _is_pattern(name: Any, present: Sequence[str]) -> bool:
    return isinstance(name, str) and name not in present and ("*" in name or "?" in name)


def _matching(pattern: str, present: Sequence[str]) -> list[str]:
    parts = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    found = [name for name in present if re.fullmatch(parts, name, re.DOTALL)]
    return found or [pattern]
