"""Paths and queries -> a lazy table."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from typing import Any

from untie._engines.arrow import ArrowSource
from untie._engines.duck import query_source, text_source
from untie._engines.parquet import parquet_source

Source = str | os.PathLike[str]

KINDS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
"""What a file is, by how its name ends; all but Parquet may be compressed."""

COMPRESSED = (".gz", ".zst")


def scan(
    source: Source | Sequence[Source] | None = None,
    *,
    sql: str | None = None,
    columns: Sequence[str] | None = None,
    types: str = "infer",
    connection: Any = None,
) -> ArrowSource:
    """Return a lazy table of files or of a query; its rows are read when they are needed.

    `UNTIE.fit`, `partial_fit` and `transform`, :func:`untie.count_table` and :func:`untie.sink`
    take it in the place of a table and read it piece by piece, so that it may be larger than
    memory. The model is that of the same table in memory. Needs the extra ``untie[files]``.

    Parameters
    ----------
    source : path, pattern or sequence of them
        Parquet (.parquet, .pq), CSV (.csv, with commas and a first row of names), TSV (.tsv) or
        JSON lines (.jsonl, .ndjson, .json) files of one kind; all but Parquet may be compressed
        (.gz, .zst). Patterns are those of :mod:`glob`, ``**`` for any folders. Files come in the
        order of their names, and must have the same columns, in any order.
    sql : str
        A DuckDB query, instead of files: ``SELECT ... FROM 'data/*.parquet' WHERE ...``.
    columns : sequence of str, optional
        The columns to read; all if not given. Fewer are read faster.
    types : {"infer", "text"}, default="infer"
        For CSV, TSV and JSON lines. "infer" finds each column's type from its cells, as pandas
        does: 01 becomes the number 1, and 2024-05-01 a date; the files are read through once for
        it. "text" takes every cell as the text that it is; the value "1" is another than the number
        1. Empty cells are missing either way, and Parquet keeps its types.
    connection : duckdb connection, optional
        Where to run `sql`; by default a new database in memory. While rows are read, it can't be
        asked anything else.

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
    UNTIE.fit, count_table : Read it piece by piece.
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
        table = _scan_files(source, types)
    return table if columns is None else table.select(columns)


def _scan_files(source: Source | Sequence[Source], types: str) -> ArrowSource:
    paths = find_files(source)
    kinds = {path: kind_of(path) for path in paths}
    if len(set(kinds.values())) > 1:
        first, other = paths[0], next(p for p in paths if kinds[p] != kinds[paths[0]])
        raise ValueError(
            f"The files are of different kinds: {first!r} and {other!r}. Name one kind, such as "
            "'data/*.parquet'."
        )
    origin = repr(paths[0]) if len(paths) == 1 else f"{len(paths)} files ({paths[0]!r}, ...)"
    kind = kinds[paths[0]]
    if kind == "parquet":
        return parquet_source(paths, origin)
    return text_source(paths, kind, types, origin)


def find_files(source: Source | Sequence[Source]) -> list[str]:
    """Return the files that a path, a pattern or a list of them names; each once, in order."""
    sources = [source] if isinstance(source, str | os.PathLike) else list(source)
    if not sources:
        raise ValueError("The list of files is empty; name at least one.")
    paths: dict[str, None] = {}
    for entry in (os.fspath(source) for source in sources):
        if os.path.isdir(entry):
            raise IsADirectoryError(
                f"{entry!r} is a folder; name its files, such as "
                f"{os.path.join(entry, '*.parquet')!r}."
            )
        if os.path.exists(entry):  # a name may hold brackets
            paths[entry] = None
            continue
        found = [path for path in sorted(glob.glob(entry, recursive=True)) if os.path.isfile(path)]
        if not found:
            is_pattern = glob.has_magic(entry)
            raise FileNotFoundError(
                f"No file matches the pattern {entry!r}; check it, from the folder {os.getcwd()!r}."
                if is_pattern
                else f"There is no file {entry!r}; check the path, from the folder {os.getcwd()!r}."
            )
        paths.update(dict.fromkeys(found))
    return list(paths)


def kind_of(path: str) -> str:
    """Return what a file is, by its name."""
    stem, suffix = os.path.splitext(path.lower())
    if suffix in COMPRESSED:
        suffix = os.path.splitext(stem)[1]
    if suffix not in KINDS:
        raise ValueError(
            f"{path!r} has none of the known endings {', '.join(KINDS)}; rename the file, or "
            "read it with a query: untie.scan(sql=\"SELECT * FROM read_csv('...')\")."
        )
    return KINDS[suffix]
