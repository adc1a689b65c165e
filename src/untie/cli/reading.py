"""What the user names -> tables, lazy or in memory, and estimators: fitted, or read from a file."""

import math
import os
import re
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline

from untie._count.memory import MEMORY_LIMIT
from untie._engines.arrow import ArrowSource
from untie._engines.layout import Told
from untie._engines.registry import open_table
from untie._engines.scanning import open_source
from untie._engines.source import check_columns
from untie._inputs import FittedTable, as_fitted
from untie._learn.weights.search import ROW_SOLVERS
from untie._prepare.note import KEPT, Note, Reason, sentence
from untie._table.frames import columns_of
from untie._table.names import check_names, expand_names
from untie._util.messages import Parameter, counted, message, need
from untie.cli.options import (
    ColumnOptions,
    Header,
    LearningOptions,
    SourceOptions,
    in_options,
    missing_texts,
    naming_column,
    refuse_for_model,
    split_names,
)
from untie.cli.showing import counting_rows, say, waiting
from untie.cli.streams import UserError, tell
from untie.clusterer import TableClusterer
from untie.encoder import TableEncoder
from untie.model_file import load_model
from untie.preparer import Preparer
from untie.untie_method import UNTIE

ROW_BYTES = 70
"""Clusters of rows in memory take about this many bytes per row, besides the cells."""

CGROUP = Path("/sys/fs/cgroup/memory.max")
"""Holds the limit of a container's memory, where there is one."""


def scan_arguments(source: str | None, options: SourceOptions) -> dict[str, Any]:
    """Return how `untie.scan` reads what the user names, without what is usual."""
    if (source is None) == (options.sql is None):
        raise UserError(
            "Name a file (or - for standard input), or a query with --sql; one of them."
        )
    # Cells of text files come out as they went in: 007, 1.50, t.
    given: dict[str, Any] = {"source": source, "types": "text"}
    if options.sql is not None:
        given = {"sql": options.sql}
    given |= {"missing": missing_texts(options) or None, "sheet": options.sheet}
    if options.sql is None:
        given |= {"delimiter": options.delimiter, "encoding": options.encoding}
        given["skip_rows"] = options.skip_rows
        given["header"] = None if options.header == Header.auto else options.header.value
    return {name: value for name, value in given.items() if value is not None}


def open_rows(source: str | None, options: SourceOptions) -> ArrowSource:
    """Open what the user names, and say what is to be known of how it is read."""
    arguments = scan_arguments(source, options)
    names = [field.name for field in fields(Told) if field.name in arguments]
    told = Told(**{name: arguments.pop(name) for name in names})
    # Archives are unpacked, workbooks converted and addresses fetched here.
    with waiting("opening the table", options.quiet):
        table = open_source(told=told, **arguments)
        _refuse_empty(table)
    for remark in table.remarks:
        say(in_options(remark), options.quiet)
    return counting_rows(table)


def _refuse_empty(table: ArrowSource) -> None:
    """Refuse a table without columns or rows; a remark may say where else they are."""
    shown = table.origin[0].upper() + table.origin[1:]
    more = "".join(f" {in_options(remark)}." for remark in table.remarks)
    if not table.columns:
        raise UserError(f"{shown} has no columns.{more}")
    # Closed here: Python would drop a Ctrl-C that comes while it does away with a generator.
    with ExitStack() as stack:
        reader = table.select(table.columns[:1]).batches()
        stack.callback(getattr(reader, "close", lambda: None))
        if any(batch.num_rows for batch in reader):
            return
    names = ", ".join(table.columns[:5])
    raise UserError(f"{shown} has names of columns ({names}) but no rows.{more}")


def read_rows(source: str | None, options: SourceOptions, now: bool = True) -> Any:
    """Open what the user names, and read all of its rows if they are needed at once."""
    rows = open_rows(source, options)
    return read_all(rows, options.quiet) if now else rows


