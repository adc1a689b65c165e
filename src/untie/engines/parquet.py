"""Parquet files -> a relation; text stays in the dictionaries that the files have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from untie.engines.extra import need
from untie.engines.relation import BATCH_ROWS, Relation
from untie.engines.schema import one_schema


def parquet_relation(paths: Sequence[str], origin: str) -> Relation:
    """Return the rows of Parquet files, one file after another.

    Raises
    ------
    ValueError
        When a file is no Parquet file, or its columns are not those of the first.
    """
    pq = need("pyarrow.parquet")
    schemas, n_rows = [], 0
    for path in paths:
        with _naming(path), pq.ParquetFile(path) as file:
            schemas.append(file.schema_arrow)
            n_rows += file.metadata.num_rows

    def read(columns: Sequence[str]) -> Iterator[Any]:
        for path, schema in zip(paths, schemas, strict=True):
            with _naming(path):
                yield from _read_file(path, schema, columns)

    return Relation(one_schema(schemas, paths), read, origin, n_rows)


def _read_file(path: str, schema: Any, columns: Sequence[str]) -> Iterator[Any]:
    pa, pq = need("pyarrow"), need("pyarrow.parquet")
    is_text = {pa.string(), pa.large_string()}
    texts = [name for name in columns if schema.field(name).type in is_text]
    with pq.ParquetFile(path, read_dictionary=texts, pre_buffer=True) as file:
        for batch in file.iter_batches(BATCH_ROWS, columns=list(columns)):
            yield batch.select(list(columns))  # the file has an order of its own


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Add the file's name to what pyarrow says of a file that it can't read."""
    try:
        yield
    except (need("pyarrow").ArrowInvalid, OSError) as error:
        raise ValueError(
            f"{path!r} can't be read as Parquet: {error} Write the file anew, or leave it out."
        ) from error
