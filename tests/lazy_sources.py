"""Makers of lazy tables: the same rows, wherever they lie."""

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

import untie


def as_arrow(columns, dtype=None):
    """Return a dict of columns as a pyarrow table."""
    return pa.table({name: pa.array(cells, dtype) for name, cells in columns.items()})


def pieces(table):
    """Cut a table in three; the second piece has no rows."""
    half = table.num_rows // 2
    return [table.slice(0, half), table.slice(0, 0), table.slice(half)]


def parquet_file(table, folder):
    pq.write_table(table, folder / "table.parquet", row_group_size=2)
    return untie.scan(folder / "table.parquet")


def parquet_files(table, folder):
    for number, piece in enumerate(pieces(table)):
        pq.write_table(piece, folder / f"{number}.parquet")
    return untie.scan(str(folder / "*.parquet"))


def query(table, folder):
    pq.write_table(table, folder / "table.parquet")
    return untie.scan(sql=f"SELECT * FROM '{folder}/table.parquet'")


def duckdb_relation(table, folder):
    return duckdb.from_arrow(table)


def polars_lazy_frame(table, folder):
    return pl.from_arrow(table).lazy()


def arrow_dataset(table, folder):
    for number, piece in enumerate(pieces(table)):
        pq.write_table(piece, folder / f"{number}.parquet")
    return ds.dataset(folder)


def batch_reader(table, folder):
    batches = [batch for piece in pieces(table) for batch in piece.to_batches()]
    return pa.RecordBatchReader.from_batches(table.schema, batches)


SOURCES = {
    make.__name__.replace("_", " "): make
    for make in (
        parquet_file,
        parquet_files,
        query,
        duckdb_relation,
        polars_lazy_frame,
        arrow_dataset,
        batch_reader,
    )
}
