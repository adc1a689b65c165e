"""A file -> its rows and an encoder: learned from them, or from a model's file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from untie._prepare import Preparation
from untie.cli.guard import UserError
from untie.cli.options import TableOptions, split_names
from untie.cli.reading import in_memory, read_source
from untie.cli.showing import say
from untie.cli.spinner import waiting
from untie.cli.table import PreparedTable, open_table
from untie.encoder import UNTIE
from untie.model_file import load_prepared

Model = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="A model that untie fit wrote, in the place of learning from FILE.",
        show_default=False,
    ),
]


def learned(
    source: str | None, options: TableOptions, model: Path | None, k: int | None, seed: int
) -> tuple[PreparedTable, UNTIE]:
    """Read all rows of a table, and learn from them unless there is a model."""
    if model is not None:
        return _with_model(source, options, model)
    table = open_table(source, options, in_memory_now=True)
    encoder = UNTIE(k, random_state=seed)
    with waiting("learning", options.quiet):
        encoder.fit(table.frame(), sample_weight=table.weights())
    return table, encoder


def _with_model(
    source: str | None, options: TableOptions, model: Path
) -> tuple[PreparedTable, UNTIE]:
    if options.columns or options.drop:
        raise UserError("--columns and --drop are for learning; the model has its own columns.")
    encoder, preparation = load_prepared(model)
    missing = split_names(options.missing, [])
    rows, remarks = read_source(source, options.sql, options.delimiter, options.encoding, missing)
    for remark in remarks:
        say(remark, options.quiet)
    with waiting("reading", options.quiet):
        rows = in_memory(rows)
    if preparation is None:
        preparation = _as_it_is(encoder)
    keep = [] if options.weight is None else [options.weight]
    data = preparation.apply(rows, keep=keep)
    return PreparedTable(rows, data, preparation, options.weight, options.label), encoder


def _as_it_is(encoder: UNTIE) -> Preparation:
    """Return the preparation of a model that was saved without one: none."""
    from untie._prepare.rules import OTHERS, Keep

    columns = encoder.vocabulary_.columns
    return Preparation(columns, tuple(Keep(OTHERS) for _ in columns), ())
