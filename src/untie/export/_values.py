"""What every export starts from: each column's values, the rows of its table, and their type.

A cell is looked up in two steps, as in `transform`: its value gives a code, the code a vector.
Rare values that are merged share a code, and an unknown value has one as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

import numpy as np
from scipy import sparse

from untie._count.grouping import Grouping
from untie._learn.vectors import LookUp
from untie._table.plain_values import value_code
from untie._table.unknown import joins_rare_values
from untie._util.types import FloatArray, Value


class Kind(StrEnum):
    """The type of a column's values; `INSTANT` is a time with a time zone."""

    TEXT = "text"
    INTEGER = "integer"
    FLOAT = "float"
    BOOLEAN = "boolean"
    DATE = "date"
    DATETIME = "datetime"
    INSTANT = "instant"


NUMBERS = {Kind.BOOLEAN, Kind.INTEGER, Kind.FLOAT}
"""Kinds that Python compares with each other: True == 1 == 1.0."""

MOST_NUMBERS = 2**25
"""The vectors of one column's values have at most this many numbers."""

EXACT_INTEGERS = 2**53
"""Integers up to here are doubles, too."""


@dataclass(frozen=True, eq=False)
class Attribute:
    """A column to look up.

    Parameters
    ----------
    name : str
        The column's name.
    kind : Kind or None
        The type of its values; None if all cells were missing.
    codes : dict
        The code of each value that is not missing.
    missing, unknown : int
        The codes of a missing cell and of an unknown value.
    knows_missing : bool
        Whether the column had missing cells in `fit`; if not, they are unknown values.
    table : array of shape (n_codes, width)
        The vector of each code.
    """

    name: str
    kind: Kind | None
    codes: dict[Value, int]
    missing: int
    unknown: int
    knows_missing: bool
    table: FloatArray


def attributes_of(grouping: Grouping, lookup: LookUp, handle_unknown: str) -> list[Attribute]:
    """Return what each column of a fitted encoder needs to be looked up elsewhere."""
    raw = grouping.raw
    widest = max(size * width for size, width in zip(lookup.sizes, lookup.widths, strict=True))
    if lookup.is_sparse and widest > MOST_NUMBERS:
        raise ValueError(
            f"A column has {max(lookup.sizes):,} values, and each has a column of its own in the "
            "vectors; set n_components (64, say) or max_categories and fit again to export it."
        )
    every_code = [np.arange(size + 1) for size in raw.sizes]  # the last one is unknown
    targets = grouping.apply_to_codes(every_code, joins_rare_values(handle_unknown))
    result = []
    for name, values, codes, table in zip(
        raw.columns, raw.values, targets, lookup.tables, strict=True
    ):
        *known, unknown = codes.tolist()
        code_of = dict(zip(values, known, strict=True))
        knows_missing = None in code_of
        missing = code_of.pop(None, unknown)
        kind = _common_kind(name, list(code_of))
        dense = table.toarray() if sparse.issparse(table) else table
        result.append(Attribute(name, kind, code_of, missing, unknown, knows_missing, dense))
    return result


def _common_kind(column: str, values: Sequence[Value]) -> Kind | None:
    first = {_kind(column, value): value for value in reversed(values)}
    if len(first) < 2:
        return next(iter(first), None)
    if not first.keys() <= NUMBERS:
        one, other = list(first.values())[-2:]
        raise ValueError(
            f"Column {column!r} holds {other!r} and {one!r}, of types {type(other).__name__} and "
            f"{type(one).__name__}, but a column elsewhere has one type. Turn the column into text "
            "and fit again."
        )
    return Kind.FLOAT if Kind.FLOAT in first else Kind.INTEGER


def _kind(column: str, value: Value) -> Kind:
    match value:
        case bool():
            return Kind.BOOLEAN
        case int():
            return Kind.INTEGER
        case float():
            return Kind.FLOAT
        case str():
            return _check_text(column, value)
        case datetime():
            return Kind.DATETIME if value.utcoffset() is None else Kind.INSTANT
        case date():
            return Kind.DATE
    raise ValueError(
        f"Column {column!r} holds {value_code(value)}, of type {type(value).__name__}; text, "
        "numbers, booleans and dates can be exported. Turn the column into text and fit again."
    )


def _check_text(column: str, value: str) -> Kind:
    if not is_portable(value):
        raise ValueError(
            f"Column {column!r} holds {value_code(value)}, with a NUL or half a character, which "
            "is no text elsewhere. Replace it and fit again."
        )
    return Kind.TEXT


def is_portable(text: str) -> bool:
    """Tell whether a text is one in every system: no NUL, no lone surrogate."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def exact_float(column: str, value: Any) -> float:
    """Return a number as a double, or say that it is none."""
    if isinstance(value, int) and abs(value) > EXACT_INTEGERS:
        raise ValueError(
            f"Column {column!r} holds {value_code(value)} among fractions or missing cells; a "
            "double can't hold so large an integer. Turn the column into text and fit again."
        )
    return float(value)


def check_int64(column: str, value: Any) -> int:
    """Return an integer that 64 bits can hold, or say that it is none."""
    if not -(2**63) <= value < 2**63:
        raise ValueError(
            f"Column {column!r} holds {value_code(value)}, more than 64 bits; turn the column into "
            "text and fit again."
        )
    return int(value)
