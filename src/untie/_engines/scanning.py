"""Paths and queries -> a lazy table; what a text file is, and what is wrong with it."""

import csv
import io
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any

from untie._engines import files
from untie._engines.arrow import ArrowSource
from untie._engines.duck import LONGEST_LINE, query_source, text_source
from untie._engines.parquet import parquet_source
from untie._engines.source import without_dictionaries
from untie._util.messages import Parameter, message, need
from untie._util.scratch import Scratch

UTF8 = "utf-8"

DELIMITERS = {".tsv": "\t"}
"""What usually separates cells, by the ending; a comma where none is named."""

FIRST_BYTES = 2**18
"""How much of a file is looked at; more if its first line is longer."""

LOOKED_AT = 1_000
"""At most this many lines are compared with the first one."""

MOST_OF_LINE = 2**26
"""A line with more bytes is not looked at further: a file may be one line that fills the memory."""

OTHER_DELIMITERS = (",", ";", "\t", "|")
"""What may stand between cells, the likeliest first."""

_PARQUET = b"PAR1"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Layout:
    """What a file is.

    Parameters
    ----------
    name : {"csv", "json", "parquet"}
        Its format; TSV is CSV with another delimiter.
    delimiter : str
        The delimiter of CSV.
    header : tuple of str
        The names in the first line of CSV; empty where it can't be read here.
    is_nameless : bool
        Whether the first line of CSV looks like a row and not like names.
    """

    name: str
    delimiter: str = ","
    header: tuple[str, ...] = ()
    is_nameless: bool = False


def sniff(path: str, shown: str, delimiter: str | None, encoding: str) -> Layout:
    """Find out what a file is.

    Parameters
    ----------
    path : str
        The file.
    shown : str
        Its name in messages.
    delimiter : str or None
        The delimiter that the user gave.
    encoding : str
        What text is encoded in.

    Raises
    ------
    ValueError
        When it is no table, or the first line of CSV has no names.
    """
    by_name = files.KINDS.get(files.suffix_of(path))
    if by_name == "parquet":
        return Layout("parquet")
    with files.open_plain(path) as file:
        first = file.read(FIRST_BYTES)
        while len(first) <= LONGEST_LINE and not _has_line(first):
            more = file.read(FIRST_BYTES)
            if not more:
                break
            first += more
    if not first.strip():
        raise ValueError(f"{shown} is empty; a table has names in its first line and rows below.")
    if first.startswith(_PARQUET):
        return Layout("parquet")
    text = _decode(first, shown, encoding)
    if by_name == "json" or (by_name is None and _is_json(text)):
        return Layout("json")
    if len(first) > LONGEST_LINE and not _has_line(first):
        raise ValueError(
            f"The first line of {shown} has more than {LONGEST_LINE:,} bytes, perhaps because a "
            'quote (") is not closed; a table has the names of its columns there. Correct it.'
        )
    found = _delimiter(text, DELIMITERS.get(files.suffix_of(path), ","))
    if delimiter is not None and delimiter != found:
        _check_delimiter(text, shown, delimiter, found)
    delimiter = delimiter or found
    try:
        header = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    except csv.Error as error:
        raise ValueError(f"The first line of {shown} has no names of columns: {error}.") from error
    _check_header(header, shown)
    return Layout("csv", delimiter, tuple(header), _is_row(header, text, delimiter))


def _has_line(first: bytes) -> bool:
    """Return whether the first line is all there; a name in quotes may have line ends in it."""
    quotes = 0
    for line in first.splitlines(keepends=True):
        quotes += line.count(b'"')
        if quotes % 2 == 0 and line.endswith((b"\n", b"\r")):
            return True
    return False


def _decode(first: bytes, shown: str, encoding: str) -> str:
    if first.startswith(_UTF16) and encoding.lower().replace("-", "") == "utf8":
        given = Parameter("encoding", "utf-16")
        raise ValueError(message("{0} is encoded in UTF-16; add {given}.", shown, given=given))
    if b"\0" in first and not encoding.lower().startswith(("utf-16", "utf16", "utf-32", "utf32")):
        said = "{0} is a binary file, not a table as text; untie reads CSV, TSV, JSON, Parquet "
        more = "and Excel, and anything that DuckDB reads with {sql}."
        raise ValueError(message(said + more, shown))
    # The last character may be cut; what is wrong further on is said by `explain`.
    text = first.decode(encoding, errors="replace").removeprefix("\ufeff")
    return text if len(first) < FIRST_BYTES else text[: text.rfind("\n") + 1] or text


def _is_json(text: str) -> bool:
    """Return whether a text begins with objects of JSON, alone or in an array."""
    start = "".join(text[:FIRST_BYTES].split(None, 2)[:2])[:2]
    return start.startswith("{") or start in ("[{", "[]")


