"""The rows of a file -> their vectors, by a model; for ``untie transform``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from untie._inputs import as_fitted
from untie._table.frames import columns_of
from untie._util.extras import need
from untie.cli.learning import load, seen
from untie.cli.options import Format, SourceOptions, split_names
from untie.cli.reading import open_rows
from untie.cli.showing import chosen_format, print_table, say
from untie.cli.spinner import waiting
from untie.cli.streaming import write_batches
from untie.cli.unknown import Outside, Unknown
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
    fitted = as_fitted(load(model))
    encoder, source = fitted.encoder, open_rows(file, options)
    kept = split_names(keep, source.columns)
    outside, unknown = Outside(fitted.preparer), Unknown(encoder)
    rows = seen(fitted, outside.watched(source), kept)
    own = getattr(encoder, "feature_names_in_", None)  # of an array, which has none, the table's
    rows = unknown.watched(rows, source.columns if own is None else list(own))
    how = chosen_format(format_)
    if output is not None:
        with waiting(WHAT, options.quiet):
            sink(encoder, rows, output, keep=kept)
    elif how != Format.table:
        # Rows on a terminal would tear the line apart.
        with waiting(WHAT, options.quiet or sys.stdout.isatty()):
            write_batches(stream_vectors(encoder, rows, kept), sys.stdout, how)
    else:
        _show_beginning(stream_vectors(encoder, rows, kept), options.quiet)
    outside.tell(options.quiet)
    unknown.tell(options.quiet, NEUTRAL)


def _show_beginning(reader: Any, quiet: bool) -> None:
    """Print some rows and columns, and say so if there are more."""
    columns = columns_of(_first_rows(reader, SHOWN_ROWS + 1))
    n_rows = len(next(iter(columns.values())))
    some = {name: cells[:SHOWN_ROWS] for name, cells in list(columns.items())[:SHOWN_COLUMNS]}
    print_table(some)
    if n_rows > SHOWN_ROWS or len(columns) > SHOWN_COLUMNS:
        say("This is the beginning; --output FILE or --format csv gives all.", quiet)


def _first_rows(reader: Any, n: int) -> Any:
    """Read no more pieces than have the first rows."""
    pieces: list[Any] = []
    for batch in reader:
        pieces.append(batch)
        if sum(piece.num_rows for piece in pieces) >= n:
            break
    return need("pyarrow").Table.from_batches(pieces, reader.schema).slice(0, n)
