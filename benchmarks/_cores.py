"""One core against two: every job in a fresh process that may use that many."""

from __future__ import annotations

import multiprocessing
import os
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

import untie
from _parquet_tables import fit, sink
from _timing import best_times, print_table, print_verdict

CORES = (1, 2)

REPEATS = 3
"""Rounds of one and then the other."""


def _nothing(folder: Path) -> None:
    return None


def _table(folder: Path) -> Any:
    return pq.read_table(folder / "00000.parquet")


def _encoder_and_table(folder: Path) -> tuple[Any, Any]:
    return untie.load_model(folder / "model.untie"), _table(folder)


JOBS: dict[str, tuple[Callable[[Path], Any], Callable[[Path, Any], object]]] = {
    "fit of files": (_nothing, lambda folder, _: fit(folder)),
    "fit of files, solver auto": (_nothing, lambda folder, _: fit(folder, "auto")),
    "fit in memory": (_table, lambda _, table: untie.UNTIE(4, solver="relevance").fit(table)),
    "transform in memory": (_encoder_and_table, lambda _, both: both[0].transform(both[1])),
    "sink to a file": (_nothing, lambda folder, _: sink(folder / "part", 1)),
    "sink to a folder": (_nothing, lambda folder, _: sink(folder / "part", 1, "out")),
}
"""What is prepared, and what is timed; in memory, the first file; for sink, a part of it."""

SINK_ROWS = 600_000


def compare_cores(folder: Path, jobs: Sequence[str] = tuple(JOBS)) -> dict[str, float]:
    """Print the time of jobs on one core and on two; return those on one."""
    (folder / "part").mkdir()
    pq.write_table(_table(folder).slice(0, SINK_ROWS), folder / "part" / "00000.parquet")
    shutil.copy(folder / "model.untie", folder / "part")
    rows: list[list[Any]] = []
    for name in jobs:
        best = dict.fromkeys(CORES, np.inf)
        for _ in range(REPEATS):
            for n_cores in CORES:
                best[n_cores] = min(best[n_cores], _seconds_on(n_cores, name, folder))
        rows.append([name, *best.values(), best[CORES[0]] / best[CORES[-1]]])
    print_table(["job", "one core (s)", "two cores (s)", "ratio"], rows)
    for name, *_, ratio in rows:
        print_verdict(f"{name}: one core / two", ratio, 1.6, at_least=True)
    print()
    return {row[0]: row[1] for row in rows}


def _seconds_on(n_cores: int, name: str, folder: Path) -> float:
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_time, args=(sender, n_cores, name, folder))
    process.start()
    sender.close()
    result: float = receiver.recv()
    process.join()
    return result


def _time(sender: Connection, n_cores: int, name: str, folder: Path) -> None:
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:n_cores])
    prepare, work = JOBS[name]
    data = prepare(folder)
    sender.send(best_times({name: partial(work, folder, data)}, repeats=1)[name])
