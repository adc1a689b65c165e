"""A path, standard input or a query -> a table, lazy where DuckDB is installed."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw

from untie._count.memory import MEMORY_LIMIT
from untie._engines.arrow import ArrowSource
from untie._engines.duck import query_source, text_source
from untie._engines.gathering import Gathered, gather, gather_one
from untie._engines.packed import ENDINGS, packing_of, unpacked
from untie._engines.parquet import parquet_source
from untie._engines.partitions import Keys
from untie._engines.registry import open_table
from untie._engines.scanning import holding
from untie._util.extras import installing, need
from untie._util.scratch import Scratch, copy_at_most, room_for
from untie.cli.guard import UserError, is_interrupt
from untie.cli.options import SourceOptions, missing_texts
from untie.cli.spinner import counting_rows, waiting
from untie.cli.text_layout import Kind, explain, sniff

UTF8 = "utf-8"
STDIN = "-"

ROW_BYTES = 70
"""Clusters of rows in memory take about this many bytes per row, besides the cells."""

CGROUP = Path("/sys/fs/cgroup/memory.max")
"""Holds the limit of a container's memory, where there is one."""

SHOWN_NAMES = 3
"""At most this many cells of a first line are named."""


def read_asked(source: str | None, options: SourceOptions) -> tuple[Any, list[str]]:
    """Open what the user names, in the way that the options say; see `read_source`."""
    # Archives are unpacked, workbooks converted and addresses fetched here.
    with waiting("opening the table", options.quiet):
        table, remarks = read_source(
            source,
            options.sql,
            options.delimiter,
            options.encoding,
            missing_texts(options) or (),
            options.sheet,
        )
    return counting_rows(table) if isinstance(table, ArrowSource) else table, remarks


def read_source(
    source: str | None,
    sql: str | None = None,
    delimiter: str | None = None,
    encoding: str = UTF8,
    missing: Sequence[str] = (),
    sheet: str | None = None,
) -> tuple[Any, list[str]]:
    """Open what the user names.

    Returns
    -------
    table : ArrowSource or frame
        The rows.
    remarks : list of str
        What the user should know of how they are read.
    """
    if (source is None) == (sql is None):
        raise UserError(
            "Name a file (or - for standard input), or a query with --sql; one of them."
        )
    if sql is not None:
        if sheet is not None:
            raise UserError("--sheet is for Excel files, not for queries.")
        return _with_rows(_without(query_source(sql), missing), "The query"), []
    assert source is not None
    _check_encoding(encoding)
    if delimiter is not None and len(delimiter) != 1:
        raise UserError(f"--delimiter takes one character, got {delimiter!r}; for a tab: $'\\t'.")
    gathered = _spool_stdin(sheet) if source == STDIN else gather(source, sheet)
    first = gathered.files[0]
    shown = "Standard input" if source == STDIN else repr(first.name)
    if any(file.is_sheet for file in gathered.files):
        delimiter, encoding = ",", UTF8
    kind = sniff(first.path, shown, delimiter, encoding)
    remarks = [file.remark for file in gathered.files if file.remark]
    if kind.name == "csv" and delimiter is None and kind.delimiter not in (",", "\t"):
        remarks.append(
            f"{shown}: read with {kind.delimiter!r} between cells; --delimiter names another"
        )
    if kind.is_nameless:
        can_ask = len(gathered.files) == 1 and first.path == first.name and encoding == UTF8
        remarks.append(_about_names(shown, kind, first.path if can_ask else None))
    scratch = gathered.scratch
    if kind.name != "parquet" and encoding.lower() not in (UTF8, "utf8"):
        paths = [_recode(path, encoding, scratch) for path in gathered.paths]
    else:
        paths = [_plain(path, scratch) for path in gathered.paths]
    table = _open(paths, shown, kind, missing, gathered.keys)
    if isinstance(table, ArrowSource):
        table = holding(table, gathered)
    sheets = "".join(f" {file.remark}." for file in gathered.files[:1] if file.remark)
    return _with_rows(table, shown, sheets), remarks


def _about_names(shown: str, kind: Kind, path: str | None) -> str:
    """Say that the first line looks like a row; of a file that is read as it is, how to have it."""
    names = ", ".join(kind.header[:SHOWN_NAMES]) + (", ..." * (len(kind.header) > SHOWN_NAMES))
    said = (
        f"{shown}: the first line ({names}) was taken for names of columns, but looks like a row; "
        "if it is one, put a line of names first"
    )
    if path is None or set(path) & set("\"'$`\\!"):  # what a shell or a query would read
        return said
    return f"{said}, or read it with --sql \"SELECT * FROM read_csv('{path}', header = false)\""


def _with_rows(table: Any, shown: str, remark: str = "") -> Any:
    """Refuse a table without columns or rows; a remark may say where else they are."""
    if not names_of(table):
        raise UserError(f"{shown} has no columns.{remark}")
    if is_lazy(table):
        # Closed here: Python would drop a Ctrl-C that comes while it does away with a generator.
        with ExitStack() as stack:
            reader = table.select(table.columns[:1]).batches()
            stack.callback(getattr(reader, "close", lambda: None))
            has_rows = any(batch.num_rows for batch in reader)
    else:
        has_rows = len(table) > 0
    if not has_rows:
        names = ", ".join(names_of(table)[:5])
        raise UserError(f"{shown} has names of columns ({names}) but no rows.{remark}")
    return table


