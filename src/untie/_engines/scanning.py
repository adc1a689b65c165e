"""Paths and queries -> a lazy table."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from untie._engines.archives import ENDINGS, packing_of, unpacked
from untie._engines.arrow import ArrowSource
from untie._engines.duck import query_source, text_source
from untie._engines.files import Gathered, Keys, Named, TableFile, gather
from untie._engines.parquet import parquet_source
from untie._engines.source import without_dictionaries
from untie._engines.text_layout import UTF8, Layout, explain, sniff
from untie._util.messages import Parameter, message, need
from untie._util.scratch import Scratch

SHOWN_NAMES = 3
"""At most this many cells of a first line are named."""


def scan(
    source: Named | Sequence[Named] | None = None,
    *,
    sql: str | None = None,
    columns: Sequence[str] | None = None,
    types: str = "infer",
    missing: Sequence[str] = (),
    delimiter: str | None = None,
    encoding: str = UTF8,
    sheet: str | None = None,
    connection: Any = None,
) -> ArrowSource:
    """Return a lazy table of files or of a query; its rows are read when they are needed.

    `TableEncoder.fit`, `partial_fit` and `transform`, :func:`untie.count_table` and
    :func:`untie.sink` take it in the place of a table and read it piece by piece, so that it may be
    larger than memory. The model is that of the same table in memory. Needs the extra ``files``.

    Parameters
    ----------
    source : path, pattern or sequence of them
        Parquet (.parquet, .pq), CSV (.csv, with a first row of names), TSV (.tsv) or JSON (.jsonl,
        .ndjson, .json: an object per line, or an array of objects) files of one kind; all but
        Parquet may be compressed (.gz, .zst). What a file with another ending is, its first bytes
        say. Patterns are those of :mod:`glob`,
        ``**`` for any folders. Files come in the order of their names, and must have the same
        columns, in any order. Also a folder of partitions (``year=2024/...``), whose names become
        columns of text; a zip archive with one table, or ``data.zip/name.csv`` for one of
        several; an Excel workbook (.xlsx, extra ``excel``); and an address: ``https://``
        by itself, ``s3://``, ``hf://`` and others through fsspec where it is installed; and a named
        pipe, ``/dev/fd/N`` or ``-``, standard input, which are read to their end. Copies of what is
        fetched, unpacked or piped in are in the folder for temporary files as long as the table is
        used.
    sql : str
        A DuckDB query, instead of files: ``SELECT ... FROM 'data/*.parquet' WHERE ...``.
    columns : sequence of str, optional
        The columns to read; all if not given. Fewer are read faster.
    types : {"infer", "text"}, default="infer"
        For CSV, TSV and Excel. "infer" finds each column's type from its cells, as pandas does: 01
        becomes the number 1, and 2024-05-01 a date; the files are read through once for it. "text"
        takes every cell as the text that it is. Empty cells are missing either way. Parquet and
        JSON have types of their own.
    missing : sequence of str, default=()
        Texts that stand for a missing cell, such as ``["?", "NA"]``, in columns of text.
    delimiter : str, optional
        The character between the cells of CSV; found from the first lines if not given.
    encoding : str, default="utf-8"
        Text encoding of CSV and JSON, such as "latin-1".
    sheet : str, optional
        The name or number of a workbook's sheet; the first if not given.
    connection : duckdb connection, optional
        Where to run `sql`; by default a new database in memory. While rows are read, it can't be
        asked anything else.

    Returns
    -------
    ArrowSource
        A lazy table with `columns`, `schema`, `select`, `batches` and `collect`. Its `remarks` say
        what was guessed: the delimiter, the sheet, a first line that looks like a row.

    Raises
    ------
    FileNotFoundError
        When no file has that name or matches the pattern.
    ValueError
        When files are of several kinds or have different columns, or can't be read; the message
        names the file and the line.

    See Also
    --------
    TableEncoder.fit, count_table : Read it piece by piece.
    sink : Writes the vectors of its rows to a file.

    Examples
    --------
    >>> import untie
    >>> wines = untie.scan(sql="SELECT * FROM (VALUES ('red', 'dry'), ('white', 'dry')) t(c, s)")
    >>> wines.columns
    ['c', 's']
    >>> untie.count_table(wines).vocabulary.values
    (('red', 'white'), ('dry',))
    """
    if (source is None) == (sql is None):
        raise TypeError("scan takes either files or sql=, one of the two.")
    if isinstance(missing, str):
        raise TypeError(f"missing must be a list of texts, got {missing!r}: [{missing!r}].")
    if sql is not None:
        if sheet is not None:
            raise ValueError(message("{sheet} is for Excel files, not for queries."))
        table = _without(query_source(sql, connection), missing)
    else:
        assert source is not None
        _check_text(delimiter, encoding)
        table = _scan_files(gather(source, sheet), types, missing, delimiter, encoding)
    return table if columns is None else table.select(columns)


def _check_text(delimiter: str | None, encoding: str) -> None:
    if delimiter is not None and len(delimiter) != 1:
        said = "{delimiter} takes one character, got {0}; for a tab: {1}."
        raise ValueError(message(said, repr(delimiter), Parameter("delimiter", "\t")))
    try:
        "".encode(encoding)  # knows of no encoding whose text is bytes, such as hex
    except LookupError:
        raise ValueError(
            f"There is no encoding {encoding!r}; often it is utf-8, latin-1, cp1252 or utf-16."
        ) from None


def _scan_files(
    gathered: Gathered, types: str, missing: Sequence[str], delimiter: str | None, encoding: str
) -> ArrowSource:
    """Return the rows of files that are plain files by now."""
    files, scratch, origin = gathered.files, gathered.scratch, gathered.origin
    if any(file.is_sheet for file in files):
        delimiter, encoding = ",", UTF8
    layouts = [sniff(file.path, file.shown, delimiter, encoding) for file in files]
    first = layouts[0]
    for file, layout in zip(files, layouts, strict=True):
        if (layout.name, layout.delimiter) != (first.name, first.delimiter):
            raise ValueError(
                f"The files are of different kinds: {files[0].shown} and {file.shown}. Name one "
                "kind, such as 'data/*.parquet'."
            )
    if first.name == "parquet":
        table = _without(parquet_source(gathered.paths, origin, gathered.keys), missing)
    else:
        is_utf8 = encoding.lower() in (UTF8, "utf8")
        paths = [
            _unpacked(file.path, scratch) if is_utf8 else _recoded(file.path, encoding, scratch)
            for file in files
        ]
        table = _scan_text(paths, origin, first, types, missing, gathered.keys)
    remarks = [file.remark for file in files if file.remark]
    if first.name == "csv" and delimiter is None and first.delimiter not in (",", "\t"):
        said = "{0}: read with {1} between cells; {delimiter} names another"
        remarks.append(message(said, files[0].shown, repr(first.delimiter)))
    if first.is_nameless:
        is_plain = len(files) == 1 and files[0].path == files[0].name and encoding == UTF8
        remarks.append(_about_names(files[0], first, is_plain))
    return replace(_holding(table, gathered), remarks=tuple(remarks))


def _scan_text(
    paths: list[str],
    origin: str,
    layout: Layout,
    types: str,
    missing: Sequence[str],
    keys: Sequence[Keys] | None,
) -> ArrowSource:
    """Return the rows of CSV or JSON; if DuckDB can't read them, say what is wrong with a line."""
    with _explaining(paths, origin, layout):
        if layout.name == "json":
            table = _without(text_source(paths, "json", types, origin, keys=keys), missing)
        else:
            table = text_source(paths, "csv", types, origin, layout.delimiter, missing, keys)

    def read(columns: Sequence[str]) -> Iterator[Any]:
        with _explaining(paths, origin, layout):
            yield from table.read(columns)

    return replace(table, read=read)


