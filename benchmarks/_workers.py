"""One worker of Dask against two: clusters of files that only the workers read."""

from __future__ import annotations

import time
from pathlib import Path

import dask
import dask.dataframe as dd
from dask.distributed import Client, LocalCluster

import untie
from _timing import print_table, print_verdict

WORKERS = (1, 2)

REPEATS = 2
"""Rounds of one and then the other."""

K = 4
"""The number of clusters; choosing it takes as long for any number of rows."""


def compare_workers(folder: Path, n_rows: int) -> None:
    """Print the time of a fit on one worker and on two, and the rows per second of each core."""
    best = dict.fromkeys(WORKERS, float("inf"))
    for _ in range(REPEATS):
        for n_workers in WORKERS:
            best[n_workers] = min(best[n_workers], _seconds_with(n_workers, folder))
    rows = [[n, seconds, n_rows / seconds / n] for n, seconds in best.items()]
    print_table(["workers", "TableClusterer.fit (s)", "rows / s and core"], rows)
    growth = best[WORKERS[0]] / best[WORKERS[-1]]
    print_verdict(f"{n_rows:,} rows: one worker / two", growth, 1.6, at_least=True)
    print()


def _seconds_with(n_workers: int, folder: Path) -> float:
    with (
        dask.config.set({"dataframe.convert-string": True}),
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.run(_import)
        frame = dd.read_parquet(str(folder / "0*.parquet"), split_row_groups=1)
        start = time.perf_counter()
        untie.TableClusterer(K).fit(frame)
        return time.perf_counter() - start


def _import() -> str:
    return untie.__name__
