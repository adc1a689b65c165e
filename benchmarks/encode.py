"""Time and memory of encoding a table, next to what else encodes tables.

`fit` and `fit_transform` of TableEncoder and UNTIE, of scikit-learn's OneHotEncoder and
OrdinalEncoder, of the fastest unsupervised encoders of category_encoders and of prince's MCA, and
what pyarrow needs merely to dictionary-encode the same columns. All run in turns in one process,
after a round to warm up; the best of three rounds counts, and ratios are taken within the run. Peak
memory is measured in fresh processes, above what the table itself holds.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import category_encoders
import numpy as np
import pandas as pd
import prince
import pyarrow as pa
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from _timing import best_times, parse_quick, peak_memory, print_table, print_verdict
from untie import UNTIE, TableEncoder

WORDS = np.array(["low", "middle", "high"])
SOLVERS = ("exact", "uniform")
ONE_HOT, DICTIONARY, MCA = "OneHotEncoder", "pyarrow dictionary-encode", "prince.MCA"
DEFAULT = "TableEncoder"
EIGHT = f"{DEFAULT}, 8 clusters"
AUTO_LIMITS = {DEFAULT: 5.0, EIGHT: 5.0}
"""`fit` takes at most this many times as long as with the solver "uniform"."""

PATIENCE = 10.0
"""An encoder that takes more seconds is timed once."""

ENCODERS: dict[str, Callable[[], Any]] = {
    DEFAULT: partial(TableEncoder, n_clusters=2, preparer=None),
    EIGHT: partial(TableEncoder, n_clusters=8, preparer=None),
    "UNTIE exact": partial(UNTIE, n_clusters=2, solver="exact"),
    "UNTIE uniform": partial(UNTIE, n_clusters=2, solver="uniform"),
    ONE_HOT: OneHotEncoder,
    "OrdinalEncoder": OrdinalEncoder,
    "category_encoders.OrdinalEncoder": category_encoders.OrdinalEncoder,
    "category_encoders.BinaryEncoder": category_encoders.BinaryEncoder,
    MCA: partial(prince.MCA, n_components=2),
}
"""CountEncoder, HashingEncoder and the contrast encoders of category_encoders are slower."""


def main() -> None:
    quick = parse_quick(__doc__)
    tables = [(10**4, 10, "str"), (10**5, 10, "str"), (67_557, 42, "str")]
    if not quick:
        tables += [(10**6, 10, "str"), (10**6, 10, "object")]
    verdicts = []
    for n_rows, n_columns, dtype in tables:
        times = time_encoders(make_table(n_rows, n_columns, 3, dtype))
        report(n_rows, n_columns, dtype, times)
        verdicts += targets(n_rows, n_columns, dtype, times)
    memory = report_memory(quick)
    print("## Targets\n")
    for verdict in verdicts + memory:
        print_verdict(*verdict)


def make_table(n_rows: int, n_columns: int, n_values: int, dtype: str = "str") -> pd.DataFrame:
    """Draw rows of three latent classes, each with its own favorite value per column."""
    rng = np.random.default_rng(0)
    words = WORDS if n_values == len(WORDS) else np.array([f"v{i}" for i in range(n_values)])
    latent = rng.integers(0, 3, n_rows)
    columns = {}
    for number in range(n_columns):
        favorite = rng.permutation(n_values)[:3]
        drawn = rng.integers(0, n_values, n_rows)
        codes = np.where(rng.random(n_rows) < 0.3, favorite[latent], drawn)
        columns[f"c{number}"] = pd.Series(words[codes], dtype=dtype)
    return pd.DataFrame(columns)


def time_encoders(table: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Return the seconds of every encoder's `fit` and `fit_transform`."""
    work: dict[Any, Callable[[], object]] = {}
    for name, make in ENCODERS.items():
        work[name, "fit"] = partial(_call, make, "fit", table)
        work[name, "fit_transform"] = partial(_call, make, "fit_transform", table)
    work[DICTIONARY, "fit"] = partial(_dictionary_encode, table)
    times: dict[Any, float] = best_times(work, patience=PATIENCE)
    times[DICTIONARY, "fit_transform"] = times[DICTIONARY, "fit"]
    return times


