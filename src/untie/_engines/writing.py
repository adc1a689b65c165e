"""Record batches -> a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

from untie._engines.arrow import ArrowSource
from untie._util.extras import need
from untie._util.progress import watch
from untie._util.whole_files import whole_file


def write_source(source: ArrowSource, path: str | os.PathLike[str]) -> None:
    """Write the rows of a lazy table to a file, piece by piece; formats are those of `sink`."""
    write = writer_of(path)
    pa = need("pyarrow")
    schema = source.schema

    def batches() -> Iterator[Any]:
        for batch in watch(source.batches(), source.n_rows, "writing"):
            # Files may store a column by its distinct values, one batch so and the next not.
            pairs = zip(batch.columns, schema, strict=True)
            cells = [column.cast(field.type) for column, field in pairs]
            yield pa.RecordBatch.from_arrays(cells, schema=schema)

    write(pa.RecordBatchReader.from_batches(schema, batches()))


def writer_of(path: str | os.PathLike[str]) -> Callable[[Any], None]:
    """Return what writes a reader's record batches to a file, whole or not at all.

    Raises
    ------
    ValueError
        When the file's name has none of the known endings.
    """
    write = _writer(os.fspath(path))

    def write_whole(reader: Any) -> None:
        with whole_file(path) as temporary, reader:
            write(reader, str(temporary))

    return write_whole


def _writer(path: str) -> Callable[[Any, str], None]:
    stem, suffix = os.path.splitext(path.lower())
    is_compressed = suffix == ".gz"
    if is_compressed:
        suffix = os.path.splitext(stem)[1]
    if suffix in (".csv", ".tsv"):
        delimiter = "," if suffix == ".csv" else "\t"
        return lambda reader, path: _write_text(reader, path, delimiter, is_compressed)
    if suffix in (".parquet", ".pq") and not is_compressed:
        return _write_parquet
    if suffix in (".feather", ".arrow") and not is_compressed:
        return _write_feather
    raise ValueError(
        f"{path!r} has none of the endings .parquet, .pq, .feather, .arrow, .csv, .tsv, .csv.gz, "
        ".tsv.gz, by which the format is chosen; rename the file to write."
    )


def _write_parquet(reader: Any, path: str) -> None:
    with need("pyarrow.parquet").ParquetWriter(path, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _write_feather(reader: Any, path: str) -> None:
    with need("pyarrow").ipc.new_file(path, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _write_text(reader: Any, path: str, delimiter: str, is_compressed: bool) -> None:
    pa, csv = need("pyarrow"), need("pyarrow.csv")
    options = csv.WriteOptions(delimiter=delimiter)
    with ExitStack() as stack:
        stream = stack.enter_context(pa.OSFile(path, "wb"))
        if is_compressed:
            stream = stack.enter_context(pa.CompressedOutputStream(stream, "gzip"))
        writer = stack.enter_context(csv.CSVWriter(stream, reader.schema, write_options=options))
        for batch in reader:
            writer.write_batch(batch)
