"""A file -> its rows and an encoder: learned from them, or from a model's file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import narwhals.stable.v2 as nw
import typer
from sklearn.pipeline import Pipeline

from untie._engines.source import check_columns
from untie._learn.purposes import CLUSTERS
from untie.cli.guard import UserError
from untie.cli.options import LearningOptions
from untie.cli.reading import in_memory, is_lazy, names_of, read_asked
from untie.cli.showing import say
from untie.cli.spinner import waiting
from untie.cli.table import PreparedTable, column_weights, open_table, ordered_columns
from untie.clusterer import UNTIEClusterer
from untie.encoder import UNTIE
from untie.model_file import load_model
from untie.preparer import Preparer

Model = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="A model that untie fit or Python saved, instead of learning from FILE.",
        show_default=False,
    ),
]


def learned(
    source: str | None,
    options: LearningOptions,
    model: Path | None,
    k: int | None,
    seed: int,
    purpose: str = CLUSTERS,
) -> tuple[PreparedTable, UNTIE]:
    """Read all rows of a table, and learn from them unless there is a model."""
    if model is not None:
        return _with_model(source, options, model)
    table = open_table(source, options, in_memory_now=True)
    encoder = UNTIE(
        k,
        column_weights=column_weights(options, table),
        ordered=ordered_columns(options, table),
        purpose=purpose,
        random_state=seed,
    )
    with waiting("learning", options.quiet):
        encoder.fit(table.frame(), sample_weight=table.weights())
    return table, encoder


def load_encoder(path: Path) -> tuple[UNTIE, Preparer | None]:
    """Read the encoder of a saved model, and what prepares its rows."""
    model = load_model(path)
    *before, last = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    if isinstance(last, UNTIEClusterer):
        before += [] if last.preparer_ is None else [last.preparer_]
        last = last.encoder_
    is_known = len(before) <= 1 and all(isinstance(step, Preparer) for step in before)
    if not isinstance(last, UNTIE) or not is_known:
        raise UserError(
            f"{str(path)!r} holds a {type(model).__name__} without an encoder at its end, or with "
            "more than a Preparer before it; save an UNTIE, or a pipeline of a Preparer and an "
            "UNTIE."
        )
    return last, before[0] if before else None


def as_seen(encoder: UNTIE, preparer: Preparer | None, table: Any, keep: list[str]) -> Any:
    """Return rows as a model's encoder sees them, and some columns as they are."""
    if preparer is not None:
        return preparer.transform(table, keep=keep)
    wanted = list(dict.fromkeys([*_own_columns(encoder, table), *keep]))
    check_columns(wanted, names_of(table), "the table", ", which the model was fitted on")
    if is_lazy(table):
        return table.select(wanted)
    return nw.from_native(table, eager_only=True).select(wanted).to_native()


def _own_columns(encoder: UNTIE, table: Any) -> list[str]:
    """Return the names seen in `fit`; of an array, which has none, those of the table."""
    return list(getattr(encoder, "feature_names_in_", names_of(table)))


def _with_model(
    source: str | None, options: LearningOptions, model: Path
) -> tuple[PreparedTable, UNTIE]:
    if options.columns or options.drop:
        raise UserError("--columns and --drop are for learning; the model has its own columns.")
    if options.column_weight or options.passive:
        raise UserError("--column-weight and --passive are for learning; the model has its own.")
    if options.ordered:
        raise UserError("--ordered is for learning; the model knows which columns have an order.")
    encoder, preparer = load_encoder(model)
    rows, remarks = read_asked(source, options)
    for remark in remarks:
        say(remark, options.quiet)
    with waiting("reading", options.quiet):
        rows = in_memory(rows)
    keep = [] if options.weight is None else [options.weight]
    data = as_seen(encoder, preparer, rows, keep)
    columns = _own_columns(encoder, data) if preparer is None else list(preparer.columns_)
    return PreparedTable(rows, data, columns, preparer, options.weight, options.label), encoder
