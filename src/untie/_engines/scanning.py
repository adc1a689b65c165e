"""Paths and queries -> a lazy table."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from untie._engines.arrow import ArrowSource
from untie._engines.duck import query_source, text_source
from untie._engines.endings import KINDS, kind_of, suffix_of
from untie._engines.gathering import Gathered, Named, TableFile, gather, is_stream
from untie._engines.packed import open_plain, unpacked
from untie._engines.parquet import parquet_source


def scan(
    source: Named | Sequence[Named] | None = None,
    *,
    sql: str | None = None,
    columns: Sequence[str] | None = None,
    types: str = "infer",
    connection: Any = None,
    sheet: str | None = None,
) -> ArrowSource:
    """Return a lazy table of files or of a query; its rows are read when they are needed.

    `TableEncoder.fit`, `partial_fit` and `transform`, :func:`untie.count_table` and
    :func:`untie.sink` take it in the place of a table and read it piece by piece, so that it may be
    larger than memory. The model is that of the same table in memory. Needs the extra ``files``.

    Parameters
    ----------
    source : path, pattern or sequence of them
        Parquet (.parquet, .pq), CSV (.csv, with commas and a first row of names), TSV (.tsv) or
        JSON (.jsonl, .ndjson, .json: an object per line, or an array of objects) files of one
        kind; all but Parquet may be compressed (.gz, .zst). Patterns are those of :mod:`glob`,
        ``**`` for any folders. Files come in the order of their names, and must have the same
        columns, in any order. Also a folder of partitions (``year=2024/...``), whose names become
        columns of text; a zip archive with one table, or ``data.zip/name.csv`` for one of
        several; an Excel workbook (.xlsx, extra ``excel``); and an address: ``https://``
        by itself, ``s3://``, ``hf://`` and others through fsspec where it is installed; and a named
        pipe, ``/dev/stdin`` or ``/dev/fd/N``, read to its end. Copies of what is fetched, unpacked
        or piped in are in the folder for temporary files as long as the table is used.
    sql : str
        A DuckDB query, instead of files: ``SELECT ... FROM 'data/*.parquet' WHERE ...``.
    columns : sequence of str, optional
        The columns to read; all if not given. Fewer are read faster.
    types : {"infer", "text"}, default="infer"
        For CSV, TSV, JSON and Excel. "infer" finds each column's type from its cells, as pandas
        does: 01 becomes the number 1, and 2024-05-01 a date; the files are read through once for
        it. "text" takes every cell as the text that it is; the value "1" is another than the number
        1. Empty cells are missing either way, and Parquet keeps its types.
    connection : duckdb connection, optional
        Where to run `sql`; by default a new database in memory. While rows are read, it can't be
        asked anything else.
    sheet : str, optional
        The name or number of a workbook's sheet; the first if not given.

    Returns
    -------
    ArrowSource
        A lazy table with `columns`, `schema`, `select`, `batches` and `collect`.

    Raises
    ------
    FileNotFoundError
        When no file has that name or matches the pattern.
    ValueError
        When files are of several kinds or have different columns, or can't be read; the message
        names the file.

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
    if sql is not None:
        table = query_source(sql, connection)
    else:
        assert source is not None
        table = scan_gathered(gather(source, sheet), types)
    return table if columns is None else table.select(columns)


def scan_gathered(gathered: Gathered, types: str) -> ArrowSource:
    """Return the rows of files that are plain files by now."""
    gathered = replace(gathered, files=tuple(_named(file, gathered) for file in gathered.files))
    files = gathered.files
    kinds = [kind_of(file.path) for file in files]
    if len(set(kinds)) > 1:
        other = next(file for file, kind in zip(files, kinds, strict=True) if kind != kinds[0])
        raise ValueError(
            f"The files are of different kinds: {files[0].name!r} and {other.name!r}. Name one "
            "kind, such as 'data/*.parquet'."
        )
    if kinds[0] == "parquet":
        table = parquet_source(gathered.paths, gathered.origin, gathered.keys)
    else:
        table = text_source(gathered.paths, kinds[0], types, gathered.origin, keys=gathered.keys)
    return holding(table, gathered)


def _named(file: TableFile, gathered: Gathered) -> TableFile:
    """Return a file; a copy of a stream whose name does not say what it is gets one that does."""
    if not is_stream(file.name) or suffix_of(file.path) in KINDS:
        return file
    path = unpacked(file.path, gathered.scratch)
    with open_plain(path) as content:
        first = content.read(2**10).removeprefix(BOM_UTF8).split()
    start = b"".join(first)[:4]
    is_json = start.startswith((b"{", b"[{", b"[]"))
    ending = ".parquet" if start == b"PAR1" else ".json" if is_json else ".csv"
    os.rename(path, path + ending)
    return replace(file, path=path + ending)


def holding(table: ArrowSource, gathered: Gathered) -> ArrowSource:
    """Return a table that keeps the copies of its files, which would be gone otherwise."""
    read = table.read

    def read_copies(columns: Sequence[str]) -> Any:
        assert gathered.scratch is not None  # held as long as this function is
        return read(columns)

    return replace(table, read=read_copies)
