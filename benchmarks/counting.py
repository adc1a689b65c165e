"""Which way of counting is fastest for which table, and whether the code chooses it.

Times every strategy of `untie._count.counting` over a grid of table shapes, fits the
constants `COSTS` to the times (non-negative least squares on the relative error) and compares the
choice that the constants lead to with the fastest strategy: its regret is the time of the chosen
strategy over the time of the fastest. Strategies run in turns, in one thread; the best round's
processor time counts. Ends within ten minutes; ``--write`` writes the fitted constants into the
package.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
from joblib import parallel_config
from scipy.optimize import nnls
from threadpoolctl import threadpool_limits

from _timing import best_times, print_table
from untie._count import counting
from untie._count import counting_costs as costs_module
from untie._count.counting import STRATEGIES, by_histogram, expected_work
from untie._count.counting_costs import COSTS
from untie._util.types import Codes, FloatArray, smallest_unsigned

HOPELESS_SECONDS, HOPELESS_RATIO = 0.05, 5.0
"""A strategy expected to be slower than both, next to the best one, is not run."""

LONGEST_SECONDS = 0.7
"""Tables that take the best strategy longer are left out."""

SHORTEST_SECONDS = 0.0005
"""Shorter times are not fitted: they are overhead, and the choice hardly matters."""

LIMITS = (64, 128, 256, 512, 1024, 2048)
"""What `PACKED_CELLS` could be."""

Shape = tuple[int, int, int]
"""Rows, attributes, values of each."""

Times = dict[Shape, dict[str, float]]
Costs = Mapping[str, Sequence[float]]


def main() -> None:
    options = parse()
    # Threads would take turns in a histogram's blocks, which is no other work.
    with threadpool_limits(1), parallel_config(n_jobs=1):
        times = {shape: time_strategies(shape) for shape in shapes(options.quick)}
        report_times(times)
        fitted = fit_costs(times)
        report_costs(times, fitted)
        if options.write:
            write_costs(fitted)
        report_packing(options.quick)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller tables, fewer of them")
    parser.add_argument("--write", action="store_true", help="write the constants into the package")
    return parser.parse_args()


def shapes(quick: bool) -> Iterator[Shape]:
    """Yield the tables to time."""
    numbers = (10**2, 10**3, 10**4, 10**5) if quick else (10**2, 10**3, 10**4, 10**5, 10**6)
    attributes = (2, 10, 30) if quick else (2, 5, 10, 30, 100)
    values = (2, 10, 100) if quick else (2, 3, 10, 30, 100, 300, 1000)
    small = [(a, v) for a in attributes for v in values if a * v <= 5000]
    for n_rows in numbers:
        for n_attributes, n_values in [*small, (1, 5000)]:
            expected = expected_seconds(n_rows, (n_values,) * n_attributes, COSTS)
            if min(expected.values()) <= LONGEST_SECONDS:
                yield n_rows, n_attributes, n_values


def draw_codes(n_rows: int, n_attributes: int, n_values: int) -> Codes:
    rng = np.random.default_rng(0)
    dtype = smallest_unsigned(n_values)
    return [rng.integers(0, n_values, n_rows).astype(dtype) for _ in range(n_attributes)]


def expected_seconds(n_rows: int, sizes: Sequence[int], costs: Costs) -> dict[str, float]:
    work = expected_work(n_rows, sizes)
    return {name: 1e-9 * float(np.dot(work[name], costs[name])) for name in work}


def time_strategies(shape: Shape) -> dict[str, float]:
    """Return the seconds of every strategy that is not hopeless."""
    codes = draw_codes(*shape)
    sizes = (shape[2],) * shape[1]
    expected = expected_seconds(shape[0], sizes, COSTS)
    limit = max(HOPELESS_SECONDS, HOPELESS_RATIO * min(expected.values()))
    work = {
        name: partial(STRATEGIES[name], codes, sizes, None)
        for name, seconds in expected.items()
        if seconds <= limit
    }
    times = best_times(work, clock=time.process_time)
    if sum(times.values()) < 0.05:  # short times need more rounds to settle
        again = best_times(work, repeats=15, clock=time.process_time)
        times = {name: min(seconds, again[name]) for name, seconds in times.items()}
    return times


def fit_costs(times: Times) -> dict[str, tuple[float, ...]]:
    """Return the constants, in nanoseconds, with the least relative error."""
    costs = {}
    for name in STRATEGIES:
        rows = []
        for (n_rows, n_attributes, n_values), measured in times.items():
            if measured.get(name, 0.0) >= SHORTEST_SECONDS:
                work = expected_work(n_rows, (n_values,) * n_attributes)[name]
                rows.append(1e-9 * np.array(work) / measured[name])
        system = np.array(rows)
        scale = np.linalg.norm(system, axis=0)
        constants, _ = nnls(system / scale, np.ones(len(system)))
        costs[name] = tuple(float(f"{c:.2g}") for c in constants / scale)
    return costs


def regrets(times: Times, costs: Costs) -> dict[Shape, float]:
    """Return, for each table, the time of the chosen strategy over that of the fastest."""
    result = {}
    for shape, measured in times.items():
        expected = expected_seconds(shape[0], (shape[2],) * shape[1], costs)
        chosen = min(measured, key=lambda name: expected[name])
        result[shape] = measured[chosen] / min(measured.values())
    return result


def report_times(times: Times) -> None:
    print("## Counting all pairs of values (ms)\n")
    found = regrets(times, COSTS)
    rows = []
    for shape, measured in times.items():
        n_rows, n_attributes, n_values = shape
        milliseconds = [1e3 * measured[n] if n in measured else "-" for n in STRATEGIES]
        fastest = min(measured, key=lambda name: measured[name])
        rows.append([f"{n_rows:,}", n_attributes, n_values, *milliseconds, fastest, found[shape]])
    print_table(["rows", "attributes", "values", *STRATEGIES, "fastest", "regret"], rows)


def report_costs(times: Times, fitted: Costs) -> None:
    print("## Constants (ns per unit of work)\n")
    rows = [[name, str(COSTS[name]), str(fitted[name])] for name in STRATEGIES]
    print_table(["strategy", "in the code", "fitted"], rows)
    print("## Regret of the choice\n")
    rows = []
    for name, costs in (("in the code", COSTS), ("fitted", fitted)):
        found = regrets(times, costs)
        for label, least in (("all tables", 0.0), ("above 5 ms", 0.005)):
            cells = {s: r for s, r in found.items() if min(times[s].values()) * r >= least}
            worst = max(cells, key=lambda shape: cells[shape])
            values: FloatArray = np.array(list(cells.values()))
            where = "{:,} x {} x {}".format(*worst)
            share = float(np.mean(values > 1.2))
            rows.append([name, label, len(cells), float(np.median(values)), share, values.max()])
            rows[-1].append(where)
    header = ["constants", "tables", "number", "median", "share above 1.2", "worst", "at"]
    print_table(header, rows)


def write_costs(fitted: Costs) -> None:
    """Put the fitted constants into the place of those in the code."""
    path = Path(costs_module.__file__)
    before, rest = path.read_text(encoding="utf-8").split("COSTS: dict", 1)
    head, after = rest.split("{\n", 1)
    lines = "".join(f'    "{name}": {tuple(numbers)},\n' for name, numbers in fitted.items())
    path.write_text(
        f"{before}COSTS: dict{head}{{\n{lines}}}{after.split('}', 1)[1]}", encoding="utf-8"
    )


def report_packing(quick: bool) -> None:
    print("## Pair histograms by the largest joint code, PACKED_CELLS (ms)\n")
    rows = []
    n_rows = 10**5 if quick else 10**6
    for n_attributes, n_values in [(10, 3), (42, 3), (10, 5), (10, 10), (20, 10), (30, 2)]:
        codes = draw_codes(n_rows, n_attributes, n_values)
        sizes = (n_values,) * n_attributes
        work = {str(limit): partial(_packed, limit, codes, sizes) for limit in LIMITS}
        times = best_times(work, clock=time.process_time)
        rows.append([f"{n_rows:,} x {n_attributes} x {n_values}"])
        rows[-1] += [1e3 * seconds for seconds in times.values()]
    print_table(["table", *map(str, LIMITS)], rows)


def _packed(limit: int, codes: Codes, sizes: tuple[int, ...]) -> FloatArray:
    with mock.patch.object(counting, "PACKED_CELLS", limit):
        return by_histogram(codes, sizes, None)


if __name__ == "__main__":
    main()
