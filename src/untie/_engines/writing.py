"""Vectors of rows that are read piece by piece -> a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
from sklearn.utils.validation import check_is_fitted

from untie._engines.adopt import as_relation
from untie._engines.dask import as_dask
from untie._engines.relation import Relation
from untie._engines.scanning import scan
from untie._engines.spark import as_spark
from untie._engines.transform import stream_vectors
from untie._util.extras import need
from untie._util.progress import watch
from untie._util.whole_files import whole_file

if TYPE_CHECKING:
    from untie.encoder import UNTIE


def sink(
    encoder: UNTIE, source: Any, path: str | os.PathLike[str], keep: str | Sequence[str] = ()
) -> None:
    """Transform rows piece by piece and write their vectors to a file.

    The file appears as a whole at the end; when something goes wrong or the user stops it, an
    older file of that name stands. Needs the extra ``untie[files]``.

    Parameters
    ----------
    encoder : UNTIE
        Fitted.
    source : path, pattern, lazy table or frame
        The rows: files as in :func:`untie.scan`, or anything that `UNTIE.transform` takes and
        that has names of columns. Columns that were not seen in `fit` are left alone.
    path : path
        Parquet (.parquet, .pq), Feather (.feather, .arrow), CSV (.csv) or TSV (.tsv), the last two
        compressed if .gz follows.
    keep : sequence of str or "*", default=()
        Columns of the source to write as well, such as a key.

    Examples
    --------
    >>> import os, tempfile
    >>> import untie
    >>> wines = untie.scan(
    ...     sql="SELECT * FROM (VALUES (1, 'red', 'dry'), (2, 'white', 'dry'), (3, 'red', 'sweet'))"
    ...     " AS wines(id, colour, taste)"
    ... )
    >>> encoder = untie.UNTIE(2).fit(wines.select(["colour", "taste"]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "vectors.parquet")
    ...     untie.sink(encoder, wines, path, keep=["id"])
    ...     untie.scan(path).columns
    ['id', 'colour=red', 'colour=white', 'taste=dry', 'taste=sweet']
    """
    check_is_fitted(encoder)
    write = _writer(os.fspath(path))
    relation = _open(source)
    columns = relation.columns if keep == "*" else _names(keep)
    reader = stream_vectors(encoder, relation, columns)
    with whole_file(path) as temporary, reader:
        write(reader, str(temporary))


def write_relation(relation: Relation, path: str | os.PathLike[str]) -> None:
    """Write the rows of a lazy table to a file, piece by piece; formats are those of `sink`."""
    write = _writer(os.fspath(path))
    pa = need("pyarrow")
    schema = relation.schema

    def batches() -> Iterator[Any]:
        for batch in watch(relation.batches(), relation.n_rows, "writing"):
            # Files may store a column by its distinct values, one batch so and the next not.
            pairs = zip(batch.columns, schema, strict=True)
            cells = [column.cast(field.type) for column, field in pairs]
            yield pa.RecordBatch.from_arrays(cells, schema=schema)

    reader = pa.RecordBatchReader.from_batches(schema, batches())
    with whole_file(path) as temporary, reader:
        write(reader, str(temporary))


def _open(source: Any) -> Relation:
    if isinstance(source, str | os.PathLike | list | tuple):
        return scan(source)
    if as_dask(source) is not None:
        raise TypeError(
            "A Dask frame is written by its workers: encoder.transform(frame).to_parquet(path)."
        )
    if as_spark(source) is not None:
        raise TypeError(
            "A Spark frame is written by its executors: "
            "encoder.transform(frame).write.parquet(path)."
        )
    relation = as_relation(source)
    if relation is not None:
        return relation
    frame = nw.from_native(source, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(
            f"sink needs rows with names of columns, got {type(source).__name__}: pass a path, a "
            "lazy table or a frame."
        )
    need("pyarrow")
    table = frame.to_arrow()
    return Relation(
        table.schema,
        lambda columns: table.select(list(columns)).to_batches(),
        f"the {frame.implementation.value} frame",
        table.num_rows,
    )


def _names(keep: str | Sequence[str]) -> list[str]:
    if isinstance(keep, str):
        raise TypeError(f"keep must be a list of names or '*', got {keep!r}: pass [{keep!r}].")
    return list(keep)


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
