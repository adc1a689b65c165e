"""Record batches -> a file, or a folder of files."""

import os
import re
from collections.abc import Callable
from contextlib import ExitStack
from itertools import chain
from typing import Any

from untie._engines.arrow import ArrowSource, CodedPiece, MappedRows
from untie._util.files import whole_file, whole_folder
from untie._util.messages import need
from untie._util.threads import map_ahead

DELIMITERS = {".csv": ",", ".tsv": "\t"}
"""The delimiter of a text file, by its ending."""

FEATHER = (".feather", ".arrow")

MARK = "'"
"""What stands before a cell that would be a formula; spreadsheets then take it for text."""

STARTS = "=+-@\t\r"
"""What a formula may begin with."""


def write_source(source: ArrowSource, path: str | os.PathLike[str], is_safe: bool = False) -> None:
    """Write the rows of a lazy table to a file, piece by piece; formats are those of `sink`."""
    write = writer_of(path, is_safe)
    check_types(source.schema, path)
    pa = need("pyarrow")
    # Files may store a column by its distinct values, one batch so and the next not.
    pieces = (piece.cast(source.schema) for piece in source.pieces())
    batches = chain.from_iterable(piece.to_batches() for piece in pieces)
    write(pa.RecordBatchReader.from_batches(source.schema, batches))


def writer_of(path: str | os.PathLike[str], is_safe: bool = False) -> Callable[[Any], None]:
    """Return what writes a reader's record batches to a file, whole or not at all.

    Parameters
    ----------
    path : path
        The file.
    is_safe : bool
        Whether texts in CSV that a spreadsheet would run as formulas are marked as texts.

    Raises
    ------
    ValueError
        When the file's name has none of the known endings.
    """
    write = _writer(os.fspath(path), is_safe)

    def write_whole(reader: Any) -> None:
        with whole_file(path) as temporary, reader:
            write(reader, str(temporary))

    return write_whole


PART = "part-{:04}.parquet"
"""The name of a file in a folder, by its number."""

IS_PART = re.compile(r"part-\d{4,}\.parquet")


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path to write to is that of a folder: it has no ending.

    Examples
    --------
    >>> is_folder("vectors"), is_folder("out.d/vectors/"), is_folder("vectors.parquet")
    (True, True, False)
    """
    text = os.fspath(path)
    last = text.rstrip(os.sep + (os.altsep or ""))
    return last != text or not os.path.splitext(last)[1]


def write_parts(rows: MappedRows, path: str | os.PathLike[str]) -> None:
    """Write rows to a folder of Parquet files, whole or not at all; several files at once.

    The rows keep their order, from file to file by their numbers.
    """
    opened = need("pyarrow.parquet").ParquetWriter
    with whole_folder(path, lambda name: IS_PART.fullmatch(name) is not None) as folder:

        def write(numbered: tuple[int, list[CodedPiece]]) -> None:
            number, pieces = numbered
            with opened(str(folder / PART.format(number)), rows.schema) as writer:
                for piece in pieces:
                    writer.write_batch(rows.compute(piece))

        n_files = sum(1 for _ in map_ahead(write, enumerate(rows.parts())))
        if not n_files:
            write((0, []))


def _writer(path: str, is_safe: bool = False) -> Callable[[Any, str], None]:
    suffix, is_compressed = _ending(path)
    if suffix in DELIMITERS:
        delimiter = DELIMITERS[suffix]
        return lambda reader, path: _write_text(reader, path, delimiter, is_compressed, is_safe)
    if suffix in (".parquet", ".pq") and not is_compressed:
        return lambda reader, path: _write(need("pyarrow.parquet").ParquetWriter, reader, path)
    if suffix in FEATHER and not is_compressed:
        return lambda reader, path: _write(need("pyarrow").ipc.new_file, reader, path)
    raise ValueError(
        f"{path!r} has none of the endings .parquet, .pq, .feather, .arrow, .csv, .tsv, .csv.gz, "
        ".tsv.gz, by which the format is chosen; rename the file to write."
    )


def check_types(schema: Any, path: str | os.PathLike[str]) -> None:
    """Find out, before the rows are made, that a file has no room for a column's type.

    Raises
    ------
    ValueError
        It names the column and its type, or the ending by which no format is known.
    """
    pa = need("pyarrow")
    _writer(os.fspath(path))
    suffix, _ = _ending(os.fspath(path))
    if suffix in FEATHER:  # it has room for all
        return
    is_text = suffix in DELIMITERS
    try_out = need("pyarrow.csv").write_csv if is_text else need("pyarrow.parquet").write_table
    for field in schema:
        try:
            try_out(pa.schema([field]).empty_table(), pa.BufferOutputStream())
        except pa.ArrowException as error:
            remedy = "Write Parquet" if is_text else "Write CSV"
            raise ValueError(
                f"Column {field.name!r} holds cells of the type {field.type}, which "
                f"{os.fspath(path)!r} has no room for. {remedy}, or leave the column out."
            ) from error


def _ending(path: str) -> tuple[str, bool]:
    """Return the ending that says the format, and whether the file is compressed."""
    stem, suffix = os.path.splitext(path.lower())
    return (os.path.splitext(stem)[1], True) if suffix == ".gz" else (suffix, False)


def _write(open_writer: Callable[..., Any], reader: Any, path: str) -> None:
    with open_writer(path, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _write_text(reader: Any, path: str, delimiter: str, is_compressed: bool, is_safe: bool) -> None:
    pa, csv = need("pyarrow"), need("pyarrow.csv")
    options = csv.WriteOptions(delimiter=delimiter)
    with ExitStack() as stack:
        stream = stack.enter_context(pa.OSFile(path, "wb"))
        if is_compressed:
            stream = stack.enter_context(pa.CompressedOutputStream(stream, "gzip"))
        schema = reader.schema
        if is_safe:
            schema = pa.schema([field.with_name(defused(field.name)) for field in schema])
        writer = stack.enter_context(csv.CSVWriter(stream, schema, write_options=options))
        for batch in reader:
            writer.write_batch(_safe_batch(batch, schema) if is_safe else batch)


def _safe_batch(batch: Any, schema: Any) -> Any:
    """Return rows whose texts no spreadsheet runs."""
    pa = need("pyarrow")
    columns = [
        pa.array([cell if cell is None else defused(cell) for cell in column.to_pylist()], type_)
        if pa.types.is_string(type_) or pa.types.is_large_string(type_)
        else column
        for column, type_ in zip(batch.columns, schema.types, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def defused(text: str) -> str:
    """Return a cell that no spreadsheet runs; a number stays as it is.

    Examples
    --------
    >>> defused("=1+1"), defused("-5"), defused("-5 degrees"), defused("plain")
    ("'=1+1", '-5', "'-5 degrees", 'plain')
    """
    if not text or text[0] not in STARTS:
        return text
    try:
        float(text)
    except ValueError:
        return MARK + text
    return text
