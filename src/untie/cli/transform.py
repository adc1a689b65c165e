"""``untie transform``: the vectors of rows, by a model that was learned before."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import narwhals.stable.v2 as nw
import numpy as np
import typer

from untie._table.frames import columns_of
from untie.cli.learning import as_seen, load_encoder
from untie.cli.options import (
    RESULT,
    File,
    Format,
    OutputFormat,
    SourceOptions,
    sharing,
    split_names,
)
from untie.cli.reading import is_lazy, names_of, read_asked
from untie.cli.showing import as_text, check_output, chosen_format, say, show
from untie.encoder import UNTIE
from untie.vector_file import sink, stream_vectors

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie transform mushroom.untie new.csv --output vectors.parquet[/cyan]

[cyan]cat new.csv | untie transform mushroom.untie - --keep id > vectors.csv[/cyan]"""

ENDINGS = (".csv", ".tsv", ".parquet", ".pq", ".feather", ".arrow")

SHOWN_ROWS, SHOWN_COLUMNS = 10, 8
"""How much of the vectors is shown on a terminal."""


@sharing(SourceOptions)
def run(
    options: SourceOptions,
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="What untie fit or Python saved.")],
    file: File = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write here, in the format of the ending (.csv, .tsv, .parquet, .feather).",
            rich_help_panel=RESULT,
            show_default=False,
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Columns to write as well, such as a key."),
    ] = None,
    format_: OutputFormat = None,
) -> None:
    """Write the vectors of rows, by a model that was learned before.

    Numbers are binned as in the table that the model was learned from. Columns that it was not
    learned from are left alone. A value that the model does not know is neutral. Of a clusterer,
    these are the vectors that it finds clusters of.
    """
    check_output(output, ENDINGS)
    encoder, preparer = load_encoder(model)
    table, remarks = read_asked(file, options)
    for remark in remarks:
        say(remark, options.quiet)
    kept = split_names(keep, names_of(table))
    table = as_seen(encoder, preparer, table, kept)
    if is_lazy(table) and output is not None:
        sink(encoder, table, output, keep=kept)
        return
    how = chosen_format(format_)
    if is_lazy(table) and how == Format.csv:
        _stream(encoder, table, kept)
        return
    limit = SHOWN_ROWS if how == Format.table and output is None else None
    columns = _columns(encoder, table, kept, limit)
    if limit is not None:
        columns = dict(list(columns.items())[:SHOWN_COLUMNS])
    show(columns, how, output)
    if limit is not None:
        say("This is the beginning; --output FILE or --format csv gives all.", options.quiet)


def _stream(encoder: UNTIE, table: Any, keep: Sequence[str]) -> None:
    """Write CSV to standard output piece by piece."""
    for number, batch in enumerate(stream_vectors(encoder, table, keep)):
        text = as_text(_batch_columns(batch), Format.csv)
        sys.stdout.write(text if number == 0 else text.partition("\n")[2])


def _columns(
    encoder: UNTIE, table: Any, keep: Sequence[str], limit: int | None
) -> dict[str, list[Any]]:
    if is_lazy(table):
        reader = stream_vectors(encoder, table, keep)
        if limit is None:
            return columns_of(reader.read_all())
        return _batch_columns(next(iter(reader)).slice(0, limit))
    frame = nw.from_native(table, eager_only=True)
    features = [name for name in frame.columns if name not in keep]
    some = frame if limit is None else frame.head(limit)
    vectors = np.asarray(encoder.transform(some.select(features).to_native()))
    names = encoder.get_feature_names_out().tolist()
    return {
        **columns_of(some.select(keep).to_native()),
        **{name: vectors[:, i].tolist() for i, name in enumerate(names)},
    }


def _batch_columns(batch: Any) -> dict[str, list[Any]]:
    return {name: batch.column(name).to_pylist() for name in batch.schema.names}