@contextmanager
def _explaining(paths: list[str], origin: str, layout: Layout) -> Iterator[None]:
    """Turn DuckDB's messages into what is wrong with the file, where that can be found out."""
    try:
        yield
    except ValueError as error:
        if type(error.__cause__).__name__ == "InterruptException":  # by which it reports Ctrl-C
            raise
        for path in paths:
            reason = explain(path, origin if len(paths) == 1 else repr(path), layout)
            if reason:
                raise ValueError(reason) from error
        raise


def _about_names(file: TableFile, layout: Layout, is_plain: bool) -> str:
    """Return a remark that the first line looks like a row, and a query that reads it as one."""
    names = ", ".join(layout.header[:SHOWN_NAMES]) + (", ..." * (len(layout.header) > SHOWN_NAMES))
    said = (
        f"{file.shown}: the first line ({names}) was taken for names of columns, but looks like a "
        "row; if it is one, put a line of names first"
    )
    if not is_plain or set(file.path) & set("\"'$`\\!"):  # what a shell or a query would read
        return said
    query = f"SELECT * FROM read_csv('{file.path}', header = false)"
    return message("{0}, or read it with {1}", said, Parameter("sql", query))


def _without(table: ArrowSource, missing: Sequence[str]) -> ArrowSource:
    """Return a lazy table in which some texts are missing cells."""
    if not missing:
        return table
    pa, pc = need("pyarrow"), need("pyarrow.compute")

    def read(columns: Sequence[str]) -> Iterator[Any]:
        for batch in table.read(columns):
            arrays = []
            for array in batch.columns:
                if pa.types.is_dictionary(array.type):
                    array = array.dictionary_decode()
                if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
                    is_missing = pc.is_in(array, pa.array(missing, array.type))
                    array = pc.if_else(is_missing, pa.scalar(None, array.type), array)
                arrays.append(array)
            yield pa.RecordBatch.from_arrays(arrays, names=list(columns))

    return replace(table, schema=without_dictionaries(table.schema), read=read)


def _unpacked(path: str, scratch: Scratch) -> str:
    """Return a file that DuckDB can read: it knows by the name alone that one is compressed."""
    packing = packing_of(path)
    if packing is None or path.lower().endswith(ENDINGS[packing]):
        return path
    return unpacked(path, scratch)


def _recoded(path: str, encoding: str, scratch: Scratch) -> str:
    """Return a copy in UTF-8."""
    plain, copy = unpacked(path, scratch), scratch.path("recoded")
    try:
        with open(plain, "rb") as file, open(copy, "wb") as target:
            decoder = codecs.getincrementaldecoder(encoding)()
            while piece := file.read(2**20):
                target.write(decoder.decode(piece).encode())
            target.write(decoder.decode(b"", final=True).encode())
    except UnicodeError as error:
        raise ValueError(f"{path!r} is not {encoding}: {error}.") from error
    return copy


def _holding(table: ArrowSource, gathered: Gathered) -> ArrowSource:
    """Return a table that keeps the copies of its files, which would be gone otherwise."""
    read = table.read

    def read_copies(columns: Sequence[str]) -> Any:
        assert gathered.scratch is not None  # held as long as this function is
        return read(columns)

    return replace(table, read=read_copies)
