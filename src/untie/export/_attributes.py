"""What an export needs of each column: how its cells are prepared, their codes and the vectors.

Both are data; `_sql_cells.py` and `_onnx_cells.py` translate the rules of a preparer.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import StrEnum
from types import NoneType
from typing import Any

import numpy as np
from scipy import sparse

from untie._count.grouping import Grouping
from untie._learn.vectors import LookUp
from untie._prepare.note import Note, Reason
from untie._prepare.numbers import DateWriting, MonthNames, NumberNames, NumberWriting
from untie._prepare.preparation import Preparation
from untie._prepare.rules import (
    BOOLEANS,
    OTHERS,
    TEXT,
    Answer,
    Answered,
    Bin,
    DatePart,
    Group,
    Keep,
    Reading,
    Rule,
)
from untie._prepare.rules import NUMBERS as PLAIN_NUMBERS
from untie._table.column_codes import value_code
from untie._table.vocabulary import joins_rare_values
from untie._util.types import FloatArray, Value

AS_THEY_ARE = tuple(Keep(kind) for kind in (TEXT, PLAIN_NUMBERS, OTHERS))
"""Rules that leave the cells of a column of one type as they are."""

TRANSLATED: Mapping[type, Collection[type]] = {
    Keep: (NoneType, NumberNames),
    Group: (NoneType, NumberNames),
    Bin: (NoneType, NumberWriting, DateWriting, MonthNames),
    DatePart: (NoneType, DateWriting, MonthNames),
    Answer: (NoneType,),
    Answered: (NoneType,),
}
"""The rules that exports know, and the writings that each may have."""

UNCHANGED = Keep(OTHERS)
"""The rule of a column that no preparer has seen."""


@dataclass(frozen=True)
class ExportedColumn:
    """How the cells of a prepared column are made.

    Parameters
    ----------
    name : str
        The prepared column.
    origin : str
        The column of the user's table; another one for parts of dates, and for answers.
    known : tuple of str
        The prepared texts that a model knows.
    rule : Rule
        What becomes of its cells.
    odd : tuple of str
        Values of the column that look like missing cells, such as "None"; of a column that lists
        answers, all that are known.
    fails_at_new : bool
        Whether any new answer makes the cell an unknown value; otherwise new answers alone do.
    """

    name: str
    origin: str
    known: tuple[str, ...] = field(default=(), kw_only=True)
    rule: Rule = UNCHANGED
    odd: tuple[str, ...] = ()
    fails_at_new: bool = False

    @property
    def is_kept(self) -> bool:
        """Whether the cells stay as they are."""
        return self.rule in AS_THEY_ARE

    def check(self, language: str) -> None:
        """Refuse a rule that a language has no translation of, such as one that is new."""
        rule = self.rule
        # Not isinstance: a new kind of rule may extend an old one, or read cells in another way.
        writings, reading = TRANSLATED.get(type(rule), ()), _reading_of(rule)
        if reading is None or type(reading.writing) not in writings:
            raise self.refuse(
                f"{language} has no translation of its rule {type(rule).__name__!r}, or of how its "
                "cells are read",
                "leave the column out of the model, or prepare the rows in Python",
            )
        if isinstance(rule, Keep) and rule.kind not in (TEXT, PLAIN_NUMBERS, BOOLEANS):
            raise self.refuse(
                "it has values of several types, or of a type that no export reads",
                "turn the column into text and fit again",
            )
        if isinstance(rule, Answer | Answered):
            texts = [rule.listing.separator, *getattr(rule, "known", ())]
            if not all(map(is_portable, texts)):
                raise self.refuse(
                    "one of its answers, or what separates them, has a NUL or half a character, "
                    "which is no text elsewhere",
                    "replace it and fit again",
                )

    def refuse(self, why: str, remedy: str) -> ValueError:
        """Return the error of a column that can't be exported."""
        return ValueError(
            f"Column {self.origin!r} cannot be exported because {why}. Remedy: {remedy}."
        )


def _reading_of(rule: Rule) -> Reading | None:
    reading = getattr(getattr(rule, "listing", rule), "reading", None)
    return reading if isinstance(reading, Reading) else None


