"""Parquet files with rows that depend on each other, and what fits, scans and writes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import untie

FILE_ROWS = 10**6
"""Rows of one file."""


def write_table(folder: Path, n_rows: int, sizes: Sequence[int]) -> None:
    """Write rows whose columns depend on each other through a hidden class."""
    for number, start in enumerate(range(0, n_rows, FILE_ROWS)):
        rng = np.random.default_rng(number)
        rows = min(FILE_ROWS, n_rows - start)
        classes = rng.integers(0, 4, rows, dtype=np.int32)
        columns = {}
        for column, size in enumerate(sizes):
            noise = rng.integers(0, size, rows, dtype=np.int32)
            codes = np.where(rng.random(rows, dtype=np.float32) < 0.5, classes % size, noise)
            values = pa.array([f"value {value}" for value in range(size)])
            columns[f"c{column}"] = pa.DictionaryArray.from_arrays(pa.array(codes), values)
        path = folder / f"{number:05}.parquet"
        # Without Arrow's own schema the columns are text, as in files that others write.
        pq.write_table(pa.table(columns), path, store_schema=False)


def column_names(folder: Path) -> list[str]:
    """Return the names of the columns."""
    return list(pq.read_schema(folder / "00000.parquet").names)


def count_distinct(folder: Path) -> None:
    """Let DuckDB count the distinct values of every column."""
    counts = ", ".join(f"count(DISTINCT {name})" for name in column_names(folder))
    duckdb.sql(f"SELECT {counts} FROM '{folder}/0*.parquet'").fetchall()


def fit(folder: Path, solver: str = "relevance") -> None:
    """Learn from the files and leave the model beside them."""
    default = untie.TableEncoder(4, preparer=None)
    encoder = default if solver == "auto" else untie.UNTIE(4, solver=solver)
    encoder.fit(untie.scan(folder / "0*.parquet"))
    encoder.save(folder / "model.untie")


def sink(folder: Path, n_files: int, out: str = "out.parquet") -> None:
    """Write the vectors of the first files to a file, or to a folder if the name has no ending."""
    encoder = untie.load_model(folder / "model.untie")
    untie.sink(encoder, sorted(folder.glob("0*.parquet"))[:n_files], folder / out)


def write_numbers(folder: Path, n_files: int) -> None:
    """Write as many rows of vectors as `sink`, one looked-up batch again and again."""
    paths = sorted(folder.glob("0*.parquet"))[:n_files]
    n_rows = sum(pq.read_metadata(path).num_rows for path in paths)
    encoder = untie.load_model(folder / "model.untie")
    with encoder.transform(untie.scan(paths[0])) as reader:
        batch = reader.read_next_batch()
    with pq.ParquetWriter(folder / "numbers.parquet", batch.schema) as writer:
        for start in range(0, n_rows, batch.num_rows):
            writer.write_batch(batch.slice(0, n_rows - start))


def bytes_per_row(folder: Path) -> float:
    """Return the size of the files."""
    paths = list(folder.glob("0*.parquet"))
    n_rows = sum(pq.read_metadata(path).num_rows for path in paths)
    return sum(path.stat().st_size for path in paths) / n_rows
