"""The values of every attribute, their order and their labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._table.names import check_names
from untie._table.plain_values import value_text, whole_characters
from untie._util.types import Value


class Infrequent:
    """The one value that stands for all rare values of an attribute."""

    _instance: Infrequent | None = None

    def __new__(cls) -> Infrequent:
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __reduce__(self) -> tuple[type[Infrequent], tuple[()]]:
        return Infrequent, ()

    def __repr__(self) -> str:
        return "infrequent"


INFREQUENT = Infrequent()


@dataclass(frozen=True)
class Vocabulary:
    """The distinct values of each column (an attribute, where it is meant by its number).

    Parameters
    ----------
    columns : tuple of str
        The columns' names.
    values : tuple of tuples
        The values of each column, in the order of their codes; ``None`` is missing.

    See Also
    --------
    CountedTable : A vocabulary with the counts of its values.

    Examples
    --------
    >>> from untie import Vocabulary
    >>> colours = Vocabulary(("colour", "taste"), (("red", "white"), ("dry", None)))
    >>> colours.sizes
    (2, 2)
    >>> colours.feature_names()
    ['colour=red', 'colour=white', 'taste=dry', 'taste=missing']
    """

    columns: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of values of each attribute."""
        return tuple(len(values) for values in self.values)

    @cached_property
    def positions(self) -> tuple[dict[Value, int], ...]:
        """For each attribute, the code of each value."""
        return tuple({value: code for code, value in enumerate(values)} for values in self.values)

    def index_of(self, column: object) -> int:
        """Return the attribute's number, or raise an error that lists the names."""
        check_names([str(column)], self.columns, "the table")
        return self.columns.index(str(column))

    def translate(self, other: Vocabulary, attribute: int) -> NDArray[np.intp]:
        """Return the code in `other` of each value of one attribute; its size, if it has none."""
        positions = other.positions[attribute]
        codes = [positions.get(value, len(positions)) for value in self.values[attribute]]
        return np.array(codes, dtype=np.intp)

    def renamed(self, columns: Sequence[str] | None) -> Vocabulary:
        """Return the same values under other names of columns, if there are as many names."""
        if columns is None or len(columns) != len(self.columns):
            return self
        return Vocabulary(tuple(columns), self.values)

    def union(self, other: Vocabulary) -> Vocabulary:
        """Return the vocabulary of both, sorted."""
        if self.columns != other.columns:
            raise ValueError(f"The columns differ: {self.columns} and {other.columns}.")
        return Vocabulary(
            self.columns,
            tuple(
                sort_values({**dict.fromkeys(mine), **dict.fromkeys(theirs)})
                for mine, theirs in zip(self.values, other.values, strict=True)
            ),
        )

    def labels(self, attribute: int) -> list[str]:
        """Return one distinct text per value of an attribute."""
        return distinct_labels(self.values[attribute])

    def feature_names(self) -> list[str]:
        """Return ``column=value`` for every value of every attribute, all distinct."""
        names = [
            f"{whole_characters(column)}={label}"
            for attribute, column in enumerate(self.columns)
            for label in self.labels(attribute)
        ]
        return number_repeats(names)


def sort_values(values: Iterable[Value]) -> tuple[Value, ...]:
    """Sort values of any mixture of types: numbers, then text, then the rest, then missing.

    The order does not depend on the order given, which makes a model indifferent to the
    order of rows and chunks.

    Examples
    --------
    >>> sort_values(["b", 2, None, "a", 1.5])
    (1.5, 2, 'a', 'b', None)
    """
    values = list(values)
    if len(set(map(type, values))) == 1 and type(values[0]) in (str, int, float, bool):
        return tuple(sorted(values))  # type: ignore[type-var]  # one plain type, the common case
    numbers: list[Any] = []
    others: dict[str, list[Any]] = {}
    missing: list[Value] = []
    for value in values:
        if value is None:
            missing.append(value)
        elif isinstance(value, Real | Decimal):
            numbers.append(value)
        else:
            # "" sorts text before every other type's name
            kind = "" if isinstance(value, str) else type(value).__name__
            others.setdefault(kind, []).append(value)
    ordered: list[Value] = _sort_kind("", numbers)
    for kind in sorted(others):
        ordered += _sort_kind(kind, others[kind])
    return tuple(ordered + missing)


def _sort_kind(kind: str, values: list[Any]) -> list[Any]:
    if kind == "frozenset":  # whose < means "is part of", which is no order
        return sorted(values, key=lambda value: repr(sort_values(value)))
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=repr)


def distinct_labels(values: Sequence[Value]) -> list[str]:
    """Write values as text: plain where that is unambiguous, quoted where it is not.

    Examples
    --------
    >>> distinct_labels([1, "1", "a", None])
    ['1', "'1'", 'a', 'missing']
    """
    plain = ["missing" if value is None else value_text(value) for value in values]
    counts = Counter(plain)
    labels = [
        repr(value) if counts[text] > 1 and isinstance(value, str) else whole_characters(text)
        for value, text in zip(values, plain, strict=True)
    ]
    return number_repeats(labels)


def number_repeats(names: Sequence[str]) -> list[str]:
    """Append ``#2``, ``#3``, ... to names that occur again."""
    taken = set(names)
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        seen[name] += 1
        candidate = name
        while seen[name] > 1 and candidate in taken:
            candidate = f"{name}#{seen[name]}"
            seen[name] += candidate in taken
        taken.add(candidate)
        result.append(candidate)
    return result
