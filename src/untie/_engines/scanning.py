"""Paths and queries -> a lazy table; what a text file is, and what is wrong with it."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, TextIO

from untie._engines import files, packed
from untie._engines.arrow import ArrowSource
from untie._engines.duck import query_source, text_source
from untie._engines.layout import (
    AUTO,
    HEADERS,
    NONE,
    NOTHING,
    UTF8,
    Doubt,
    Layout,
    Told,
    first_names,
    is_utf8,
    sniff,
)
from untie._engines.parquet import parquet_source
from untie._engines.source import without_dictionaries
from untie._util.checks import check_one_of
from untie._util.messages import Parameter, counted, message, need, warn_user
from untie._util.scratch import Scratch, limit_of

SHEET = Told(",", UTF8, skip_rows=0)
"""The layout of a sheet of Excel: it was written here, and its names have been found."""

MOST_OF_LINE = 2**26
"""A line with more bytes is not looked at further: a file may be one line that fills the memory."""


@dataclass(frozen=True)
class Plain:
    """A text file as DuckDB reads it.

    Parameters
    ----------
    path : str
        The file, or a copy in UTF-8 whose first line has the names.
    shown : str
        What messages call the file.
    layout : Layout
        What the file is.
    shift : int
        How many lines more the file has than its copy.
    """

    path: str
    shown: str
    layout: Layout
    shift: int = 0


def explain(file: Plain) -> str | None:
    """Return what is wrong with a text file that can't be read, or None if nothing is found."""
    shown, layout = file.shown, file.layout
    with packed.open_plain(file.path) as content:
        lines = iter(lambda: content.readline(MOST_OF_LINE), b"")
        for number, line in enumerate(lines, start=1 + file.shift):
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
    with packed.open_plain(file.path) as content:
        text = io.TextIOWrapper(content, encoding=UTF8, newline="")
        return _wrong_row(text, shown, layout, file.shift)


def _wrong_row(text: io.TextIOWrapper, shown: str, layout: Layout, shift: int) -> str | None:
    """Return what is wrong with the first row of CSV that is not as the others are."""
    reader = csv.reader(text, delimiter=layout.delimiter, strict=True)
    start, n_names, above = 1 + shift, None, 0
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            return _wrong_quotes(str(error), f"{shown}, line {start}")
        if row is None:
            return _about_ends(text, shown)
        if row and n_names is None:
            n_names, above = len(row), start
        elif row and len(row) != n_names:
            named = counted(n_names or 0, "name" if layout.has_names else "cell")
            said = (
                "{0}, line {1}, has {2}, but {3} has {4}. Correct the line (quote cells that "
                "hold {5}), or say what separates cells: {delimiter}."
            )
            number = reader.line_num + shift
            if len(row) > (n_names or 0) and layout.has_names and _goes_on(reader, row):
                said += " If the lines above it are a title, leave them out: {6}."
            return message(
                said,
                *(shown, number, counted(len(row), "cell"), _line(above), named),
                *(repr(layout.delimiter), Parameter("skip_rows", start - 1)),
            )
        start = reader.line_num + 1 + shift


def _goes_on(reader: Iterator[list[str]], row: Sequence[str]) -> bool:
    """Return whether the next row has as many cells."""
    try:
        return len(next(reader, [])) == len(row)
    except csv.Error:
        return False


def _line(number: int) -> str:
    return "the first line" if number == 1 else f"line {number}"


def _about_ends(text: io.TextIOWrapper, shown: str) -> str | None:
    """Return that some lines end in CR LF and others in LF, where they do."""
    ends = text.newlines if isinstance(text.newlines, tuple) else ()
    if not {"\n", "\r\n"} <= set(ends):
        return None
    return f"{shown}: some lines end in CR LF and others in LF. Make them alike: dos2unix FILE."