def report(n_rows: int, n_columns: int, dtype: str, times: dict[tuple[str, str], float]) -> None:
    print(f"## {n_rows:,} rows x {n_columns} columns x 3 values ({dtype})\n")
    rows = []
    for name in [*ENCODERS, DICTIONARY]:
        fit, both = times[name, "fit"], times[name, "fit_transform"]
        ratios = [
            seconds / times[other, step]
            for other in (ONE_HOT, DICTIONARY)
            for step, seconds in (("fit", fit), ("fit_transform", both))
        ]
        rows.append([name, fit, both, *ratios])
    header = ["encoder", "fit (s)", "fit_transform (s)"]
    header += [f"{step} / {other}" for other in ("one-hot", "dict") for step in ("fit", "f_t")]
    print_table(header, rows)
    for name, step in [key for key, seconds in times.items() if seconds > PATIENCE]:
        print(f"{name} {step} took over {PATIENCE:g} s and was timed once.\n")


def targets(
    n_rows: int, n_columns: int, dtype: str, times: dict[tuple[str, str], float]
) -> list[tuple[Any, ...]]:
    """Return (name, value, limit, whether at least) of the targets at this size."""
    found: list[tuple[Any, ...]] = []
    for solver in SOLVERS:
        name, at = f"UNTIE {solver}", f"at {n_rows:,} rows ({dtype}), solver={solver!r}"
        fit, both = times[name, "fit"], times[name, "fit_transform"]
        if (n_rows, n_columns) == (10**6, 10):
            one_hot, dictionary = times[ONE_HOT, "fit_transform"], times[DICTIONARY, "fit"]
            found += [
                (f"fit_transform / OneHotEncoder fit_transform {at}", both / one_hot, 0.25),
                (f"fit / dictionary-encoding {at}", fit / dictionary, 2.0),
                (f"fit_transform / dictionary-encoding {at}", both / dictionary, 4.0),
            ]
        if (n_rows, n_columns, solver) == (10**6, 10, "uniform"):
            for chosen, limit in AUTO_LIMITS.items():
                ratio = times[chosen, "fit"] / fit
                found.append((f"{chosen} fit / fit {at}", ratio, limit))
        if (n_rows, n_columns) == (10**5, 10):
            found.append((f"prince.MCA fit / fit {at}", times[MCA, "fit"] / fit, 10.0, True))
    return found


def report_memory(quick: bool) -> list[tuple[Any, ...]]:
    """Print the peak memory of `fit`; return the targets."""
    cases: list[tuple[str, str, tuple[int, int, int], int, float]] = []
    for solver in SOLVERS:
        if not quick:
            cases.append((solver, "str", (10**6, 10, 3), 2, 200.0))
            cases.append((solver, "object", (10**6, 10, 3), 2, 200.0))
        values = 30 if quick else 100
        cases.append((solver, "str", (2 * 10**4, 100, values), 10, 4096.0))
    rows, found = [], []
    for solver, dtype, shape, n_clusters, limit in cases:
        work = partial(_fit, solver, n_clusters)
        peak, seconds = peak_memory(_warm_table, work, solver, *shape, dtype)
        n_rows, n_columns, n_values = shape
        rows.append([f"{n_rows:,}", n_columns, n_values, dtype, solver, peak / 2**20, seconds])
        name = f"MiB above the table, {n_rows:,} x {n_columns} x {n_values} ({dtype}), {solver}"
        found.append((name, peak / 2**20, limit))
    print("## Peak memory of `fit` above the table\n")
    print_table(["rows", "columns", "values", "dtype", "solver", "peak (MiB)", "fit (s)"], rows)
    return found


def _warm_table(solver: str, n_rows: int, n_columns: int, n_values: int, dtype: str) -> Any:
    _fit(solver, 2, make_table(1000, 5, 3, dtype))  # loads the libraries
    return make_table(n_rows, n_columns, n_values, dtype)


def _fit(solver: str, n_clusters: int, table: Any) -> object:
    return UNTIE(n_clusters, solver=solver).fit(table)


def _call(make: Callable[[], Any], method: str, table: pd.DataFrame) -> object:
    return getattr(make(), method)(table)


def _dictionary_encode(table: pd.DataFrame) -> list[Any]:
    return [pa.array(table[name]).dictionary_encode() for name in table.columns]


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # what the other libraries deprecate
    main()
