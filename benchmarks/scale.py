"""Fit and transform of Parquet files against what DuckDB and pyarrow need for the same columns.

For every number of rows: the time of `UNTIE.fit` over `untie.scan`, as a ratio to DuckDB's own
`SELECT count(DISTINCT c)` of the same columns; the time of `untie.sink`, as a ratio to pyarrow's
writing as many numbers; and the most memory that either of ours takes. Competitors take
turns, the best round counts.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import untie
from _timing import best_times, parse_quick, peak_memory, print_table, print_verdict

SIZES = (2, 3, 5, 8, 10, 12, 20, 50, 100, 10)
"""Number of values of each column."""

FILE_ROWS = 10**6
"""Rows of one file."""

MOST_MEMORY = 2.0
"""GiB that a fit may take."""


def main() -> None:
    quick = parse_quick(__doc__)
    header = ["rows", "fit (s)", "fit / DuckDB", "fit (GiB)"]
    header += ["sink (s)", "sink / pyarrow", "sink (GiB)"]
    for n_rows in (10**6,) if quick else (10**6, 10**7):
        with tempfile.TemporaryDirectory() as folder:
            write_table(Path(folder), n_rows)
            figures = measure(Path(folder))
        print_table(header, [[f"{n_rows:,}", *figures]])
        print_verdict(f"{n_rows:,} rows: fit / DuckDB", figures[1], 2.0)
        print_verdict(f"{n_rows:,} rows: GiB of fit", figures[2], MOST_MEMORY)
        print_verdict(f"{n_rows:,} rows: sink / pyarrow", figures[4], 2.0)


def write_table(folder: Path, n_rows: int) -> None:
    """Write rows whose columns depend on each other through a hidden class."""
    for number in range(n_rows // FILE_ROWS):
        rng = np.random.default_rng(number)
        classes = rng.integers(0, 4, FILE_ROWS)
        columns = {}
        for column, size in enumerate(SIZES):
            noise = rng.integers(0, size, FILE_ROWS)
            codes = np.where(rng.random(FILE_ROWS) < 0.5, classes % size, noise)
            values = pa.array([f"value {value}" for value in range(size)])
            cells = pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), values)
            columns[f"c{column}"] = cells.cast(pa.string())
        pq.write_table(pa.table(columns), folder / f"{number:05}.parquet")


def measure(folder: Path) -> list[float]:
    """Return the seconds, ratio and GiB of fit, then those of sink."""
    fit(folder)
    times = best_times(
        {
            "distinct": partial(count_distinct, folder),
            "fit": partial(fit, folder),
            "write": partial(write_numbers, folder),
            "sink": partial(sink, folder),
        }
    )
    fit_bytes, _ = peak_memory(Path, fit, folder)
    sink_bytes, _ = peak_memory(Path, sink, folder)
    return [
        times["fit"],
        times["fit"] / times["distinct"],
        fit_bytes / 2**30,
        times["sink"],
        times["sink"] / times["write"],
        sink_bytes / 2**30,
    ]


def count_distinct(folder: Path) -> None:
    counts = ", ".join(f"count(DISTINCT c{column})" for column in range(len(SIZES)))
    duckdb.sql(f"SELECT {counts} FROM '{folder}/0*.parquet'").fetchall()


def fit(folder: Path) -> None:
    encoder = untie.UNTIE(4, solver="relevance").fit(untie.scan(folder / "0*.parquet"))
    encoder.save(folder / "model.untie")


def sink(folder: Path) -> None:
    encoder = untie.load_model(folder / "model.untie")
    untie.sink(encoder, folder / "0*.parquet", folder / "out.parquet")


def write_numbers(folder: Path) -> None:
    """Write as many rows of vectors as `sink`, one looked-up batch again and again."""
    n_rows = sum(pq.read_metadata(path).num_rows for path in folder.glob("0*.parquet"))
    encoder = untie.load_model(folder / "model.untie")
    with encoder.transform(untie.scan(folder / "00000.parquet")) as reader:
        batch = reader.read_next_batch()
    with pq.ParquetWriter(folder / "numbers.parquet", batch.schema) as writer:
        for start in range(0, n_rows, batch.num_rows):
            writer.write_batch(batch.slice(0, n_rows - start))


if __name__ == "__main__":
    main()
