"""Fit and transform of Parquet files against what DuckDB and pyarrow need for the same columns.

For every number of rows: the time of `TableEncoder.fit` over `untie.scan`, as a ratio to DuckDB's
own `SELECT count(DISTINCT c)` of the same columns; the time of `untie.sink`, as a ratio to
pyarrow's writing as many numbers; and the most memory that either of ours takes. "fit" learns with
solver="exact" there, with "relevance" elsewhere. Then growth with columns
and values, one core against two, one worker of Dask against two, and an estimate for a cluster from
these figures. Competitors take turns, the best round counts.

``--rows 1e8`` measures that number of rows instead of 10^6 and 10^7; it writes 0.5 GB of files and
takes about ten minutes.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from _cores import compare_cores
from _estimate import print_estimate
from _parquet_tables import (
    FILE_ROWS,
    bytes_per_row,
    count_distinct,
    fit,
    sink,
    write_numbers,
    write_table,
)
from _timing import best_times, peak_memory, print_table, print_verdict, slope
from _workers import compare_workers

SIZES = (2, 3, 5, 8, 10, 12, 20, 50, 100, 10)
"""Number of values of each column."""

SMALL_SIZES = (2, 3, 5, 8, 10, 12, 20, 5, 10)
"""Number of values of the nine columns beside one of many values."""

COLUMNS = (10, 30, 100)
VALUES = (10, 100, 1_000, 10_000, 100_000)

SINK_FILES = 1
"""At most this many files are transformed: every row takes the same time."""

MOST_MEMORY = 2.0
"""A fit may take at most this many GiB."""


def main() -> None:
    options = parse()
    counts = options.rows or ([10**6] if options.quick else [10**6, 10**7])
    for n_rows in counts:
        with files(n_rows, SIZES) as folder:
            compare_rows(folder, n_rows)
            if n_rows == counts[-1]:
                seconds = compare_cores(folder)["fit of files"]
                print_estimate(folder, n_rows, seconds, bytes_per_row(folder))
                compare_workers(folder, n_rows)
    n_rows = 10**5 if options.quick else 10**6
    growth("columns", COLUMNS, n_rows, lambda n_columns: (10,) * n_columns)
    growth("values of one column", VALUES, n_rows, lambda size: (*SMALL_SIZES, size))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller tables, fewer of them")
    as_number = {"type": lambda text: int(float(text)), "nargs": "+"}
    parser.add_argument("--rows", help="numbers of rows, such as 1e8", **as_number)
    return parser.parse_args()


@contextmanager
def files(n_rows: int, sizes: Sequence[int]) -> Iterator[Path]:
    """Write a table, and remove it at the end."""
    with tempfile.TemporaryDirectory() as folder:
        write_table(Path(folder), n_rows, sizes)
        yield Path(folder)


def compare_rows(folder: Path, n_rows: int) -> None:
    """Print the figures of one number of rows."""
    n_files = min(SINK_FILES, -(-n_rows // FILE_ROWS))
    fit(folder)
    times = best_times(
        {
            "distinct": partial(count_distinct, folder),
            "fit": partial(fit, folder, "exact"),
            "auto": partial(fit, folder, "auto"),
        }
    )
    fit(folder)  # the model of the sinks
    times |= best_times(
        {"write": partial(write_numbers, folder, n_files), "sink": partial(sink, folder, n_files)}
    )
    fit_bytes, _ = peak_memory(Path, fit, folder)
    sink_bytes, _ = peak_memory(Path, partial(sink, n_files=n_files), folder)
    ratio, sink_ratio = times["fit"] / times["distinct"], times["sink"] / times["write"]
    auto_ratio = times["auto"] / times["distinct"]
    sink_rows = min(n_rows, n_files * FILE_ROWS)
    header = ["rows", "DuckDB (s)", "fit (s)", "fit / DuckDB", "solver auto / DuckDB", "fit (GiB)"]
    cells = [f"{n_rows:,}", times["distinct"], times["fit"], ratio]
    cells += [auto_ratio, fit_bytes / 2**30]
    print_table(header, [cells])
    header = ["rows written", "sink (s)", "sink / pyarrow", "rows / s", "sink (GiB)"]
    cells = [f"{sink_rows:,}", times["sink"], sink_ratio]
    print_table(header, [[*cells, sink_rows / times["sink"], sink_bytes / 2**30]])
    print_verdict(f"{n_rows:,} rows: fit / DuckDB, solver exact", ratio, 1.8)
    print_verdict(f"{n_rows:,} rows: fit / DuckDB, solver auto", auto_ratio, 2.0)
    print_verdict(f"{n_rows:,} rows: GiB of fit", fit_bytes / 2**30, MOST_MEMORY)
    print_verdict(f"{sink_rows:,} rows: sink / pyarrow", sink_ratio, 2.0)
    print()


def growth(
    what: str, amounts: Sequence[int], n_rows: int, sizes: Callable[[int], Sequence[int]]
) -> None:
    """Print how the time of fit grows with the shape of the table."""
    rows: list[list[Any]] = []
    done: list[int] = []
    seconds: list[float] = []
    for amount in amounts:
        with files(n_rows, sizes(amount)) as folder:
            try:
                fit(folder)
            except ValueError as error:  # refused before memory is spent
                rows.append([f"{amount:,}", f"refused: {str(error).split('(')[0]}", "", ""])
                continue
            work = {"distinct": partial(count_distinct, folder), "fit": partial(fit, folder)}
            times = best_times(work, patience=20.0)
            peak, _ = peak_memory(Path, fit, folder)
        done.append(amount)
        seconds.append(times["fit"])
        ratio = times["fit"] / times["distinct"]
        rows.append([f"{amount:,}", times["fit"], ratio, peak / 2**30])
    if len(done) > 1:
        rows.append(["measured slope", slope(done, seconds), "", ""])
    print_table([f"{what}, {n_rows:,} rows", "fit (s)", "fit / DuckDB", "fit (GiB)"], rows)


if __name__ == "__main__":
    main()
