"""The rows of a file -> their vectors, by a model; for ``untie transform``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from untie._table.frames import columns_of
from untie._util.extras import need
from untie.cli.learning import as_seen, load_encoder, open_rows, own_columns
from untie.cli.options import Format, SourceOptions, split_names
from untie.cli.reading import is_lazy, names_of
from untie.cli.showing import chosen_format, print_table, say, show
from untie.cli.spinner import waiting
from untie.cli.streaming import write_batches
from untie.cli.unknown import Outside, Unknown
from untie.encoder import TableEncoder
from untie.vector_file import sink, stream_vectors

SHOWN_ROWS, SHOWN_COLUMNS = 10, 8
"""How much of the vectors is shown on a terminal."""

WHAT = "transforming the rows"
"""What is done, for the line on a terminal."""

NEUTRAL = "; it is neutral in their vectors"


def write_vectors(
    model: Path,
    file: str | None,
    options: SourceOptions,
    output: Path | None,
    keep: list[str] | None,
    format_: Format | None,
) -> None:
    """Write or show the vectors of a file's rows, and say what the model does not know of them."""
    encoder, preparer = load_encoder(model)
    table = open_rows(file, options)
    kept = split_names(keep, names_of(table))
    outside = Outside(preparer)
    rows = outside.watched(table) if is_lazy(table) else table
    table = as_seen(encoder, preparer, rows, kept)
    own = list(preparer.columns_) if preparer is not None else own_columns(encoder, table)
    unknown = Unknown(encoder)
    if is_lazy(table):
        table = unknown.watched(table, own)
    else:
        outside.add(rows)
        unknown.add(nw.from_native(table, eager_only=True).select(own).to_native())
    how = chosen_format(format_)
    if is_lazy(table) and output is not None:
        with waiting(WHAT, options.quiet):
            sink(encoder, table, output, keep=kept)
    elif is_lazy(table) and how != Format.table:
        # Rows on a terminal would tear the line apart.
        with waiting(WHAT, options.quiet or sys.stdout.isatty()):
            write_batches(stream_vectors(encoder, table, kept), sys.stdout, how)
    elif output is not None or how != Format.table:
        show(_columns(encoder, table, kept), how, output)
    else:
        _show_beginning(_columns(encoder, table, kept, SHOWN_ROWS + 1), options.quiet)
    outside.tell(options.quiet)
    unknown.tell(options.quiet, NEUTRAL)


def _show_beginning(columns: dict[str, list[Any]], quiet: bool) -> None:
    """Print some rows and columns, and say so if there are more."""
    n_rows = len(next(iter(columns.values())))
    some = {name: cells[:SHOWN_ROWS] for name, cells in list(columns.items())[:SHOWN_COLUMNS]}
    print_table(some)
    if n_rows > SHOWN_ROWS or len(columns) > SHOWN_COLUMNS:
        say("This is the beginning; --output FILE or --format csv gives all.", quiet)


def _columns(
    encoder: TableEncoder, table: Any, keep: Sequence[str], limit: int | None = None
) -> dict[str, list[Any]]:
    """Return the vectors of all rows, or of the first ones."""
    if is_lazy(table):
        reader = stream_vectors(encoder, table, keep)
        return columns_of(reader.read_all() if limit is None else _first_rows(reader, limit))
    frame = nw.from_native(table, eager_only=True)
    features = [name for name in frame.columns if name not in keep]
    some = frame if limit is None else frame.head(limit)
    vectors = np.asarray(encoder.transform(some.select(features).to_native()))
    names = encoder.get_feature_names_out().tolist()
    return {
        **columns_of(some.select(keep).to_native()),
        **{name: vectors[:, i].tolist() for i, name in enumerate(names)},
    }


def _first_rows(reader: Any, n: int) -> Any:
    """Read no more pieces than have the first rows."""
    pieces: list[Any] = []
    for batch in reader:
        pieces.append(batch)
        if sum(piece.num_rows for piece in pieces) >= n:
            break
    return need("pyarrow").Table.from_batches(pieces, reader.schema).slice(0, n)
