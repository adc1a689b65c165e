"""From the figures of one machine to 10^12 rows on a cluster: an estimate on paper."""

from __future__ import annotations

import pickle
from math import ceil, log2
from pathlib import Path

import pyarrow.parquet as pq

from _timing import best_times, print_table
from untie import count_table

ROWS = 10**12
CORES = 1_000
TASK_BYTES = 128 * 2**20
NETWORK = 1e9 / 8
"""Bytes per second that reach one machine."""


def print_estimate(folder: Path, n_rows: int, seconds: float, bytes_a_row: float) -> None:
    """Print what counting would take on a cluster.

    Parameters
    ----------
    folder : path
        Files of the table that was measured.
    n_rows, seconds : int, float
        Number of rows, and how long one core took to fit them.
    bytes_a_row : float
        Size of the files.
    """
    first = pq.read_table(folder / "00000.parquet")
    half = first.num_rows // 2
    one, other = count_table(first.slice(0, half)), count_table(first.slice(half))
    merge = best_times({"merge": lambda: one + other})["merge"]
    result = len(pickle.dumps(one))
    n_tasks = ceil(ROWS * bytes_a_row / TASK_BYTES)
    rate = n_rows / seconds
    counting = ROWS / rate / CORES
    # Every core first adds up the results of its own tasks; then all of them in a tree.
    own = n_tasks / CORES * merge
    tree = log2(CORES) * (merge + result / NETWORK)
    lines = [
        ["rows per second and core (measured, one core, learning included)", f"{rate:,.0f}"],
        ["bytes per row (measured)", bytes_a_row],
        ["one result of a task: counts, values, sample (measured, KiB)", result / 2**10],
        ["adding two results (measured, ms)", 1e3 * merge],
        ["tasks of 128 MiB", f"{n_tasks:,}"],
        [f"counting on {CORES:,} cores (h)", counting / 3600],
        ["adding up the results of one core's tasks (s)", own],
        ["adding up those of all cores, in a tree over 1 Gbit/s (s)", tree],
        ["reading (MB a second and core)", rate * bytes_a_row / 1e6],
    ]
    print_table([f"{ROWS:,} rows on {CORES:,} cores", ""], lines)
    print(
        "Assumed: storage gives every core the rate of the last line, no task runs twice, and rows"
        "\nhave the shape of the table above. The model is then learned once, as for any table."
    )
