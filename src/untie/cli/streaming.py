"""Rows that come piece by piece -> a file or standard output, never all of them in memory."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO

from untie._engines.arrow import ArrowSource
from untie._engines.writing import write_source
from untie._util.extras import need
from untie._util.whole_files import whole_file
from untie.cli.options import Format
from untie.cli.showing import as_text, file_layout


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
