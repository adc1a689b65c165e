"""What to do about values that the model has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from numbers import Real

from untie._table.plain_values import value_code
from untie._table.vocabulary import Vocabulary
from untie._util.types import Value
from untie._util.warn import warn_user

HANDLE_UNKNOWN = ("error", "ignore", "infrequent_if_exist", "warn")


def joins_rare_values(how: str) -> bool:
    """Tell whether an unknown value counts as one of the rare values that are merged."""
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
    """Tell whether no value is of a known kind; missing is of every kind."""
    kinds, known_kinds = _kinds(values), _kinds(known)
    return bool(kinds and known_kinds) and not kinds & known_kinds


def _kinds(values: Sequence[Value]) -> set[str]:
    return {
        "number" if isinstance(value, Real | Decimal) else type(value).__name__
        for value in values
        if value is not None
    }
