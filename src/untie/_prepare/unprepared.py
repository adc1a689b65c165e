"""Columns that say nothing as categories -> a warning that names them, and the remedy."""

from collections.abc import Sequence
from numbers import Real

from untie._prepare.deciding import MANY_ROWS, MOSTLY, is_free_text
from untie._table.table import Table
from untie._table.vocabulary import Vocabulary
from untie._util.messages import warn_user
from untie._util.types import Value

NUMBERS, TEXT, IDS = (
    ("holds numbers that are nearly all distinct", "hold numbers that are nearly all distinct"),
    ("looks like free text", "look like free text"),
    ("looks like ids", "look like ids"),
)
"""What may be said of one column, and of several."""

FEWEST_FLOATS = 10
"""Fewer distinct numbers with a point than this may be categories."""

NAMED = 10
"""At most this many columns are named for each reason."""


class UnpreparedWarning(UserWarning):
    """Columns are learned from as they are that a `Preparer` would have changed or left out."""


def warn_of_unprepared(table: Table, vocabulary: Vocabulary, is_all: bool = False) -> None:
    """Warn of columns in which most rows have a value of their own; once, of all of them.

    Where all columns are ids or free text, there is nothing to learn from, and an error says so.

    Parameters
    ----------
    table : Table
        The table; only its number of rows is used.
    vocabulary : Vocabulary
        The values of its columns, rare ones merged.
    is_all : bool
        Whether no more rows will come.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for name, values in zip(vocabulary.columns, vocabulary.values, strict=True):
        kind = _kind_of(values, table.n_rows)
        if kind is not None:
            found.setdefault(kind, []).append(name)
    if not found:
        return
    said = "; ".join(_said(kind, found[kind]) for kind in (NUMBERS, TEXT, IDS) if kind in found)
    if is_all and sum(len(found.get(kind, ())) for kind in (TEXT, IDS)) == len(vocabulary.columns):
        raise ValueError(
            f"{said}, so there is no column to learn from; pass columns in which values repeat."
        )
    one = sum(map(len, found.values())) == 1
    them = "the column or leave it" if one else "the columns or leave them"
    warn_user(
        f"{said}. As categories they say nothing, and cost time. Bin {them} out, as "
        "a Preparer does: preparer='auto' in TableEncoder and TableClusterer, and "
        "make_pipeline(Preparer(), UNTIE()).",
        UnpreparedWarning,
    )


def _kind_of(values: Sequence[Value], n_rows: int) -> tuple[str, str] | None:
    if len(values) > max(FEWEST_FLOATS, n_rows / 2):
        n_floats = sum(isinstance(value, float) for value in values)
        if n_floats > max(FEWEST_FLOATS, n_rows / 2):
            return NUMBERS
        if is_free_text(values, n_rows):
            return TEXT
    known = [value for value in values if value is not None]
    if len(known) <= max(MANY_ROWS, MOSTLY * n_rows):
        return None
    is_number = all(isinstance(value, Real) and not isinstance(value, bool) for value in known)
    return NUMBERS if is_number else IDS


def _said(kind: tuple[str, str], names: list[str]) -> str:
    named = ", ".join(map(repr, names[:NAMED]))
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"Column {named} {kind[0]}" if len(names) == 1 else f"Columns {named}{more} {kind[1]}"
