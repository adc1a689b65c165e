"""A table -> what is done to each of its columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from untie._engines.source import Source
from untie._prepare.date_parts import part_name, part_rules
from untie._prepare.deciding import Options, decide, reading_of
from untie._prepare.look import Summary, look_at
from untie._prepare.note import LEFT_OUT, Note, Reason
from untie._prepare.preparation import Constant, Preparation
from untie._prepare.rules import DatePart, Rule
from untie._table.names import check_names
from untie._util.words import Parameter, message

SHOWN = 8
"""At most this many columns are named in a message."""


def make_preparation(
    source: Source,
    columns: Sequence[str] | None,
    drop: Sequence[str],
    options: Options,
    sample_weight: Any,
    categorical: Sequence[str] = (),
) -> Preparation:
    """Find out how any table becomes one of categories; see `Preparer`."""
    names = _names_of(source)
    weight = sample_weight if isinstance(sample_weight, str) else None
    chosen, dropped = _choose(names, columns, drop, weight)
    _check_categorical(categorical, names, chosen)
    notes = {name: Note(name, LEFT_OUT, {reason: {}}) for name, reason in dropped.items()}
    rules: dict[str, Rule] = {}
    origins: dict[str, str] = {}
    constants: dict[str, Constant] = {}
    seen = look_at(source, chosen, sample_weight)
    for name, of_column in zip(chosen, seen, strict=True):
        is_named = name in categorical
        rule, notes[name] = decide(name, of_column, options, columns is not None, is_named)
        if rule is not None:
            rules[name] = rule
        elif _is_constant(notes[name]):
            constants[name] = _constant(name, of_column, options)
        parts = _parts(of_column, options)
        for part in parts:
            made = part_name(name, part.part)
            if made in names:
                raise ValueError(f"The table has a column {made!r} already; rename it.")
            rules[made], origins[made] = part, name
        notes[name] = _with_parts(notes[name], parts)
    if not rules:
        said = "; ".join(str(notes[name]) for name in list(names)[:SHOWN])
        able = [n for n, s in zip(chosen, seen, strict=True) if not s.problem]
        alone = any(s.rows.sum() + s.n_missing == 1 for s in seen)
        hint = _remedy([notes[name] for name in able], alone)
        raise ValueError(
            message("No column is left to learn from ({said}).{hint}", said=said, hint=hint)
        )
    said_of_all = tuple(notes[name] for name in names)
    return Preparation(tuple(rules), tuple(rules.values()), said_of_all, origins, constants)


def _remedy(notes: Sequence[Note], is_one_row: bool) -> str:
    """Say what to do where every column was left out, of those that can be read."""
    if is_one_row:
        return " The table has 1 sample; one row tells nothing apart, so pass more rows."
    able = [note.column for note in notes if not _is_constant(note)]
    if able:
        named = Parameter("columns", able[:SHOWN])
        return message(" To learn from some all the same, name them: {named}.", named=named)
    return " Rows that are all alike have no groups; pass rows that differ." if notes else ""


def _is_constant(note: Note) -> bool:
    """Tell whether a column was left out as all its cells are the same."""
    return not {Reason.CONSTANT, Reason.ALL_MISSING}.isdisjoint(note.reasons)


def _constant(column: str, seen: Summary, options: Options) -> Constant:
    """Return what every row has, and what reads the cells of other tables in the same way."""
    rule, _ = decide(column, seen, options, is_asked_for=True)
    assert rule is not None  # a column that is asked for is not left out
    labels = Constant(None, rule).texts(list(seen.values))
    return Constant(next((label for label in labels if label is not None), None), rule)


def _parts(seen: Summary, options: Options) -> list[DatePart]:
    if not options.date_parts or seen.problem:
        return []
    return part_rules(seen, reading_of(seen, options), options.date_parts)


def _with_parts(note: Note, parts: Sequence[DatePart]) -> Note:
    """Say which columns were made of dates."""
    if not parts:
        return note
    made = [part_name(note.column, part.part) for part in parts]
    return note.also({Reason.DATE_PARTS: {"columns": made}})


def _names_of(source: Source) -> tuple[str, ...]:
    source.check_streams()
    if source.is_one_shot:
        raise ValueError(
            f"{source.origin} can be read only once, and to prepare it takes one reading; pass "
            "what it was made from (a dataset, a query, untie.scan of files)."
        )
    return tuple(source.columns)


def _check_categorical(
    categorical: Sequence[str], names: Sequence[str], chosen: Sequence[str]
) -> None:
    if isinstance(categorical, str | os.PathLike):
        raise TypeError(
            f"categorical must be a list of names, got {categorical!r}: [{categorical!r}]."
        )
    check_names(categorical, names, "the table", ", which categorical names")
    for name in categorical:
        if name not in chosen:
            raise ValueError(
                message(
                    "{categorical} names the column {name}, which is not to be used; take it out "
                    "of {categorical}, or name it in {columns} and not in {drop}.",
                    name=repr(name),
                )
            )


def _choose(
    names: Sequence[str], columns: Sequence[str] | None, drop: Sequence[str], weight: str | None
) -> tuple[list[str], dict[str, Reason]]:
    """Return the columns to look at, and why the others are not."""
    for argument, given in (("columns", columns), ("drop", drop)):
        if isinstance(given, str | os.PathLike):
            raise TypeError(f"{argument} must be a list of names, got {given!r}: [{given!r}].")
        check_names(() if given is None else given, names, "the table", f", which {argument} names")
    given = () if weight is None else (weight,)
    check_names(given, names, "the table", ", which sample_weight names")
    dropped = {}
    unwanted, wanted = set(drop), None if columns is None else set(columns)
    for name in names:
        if name == weight:
            dropped[name] = Reason.WEIGHTS
        elif name in unwanted or (wanted is not None and name not in wanted):
            dropped[name] = Reason.AS_ASKED
    return [name for name in names if name not in dropped], dropped
