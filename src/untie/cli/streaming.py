"""Rows that are read, changed and written piece by piece; vectors and unknown values."""

from __future__ import annotations

import gzip
import io
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from untie._engines.arrow import ArrowSource
from untie._engines.writing import write_source, writer_of
from untie._inputs import FittedTable, as_fitted, unknown_cells
from untie._prepare.rules import means_missing
from untie._table.frames import columns_of
from untie._util.files import whole_file
from untie._util.messages import need
from untie.cli.learning import load, seen
from untie.cli.options import Format, SourceOptions, split_names
from untie.cli.reading import open_rows
from untie.cli.showing import as_text, chosen_format, file_layout, print_table, say, waiting
from untie.encoder import TableEncoder
from untie.explain import unknown_values
from untie.preparer import Preparer
from untie.vector_file import stream_vectors

SHOWN_COLUMNS, SHOWN_VALUES = 10, 5
"""At most this many columns with unknown values are named, and values of each."""

SHOWN_OUTSIDE = 5
"""At most this many numbers beyond those that the model has seen are named."""


class Unknown:
    """Counts what a model does not know of rows that come piece by piece.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted.
    """

    def __init__(self, encoder: TableEncoder) -> None:
        self.encoder = encoder
        self.counts: dict[str, Counter[str]] = {}
        self.n_rows = self.n_with = 0

    def add(self, rows: Any, some: NDArray[np.bool_] | None = None) -> None:
        """Look at more rows, with the columns that the encoder was fitted on.

        Parameters
        ----------
        rows : table of shape (n_rows, n_columns)
            In memory.
        some : boolean array of shape (n_rows,), optional
            Which rows have a value that the encoder does not know, where that is known.
        """
        if some is None:
            some = np.asarray(np.any(unknown_cells(self.encoder, rows), axis=0))
        self.n_rows, self.n_with = self.n_rows + len(some), self.n_with + int(some.sum())
        if some.any():
            found = columns_of(unknown_values(self.encoder, rows))
            for column, value, n in zip(*(found[key] for key in found), strict=True):
                self.counts.setdefault(column, Counter())[value] += n

    def watched(self, table: ArrowSource, columns: Sequence[str]) -> ArrowSource:
        """Return a lazy table of the same rows, which are looked at as they go by."""
        return _watched(table, columns, self.add)

    def tell(self, quiet: bool, effect: str = "") -> None:
        """Say which values of which columns are unknown, and how many rows have them."""
        if not self.n_with:
            return
        for column in list(self.counts)[:SHOWN_COLUMNS]:
            say(_line(column, self.counts[column]), quiet)
        more = len(self.counts) - SHOWN_COLUMNS
        if more > 0:
            columns = "column" if more == 1 else "columns"
            say(f"... and {more} more {columns} with such values", quiet)
        share = f"of {self.n_rows:,} ({self.n_with / self.n_rows:.1%})"
        rows = "1 row has" if self.n_with == 1 else f"{self.n_with:,} rows have"
        say(f"{rows} a value that the model does not know, {share}{effect}.", quiet)
        if hint := _about_missing(self.counts.values()):
            say(hint, quiet)


class Outside:
    """Counts numbers and dates beyond those that a model has seen, of rows that come in pieces.

    Parameters
    ----------
    preparer : Preparer or None
        What prepares rows for the model; without one, there are none.
    """

    def __init__(self, preparer: Preparer | None) -> None:
        self.preparer = preparer
        self.counts: dict[str, tuple[Counter[str], str]] = {}

    def add(self, rows: Any) -> Any:
        """Look at more rows, as they were read, and return what `Preparer.outside` does."""
        if self.preparer is None:
            return None
        found = self.preparer.outside(rows)
        for _, column, value, lowest, highest in zip(*columns_of(found).values(), strict=True):
            counts, _ = self.counts.setdefault(column, (Counter(), f"{lowest} to {highest}"))
            counts[value] += 1
        return found

    def watched(self, table: ArrowSource) -> ArrowSource:
        """Return a lazy table of the same rows, which are looked at as they go by."""
        if self.preparer is None:
            return table
        binned = [name for name in self.preparer.columns_ if self.preparer.ranges(name)]
        return _watched(table, binned, self.add) if binned else table

    def tell(self, quiet: bool) -> None:
        """Say which columns have such numbers."""
        for column, (counts, known) in self.counts.items():
            n = counts.total()
            hidden = len(counts) - SHOWN_OUTSIDE
            some = ", ".join(list(counts)[:SHOWN_OUTSIDE])
            some += f", ... {hidden:,} more" if hidden > 0 else ""
            rows = "1 row is" if n == 1 else f"{n:,} rows are"
            say(f"{column}: {rows} outside {known}, all that the model has seen: {some}", quiet)


def _watched(table: ArrowSource, columns: Sequence[str], look: Callable[[Any], Any]) -> ArrowSource:
    """Return a lazy table of the same rows; something looks at some columns as they go by."""
    pa = need("pyarrow")

    def read(names: Sequence[str]) -> Iterator[Any]:
        wanted = list(names)
        for batch in table.select(list(dict.fromkeys([*columns, *wanted]))).batches():
            look(pa.Table.from_batches([batch]).select(list(columns)))
            yield batch.select(wanted)

    return replace(table, read=read)