def read_all(table: ArrowSource, quiet: bool) -> Any:
    """Return a table whose rows are all in memory, and show that they are being read."""
    with waiting("reading", quiet):
        return in_memory(table)


def in_memory(table: ArrowSource) -> Any:
    """Return a table whose rows are all in memory, unless they would fill half of it."""
    pieces, needed, most = [table.schema.empty_table()], 0, half_of_memory()
    for piece in table.pieces():
        pieces.append(piece.cast(table.schema))
        needed += pieces[-1].nbytes + ROW_BYTES * piece.num_rows
        if needed > most:
            raise UserError(
                f"{table.origin} has too many rows for the memory of this machine: the first "
                f"{sum(map(len, pieces)):,} take {needed / 2**30:,.1f} GiB, half of it. Cluster it "
                "with --lazy and --output, or read a part of it: --sql \"SELECT ... FROM '...' "
                'USING SAMPLE 10%".'
            )
    return need("pyarrow").concat_tables(pieces)


def half_of_memory() -> int:
    """Return half the bytes of memory that this process may take."""
    if sys.platform == "win32":  # where it is not known
        return MEMORY_LIMIT
    try:
        sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
        limit = CGROUP.read_text(encoding="utf-8").strip() if CGROUP.exists() else ""
    except (ValueError, OSError):  # not known on every system
        return MEMORY_LIMIT
    return min([*sizes, *([int(limit)] if limit.isdecimal() else [])]) // 2


SHOWN_NOTES = 30
"""At most this many notes are printed; the others are counted."""

MANY_CATEGORIES = 3_000
"""More categories of a column than this are no advice: they take long."""

SHOWN_NUMBERS = 5
"""At most this many columns of few numbers are named."""


def learned(
    file: str | None, options: LearningOptions, model: Path | None, in_memory_now: bool = True
) -> tuple[Any, Any, FittedTable]:
    """Open a table, and learn from its rows unless there is a model.

    Parameters
    ----------
    file : str or None
        The file.
    options : LearningOptions
        What the user asked for.
    model : path or None
        The model's file.
    in_memory_now : bool
        Whether all rows are needed at once.

    Returns
    -------
    rows : ArrowSource or pyarrow Table
        The rows as they were read, but for columns that a model can't take.
    estimator : TableEncoder, TableClusterer or Pipeline
        Fitted.
    fitted : FittedTable
        Its parts.
    """
    if model is not None:
        refuse_for_model(options)
        known = load(model)
        fitted = as_fitted(known)
        read = read_rows(file, options, in_memory_now)
        naming = naming_column(options, open_table(read).columns)
        keep = [] if naming in ("auto", None) else [naming]
        return own_rows(fitted, read, keep), known, fitted
    rows = read_rows(file, options, in_memory_now or needs_rows(options))
    encoder = new_encoder(options, open_table(rows).columns)
    with waiting("learning", options.quiet):
        fit_model(encoder, rows, options.weight)
    fitted = as_fitted(encoder)
    tell_columns(fitted.preparer, options)
    return rows, encoder, fitted


def needs_rows(options: LearningOptions) -> bool:
    """Tell whether learning needs all rows at once: some solvers, and pipelines with weights."""
    solver = options.solver
    return solver is not None and (solver in ROW_SOLVERS or options.weight is not None)


def fit_model(encoder: Any, rows: Any, weight: str | None) -> None:
    """Fit an encoder, or a pipeline whose steps take weights but not the name of a column."""
    if not isinstance(encoder, Pipeline):
        encoder.fit(rows, sample_weight=weight)
        return
    weights = None if weight is None else column(rows, weight)
    encoder.fit(rows, **{f"{name}__sample_weight": weights for name, _ in encoder.steps})


def load(path: Path, has_clusters: bool = False) -> Any:
    """Read a saved model that has an encoder, or one that has clusters."""
    model = load_model(path)
    name = type(model).__name__
    try:
        fitted = as_fitted(model)
    except TypeError:
        raise UserError(
            f"{str(path)!r} holds a {name} without an encoder at its end; save a TableEncoder, a "
            "TableClusterer, or a pipeline that ends in one."
        ) from None
    if has_clusters and fitted.clusterer is None:
        raise UserError(
            f"{str(path)!r} holds a {name} without clusters; keep some with untie cluster FILE "
            "--save MODEL, or with the method save of a TableClusterer."
        )
    return model