def _delimiter(text: str, usual: str) -> str:
    """Return what cells stand between: the usual mark, unless only another one makes columns."""
    lines = text.splitlines()[:50]
    widths = {mark: _widths(lines, mark) for mark in (usual, *OTHER_DELIMITERS)}
    for mark, found in widths.items():
        if found[0] > 1 and (mark == usual or len(set(found)) == 1):
            return mark
    return usual


def _check_delimiter(text: str, shown: str, given: str, found: str) -> None:
    """Refuse a mark that makes one column where another makes several of every line."""
    lines = text.splitlines()[:50]
    own, other = (set(_widths(lines, mark)) for mark in (given, found))
    if own == {1} and len(other) == 1 and other != {1}:
        said = "{0} has one column with {3}, and {1} with {2}: leave {delimiter} out, or say {2}."
        own_mark = Parameter("delimiter", given)
        raise ValueError(message(said, shown, other.pop(), repr(found), own_mark))


def _widths(lines: list[str], mark: str) -> list[int]:
    try:
        return [len(row) for row in csv.reader(lines, delimiter=mark) if row] or [0]
    except csv.Error:
        return [0]


def _check_header(header: list[str], shown: str) -> None:
    seen: dict[str, int] = {}
    for position, name in enumerate(header, start=1):
        # DuckDB takes names that differ in case alone for the same, and would rename one.
        if name.strip() and name.lower() in seen:
            raise ValueError(
                f"{shown} has two columns called {name!r} (columns {seen[name.lower()]} and "
                f"{position}); rename one in the first line, or put a line of names first if it "
                "is a row."
            )
        seen[name.lower()] = position


def _is_row(header: list[str], text: str, delimiter: str) -> bool:
    """Return whether each name is a number, or a cell of its column in the lines below."""
    named = {place: name for place, name in enumerate(header) if name.strip()}
    numbers = {place: _number(name) for place, name in named.items()}
    if _count_up([number for number in numbers.values() if number is not None]):
        return False
    sought = [place for place in named if numbers[place] is None]
    if not sought:
        return bool(named)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in islice(lines, 1, LOOKED_AT):
            sought = [p for p in sought if p >= len(row) or row[p] != named[p]]
            if not sought:
                return True
    except csv.Error:  # what is wrong further on is said by `explain`
        pass
    return False


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _count_up(numbers: Sequence[float]) -> bool:
    """Return whether numbers are names: positions, such as pandas writes, or years."""
    return len(numbers) > 1 and all(b - a == 1 for a, b in pairwise(numbers))


def explain(path: str, shown: str, layout: Layout) -> str | None:
    """Return what is wrong with a text file that can't be read, or None if nothing is found."""
    with files.open_plain(path) as file:
        lines = iter(lambda: file.readline(MOST_OF_LINE), b"")
        for number, line in enumerate(lines, start=1):
            if len(line) == MOST_OF_LINE:
                return f"{shown}, line {number}, has more than {MOST_OF_LINE:,} bytes; correct it."
            try:
                line.decode(UTF8)
            except UnicodeDecodeError as error:
                byte = line[error.start : error.start + 1].hex()
                return message(
                    "{0}, line {1}, is not {2} (byte 0x{3}); say what it is encoded in, such as "
                    "{example}.",
                    *(shown, number, UTF8.upper(), byte),
                    example=Parameter("encoding", "latin-1"),
                )
    if layout.name != "csv":
        return None
    with files.open_plain(path) as file:
        text = io.TextIOWrapper(file, encoding=UTF8, newline="")
        return _wrong_row(text, shown, layout.delimiter)


def _wrong_row(text: io.TextIOWrapper, shown: str, delimiter: str) -> str | None:
    """Return what is wrong with the first row of CSV that is not as the others are."""
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    start, n_names = 1, None
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            return _wrong_quotes(str(error), f"{shown}, line {start}")
        if row is None:
            return None
        if n_names is None:
            n_names = len(row)
        elif row and len(row) != n_names:
            return message(
                "{0}, line {1}, has {2}, but the first line has {3} names. Correct the line (quote "
                "cells that hold {4}), or say what separates cells: {delimiter}.",
                *(shown, reader.line_num, _cells(len(row)), n_names, repr(delimiter)),
            )
        start = reader.line_num + 1


def _wrong_quotes(reason: str, where: str) -> str:
    if "unexpected end of data" in reason:
        return f'{where}: a quote (") that is opened there is never closed; close it, or remove it.'
    if "field larger" in reason:
        return (
            f"{where}: a cell has more than {csv.field_size_limit():,} characters, perhaps because "
            'a quote (") is not closed; correct it.'
        )
    return f"{where}: {reason}; correct the line."


def _cells(n: int) -> str:
    return "1 cell" if n == 1 else f"{n} cells"


SHOWN_NAMES = 3
"""At most this many cells of a first line are named."""


