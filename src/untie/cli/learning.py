"""A file -> its rows and an encoder: learned from them, or from a model's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
from sklearn.pipeline import Pipeline

from untie._encoder_base import EncoderBase
from untie._engines.source import check_columns
from untie._learn.purposes import CLUSTERS
from untie._learn.solvers import ROW_SOLVERS
from untie._table.orders import AUTO
from untie.cli.choices import Purpose, Solver
from untie.cli.guard import UserError
from untie.cli.options import ColumnOptions, LearningOptions, SourceOptions
from untie.cli.reading import in_memory, is_lazy, names_of, read_asked
from untie.cli.showing import say
from untie.cli.spinner import waiting
from untie.cli.table import PreparedTable, column_weights, open_table, ordered_columns
from untie.clusterer import TableClusterer
from untie.encoder import TableEncoder
from untie.model_file import load_model
from untie.preparer import Preparer
from untie.untie_method import UNTIE


def learned(
    source: str | None,
    options: LearningOptions,
    model: Path | None,
    seed: int,
    solver: Solver | None = None,
    purpose: Purpose | None = None,
    usual: str = CLUSTERS,
    in_memory_now: bool = True,
) -> tuple[PreparedTable, EncoderBase]:
    """Open a table, and learn from its rows unless there is a model.

    Parameters
    ----------
    source : str or None
        The file.
    options : LearningOptions
        What the user asked for.
    model : path or None
        The model's file.
    seed : int
        Of everything that is random.
    solver, purpose : str or None
        Of the encoder, if the user named them.
    usual : str
        The purpose otherwise.
    in_memory_now : bool
        Whether all rows are needed at once.
    """
    if model is not None:
        refuse_for_model(options, solver, purpose)
        return _with_model(source, options, model, in_memory_now)
    table = open_table(source, options, in_memory_now or solver in ROW_SOLVERS)
    encoder = new_encoder(None, options, table, seed, solver, purpose, usual=usual)
    with waiting("learning", options.quiet):
        encoder.fit(table.data, sample_weight=table.weight)
    return table, encoder


def new_encoder(
    n_clusters: int | str | None,
    options: LearningOptions,
    table: PreparedTable,
    seed: int,
    solver: Solver | None = None,
    purpose: Purpose | None = None,
    components: int | None = None,
    usual: str = CLUSTERS,
) -> TableEncoder | UNTIE:
    """Return an encoder of a prepared table, not fitted yet: a `UNTIE` where a solver is named."""
    weights, ordered = column_weights(options, table), ordered_columns(options, table)
    if solver is None or solver == Solver.auto:
        return TableEncoder(
            n_clusters,
            preparer=None,
            purpose=usual if purpose is None else purpose.value,
            n_components=components,
            column_weights=weights,
            ordered=ordered,
            random_state=seed,
        )
    given = {
        "--purpose": purpose not in (None, Purpose.clusters),
        "--components": components is not None,
        "--column-weight and --passive": weights is not None,
        "--ordered": ordered != AUTO,
    }
    wrong = [option for option, is_given in given.items() if is_given]
    if wrong:
        raise UserError(
            f"{' and '.join(wrong)} can't be combined with --solver {solver.value}, which is the "
            "paper's method and has none of it; leave out --solver."
        )
    return UNTIE(n_clusters, solver=solver.value, random_state=seed)


def refuse_for_model(
    options: LearningOptions, solver: Solver | None, purpose: Purpose | None
) -> None:
    """Refuse what a model knows of its own."""
    if options.columns or options.drop:
        raise UserError("--columns and --drop are for learning; the model has its own columns.")
    if options.column_weight or options.passive:
        raise UserError("--column-weight and --passive are for learning; the model has its own.")
    if options.ordered:
        raise UserError("--ordered is for learning; the model knows which columns have an order.")
    if options.categorical:
        raise UserError("--categorical is for learning; the model knows which numbers are names.")
    if solver is not None or purpose is not None:
        raise UserError("--solver and --purpose are for learning; the model has its own.")
    refuse_preparation(options)


def refuse_preparation(options: ColumnOptions) -> None:
    """Refuse to prepare columns otherwise than those that a model was learned from."""
    usual = ColumnOptions()
    for option, name in (
        ("--bins", "bins"),
        ("--max-categories", "max_categories"),
        ("--day-first and --month-first", "day_first"),
        ("--date-parts", "date_parts"),
    ):
        if getattr(options, name) != getattr(usual, name):
            verb = "are" if " and " in option else "is"
            raise UserError(
                f"{option} {verb} for learning; the model prepares columns as those that it was "
                "learned from."
            )


def open_rows(source: str | None, options: SourceOptions) -> Any:
    """Open a file as it is, lazy where it can be, and say what is to be known of it."""
    rows, remarks = read_asked(source, options)
    for remark in remarks:
        say(remark, options.quiet)
    return rows


def read_rows(source: str | None, options: SourceOptions) -> Any:
    """Read all rows of a file as they are."""
    rows = open_rows(source, options)
    with waiting("reading", options.quiet):
        return in_memory(rows)


def load_encoder(path: Path) -> tuple[EncoderBase, Preparer | None]:
    """Read the encoder of a saved model, and what prepares its rows."""
    model, before, last = _load(path)
    if isinstance(last, TableClusterer | TableEncoder) and last.preparer_ is not None:
        before.append(last.preparer_)
    if isinstance(last, TableClusterer):
        last = last.encoder_
    if isinstance(last, EncoderBase):
        last = last._of_prepared()
    if not isinstance(last, EncoderBase) or not _are_preparers(before):
        raise UserError(
            f"{str(path)!r} holds a {type(model).__name__} without an encoder at its end, or with "
            "more than a Preparer before it; save a TableEncoder, or a pipeline of a Preparer and "
            "one with preparer=None."
        )
    return last, before[0] if before else None


def load_clusterer(path: Path) -> tuple[TableClusterer, Preparer | None]:
    """Read the clusterer of a saved model, and what prepares rows before it does."""
    model, before, last = _load(path)
    if not isinstance(last, TableClusterer) or not _are_preparers(before):
        raise UserError(
            f"{str(path)!r} holds a {type(model).__name__} without clusters; keep some with untie "
            "cluster FILE --save MODEL, or with the method save of a TableClusterer."
        )
    return last, before[0] if before else None


def _load(path: Path) -> tuple[Any, list[Any], Any]:
    """Return a saved model, and its steps before the last and the last."""
    model = load_model(path)
    *before, last = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    return model, before, last


def _are_preparers(steps: list[Any]) -> bool:
    return len(steps) <= 1 and all(isinstance(step, Preparer) for step in steps)


def as_seen(encoder: EncoderBase, preparer: Preparer | None, table: Any, keep: list[str]) -> Any:
    """Return rows as a model's encoder sees them, and some columns as they are."""
    if preparer is not None:
        return preparer.transform(table, keep=keep)
    wanted = list(dict.fromkeys([*own_columns(encoder, table), *keep]))
    check_columns(wanted, names_of(table), "the table", owner="the model")
    if is_lazy(table):
        return table.select(wanted)
    return nw.from_native(table, eager_only=True).select(wanted).to_native()


def own_columns(encoder: EncoderBase, table: Any) -> list[str]:
    """Return the names seen in `fit`; of an array, which has none, those of the table."""
    return list(getattr(encoder, "feature_names_in_", names_of(table)))


def _with_model(
    source: str | None, options: LearningOptions, model: Path, in_memory_now: bool
) -> tuple[PreparedTable, EncoderBase]:
    encoder, preparer = load_encoder(model)
    rows = read_rows(source, options) if in_memory_now else open_rows(source, options)
    keep = [] if options.weight is None else [options.weight]
    data = as_seen(encoder, preparer, rows, keep)
    columns = own_columns(encoder, data) if preparer is None else list(preparer.columns_)
    return PreparedTable(rows, data, columns, preparer, options.weight, options.label), encoder
