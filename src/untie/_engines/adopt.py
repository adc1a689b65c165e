"""Lazy tables of other libraries -> a relation."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import narwhals.stable.v2 as nw
from narwhals import dependencies

from untie._engines.duck import adopt_duckdb
from untie._engines.relation import BATCH_ROWS, Relation
from untie._util.extras import need


def as_relation(data: Any) -> Relation | None:
    """Return a lazy table as a relation, or None if the data is not lazy.

    Nothing is imported for data that is not lazy: whoever has an object of a library has the
    library.
    """
    if isinstance(data, Relation):
        return data
    if isinstance(data, nw.LazyFrame):
        data = data.to_native()
    if dependencies.is_duckdb_relation(data):
        return adopt_duckdb(data)
    if dependencies.is_polars_lazyframe(data):
        return _adopt_polars(data)
    if _is_of("pyarrow.dataset", "Dataset", data):
        return _adopt_dataset(data)
    if _is_of("pyarrow", "RecordBatchReader", data):
        return _adopt_reader(data)
    return None


def _is_of(module: str, name: str, data: Any) -> bool:
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(data, getattr(loaded, name))


def _adopt_dataset(dataset: Any) -> Relation:
    def read(columns: Sequence[str]) -> Iterator[Any]:
        # Little is read ahead: each batch may come from a file with large rows.
        yield from dataset.to_batches(
            columns=list(columns), batch_size=BATCH_ROWS, batch_readahead=4, fragment_readahead=2
        )

    return Relation(dataset.schema, read, "the dataset")


def _adopt_reader(reader: Any) -> Relation:
    is_read = False

    def read(columns: Sequence[str]) -> Iterator[Any]:
        nonlocal is_read
        if is_read:
            raise ValueError(
                "The record batch reader was read before, and can be read only once; make a new "
                "one, or pass what it was made from (a dataset, a query, untie.scan of files)."
            )
        is_read = True
        for batch in reader:
            yield batch.select(list(columns))

    return Relation(reader.schema, read, "the record batch reader", is_one_shot=True)


def _adopt_polars(frame: Any) -> Relation:
    pl = need("polars")
    if not hasattr(frame, "collect_batches"):
        raise ImportError(
            f"Polars {pl.__version__} can't give a LazyFrame in pieces; upgrade it (pip install "
            "'polars>=1.38.1'), or call .collect() on the frame if it fits in memory."
        )

    def read(columns: Sequence[str]) -> Iterator[Any]:
        # By selectors, as a name such as "^a$" would be a pattern.
        chosen = frame.select([pl.selectors.by_name(name) for name in columns])
        for piece in chosen.collect_batches(chunk_size=BATCH_ROWS):
            yield from piece.to_arrow().to_batches()

    names = pl.DataFrame(schema=frame.collect_schema()).to_arrow().schema
    return Relation(names, read, "the LazyFrame", backend="polars")