def own_rows(fitted: FittedTable, rows: Any, keep: Sequence[str] = ()) -> Any:
    """Return rows without columns that a model has not seen, if nothing prepares them."""
    if fitted.steps:
        return rows
    columns = open_table(rows).columns
    names = list(getattr(fitted.encoder, "feature_names_in_", columns))
    check_columns(names, columns, "the table", owner="the model")
    return rows.select([*names, *(name for name in keep if name not in names)])


def seen(fitted: FittedTable, rows: Any, keep: Sequence[str] = ()) -> Any:
    """Return rows as a model's encoder sees them, and some columns as they are."""
    return fitted.prepared(own_rows(fitted, rows, keep), keep)


def column(rows: Any, name: str) -> list[Any]:
    """Return the cells of a column."""
    cells = rows.select([name])
    return (cells.collect() if isinstance(cells, ArrowSource) else cells)[name].to_pylist()


def told_rows(
    fitted: FittedTable,
    rows: Any,
    options: LearningOptions,
    keep: list[str] | None,
    positions: Sequence[int],
) -> dict[str, list[Any]]:
    """Return what is shown of some rows: their numbers from 1, names, and columns to keep."""
    naming = row_names_of(fitted, rows, options)
    named = {} if naming is None else cells_at(rows, [naming], positions)
    named.pop("row", None)
    numbers = [position + 1 for position in positions]
    return {"row": numbers, **named, **cells_at(rows, keep, positions)}


def row_names_of(fitted: FittedTable, rows: Any, options: LearningOptions) -> str | None:
    """Return the column that names the rows of a table, if any: the user's, or the model's."""
    columns = open_table(rows).columns
    naming = naming_column(options, columns)
    if naming == "auto":
        return fitted.row_names if fitted.row_names in columns else None
    if naming is not None:
        check_names([naming], columns, "the table", ", which --row-names names")
    return naming


def cells_at(rows: Any, names: list[str] | None, positions: Sequence[int]) -> dict[str, list[Any]]:
    """Return columns of some rows as they were read."""
    source = open_table(rows)
    chosen = split_names(names, source.columns)
    check_columns(chosen, source.columns, "the table", ", which --keep names")
    found: dict[str, list[Any]] = {name: [] for name in chosen}
    if not chosen:
        return found
    wanted, places = np.unique(positions, return_inverse=True)
    for piece in map(columns_of, source.select(chosen).rows_at(wanted)):
        for name, cells in piece.items():
            found[name] += cells
    return {name: [cells[place] for place in places] for name, cells in found.items()}


def check_learned(fitted: FittedTable, name: str) -> None:
    """Refuse a column that was not learned from, and say why it was not."""
    columns = fitted.encoder.vocabulary_.columns
    if name in columns:
        return None
    notes = () if fitted.preparer is None else fitted.preparer.notes_
    note = next((note for note in notes if note.column == name), None)
    if note is None:
        known = [note.column for note in notes] or columns
        return check_names([name], known, "the table")
    remedy = "" if Reason.AS_ASKED in note.reasons else "; to have it, name it with --columns"
    if Reason.ANSWERS in note.reasons:
        first = note.reasons[Reason.ANSWERS]["columns"][0]
        remedy = f"; name one of these columns, such as {first!r}"
    raise UserError(f"The column {name!r} was {note.action}, {note.reason}{remedy}.")