def scan(
    source: files.Named | Sequence[files.Named] | None = None,
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
    if isinstance(missing, str) or not isinstance(missing, Iterable):
        example = ["?", "NA"] if missing is None else [missing]
        said = f"missing must be a list of texts, such as {example!r}, got {missing!r}"
        raise TypeError(f"{said}; leave it out if no text is." if missing is None else f"{said}.")
    _check_text(delimiter, encoding)
    if sql is not None:
        if sheet is not None:
            raise ValueError(message("{sheet} is for Excel files, not for queries."))
        _refuse_layout("A query", delimiter, encoding)
        table = _without(query_source(sql, connection), missing)
    else:
        assert source is not None
        table = _scan_files(files.gather(source, sheet), types, missing, delimiter, encoding)
    return table if columns is None else table.select(columns)


def _refuse_layout(what: str, delimiter: str | None, encoding: str = UTF8) -> None:
    """Refuse what is said of text files and has no effect on something else."""
    given = {"delimiter": delimiter, "encoding": None if _is_utf8(encoding) else encoding}
    for name, value in given.items():
        if value is not None:
            said = "{0} has no use for {given}, which is for text files; leave it out."
            raise ValueError(message(said, what, given=Parameter(name, value)))


def _is_utf8(encoding: str) -> bool:
    return encoding.lower() in (UTF8, "utf8")


def _check_text(delimiter: Any, encoding: Any) -> None:
    if delimiter is not None and not (isinstance(delimiter, str) and len(delimiter) == 1):
        said = "{delimiter} takes one character, got {0}; for a tab: {1}."
        raise ValueError(message(said, repr(delimiter), Parameter("delimiter", "\t")))
    try:
        "".encode(encoding)  # knows of no encoding whose text is bytes, such as hex
    except (LookupError, TypeError):
        raise ValueError(
            f"There is no encoding {encoding!r}; often it is utf-8, latin-1, cp1252 or utf-16."
        ) from None


def _scan_files(
    gathered: files.Gathered,
    types: str,
    missing: Sequence[str],
    delimiter: str | None,
    encoding: str,
) -> ArrowSource:
    """Return the rows of files that are plain files by now."""
    tables, scratch, origin = gathered.files, gathered.scratch, gathered.origin
    if any(file.is_sheet for file in tables):
        _refuse_layout("An Excel workbook", delimiter, encoding)
        delimiter, encoding = ",", UTF8
    layouts = [sniff(file.path, file.shown, delimiter, encoding) for file in tables]
    first = layouts[0]
    for file, layout in zip(tables, layouts, strict=True):
        if (layout.name, layout.delimiter) != (first.name, first.delimiter):
            raise ValueError(
                f"The files are of different kinds: {tables[0].shown} and {file.shown}. Name one "
                "kind, such as 'data/*.parquet'."
            )
    if first.name == "json":
        _refuse_layout(f"JSON such as {tables[0].shown}", delimiter)
    if first.name == "parquet":
        _refuse_layout(f"Parquet such as {tables[0].shown}", delimiter, encoding)
        table = _without(parquet_source(gathered.paths, origin, gathered.keys), missing)
    else:
        paths = [
            _unpacked(file.path, scratch)
            if _is_utf8(encoding)
            else _recoded(file.path, encoding, scratch)
            for file in tables
        ]
        table = _scan_text(paths, gathered, first, types, missing)
    remarks = [file.remark for file in tables if file.remark]
    if first.name == "csv" and delimiter is None and first.delimiter not in (",", "\t"):
        said = "{0}: read with {1} between cells; {delimiter} names another"
        remarks.append(message(said, tables[0].shown, repr(first.delimiter)))
    if first.is_nameless:
        is_plain = len(tables) == 1 and tables[0].path == tables[0].name and encoding == UTF8
        remarks.append(_about_names(tables[0], first, is_plain))
    return replace(table, remarks=tuple(remarks), scratch=scratch)


def _scan_text(
    paths: list[str], gathered: files.Gathered, layout: Layout, types: str, missing: Sequence[str]
) -> ArrowSource:
    """Return the rows of CSV or JSON; if DuckDB can't read them, say what is wrong with a line."""
    origin, keys = gathered.origin, gathered.keys
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


def _about_names(file: files.TableFile, layout: Layout, is_plain: bool) -> str:
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
    packing = files.packing_of(path)
    if packing is None or path.lower().endswith(files.ENDINGS[packing]):
        return path
    return files.unpacked(path, scratch)


def _recoded(path: str, encoding: str, scratch: Scratch) -> str:
    """Return a copy in UTF-8."""
    plain, copy = files.unpacked(path, scratch), scratch.path("recoded")
    try:
        with (
            open(plain, encoding=encoding, newline="") as file,
            open(copy, "w", encoding=UTF8, newline="") as target,
        ):
            shutil.copyfileobj(file, target, 2**20)
    except UnicodeError as error:
        raise ValueError(f"{path!r} is not {encoding}: {error}.") from error
    return copy
