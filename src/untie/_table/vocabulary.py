"""The values of every column: their order and labels, those the user lists, and unknown ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from untie._table.column_codes import plain, value_code, value_text, whole_characters
from untie._table.names import check_names
from untie._util.messages import warn_user
from untie._util.types import IntArray, Value


class Infrequent:
    """The value that replaces all rare values of a column."""

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
    >>> colors = Vocabulary(("color", "taste"), (("red", "white"), ("dry", None)))
    >>> colors.sizes
    (2, 2)
    >>> colors.feature_names()
    ['color=red', 'color=white', 'taste=dry', 'taste=missing']
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

    @property
    def missing(self) -> tuple[int | None, ...]:
        """For each attribute, the code of a missing cell, if it is a value."""
        return tuple(positions.get(None) for positions in self.positions)

    def index_of(self, column: object) -> int:
        """Return the attribute's number, or raise an error that lists the names."""
        check_names([str(column)], self.columns, "the table")
        return self.columns.index(str(column))

    def translate(self, other: Vocabulary, attribute: int) -> IntArray:
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


HANDLE_UNKNOWN = ("error", "ignore", "infrequent_if_exist", "warn")


def joins_rare_values(how: str) -> bool:
    """Return whether an unknown value counts as one of the rare values that are merged."""
    return how in ("infrequent_if_exist", "warn")


def handle_unknown_values(
    unknown: Sequence[Sequence[Value]], vocabulary: Vocabulary, how: str, when: str
) -> None:
    """Raise, warn or stay silent about unknown values, as the user asked.

    Even where they are ignored, values of a kind that a column never had (numbers for
    text, say) give a warning: that is a wrong column or a wrong type, not a new value.

    Parameters
    ----------
    unknown : sequence of sequences
        The unknown values of each column.
    vocabulary : Vocabulary
        The values that are known.
    how : {"error", "ignore", "infrequent_if_exist", "warn"}
        The user's choice.
    when : {"fit", "transform"}
        For the message.
    """
    for column, values, known in zip(vocabulary.columns, unknown, vocabulary.values, strict=True):
        if not values:
            continue
        if how == "error":
            raise ValueError(
                f"Found unknown value {_few(values)} in column {column!r} during {when}; known "
                f"are {_few(known)}. Fit on rows that have it, or set handle_unknown='ignore', "
                "which makes unknown values neutral: as near to one value as to another."
            )
        if how == "warn":
            warn_user(
                f"Found unknown value {_few(values)} in column {column!r} during {when}: it is "
                "treated as infrequent if the column has infrequent values, else it is neutral.",
            )
        elif _of_other_kind(values, known):
            warn_user(
                f"Column {column!r} holds {_few(values)}, of type {type(_first(values)).__name__}, "
                f"but was fitted on {_few(known)}, of type {type(_first(known)).__name__}; none "
                "is known. Convert the column, or check that it is the right one.",
            )


def _few(values: Sequence[Value]) -> str:
    shown = ", ".join(value_code(value) for value in values[:3])
    return shown + (", ..." if len(values) > 3 else "")


def _first(values: Sequence[Value]) -> Value:
    return next((value for value in values if value is not None), None)


def _of_other_kind(values: Sequence[Value], known: Sequence[Value]) -> bool:
    """Return whether no value is of a known kind; missing is of every kind."""
    kinds, known_kinds = _kinds(values), _kinds(known)
    return bool(kinds and known_kinds) and not kinds & known_kinds


def _kinds(values: Sequence[Value]) -> set[str]:
    return {
        "number" if isinstance(value, Real | Decimal) else type(value).__name__
        for value in values
        if value is not None
    }