def tell_columns(preparer: Preparer | None, options: ColumnOptions) -> None:
    """Say what was done to the columns, once for all that are alike, and how to change it."""
    if preparer is None or options.quiet:
        return
    counts = {n.column: n.argument(Reason.FEW_NUMBERS, "n") for n in preparer.notes_}
    few = {column: n for column, n in counts.items() if n}
    scales = [n.column for n in preparer.notes_ if Reason.SCALE in n.reasons]
    # The first two are named together, and a warning names rows of totals.
    elsewhere = Reason.FEW_NUMBERS, Reason.SCALE, Reason.SUMMARIES
    notes = [note.without(*elsewhere) for note in preparer.notes_]
    notes = [note for note in notes if note.action != KEPT or note.reasons]
    notes = [note for note in notes if Reason.AS_ASKED not in note.reasons]
    alike: dict[tuple[str, str], list[Note]] = {}
    for note in notes:
        alike.setdefault((note.action, note.reason), []).append(note)
    groups = list(alike.values())
    for group in groups[:SHOWN_NOTES]:
        names = _named([note.column for note in group])
        tell(in_options(sentence(replace(group[0], column=names))))
    if n_more := sum(map(len, groups[SHOWN_NOTES:])):
        tell(f"... and {counted(n_more, 'more column')}")
    hints = [_about_missing(notes), _about_many(notes, options)]
    if isinstance(options, LearningOptions):
        hints += [_about_scales(scales), _about_orders(few, options)]
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


def _about_scales(scales: Sequence[str]) -> str:
    """Return which numbers have an order, and how to have them without."""
    if not scales:
        return ""
    return f"{_named(scales)}: numbers that have an order; --categorical NAMES takes it away"


def _named(columns: Sequence[str]) -> str:
    """Return the first names of some columns, and the number of the others.

    Examples
    --------
    >>> _named(["a", "b"]), _named(list("abcdefgh"))
    ('a, b', 'a, b, c, d, e and 3 more')
    """
    n_more = len(columns) - SHOWN_NUMBERS
    return ", ".join(columns[:SHOWN_NUMBERS]) + (f" and {n_more:,} more" if n_more > 0 else "")


def _about_orders(few: dict[str, int], options: LearningOptions) -> str:
    """Return how to have the order of numbers that are kept as categories, but for those named."""
    ordered = [entry.partition("=")[0] for entry in options.ordered or []]
    named = {*ordered, *split_names(options.ordered, list(few))}
    few = {name: n for name, n in few.items() if name not in named}
    if not few:
        return ""
    names = list(few)[:SHOWN_NUMBERS]
    more = f" and {len(few) - len(names):,} more" if len(few) > len(names) else ""
    asked_of = [f"{name}: {few[name]} numbers" for name in names]
    asked = ",".join(names)
    asked = f"'{asked}'" if re.search(r"[^\w,.-]", asked) else asked
    keeps = "keeps their order"
    return f"{', '.join(asked_of)}{more}, kept as categories; --ordered {asked} {keeps}"


def new_preparer(options: ColumnOptions, known: Sequence[str]) -> Preparer:
    """Return what makes the columns that the user wants categories, not fitted yet.

    Parameters
    ----------
    options : ColumnOptions
        What the user asked for.
    known : sequence of str
        The table's columns.
    """
    label, weight = getattr(options, "label", None), getattr(options, "weight", None)
    names = {
        name: split_names(getattr(options, name, None), known)
        for name in ("columns", "drop", "categorical", "passive")
    }
    naming = naming_column(options, known)
    own = {
        "label": [label] if label else [],
        "weight": [weight] if weight else [],
        "row-names": [naming] if naming not in ("auto", None) else [],
    }
    for name, given in {**names, **own}.items():
        remedy = ""
        if name == "weight" and weight and "=" in weight:
            remedy = f"Or, to make a column count more: --column-weight {weight}"
        check_names(given, known, "the table", f", which --{name} names", remedy)
    missing = missing_texts(options)
    return Preparer(
        columns=names["columns"] or None,
        drop=[*names["drop"], *own["label"]],
        bins=options.bins,
        max_categories=options.max_categories,
        categorical=names["categorical"],
        missing="auto" if missing is None else missing,
        day_first=options.day_first,
        date_parts=split_names(options.date_parts, []),
        row_names=naming,
        keep_totals=options.keep_totals,
        sets=_sets(options, known),
    )


