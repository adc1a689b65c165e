"""The user's file as the sub-commands see it: read, prepared, and talked about."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from untie._engines.registry import open_table as as_source
from untie._engines.source import check_columns
from untie._prepare.note import KEPT, Note, Reason, sentence
from untie._table.frames import columns_of
from untie._table.orders import AUTO
from untie.cli.guard import UserError
from untie.cli.options import (
    ColumnOptions,
    LearningOptions,
    TableOptions,
    missing_texts,
    split_names,
)
from untie.cli.reading import in_memory, is_lazy, names_of, read_asked
from untie.cli.spinner import waiting
from untie.cli.streams import tell
from untie.preparer import Preparer

SHOWN_NOTES = 30
"""At most this many notes are printed; the others are counted."""

MANY_CATEGORIES = 3_000
"""More categories of a column than this are no advice: they take long."""

SHOWN_NUMBERS = 5
"""At most this many columns of few numbers are named."""


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """A table whose columns are categories.

    Parameters
    ----------
    source : ArrowSource or frame
        The rows as they were read.
    data : ArrowSource or frame
        The columns that are learned from, prepared; and that of the weights, if there is one.
    columns : sequence of str
        The columns that are learned from.
    preparer : Preparer or None
        What made them, if they were not taken as they are.
    weight, label : str or None
        The columns with the weights and the answers.
    """

    source: Any
    data: Any
    columns: Sequence[str]
    preparer: Preparer | None
    weight: str | None
    label: str | None

    def frame(self) -> Any:
        """Return the columns that are learned from, all rows in memory."""
        frame = nw.from_native(in_memory(self.data), eager_only=True)
        return frame.select(list(self.columns)).to_native()

    def features(self) -> Any:
        """Return the columns that are learned from, lazy if the table is."""
        return self.data.select(self.columns) if is_lazy(self.data) else self.frame()

    def prepared(self, rows: Any) -> Any:
        """Return rows as they were read in the form that they are learned from."""
        return rows if self.preparer is None else self.preparer.transform(rows)

    def weights(self) -> Any:
        """Return the weights of all rows, or None."""
        if self.weight is None:
            return None
        return np.asarray(self.column(self.weight), dtype=float)

    def column(self, name: str) -> list[Any]:
        """Return a column of the rows as they were read."""
        if is_lazy(self.source):
            return self.source.select([name]).collect()[name].to_pylist()
        return nw.from_native(self.source, eager_only=True)[name].to_list()

    def cells(self, names: list[str] | None, positions: Sequence[int]) -> dict[str, list[Any]]:
        """Return columns of some rows as they were read."""
        known = names_of(self.source)
        chosen = split_names(names, known)
        check_columns(chosen, known, "the table", ", which --keep names")
        if not chosen:
            return {}
        wanted, places = np.unique(positions, return_inverse=True)
        pieces = as_source(self.source).select(chosen).rows_at(wanted)
        found: dict[str, list[Any]] = {name: [] for name in chosen}
        for piece in map(columns_of, pieces):
            for name, cells in piece.items():
                found[name] += cells
        return {name: [cells[place] for place in places] for name, cells in found.items()}

    def rows(self, positions: Sequence[int]) -> list[Any]:
        """Return some of the rows that are learned from, a frame of each."""
        wanted, places = np.unique(positions, return_inverse=True)
        pieces = as_source(self.data).select(self.columns).rows_at(wanted)
        frames = [nw.from_native(piece, eager_only=True) for piece in pieces]
        found = [frame[[row], :].to_native() for frame in frames for row in range(len(frame))]
        return [found[place] for place in places]


def open_table(source: str | None, options: ColumnOptions, in_memory_now: bool) -> PreparedTable:
    """Read and prepare a table, and tell the user what was done to its columns.

    Parameters
    ----------
    source : str or None
        The file.
    options : ColumnOptions
        What the user asked for.
    in_memory_now : bool
        Whether all rows are needed at once.
    """
    table, remarks = read_asked(source, options)
    weight, label = None, None
    if isinstance(options, TableOptions):
        weight, label = options.weight, options.label
    preparer = _new_preparer(options, names_of(table), weight, label)  # before rows are read
    if in_memory_now:
        with waiting("reading", options.quiet):
            table = in_memory(table)
    with waiting("looking at the columns", options.quiet):
        preparer.fit(table, sample_weight=weight)
    if not options.quiet:
        _tell(preparer, remarks, options)
    keep = [] if weight is None else [weight]
    data = preparer.transform(table, keep=keep)
    return PreparedTable(table, data, preparer.columns_, preparer, weight, label)


def reading_settings(options: ColumnOptions) -> dict[str, Any]:
    """Return how the cells of columns are read, as `Preparer` has it."""
    missing = missing_texts(options)
    return {
        "missing": AUTO if missing is None else missing,
        "day_first": options.day_first,
        "date_parts": tuple(split_names(options.date_parts, [])),
    }


def _new_preparer(
    options: ColumnOptions, known: list[str], weight: str | None, label: str | None
) -> Preparer:
    """Return what makes the columns that the user wants categories, not fitted yet."""
    columns, drop = split_names(options.columns, known), split_names(options.drop, known)
    categorical = split_names(options.categorical, known)
    passive = getattr(options, "passive", None)
    for option, names in (
        ("--columns", columns),
        ("--drop", drop),
        ("--categorical", categorical),
        ("--passive", split_names(passive, known)),
        ("--label", [label]),
        ("--weight", [weight]),
    ):
        for name in names:
            if name is not None and name not in known:
                line = unknown("column", name, known, f"in the table, which {option} names")
                if option == "--weight" and "=" in name:
                    line += f" Or, to make a column count more: --column-weight {name}"
                raise UserError(line)
    return Preparer(
        columns=columns or None,
        drop=[*drop, *([] if label is None else [label])],
        bins=options.bins,
        max_categories=options.max_categories,
        categorical=categorical,
        **reading_settings(options),
    )


def column_weights(options: LearningOptions, table: PreparedTable) -> dict[str, float] | None:
    """Return how much the user wants columns to count, None if all are as usual."""
    known = names_of(table.source)
    weights: dict[str, float] = {}
    for entry in options.column_weight or []:
        name, equals, factor = entry.rpartition("=")
        if not equals or not name:
            raise UserError(f"--column-weight is NAME=FACTOR, such as age=2; got {entry!r}.")
        check_learned(table, name)
        weights[name] = _factor(entry, factor)
    for name in split_names(options.passive, known):
        if name in weights:
            raise UserError(f"--passive and --column-weight both name {name!r}; keep one of them.")
        if name in table.columns:  # the others are not learned from anyway
            weights[name] = 0.0
    return weights or None


def ordered_columns(options: LearningOptions, table: PreparedTable) -> dict[str, Any] | str:
    """Return the columns that the user calls ordered, "auto" if there are none.

    With their values in order, where these were given, and None for numbers and dates.
    """
    columns = names_of(table.source)
    found: dict[str, Any] = {}
    for entry in options.ordered or []:
        name, equals, values = entry.partition("=")
        if entry in columns or not equals:
            found |= dict.fromkeys(split_names([entry], columns))
        else:
            found[name] = [value.strip() for value in values.split(",")]
    passive = split_names(options.passive, columns)
    for name in found:
        check_learned(table, name)
        if name in passive:
            raise UserError(f"--passive and --ordered both name {name!r}; keep one of them.")
    return found or AUTO


def _factor(entry: str, text: str) -> float:
    try:
        factor = float(text)
    except ValueError:
        factor = math.nan
    if not (math.isfinite(factor) and factor >= 0):
        raise UserError(
            f"--column-weight {entry}: {text!r} is no number of at least 0; 1 is as usual, 2 "
            "counts twice."
        )
    return factor


def unknown(what: str, name: str, known: Sequence[str], where: str) -> str:
    """Return a message about something that there is not, and what there is instead."""
    close = get_close_matches(name, known, n=3)
    close = close or [other for other in known if other.lower() == name.lower()]
    some = ", ".join(map(repr, known[:10])) + (", ..." if len(known) > 10 else "")
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"there are {some}."
    return f"There is no {what} {name!r} {where}; {hint}"


def check_learned(table: PreparedTable, name: str) -> None:
    """Refuse a column that was not learned from, and say why it was not."""
    if name in table.columns:
        return
    notes = () if table.preparer is None else table.preparer.notes_
    note = next((note for note in notes if note.column == name), None)
    if note is None:
        known = [note.column for note in notes] or table.columns
        raise UserError(unknown("column", name, known, "in the table"))
    remedy = "" if Reason.AS_ASKED in note.reasons else "; to have it, name it with --columns"
    raise UserError(f"The column {name!r} was {note.action}, {note.reason}{remedy}.")


def _tell(preparer: Preparer, remarks: list[str], options: ColumnOptions) -> None:
    counts = {n.column: n.argument(Reason.FEW_NUMBERS, "n") for n in preparer.notes_}
    few = {column: n for column, n in counts.items() if n}
    notes = [note.without(Reason.FEW_NUMBERS) for note in preparer.notes_]  # named together
    notes = [note for note in notes if note.action != KEPT or note.reasons]
    notes = [note for note in notes if Reason.AS_ASKED not in note.reasons]
    lines = [*remarks, *(sentence(note, for_command=True) for note in notes)]
    for line in lines[:SHOWN_NOTES]:
        tell(line)
    if len(lines) > SHOWN_NOTES:
        tell(f"... and {len(lines) - SHOWN_NOTES:,} more columns")
    hints = [_about_missing(notes), _about_many(notes, options)]
    if isinstance(options, LearningOptions):
        hints.append(_about_orders(few, options))
    for hint in filter(None, hints):
        tell(hint)


def _about_missing(notes: Sequence[Note]) -> str:
    if any(Reason.READ_AS_MISSING in note.reasons for note in notes):
        return (
            "Say which cells are missing with --missing, such as --missing '?,NA'; --missing none "
            "keeps all of them as values"
        )
    if any(Reason.NOT_MISSING in note.reasons for note in notes):
        return "Say which cells are missing with --missing, such as --missing '?,NA'"
    return ""


def _about_many(notes: Sequence[Note], options: ColumnOptions) -> str:
    """Return how to tell all values apart, by the column that has the most."""
    many = (Reason.MERGED, Reason.TOO_MANY_VALUES)
    found = (note.argument(reason, "n") or 0 for note in notes for reason in many)
    n = min(max(found, default=0), MANY_CATEGORIES)
    if n <= options.max_categories:
        return ""
    return f"Tell more values apart with --max-categories, such as --max-categories {n}"


def _about_orders(few: dict[str, int], options: LearningOptions) -> str:
    """Return how to have the order of numbers that are kept as categories, but for those named."""
    ordered = [entry.partition("=")[0] for entry in options.ordered or []]
    named = {*ordered, *split_names(options.ordered, list(few))}
    few = {name: n for name, n in few.items() if name not in named}
    if not few:
        return ""
    names = list(few)[:SHOWN_NUMBERS]
    more = f" and {len(few) - len(names):,} more" if len(few) > len(names) else ""
    counted = [f"{name}: {few[name]} numbers" for name in names]
    asked = ",".join(names)
    asked = f"'{asked}'" if re.search(r"[^\w,.-]", asked) else asked
    keeps = "keeps their order"
    return f"{', '.join(counted)}{more}, kept as categories; --ordered {asked} {keeps}"
