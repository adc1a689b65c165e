"""Columns that were left out of one table -> what has become of them in another, for drift."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from untie._engines.registry import open_table
from untie._prepare.deciding import FEWEST_ROWS
from untie._prepare.look import Summary, look_at
from untie._prepare.note import LEFT_OUT, Note, Reason
from untie._prepare.preparation import Constant
from untie._prepare.rules import Keep, as_text, kind_of
from untie.explain._changes import Drift
from untie.explain._more_columns import Shares, with_columns
from untie.preparer import Preparer

MISSING, MANY = "missing", "(many values)"
"""What stands for missing cells, and for the values of a column that had too many."""


def with_left_out(found: Drift, preparer: Preparer, other: Any) -> tuple[Drift, list[str]]:
    """Add what has changed in columns that the first table left out, and say what is not compared.

    A column that was constant is compared as any other. Of one that was left out for its many
    values (an id, free text) nothing is known but that it had them: it has changed if all rows of
    the new table have the same.

    Parameters
    ----------
    found : Drift
        What has changed in the other columns.
    preparer : Preparer
        Fitted on the first table.
    other : table
        The second one, as it was read.

    Returns
    -------
    found : Drift
        With these columns.
    said : list of str
        Sentences on those that are not compared.
    """
    notes = [
        note
        for note in preparer.notes_
        if note.action == LEFT_OUT
        and not {Reason.AS_ASKED, Reason.WEIGHTS} & note.reasons.keys()
    ]
    present = set(open_table(other).columns)
    notes, lacking = (
        [note for note in notes if (note.column in present) == is_there]
        for is_there in (True, False)
    )
    seen = look_at(other, [note.column for note in notes], None) if notes else []
    shares, uncompared = [], []
    for note, column in zip(notes, seen, strict=True):
        constant = preparer.constants_.get(note.column)
        compared = _compared(note.column, constant, column, found.n)
        if compared is None:
            uncompared.append(note)
        else:
            shares.append(compared)
    return with_columns(found, shares), _said(uncompared, lacking)


def _compared(column: str, constant: Constant | None, seen: Summary, n: float) -> Shares | None:
    """Return how many rows have each value; None if there is nothing to compare with."""
    if seen.problem:
        return None
    reader = constant or Constant(None, Keep(kind_of(seen.values)))
    rows: dict[str | None, float] = {None: seen.n_missing} if seen.n_missing else {}
    for text, count in zip(reader.texts(seen.values), seen.rows.tolist(), strict=True):
        rows[text] = rows.get(text, 0.0) + count
    n_new = sum(rows.values())
    before: dict[str | None, float]
    if constant is not None:
        before = {constant.value: n}
    elif len(rows) > 1 or n_new < FEWEST_ROWS:
        return None
    else:
        before = {MANY: n}
    values = list(dict.fromkeys([*before, *rows]))
    scale = seen.scale
    return Shares(
        column,
        [MISSING if value is None else as_text(value) for value in values],
        np.array([before.get(value, 0.0) for value in values]),
        np.array([rows.get(value, 0.0) * scale for value in values]),
    )


def _said(uncompared: Sequence[Note], lacking: Sequence[Note]) -> list[str]:
    said = []
    if uncompared:
        columns = ", ".join(f"{note.column} ({note.reason})" for note in uncompared)
        said.append(f"Not compared: {columns}.")
    if lacking:
        columns = ", ".join(note.column for note in lacking)
        said.append(f"Not compared, as the new table lacks them: {columns}.")
    return said
