"""Jobs that do as they are told and write down that they were called, for tests of the runner."""

import ctypes
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info

from untie_paper.output.report import PaperReport
from untie_paper.run.experiment import Experiment, Job


def cell(number, record="", does="", seconds=0.0):
    """Note begin and end in the file `record`."""
    note(record, f"begin {number} {os.getpid()}")
    if does:
        DEEDS[does]()
    time.sleep(seconds)
    note(record, f"end {number} {os.getpid()}")
    return {"double": 2 * number}


def note(record, line):
    if record:
        with Path(record).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def fail():
    raise ValueError("no luck\n  with '/home/somebody/data/zoo.csv', see https://example.org/d/1")


def speak():
    print("spoken on stdout")
    warnings.warn("spoken as a warning", stacklevel=1)


HOARD = []


def hoard():
    HOARD.append(bytes(400 * 2**20).replace(b"\0", b"\1"))
    time.sleep(1.1)  # loky looks once a second


DEEDS = {
    "hoard": hoard,
    "fail": fail,
    "leave": lambda: os._exit(7),
    "exit": lambda: sys.exit("enough"),
    "crash": lambda: ctypes.string_at(0),
    "speak": speak,
}


def odd_result(kind):
    values = {
        "numpy": {"number": np.float64(1.5), "list": np.arange(3)},
        "tuple": {"pair": (1, 2), "inner": {"missing": float("nan")}},
        "object": {"thing": object()},
        "number": 3,
    }
    return values[kind]


def threads():
    matrix = np.ones((4, 4))
    assert (matrix @ matrix).sum() == 64
    return {"threads": [library["num_threads"] for library in threadpool_info()]}


def begun(record):
    """Return the numbers of the cells that were begun, in order."""
    return [int(number) for word, number, _ in _lines(record) if word == "begin"]


def workers(record):
    return {int(pid) for _, _, pid in _lines(record)}


def most_at_a_time(record):
    """Return how many cells were at work together at most."""
    now, most = 0, 0
    for word, _, _ in _lines(record):
        now += 1 if word == "begin" else -1
        most = max(most, now)
    return most


def _lines(record):
    path = Path(record)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [line.split() for line in lines]


def report(results):
    doubles = sorted(row["double"] for row in results.rows if "double" in row)
    return PaperReport([f"{len(results.rows)} cells came out: {doubles}"])


def experiment(name, jobs, *, group="beyond", alone=False, report=report):
    return Experiment(name, f"Trial {name}", lambda effort: list(jobs), report, group, alone)


def cells(numbers, record="", **arguments):
    return [Job(cell, {"number": n, "record": str(record), **arguments}) for n in numbers]