def tell_unknown(fitted: FittedTable, rows: Any, quiet: bool, effect: str = "") -> None:
    """Say which values of rows in memory, as they were read, a model does not know."""
    unknown, outside = Unknown(fitted.encoder), Outside(fitted.preparer)
    unknown.add(fitted.new_rows(rows)[0])
    unknown.tell(quiet, effect)
    outside.add(rows)
    outside.tell(quiet)


def _about_missing(counts: Iterable[Counter[str]]) -> str:
    """Return how to say that unknown values stand for missing cells, if some look like it."""
    texts = {value for of_column in counts for value in of_column}
    found = sorted(filter(means_missing, texts))
    if not found:
        return ""
    return f"If these stand for missing cells, say so: --missing {shlex.quote(','.join(found))}"


def _line(column: str, counts: Counter[str]) -> str:
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    named = ", ".join(f"{value!r} ({_times(n)})" for value, n in ordered[:SHOWN_VALUES])
    more = f", ... {len(ordered) - SHOWN_VALUES:,} more" if len(ordered) > SHOWN_VALUES else ""
    what = "a value" if len(ordered) == 1 else f"{len(ordered):,} values"
    return f"{column}: {what} that the model does not know: {named}{more}"


def _times(n: int) -> str:
    return "1 row" if n == 1 else f"{n:,} rows"


def stream_rows(table: ArrowSource, how: Format, output: Path | None, is_safe: bool) -> None:
    """Write the rows of a lazy table as `show` writes those of one in memory.

    Parameters
    ----------
    table : ArrowSource
        The rows.
    how : Format
        How to print them, where there is no file; CSV or JSON.
    output : path or None
        The file; its ending says how it is written.
    is_safe : bool
        Whether texts in CSV that a spreadsheet would run as formulas are marked as texts.
    """
    delimiter = ","
    if output is not None:
        layout = file_layout(output)
        if layout is None:
            write_source(table, output)
            return
        how, delimiter = layout
    with _opened(output) as file:
        write_batches(table.batches(), file, how, delimiter, is_safe)


def write_batches(
    batches: Iterable[Any],
    file: TextIO,
    how: Format,
    delimiter: str = ",",
    is_safe: bool = False,
) -> None:
    """Write record batches as one table of CSV or one array of JSON."""
    is_first = True
    for batch in filter(len, batches):
        rows = need("pyarrow").Table.from_batches([batch])
        text = as_text(rows, how, delimiter, has_header=is_first, is_safe=is_safe)
        if how == Format.json:
            # Each piece is an array of its own; they share one pair of brackets.
            text = ("[" if is_first else ",") + text.strip()[1:-1].rstrip()
        file.write(text)
        is_first = False
    if how == Format.json:
        file.write("[]\n" if is_first else "\n]\n")


@contextmanager
def _opened(output: Path | None) -> Iterator[TextIO]:
    """Give standard output, or a file that appears as a whole."""
    if output is None:
        yield sys.stdout
        return
    with ExitStack() as stack:
        temporary = stack.enter_context(whole_file(output))
        file: Any = stack.enter_context(open(temporary, "wb"))
        if output.suffix == ".gz":  # without a time, so that the same rows give the same file
            file = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        yield stack.enter_context(io.TextIOWrapper(file, encoding="utf-8", newline=""))


SHOWN_ROWS, SHOWN_DIMENSIONS = 10, 8
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
            writer_of(output, options.safe_csv)(stream_vectors(encoder, rows, kept))
    elif how != Format.table:
        # Rows on a terminal would tear the line apart.
        with waiting(WHAT, options.quiet or sys.stdout.isatty()):
            batches = stream_vectors(encoder, rows, kept)
            write_batches(batches, sys.stdout, how, is_safe=options.safe_csv)
    else:
        _show_beginning(stream_vectors(encoder, rows, kept), options.quiet)
    outside.tell(options.quiet)
    unknown.tell(options.quiet, NEUTRAL)


def _show_beginning(reader: Any, quiet: bool) -> None:
    """Print some rows and columns, and say so if there are more."""
    columns = columns_of(_first_rows(reader, SHOWN_ROWS + 1))
    n_rows = len(next(iter(columns.values())))
    some = {name: cells[:SHOWN_ROWS] for name, cells in list(columns.items())[:SHOWN_DIMENSIONS]}
    print_table(some)
    if n_rows > SHOWN_ROWS or len(columns) > SHOWN_DIMENSIONS:
        say("This is the beginning; --output FILE or --format csv gives all.", quiet)


def _first_rows(reader: Any, n: int) -> Any:
    """Read no more pieces than have the first rows."""
    pieces: list[Any] = []
    for batch in reader:
        pieces.append(batch)
        if sum(piece.num_rows for piece in pieces) >= n:
            break
    return need("pyarrow").Table.from_batches(pieces, reader.schema).slice(0, n)