def _sets(options: ColumnOptions, known: Sequence[str]) -> str | list[str]:
    """Return the columns of several answers that the user names, or "auto"."""
    if options.sets is None:
        return "auto"
    is_none = [text.lower() for text in options.sets] == ["none"] and options.sets[0] not in known
    names = [] if is_none else split_names(options.sets, known)
    check_names(names, known, "the table", ", which --sets names")
    return names


def new_encoder(
    options: LearningOptions,
    known: Sequence[str],
    n_clusters: int | str | None = None,
    components: int | None = None,
) -> TableEncoder | Pipeline:
    """Return what learns vectors of a table, not fitted yet; with a solver, by the paper's method.

    Parameters
    ----------
    options : LearningOptions
        What the user asked for.
    known : sequence of str
        The table's columns.
    n_clusters, components
        The command's own options.
    """
    preparer = new_preparer(options, known)
    given = _learning(options, known, components)
    if options.solver is None:
        return TableEncoder(n_clusters, preparer=preparer, **given, random_state=options.seed)
    if options.weight is not None:  # which the second step would take for a column
        preparer.set_params(drop=[*preparer.drop, options.weight])
    return make_pipeline(preparer, UNTIE(n_clusters, **given, random_state=options.seed))


def new_clusterer(options: LearningOptions, known: Sequence[str], k: int | None) -> TableClusterer:
    """Return what finds clusters in a table, not fitted yet; parameters are as of `new_encoder`."""
    preparer, seed = new_preparer(options, known), options.seed
    given = _learning(options, known)
    kind = TableEncoder if options.solver is None else UNTIE
    encoder = kind(**given, random_state=seed) if given else None
    return TableClusterer(k or "auto", encoder=encoder, preparer=preparer, random_state=seed)


def _learning(
    options: LearningOptions, known: Sequence[str], components: int | None = None
) -> dict[str, Any]:
    """Return what the user asked for of a `TableEncoder` or, with a solver, of `UNTIE`."""
    given = {
        "column_weights": _column_weights(options, known),
        "ordered": _ordered(options, known),
        "n_components": components,
    }
    given = {name: value for name, value in given.items() if value}
    if options.solver is None:
        return given
    if given:
        names = " and no ".join(in_options(message("{0}", Parameter(name))) for name in given)
        raise UserError(
            f"--solver is for the paper's method, which takes no {names}; leave --solver out, or "
            "the others."
        )
    return {"solver": options.solver.value}


def _column_weights(options: LearningOptions, known: Sequence[str]) -> dict[str, float]:
    """Return how much the user wants columns to count."""
    weights: dict[str, float] = {}
    for entry in options.column_weight or []:
        name, equals, factor = entry.rpartition("=")
        if not equals or not name:
            raise UserError(f"--column-weight is NAME=FACTOR, such as age=2; got {entry!r}.")
        weights[name] = _factor(entry, factor)
    for name in split_names(options.passive, known):
        if name in weights:
            raise UserError(f"--passive and --column-weight both name {name!r}; keep one of them.")
        weights[name] = 0.0
    return weights


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


def _ordered(options: LearningOptions, known: Sequence[str]) -> dict[str, Any]:
    """Return the columns that the user calls ordered.

    With their values in order, where these were given, and None for numbers and dates.
    """
    found: dict[str, Any] = {}
    for entry in options.ordered or []:
        name, equals, values = entry.partition("=")
        if entry in known or not equals:
            # Patterns stay, as they mean the columns that are learned from.
            found |= dict.fromkeys([entry] if entry in known else split_names([entry], []))
        else:
            found[name] = [value.strip() for value in values.split(",")]
    passive = split_names(options.passive, known)
    for name in expand_names(found, known):
        if name in passive:
            raise UserError(f"--passive and --ordered both name {name!r}; keep one of them.")
    return found