def cells_of(
    columns: Sequence[str], preparation: Preparation | None, notes: Sequence[Note] = ()
) -> list[ExportedColumn]:
    """Return how the cells of prepared columns are made.

    Parameters
    ----------
    columns : sequence of str
        The prepared columns.
    preparation : Preparation or None
        What makes them; None if they are those of the user's table.
    notes : sequence of Note
        What was decided about the columns of the table.
    """
    if preparation is None:
        return [ExportedColumn(name, name) for name in columns]
    odd = {note.column: note.argument(Reason.NOT_MISSING, "values") or () for note in notes}
    origins = preparation.origins
    rules = zip(preparation.columns, preparation.rules, strict=True)
    odd |= {origins[name]: rule.known for name, rule in rules if isinstance(rule, Answer)}
    return [
        ExportedColumn(
            name,
            origins.get(name, name),
            preparation.rule(name),
            tuple(odd.get(origins.get(name, name), ())),
        )
        for name in columns
    ]


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

MOST_DENSE_NUMBERS = 2**25
"""The vectors of one column's values have at most this many numbers."""

EXACT_INTEGERS = 2**53
"""Integers up to here are doubles, too."""


CLUSTER, PROBABILITY, PROBABILITIES = "cluster", "probability", "probabilities"
VECTORS = "vectors"
PARTS = (CLUSTER, PROBABILITY, PROBABILITIES, VECTORS)
"""What an export of a clusterer can return."""


@dataclass(frozen=True)
class ExportedResult:
    """What is made of the numbers of a row's codes.

    Parameters
    ----------
    names : tuple of str
        The columns of the result.
    vector_names : tuple of str
        Those of the vectors, as the estimator names them; empty if there are none.
    summed : bool
        Whether a row's vector is the sum of its values' vectors, or their concatenation.
    n_clusters : int
        How many of a code's numbers, the first ones, are its costs in clusters.
    sharpness : float
        Costs are multiplied by it before they become probabilities.
    parts : tuple of str
        Of clusters, what is returned, in this order.
    """

    names: tuple[str, ...]
    vector_names: tuple[str, ...]
    summed: bool
    n_clusters: int = 0
    sharpness: float = 1.0
    parts: tuple[str, ...] = (VECTORS,)

    @property
    def has_probabilities(self) -> bool:
        """Whether probabilities are returned."""
        return PROBABILITY in self.parts or PROBABILITIES in self.parts


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
        The numbers of each code: its vector, what it costs in each cluster, or both.
    cell : ExportedColumn
        How the column is made of the user's table.
    """

    name: str
    kind: Kind | None
    codes: dict[Value, int]
    missing: int
    unknown: int
    knows_missing: bool
    table: FloatArray
    cell: ExportedColumn

    def is_silent(self, outcome: ExportedResult) -> bool:
        """Return whether the column adds nothing to the result, as a supplementary one does."""
        is_added = outcome.summed or self.table.shape[1] == outcome.n_clusters
        return is_added and not self.table.any()


def attributes_of(
    grouping: Grouping,
    tables: Sequence[FloatArray],
    handle_unknown: str,
    cells: Sequence[ExportedColumn],
) -> list[Attribute]:
    """Return what each column needs to be looked up elsewhere.

    Parameters
    ----------
    grouping : Grouping
        The values that a fitted encoder knows, and which of them are merged.
    tables : sequence of arrays of shape (n_codes, width)
        The numbers of the codes of each column; the last code is an unknown value's.
    handle_unknown : str
        What is done about unknown values.
    cells : sequence of ExportedColumn
        How each column is made.
    """
    raw = grouping.raw
    every_code = [np.arange(size + 1) for size in raw.sizes]  # the last one is unknown
    targets = grouping.apply_to_codes(every_code, joins_rare_values(handle_unknown))
    result = []
    for cell, values, codes, table in zip(cells, raw.values, targets, tables, strict=True):
        *known, unknown = codes.tolist()
        code_of = dict(zip(values, known, strict=True))
        knows_missing = None in code_of
        missing = code_of.pop(None, unknown)
        kind = _common_kind(cell.name, list(code_of))
        cell = replace(cell, known=tuple(v for v in code_of if isinstance(v, str)))
        result.append(
            Attribute(cell.name, kind, code_of, missing, unknown, knows_missing, table, cell)
        )
    return result


def dense_tables(lookup: LookUp) -> list[FloatArray]:
    """Return the vectors of each column's codes; refuse those of very many values."""
    widest = max(size * width for size, width in zip(lookup.sizes, lookup.widths, strict=True))
    if lookup.is_sparse and widest > MOST_DENSE_NUMBERS:
        raise ValueError(
            f"A column has {max(lookup.sizes):,} values, and each has a column of its own in the "
            "vectors; set n_components (64, say) or max_categories and fit again to export it."
        )
    return [t.toarray() if sparse.issparse(t) else t for t in lookup.tables]


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
