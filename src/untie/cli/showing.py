"""What the command prints: tables, files, sentences, and progress while it works."""

import csv
import gzip
import io
import json
import math
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from untie._engines.arrow import ArrowSource
from untie._engines.writing import defused, write_source
from untie._inputs import redundant_said
from untie._util.files import whole_file
from untie._util.messages import need
from untie.cli.options import Format, ResultOptions
from untie.cli.streams import tell, visible
from untie.encoder import TableEncoder

SHOWN_FAMILIES = 10
"""At most this many sentences about families of columns are printed."""

DIGITS = 10
"""Figures that were computed are written with this many digits, as those after them are noise."""

NOISE = 1e-12
"""Of a sum that should be 0, what is left by the rounding of its parts is smaller than this."""

VALUES = ("value", "other_value")
"""The columns of results that hold cells of the user's table."""

LEAST_SHOWN = 0.001
"""Smaller shares and p-values are said to be smaller."""

Columns = Mapping[str, Sequence[Any]] | Any
"""Names and their cells, or a pyarrow Table, whose columns have types to be kept."""


def chosen_format(asked: Format | None) -> Format:
    """Return how to print: for people on a terminal, for programs in a pipe."""
    return asked or (Format.table if sys.stdout.isatty() else Format.csv)


def rounded(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Return columns of results without digits that are noise.

    P-values may be very small, and values are cells of the user.

    Examples
    --------
    >>> rounded({"similarity": [0.4227317031632721, -7.4e-16], "p_value": [1.23456789e-20, None]})
    {'similarity': [0.4227317032, 0.0], 'p_value': [1.23456789e-20, None]}
    """
    return {
        name: list(cells)
        if name in VALUES
        else [_rounded(cell, 0.0 if name == "p_value" else NOISE) for cell in cells]
        for name, cells in columns.items()
    }


def _rounded(cell: Any, noise: float) -> Any:
    if not isinstance(cell, float):
        return cell
    return 0.0 if abs(cell) < noise else float(f"{cell:.{DIGITS}g}")


def show(columns: Columns, options: ResultOptions, title: str | None = None) -> None:
    """Print columns, or write them to a file; there, the ending says how.

    Parameters
    ----------
    columns : mapping of str to sequences, or pyarrow Table
        The cells, column by column.
    options : ResultOptions
        Where and how.
    title : str, optional
        What the table is, for people.
    """
    how = chosen_format(options.format_)
    if options.output is not None:
        write_file(columns, options.output, options.safe_csv)
    elif how == Format.table:
        print_table(columns, title)
    else:
        sys.stdout.write(as_text(columns, how, is_safe=options.safe_csv))


def print_table(columns: Columns, title: str | None = None) -> None:
    """Print columns for people."""
    heading = None if title is None else Text(visible(title))  # names in it may look like markup
    table = Table(title=heading, title_justify="left", title_style="bold")
    for name, cells in columns.items():
        is_number = any(isinstance(cell, int | float) for cell in cells)
        table.add_column(
            Text(visible(name)), justify="right" if is_number else "left", overflow="fold"
        )
    for row in zip(*columns.values(), strict=True):
        named = zip(columns, row, strict=True)
        table.add_row(*(Text(visible(_for_people(cell, name))) for name, cell in named))
    # In a pipe there is no width to keep to; what is cut off there is lost.
    width = None if sys.stdout.isatty() else 200
    Console(width=width, highlight=False).print(table)


def _for_people(cell: Any, name: str = "") -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "-"
    if isinstance(cell, float):
        # No p-value is 0, and of a share that small the digits say nothing.
        if cell < LEAST_SHOWN and (name == "p_value" or (name == "share" and cell > 0)):
            return f"<{LEAST_SHOWN}"
        if cell == 0 or 1e-3 <= abs(cell) < 1e6:
            return f"{cell:.3f}".rstrip("0").rstrip(".")
        return f"{cell:.2g}"
    return str(cell)


def as_text(
    columns: Columns,
    how: Format,
    delimiter: str = ",",
    has_header: bool = True,
    is_safe: bool = False,
) -> str:
    """Return columns as CSV or JSON; their names come first in CSV, unless they did before."""
    names, lists = _names_and_cells(columns)
    rows = zip(*(map(_plain, cells) for cells in lists), strict=True)
    if how == Format.json:
        records = [dict(zip(names, row, strict=True)) for row in rows]
        return json.dumps(records, ensure_ascii=False, indent=1, default=str) + "\n"
    lines = _Lines()
    writer = csv.writer(lines, delimiter=delimiter, lineterminator=_Lines.END)
    safe = _defused_row if is_safe else tuple
    if has_header:
        writer.writerow(safe(names))
    writer.writerows(map(safe, rows))
    return lines.text.getvalue()


class _Lines:
    """Rows of CSV that end in a line feed.

    The writer quotes the cells that hold a character of its line's end. Were that a line feed
    alone, a carriage return in a cell would be read as the end of a row.
    """

    END = "\r\n"

    def __init__(self) -> None:
        self.text = io.StringIO(newline="")

    def write(self, row: str) -> None:
        self.text.write(row.removesuffix(self.END) + "\n")


def _defused_row(cells: Iterable[Any]) -> list[Any]:
    return [defused(cell) if isinstance(cell, str) else cell for cell in cells]


def _names_and_cells(columns: Columns) -> tuple[list[str], list[Sequence[Any]]]:
    """Return names and cells as Python has them."""
    if isinstance(columns, Mapping):
        return list(columns), list(columns.values())
    pa = need("pyarrow")
    # Python's times know no billionths of a second; as text they are all there.
    exact = [
        column.cast(pa.string()) if getattr(column.type, "unit", None) == "ns" else column
        for column in columns.columns
    ]
    return columns.column_names, [column.to_pylist() for column in exact]


def _plain(cell: Any) -> Any:
    """Return a cell that JSON and CSV have; NaN, which JSON has not, is missing."""
    if isinstance(cell, np.generic):
        cell = cell.item()
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def write_file(columns: Columns, path: Path, is_safe: bool = False) -> None:
    """Write columns to a file that appears as a whole."""
    layout = file_layout(path)
    if layout is not None:
        with _opened(path) as file:
            file.write(as_text(columns, *layout, is_safe=is_safe))
        return
    if isinstance(columns, Mapping):
        plain = {name: list(map(_plain, cells)) for name, cells in columns.items()}
        columns = need("pyarrow").table(plain)
    with whole_file(path) as temporary:
        need("pyarrow.parquet").write_table(columns, temporary)


def write_rows(table: ArrowSource, how: Format, output: Path | None, is_safe: bool) -> None:
    """Write the rows of a lazy table as `show` writes those of one in memory."""
    layout = (how, ",") if output is None else file_layout(output)
    if layout is not None:
        write_batches(table.batches(), *layout, output, is_safe)
    elif output is not None:
        write_source(table, output)


def write_batches(
    batches: Iterable[Any],
    how: Format,
    delimiter: str = ",",
    output: Path | None = None,
    is_safe: bool = False,
) -> None:
    """Write record batches as one table of CSV or one array of JSON."""
    is_first = True
    with _opened(output) as file:
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


def file_layout(path: Path) -> tuple[Format, str] | None:
    """Return how a file of this name is written, and what stands between cells; None: Parquet."""
    suffix = (path.with_suffix("") if path.suffix == ".gz" else path).suffix.lower()
    if suffix in (".parquet", ".pq"):
        return None
    how = Format.json if suffix == ".json" else Format.csv
    return how, "\t" if suffix == ".tsv" else ","


def say(text: str, quiet: bool) -> None:
    """Print a remark where it does not mix with results."""
    if not quiet:
        tell(text)


def tell_families(encoder: TableEncoder, quiet: bool) -> None:
    """Say which columns say the same, and which are missing together."""
    lines = redundant_said(encoder, encoder.vocabulary_.columns)
    for line in lines[:SHOWN_FAMILIES]:
        say(line, quiet)
    if len(lines) > SHOWN_FAMILIES:
        say(f"... and {len(lines) - SHOWN_FAMILIES} more; untie.explain.families has all.", quiet)


PATIENCE = 1.0
"""The line appears after this many seconds."""

_line: list[Progress] = []
"""The line on the terminal, where `waiting` shows one."""


@contextmanager
def waiting(what: str, quiet: bool) -> Iterator[None]:
    """Show on the terminal what is done and for how long, if it takes more than a second.

    Parameters
    ----------
    what : str
        What is done.
    quiet : bool
        Whether to show nothing.
    """
    if quiet or not sys.stderr.isatty():
        yield
        return
    texts = (TextColumn("{task.description} ..."), TextColumn("{task.fields[rows]}"))
    spinner = _progress(SpinnerColumn(), *texts, TimeElapsedColumn())
    spinner.add_task(what, total=None, rows="")
    timer = threading.Timer(PATIENCE, spinner.start)
    timer.daemon = True
    timer.start()
    _line.append(spinner)
    try:
        yield
    finally:
        _line.remove(spinner)
        timer.cancel()
        timer.join()
        spinner.stop()


def counting_rows(table: ArrowSource) -> ArrowSource:
    """Return a lazy table whose rows are counted in the line on the terminal as they are read."""

    def read(columns: Sequence[str]) -> Iterator[Any]:
        done = 0
        for batch in table.read(columns):
            yield batch
            done += batch.num_rows
            for spinner in _line:
                of_all = "" if table.n_rows is None else f" of {table.n_rows:,}"
                spinner.update(spinner.task_ids[0], rows=f"{done:,}{of_all} rows")

    return replace(table, read=read)


def bar(names: Iterable[str], quiet: bool) -> Iterator[str]:
    """Give names one after another, and show on the terminal how many are done."""
    names = list(names)
    if quiet or not sys.stderr.isatty():
        yield from names
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with _progress(*columns) as progress:
        task = progress.add_task("", total=len(names))
        for name in names:
            progress.update(task, description=name)
            yield name
            progress.advance(task)


def _progress(*columns: ProgressColumn) -> Progress:
    """Return a line on standard error that goes away; standard output may be a file of rows."""
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, redirect_stdout=False)
