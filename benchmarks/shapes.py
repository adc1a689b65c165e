"""Time and memory of `fit_transform` on tables of many shapes, next to one-hot encoding.

`TableEncoder(preparer=None)`, `UNTIE` with "uniform" and "exact" where named, scikit-learn's
OneHotEncoder, and OneHotEncoder followed by TruncatedSVD(20). Every shape has a process of its
own; in it, all run in turns after a round to warm up, and medians count. Peak memory is that of
`TableEncoder(preparer=None)` above the table, in one more process. Tables are text: rows of three
hidden classes, each with a favorite value per column, or cells that are independent of each other.

    python benchmarks/shapes.py                     # the whole table, about twenty minutes
    python benchmarks/shapes.py --quick             # small tables, two rounds
    python benchmarks/shapes.py --only 10000x20x20  # some shapes
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from _timing import median_times, peak_memory, print_table, print_verdict
from untie import UNTIE, TableEncoder

N_CLASSES, FAVORS = 3, 0.3
"""A cell of a table with classes is its class's favorite value with probability `FAVORS`."""

PLAIN = partial(TableEncoder, preparer=None)
"""Tables of text need no preparation; one-hot encoding has none."""

DEFAULT, ONE_HOT, SVD = "default", "OneHotEncoder", "one-hot + SVD"


@dataclass(frozen=True)
class Shape:
    """A table, and what is run on it.

    Parameters
    ----------
    rows, columns, values
        Its size.
    solvers
        What is run besides the default.
    seconds
        The most seconds that the solver named first here may take, if a target is in seconds.
    ratio
        The most that the default may take of one-hot encoding with TruncatedSVD.
    """

    rows: int
    columns: int
    values: int
    solvers: tuple[str, ...] = ()
    ratio: float | None = 1.0
    seconds: tuple[str, float] | None = None

    @property
    def name(self) -> str:
        return f"{self.rows}x{self.columns}x{self.values}"


SHAPES = (
    Shape(10**6, 10, 3, ratio=0.05),
    Shape(10**5, 10, 5, ratio=0.37),
    Shape(10_000, 10, 3, ("uniform",)),
    Shape(10_000, 50, 3),
    Shape(10_000, 20, 20, ("uniform",)),
    Shape(10_000, 10, 200, ("exact",)),
    Shape(20_000, 100, 20, ("uniform",)),
    Shape(10**5, 10, 300, ("exact",)),
    Shape(20_000, 10, 1_000, ratio=None, seconds=(DEFAULT, 10.0)),
    Shape(20_000, 100, 100, ("exact", "uniform"), ratio=None, seconds=("exact", 15.0)),
    Shape(10_000, 1_300, 3, ratio=None),
    Shape(10_000, 1_400, 3, ratio=None),
)

QUICK = tuple(shape for shape in SHAPES if shape.rows * shape.columns * shape.values <= 4 * 10**6)


def main() -> None:
    options = read_options()
    shapes = QUICK if options.quick else SHAPES
    if options.only:
        known = {shape.name: shape for shape in SHAPES}
        shapes = tuple(known[name] for name in options.only)
    for classes in (False,) if options.quick else options.classes:
        print(f"## Rows {'of three hidden classes' if classes else 'without classes'}\n")
        times = {shape: measure(shape, classes, options) for shape in shapes}
        report(times, {} if options.quick else {s: memory(s, classes) for s in shapes})


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small tables only, two rounds")
    parser.add_argument("--only", nargs="+", choices=[shape.name for shape in SHAPES])
    parser.add_argument("--repeats", type=int, default=5, help="rounds of each shape")
    parser.add_argument(
        "--classes",
        nargs="+",
        type=lambda text: bool(int(text)),
        default=[True, False],
        help="1: rows of hidden classes; 0: without; both if not given",
    )
    parser.add_argument(
        "--processor", action="store_true", help="processor time, for a machine that others use"
    )
    return parser.parse_args()


def make_table(n_rows: int, n_columns: int, n_values: int, classes: bool) -> pd.DataFrame:
    """Draw a table of text."""
    rng = np.random.default_rng(0)
    words = np.array([f"value {number}" for number in range(n_values)])
    latent = rng.integers(0, N_CLASSES, n_rows)
    columns = {}
    for number in range(n_columns):
        codes = rng.integers(0, n_values, n_rows)
        if classes:
            favorite = rng.permutation(n_values)[:N_CLASSES]
            codes = np.where(rng.random(n_rows) < FAVORS, favorite[latent], codes)
        columns[f"c{number}"] = pd.Series(words[codes], dtype="str")
    return pd.DataFrame(columns)


def encode(make: Callable[[], Any], table: pd.DataFrame) -> object:
    return make().fit_transform(table)


def competitors(shape: Shape) -> dict[str, Callable[[], Any]]:
    """Return what makes each encoder, by its name."""
    made: dict[str, Callable[[], Any]] = {DEFAULT: PLAIN}
    made |= {solver: partial(UNTIE, solver=solver) for solver in shape.solvers}
    made[ONE_HOT] = OneHotEncoder
    made[SVD] = lambda: make_pipeline(OneHotEncoder(), TruncatedSVD(20, random_state=0))
    return made


def measure(shape: Shape, classes: bool, options: argparse.Namespace) -> dict[str, float]:
    """Return the seconds of each encoder, from a process of its own."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    repeats = 2 if options.quick else options.repeats
    arguments = (sender, shape, classes, repeats, options.processor)
    process = context.Process(target=_measure, args=arguments)
    process.start()
    sender.close()
    times: dict[str, float] = receiver.recv()
    process.join()
    return times


def _measure(
    sender: Connection, shape: Shape, classes: bool, repeats: int, processor: bool
) -> None:
    table = make_table(shape.rows, shape.columns, shape.values, classes)
    work = {name: partial(encode, make, table) for name, make in competitors(shape).items()}
    clock = time.process_time if processor else time.perf_counter
    sender.send(median_times(work, repeats, patience=5.0, clock=clock))


def memory(shape: Shape, classes: bool) -> float:
    """Return the peak memory of the default above the table, in MiB."""
    arguments = (shape.rows, shape.columns, shape.values, classes)
    return peak_memory(_warm_table, partial(encode, PLAIN), *arguments)[0] / 2**20


def _warm_table(n_rows: int, n_columns: int, n_values: int, classes: bool) -> pd.DataFrame:
    encode(PLAIN, make_table(500, 5, 3, classes))  # loads the libraries
    return make_table(n_rows, n_columns, n_values, classes)


def report(times: dict[Shape, dict[str, float]], peaks: dict[Shape, float]) -> None:
    names = [DEFAULT, "uniform", "exact", ONE_HOT, SVD]
    header = ["rows x columns x values", *(f"{name} (s)" for name in names)]
    rows: list[Sequence[object]] = []
    for shape, found in times.items():
        size = f"{shape.rows:,} x {shape.columns:,} x {shape.values:,}"
        peak = peaks.get(shape, "")
        ratio = found[DEFAULT] / found[SVD]
        rows.append([size, *(found.get(name, "") for name in names), ratio, peak])
    print_table([*header, "default / (one-hot + SVD)", "peak of default (MiB)"], rows)
    for shape, found in times.items():
        if shape.ratio is not None:
            ratio = found[DEFAULT] / found[SVD]
            print_verdict(f"{shape.name}: default / (one-hot + SVD)", ratio, shape.ratio)
        if shape.seconds is not None:
            solver, limit = shape.seconds
            print_verdict(f"{shape.name}: seconds of {solver}", found[solver], limit)
    print(flush=True)


if __name__ == "__main__":
    main()
