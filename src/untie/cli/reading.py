"""What the user names -> a lazy table, or its rows in memory."""

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from untie._count.memory import MEMORY_LIMIT
from untie._engines.arrow import ArrowSource
from untie._engines.scanning import scan
from untie._util.messages import need
from untie.cli.options import SourceOptions, in_options, missing_texts
from untie.cli.showing import counting_rows, say, waiting
from untie.cli.streams import UserError

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
    given |= {"missing": missing_texts(options), "sheet": options.sheet}
    if options.sql is None:
        usual = SourceOptions.encoding
        given["delimiter"] = options.delimiter
        given["encoding"] = None if options.encoding == usual else options.encoding
    return {name: value for name, value in given.items() if value}


def open_rows(source: str | None, options: SourceOptions) -> ArrowSource:
    """Open what the user names, and say what is to be known of how it is read."""
    arguments = scan_arguments(source, options)
    # Archives are unpacked, workbooks converted and addresses fetched here.
    with waiting("opening the table", options.quiet):
        table = scan(**arguments)
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
    try:
        sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
        limit = CGROUP.read_text().strip() if CGROUP.exists() else ""
    except (AttributeError, ValueError, OSError):  # not known on Windows
        return MEMORY_LIMIT
    return min([*sizes, *([int(limit)] if limit.isdecimal() else [])]) // 2