def _wrong_quotes(reason: str, where: str) -> str:
    if "unexpected end of data" in reason:
        return f'{where}: a quote (") that is opened there is never closed; close it, or remove it.'
    if "field larger" in reason:
        return (
            f"{where}: a cell has more than {csv.field_size_limit():,} characters, perhaps because "
            'a quote (") is not closed; correct it.'
        )
    return f"{where}: {reason}; correct the line."


def scan(
    source: files.Named | Sequence[files.Named] | None = None,
    *,
    sql: str | None = None,
    columns: Sequence[str] | None = None,
    types: str = "infer",
    missing: Sequence[str] = (),
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    skip_rows: int | None = None,
    header: str = AUTO,
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
    encoding : str, optional
        Text encoding of CSV and JSON, such as "latin-1". If not given, it is UTF-8, or by the first
        bytes UTF-16 or cp1252 (the Windows form of latin-1).
    sheet : str, optional
        The name or number of a workbook's sheet; the first if not given.
    skip_rows : int, optional
        The number of lines of CSV, or rows of a sheet, above the names of the columns. If not
        given, a title above the names is found, and so are names in two rows; 0 takes the first
        line for the names, whatever is below.
    header : {"auto", "none"}, default="auto"
        Whether CSV and sheets have names of columns; with "none", the first line is a row, and the
        columns are called column0, column1 and so on.
    connection : duckdb connection, optional
        Where to run `sql`; by default a new database in memory. While rows are read, it can't be
        asked anything else.

    Returns
    -------
    ArrowSource
        A lazy table with `columns`, `schema`, `select`, `batches` and `collect`. Its `remarks` say
        what was guessed: the delimiter, the sheet, and whatever is warned of.

    Raises
    ------
    FileNotFoundError
        When no file has that name or matches the pattern.
    ValueError
        When files are of several kinds or have different columns, or can't be read; the message
        names the file and the line.

    Warns
    -----
    UserWarning
        When the table is not read as it is written: a title above the names is left out, a name
        that occurs twice is changed, the encoding is not UTF-8, objects of JSON become columns; and
        when the first line looks like a row.

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
    told = Told(delimiter, encoding, skip_rows, header)
    table = open_source(source, told, sql, columns, types, missing, sheet, connection)
    for doubt in table.doubts:
        warn_user(doubt)
    return table


def open_source(
    source: files.Named | Sequence[files.Named] | None = None,
    told: Told = NOTHING,
    sql: str | None = None,
    columns: Sequence[str] | None = None,
    types: str = "infer",
    missing: Sequence[str] = (),
    sheet: str | None = None,
    connection: Any = None,
) -> ArrowSource:
    """Return what `scan` does, without warnings; `told` is what the user says of the layout."""
    if (source is None) == (sql is None):
        raise TypeError("scan takes either files or sql=, one of the two.")
    if isinstance(missing, str) or not isinstance(missing, Iterable):
        example = ["?", "NA"] if missing is None else [missing]
        said = f"missing must be a list of texts, such as {example!r}, got {missing!r}"
        raise TypeError(f"{said}; leave it out if no text is." if missing is None else f"{said}.")
    _check_told(told)
    if sql is not None:
        if sheet is not None:
            raise ValueError(message("{sheet} is for Excel files, not for queries."))
        _refuse_told("A query", told)
        table = _without(query_source(sql, connection), missing)
    else:
        assert source is not None
        table = _scan_files(files.gather(source, sheet, told), types, missing, told)
    return table if columns is None else table.select(columns)


def _refuse_told(what: str, told: Told, kinds: str = "text files") -> None:
    """Refuse what is said of text files and has no effect on something else."""
    given = {
        "delimiter": told.delimiter,
        "encoding": None if told.encoding is None or is_utf8(told.encoding) else told.encoding,
        "skip_rows": told.skip_rows,
        "header": None if told.header == AUTO else told.header,
    }
    for name, value in given.items():
        if value is not None:
            said = "{0} has no use for {given}, which is for {1}; leave it out."
            raise ValueError(message(said, what, kinds, given=Parameter(name, value)))


def _check_told(told: Told) -> None:
    delimiter, encoding, skip_rows = told.delimiter, told.encoding, told.skip_rows
    if delimiter is not None and not (isinstance(delimiter, str) and len(delimiter) == 1):
        said = "{delimiter} takes one character, got {0}; for a tab: {1}."
        raise ValueError(message(said, repr(delimiter), Parameter("delimiter", "\t")))
    if skip_rows is not None and (
        isinstance(skip_rows, bool) or not isinstance(skip_rows, Integral) or skip_rows < 0
    ):
        raise ValueError(message("{skip_rows} takes a number of lines, got {0!r}.", skip_rows))
    check_one_of("header", told.header, HEADERS)
    try:
        "".encode(UTF8 if encoding is None else encoding)  # no encoding of bytes, such as hex
    except (LookupError, TypeError):
        raise ValueError(
            f"There is no encoding {encoding!r}; often it is utf-8, latin-1, cp1252 or utf-16."
        ) from None


def _scan_files(
    gathered: files.Gathered, types: str, missing: Sequence[str], told: Told
) -> ArrowSource:
    """Return the rows of files that are plain files by now."""
    tables, origin = gathered.files, gathered.origin
    if all(file.is_sheet for file in tables):
        _refuse_told("An Excel workbook", replace(told, skip_rows=None, header=AUTO))
    layouts = [sniff(file.path, file.shown, SHEET if file.is_sheet else told) for file in tables]
    first = layouts[0]
    for file, layout in zip(tables, layouts, strict=True):
        if (layout.name, layout.delimiter) != (first.name, first.delimiter):
            raise ValueError(
                f"The files are of different kinds: {tables[0].shown} and {file.shown}. Name one "
                "kind, such as 'data/*.parquet'."
            )
    if first.name == "json":
        what = f"JSON such as {tables[0].shown}"
        _refuse_told(what, replace(told, encoding=None), "CSV and Excel files")
    if first.name == "parquet":
        _refuse_told(f"Parquet such as {tables[0].shown}", told)
        table = _without(parquet_source(gathered.paths, origin, gathered.keys), missing)
    else:
        table = _scan_text(gathered, layouts, types, missing)
    remarks = [file.remark for file in tables if file.remark]
    if first.name == "csv" and told.delimiter is None and first.delimiter not in (",", "\t"):
        said = "{0}: read with {1} between cells; {delimiter} names another"
        remarks.append(message(said, tables[0].shown, repr(first.delimiter)))
    doubts = _doubts(tables, layouts)
    if first.is_nameless:
        doubts.append(_about_names(tables[0], first))
    doubts += table.doubts
    return replace(
        table,
        remarks=(*remarks, *doubts),
        doubts=tuple(doubts),
        scratch=gathered.scratch,
    )


def _doubts(tables: Sequence[files.TableFile], layouts: Sequence[Layout]) -> list[str]:
    """Return what was guessed of files, once for all of which it is the same."""
    files_of: dict[Doubt, list[str]] = {}
    for file, layout in zip(tables, layouts, strict=True):
        for doubt in (*file.doubts, *layout.doubts):
            files_of.setdefault(doubt, []).append(file.shown)
    return [
        doubt.of(shown[0] + (f" and {len(shown) - 1:,} more" if len(shown) > 1 else ""))
        for doubt, shown in files_of.items()
    ]


def _scan_text(
    gathered: files.Gathered, layouts: Sequence[Layout], types: str, missing: Sequence[str]
) -> ArrowSource:
    """Return the rows of CSV or JSON; if DuckDB can't read them, say what is wrong with a line."""
    origin, keys, first = gathered.origin, gathered.keys, layouts[0]
    # Copies and sheets have names, so that either all files without names are copied or none.
    have_names = all(layout.has_names for layout in layouts)
    are_copied = not have_names and any(one.needs_copy or one.has_names for one in layouts)
    plain = [
        _as_duckdb_reads(file, layout, are_copied or layout.needs_copy, gathered.scratch)
        for file, layout in zip(gathered.files, layouts, strict=True)
    ]
    paths = [file.path for file in plain]
    names = {
        file.path: file.layout.header
        for file in plain
        if file.layout.is_renamed and not (are_copied or file.layout.needs_copy)
    }
    called = [file.name for file in gathered.files]
    explaining = partial(_explaining, plain)
    with explaining():
        if first.name == "json":
            table = text_source(paths, "json", types, origin, keys=keys, called=called)
            table = _without(table, missing)
        else:
            table = text_source(
                paths,
                "csv",
                types,
                origin,
                first.delimiter,
                missing,
                keys,
                names,
                has_names=have_names or are_copied,
                called=called,
            )

    def read(columns: Sequence[str]) -> Iterator[Any]:
        with explaining():
            yield from table.read(columns)

    return replace(table, read=read)


@contextmanager
def _explaining(plain: Sequence[Plain]) -> Iterator[None]:
    """Turn DuckDB's messages into what is wrong with the file, where that can be found out."""
    try:
        yield
    except ValueError as error:
        if type(error.__cause__).__name__ == "InterruptException":  # by which it reports Ctrl-C
            raise
        for reason in filter(None, map(explain, plain)):
            raise ValueError(reason) from error
        raise


def _about_names(file: files.TableFile, layout: Layout) -> str:
    """Return a remark that the first line looks like a row, and how to read it as one."""
    said = "{0}: the {1} ({2}) was taken for names of columns, but looks like a row; {3} reads it "
    none = Parameter("header", NONE)
    line = _line(layout.n_head)
    return message(
        said + "as one", file.shown, line.removeprefix("the "), first_names(layout.header), none
    )


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


def _as_duckdb_reads(
    file: files.TableFile, layout: Layout, is_copied: bool, scratch: Scratch
) -> Plain:
    """Return a file that DuckDB can read: itself, or a copy."""
    if is_copied:
        return _copied(file, layout, scratch)
    packing = packed.packing_of(file.path)
    # It knows by the name alone that a file is compressed.
    if packing is None or file.path.lower().endswith(packed.ENDINGS[packing]):
        return Plain(file.path, file.shown, layout)
    return Plain(packed.unpacked(file.path, scratch), file.shown, layout)


def _copied(file: files.TableFile, layout: Layout, scratch: Scratch) -> Plain:
    """Return a copy in UTF-8 with the names in its first line, and all line ends alike."""
    copy, shift = scratch.path("copy"), 0
    left, refusal = limit_of(scratch.folder, file.shown)
    newline = None if layout.has_mixed_ends else ""
    try:
        with (
            packed.open_plain(file.path) as content,
            io.TextIOWrapper(content, encoding=layout.encoding, newline=newline) as text,
            open(copy, "w", encoding=UTF8, newline="") as target,
        ):
            if layout.is_renamed:
                shift = _write_names(text, target, layout)
            while piece := text.read(2**20):
                left -= target.write(piece)
                if left < 0:
                    raise ValueError(refusal)
    except UnicodeError as error:
        raise ValueError(_about_encoding(file, layout, error)) from error
    return Plain(copy, file.shown, layout, shift)


def _write_names(text: io.TextIOWrapper, target: TextIO, layout: Layout) -> int:
    """Write names in the place of the first lines, and return how many lines fewer there are."""
    head = [text.readline() for _ in range(layout.n_head)]
    end = next((end for end in ("\r\n", "\r") if head and head[-1].endswith(end)), "\n")
    writer = csv.writer(target, delimiter=layout.delimiter, lineterminator=end)
    writer.writerow(layout.header)
    return layout.n_head - 1 - sum(name.count("\n") for name in layout.header)


def _about_encoding(file: files.TableFile, layout: Layout, error: UnicodeError) -> str:
    """Return what is said of a text that is not in its encoding."""
    if is_utf8(layout.encoding) and (reason := explain(Plain(file.path, file.shown, layout))):
        return reason
    said = "{0} is not {1} ({2}); {encoding} names another encoding."
    return message(said, file.shown, layout.encoding, error)
