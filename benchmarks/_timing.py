"""Helpers of the benchmarks: times side by side, peak memory, tables in Markdown.

Absolute times say little on a machine that others use, too, so competitors are timed in
turns: each round runs all of them once, and the best round of each counts. Memory is taken
from a fresh process as the highest resident size while a function runs, above what was
resident before.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

_STATUS = Path("/proc/self/status")
_RESET_PEAK = Path("/proc/self/clear_refs")

Clock = Callable[[], float]
"""Seconds since some moment."""


def parse_quick(description: str | None) -> bool:
    """Read the command line; tell whether a short run was asked for."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="smaller tables, fewer of them")
    return bool(parser.parse_args().quick)


def best_times(
    competitors: Mapping[str, Callable[[], object]],
    repeats: int = 3,
    patience: float = 60.0,
    clock: Clock = time.perf_counter,
) -> dict[str, float]:
    """Return each competitor's best time in seconds, after one round to warm up.

    Parameters
    ----------
    competitors : mapping from names to functions
        What to time.
    repeats : int
        Number of rounds.
    patience : float
        A competitor whose warm-up takes longer is timed by that alone.
    clock : function
        `time.process_time` leaves out what other processes take; for work in one thread.
    """
    times = {name: _seconds(work, clock) for name, work in competitors.items()}
    patient = {name: work for name, work in competitors.items() if times[name] <= patience}
    times |= dict.fromkeys(patient, np.inf)
    for _ in range(repeats):
        for name, work in patient.items():
            times[name] = min(times[name], _seconds(work, clock))
    return times


def median_times(
    competitors: Mapping[str, Callable[[], object]],
    repeats: int = 5,
    patience: float = 60.0,
    clock: Clock = time.perf_counter,
) -> dict[str, float]:
    """Return each competitor's median time in seconds; parameters are those of `best_times`."""
    first = {name: _seconds(work, clock) for name, work in competitors.items()}
    patient = {name: work for name, work in competitors.items() if first[name] <= patience}
    times: dict[str, list[float]] = {name: [] for name in patient}
    for _ in range(repeats):
        for name, work in patient.items():
            times[name].append(_seconds(work, clock))
    return first | {name: float(np.median(found)) for name, found in times.items()}


def peak_memory(
    prepare: Callable[..., Any], work: Callable[[Any], object], *arguments: object
) -> tuple[float, float]:
    """Return the peak memory (bytes) and the time (s) of ``work(prepare(*arguments))``.

    Both run in a fresh process; what `prepare` holds at its end does not count. Both must be
    functions of a module, and the script must start under ``if __name__ == "__main__"``.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_measure, args=(sender, prepare, work, arguments))
    process.start()
    sender.close()
    result: tuple[float, float] = receiver.recv()
    process.join()
    return result


def slope(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Return the exponent of a power law through the last two points."""
    return float(np.log(times[-1] / times[-2]) / np.log(sizes[-1] / sizes[-2]))


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a Markdown table, numbers with three digits."""
    cells = [list(header), *([_text(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |"
        for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    print("\n".join(lines), end="\n\n", flush=True)


def print_verdict(name: str, value: float, limit: float, at_least: bool = False) -> None:
    """Print whether a measured value keeps to its target."""
    kept = value >= limit if at_least else value <= limit
    sign = ">=" if at_least else "<="
    print(f"- {'PASS' if kept else 'MISS'}: {name}: {_text(value)} ({sign} {limit:g})", flush=True)


def _seconds(work: Callable[[], object], clock: Clock) -> float:
    gc.collect()
    start = clock()
    result = work()
    seconds = clock() - start
    del result  # after the clock, as releasing memory is not the competitor's work
    return seconds


def _measure(
    sender: Connection,
    prepare: Callable[..., Any],
    work: Callable[[Any], object],
    arguments: tuple[object, ...],
) -> None:
    data = prepare(*arguments)
    gc.collect()
    if _RESET_PEAK.exists():
        _RESET_PEAK.write_text("5", encoding="utf-8")
    before = _peak()
    start = time.perf_counter()
    result = work(data)
    seconds = time.perf_counter() - start
    sender.send((_peak() - before, seconds))
    del result


def _peak() -> float:
    """Return the highest resident size so far, in bytes; on Linux, since it was reset."""
    if _STATUS.exists():
        lines = dict(
            line.split(":", 1) for line in _STATUS.read_text(encoding="utf-8").splitlines()
        )
        return 1024.0 * int(lines["VmHWM"].split()[0])
    unit = 1 if sys.platform == "darwin" else 1024
    return float(unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _text(cell: object) -> str:
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:#.3g}".rstrip(".") if abs(cell) < 999.5 else f"{cell:,.0f}"