def _open(
    paths: list[str],
    shown: str,
    kind: Kind,
    missing: Sequence[str],
    keys: Sequence[Keys] | None,
) -> Any:
    origin = shown if len(paths) == 1 else f"{len(paths)} files ({shown}, ...)"
    if kind.name == "parquet":
        return _without(parquet_source(paths, origin, keys), missing)
    if find_spec("duckdb") is None or find_spec("pyarrow") is None:
        return _read_frame(paths, shown, kind, missing)
    with _explaining(paths, shown, kind):
        if kind.name == "json":
            relation = _without(text_source(paths, "json", "infer", origin, keys=keys), missing)
        else:
            # As text, so that cells come out as they went in: 007, 1.50, t.
            relation = text_source(paths, "csv", "text", origin, kind.delimiter, missing, keys)

    def read(columns: Sequence[str]) -> Iterator[Any]:
        with _explaining(paths, shown, kind):
            yield from relation.select(columns).batches()

    return ArrowSource(relation.schema, read, origin)


@contextmanager
def _explaining(paths: list[str], shown: str, kind: Kind) -> Iterator[None]:
    """Turn DuckDB's messages into what is wrong with the file, where that can be found out."""
    try:
        yield
    except ValueError as error:
        if is_interrupt(error):
            raise
        for path in paths:
            reason = explain(path, shown if len(paths) == 1 else repr(path), kind, UTF8)
            if reason:
                raise UserError(reason) from error
        raise UserError(_first_line(error)) from error


def _first_line(error: BaseException) -> str:
    """Return what matters of DuckDB's messages, which go on with all settings of the reader."""
    return str(error).partition("\n")[0].partition("Correct the file")[0].strip()


def _read_frame(paths: list[str], shown: str, kind: Kind, missing: Sequence[str]) -> Any:
    """Read a text file with what is installed, if it is one CSV file."""
    library = next((name for name in ("pandas", "polars") if find_spec(name)), None)
    if kind.name != "csv" or len(paths) > 1 or library is None:
        raise UserError(f"{shown} is read by DuckDB; install it: {installing('files')}.")
    try:
        if library == "pandas":
            import pandas as pd

            return pd.read_csv(
                paths[0],
                sep=kind.delimiter,
                dtype=str,
                keep_default_na=False,
                na_values=["", *missing],
            )
        import polars as pl

        return pl.read_csv(
            paths[0],
            separator=kind.delimiter,
            null_values=["", *missing],
            infer_schema=False,
        )
    except Exception as error:  # their parsers raise many kinds
        raise UserError(explain(paths[0], shown, kind, UTF8) or _first_line(error)) from error


def _without(relation: ArrowSource, missing: Sequence[str]) -> ArrowSource:
    """Return a lazy table in which some texts are missing cells."""
    if not missing:
        return relation
    pa, pc = need("pyarrow"), need("pyarrow.compute")

    def read(columns: Sequence[str]) -> Iterator[Any]:
        for batch in relation.select(columns).batches():
            arrays = []
            for array in batch.columns:
                if pa.types.is_dictionary(array.type):
                    array = array.dictionary_decode()
                if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
                    is_missing = pc.is_in(array, pa.array(missing, array.type))
                    array = pc.if_else(is_missing, pa.scalar(None, array.type), array)
                arrays.append(array)
            yield pa.RecordBatch.from_arrays(arrays, names=list(columns))

    fields = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in relation.schema
    ]
    return ArrowSource(pa.schema(fields), read, relation.origin, relation.n_rows)


def _check_encoding(encoding: str) -> None:
    try:
        "".encode(encoding)  # knows of no encoding whose text is bytes, such as hex
    except LookupError:
        raise UserError(
            f"There is no encoding {encoding!r}; often it is utf-8, latin-1, cp1252 or utf-16."
        ) from None


def _spool_stdin(sheet: str | None) -> Gathered:
    """Keep standard input, as it is read more than once."""
    if sys.stdin is None:
        raise UserError("Standard input is closed; name a file, or pipe one in.")
    if sys.stdin.isatty():
        raise UserError("Nothing is piped into untie: cat data.csv | untie fit - ...")
    scratch = Scratch()
    path = scratch.path("input")
    copy_at_most(sys.stdin.buffer, path, room_for(scratch.folder), "Standard input")
    return gather_one(path, "standard input", sheet, scratch)


def _plain(path: str, scratch: Scratch) -> str:
    """Return a file that DuckDB can read: it knows by the name alone that one is compressed."""
    packing = packing_of(path)
    if packing is None or path.lower().endswith(ENDINGS[packing]):
        return path
    return unpacked(path, scratch)


def _recode(path: str, encoding: str, scratch: Scratch) -> str:
    """Return a copy in UTF-8."""
    plain, copy = unpacked(path, scratch), scratch.path("recoded")
    try:
        with open(plain, "rb") as file, open(copy, "wb") as target:
            decoder = codecs.getincrementaldecoder(encoding)()
            while piece := file.read(2**20):
                target.write(decoder.decode(piece).encode())
            target.write(decoder.decode(b"", final=True).encode())
    except UnicodeError as error:
        raise UserError(f"{path!r} is not {encoding}: {error}.") from error
    return copy


def is_lazy(table: Any) -> bool:
    """Tell whether a table's rows are read piece by piece."""
    return open_table(table).is_lazy


def in_memory(table: Any) -> Any:
    """Return a table whose rows are all in memory, unless they would fill half of it."""
    if not is_lazy(table):
        return table
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


def names_of(table: Any) -> list[str]:
    """Return the names of a table's columns."""
    if is_lazy(table):
        return table.columns
    return [str(name) for name in nw.from_native(table, eager_only=True).columns]
