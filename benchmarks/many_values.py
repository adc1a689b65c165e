"""One column of very many values beside nine small ones: time, memory and error.

`fit` is compared with OneHotEncoder's `fit` and `fit_transform` on the same frame of text, all in
turns in one run; memory is that of a fresh process above the frame. Then, at a number of values
where kernel matrices can still be formed, landmarks are compared with them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from sklearn.preprocessing import OneHotEncoder

from _timing import best_times, parse_quick, peak_memory, print_table, print_verdict
from untie import TableEncoder
from untie._count import memory

SMALL = (2, 3, 5, 8, 10, 12, 20, 50, 100)
"""Numbers of values of the other columns."""

N_CLASSES = 8
"""Number of hidden classes, through which the columns depend on each other."""


def main() -> None:
    quick = parse_quick(__doc__)
    for n_rows, n_values in [(10**5, 10**4)] if quick else [(10**6, 10**4), (10**6, 10**5)]:
        compare(n_rows, n_values)
    together(10**5 if quick else 10**6)
    landmarks_against_matrices(20_000, 1_500)


def make_table(n_rows: int, n_values: int) -> pd.DataFrame:
    """Return text: a few values of the first column are frequent, most are rare."""
    rng = np.random.default_rng(0)
    classes = rng.integers(0, N_CLASSES, n_rows)
    falling = 1.0 / np.arange(1, n_values // N_CLASSES + 1) ** 0.8
    own = rng.choice(len(falling), n_rows, p=falling / falling.sum()) * N_CLASSES + classes
    codes = [np.where(rng.random(n_rows) < 0.3, rng.integers(0, n_values, n_rows), own)]
    codes += [_noisy(rng, classes, size) for size in SMALL]
    return _as_text(codes, (n_values, *SMALL))


def make_wide_table(n_rows: int, n_columns: int = 10, n_values: int = 1_000) -> pd.DataFrame:
    """Return text: every column has many values."""
    rng = np.random.default_rng(0)
    classes = rng.integers(0, N_CLASSES, n_rows)
    codes = [
        np.where(
            rng.random(n_rows) < 0.3,
            (classes * (n_values // N_CLASSES) + rng.integers(0, n_values // N_CLASSES, n_rows)),
            rng.integers(0, n_values, n_rows),
        )
        for _ in range(n_columns)
    ]
    return _as_text(codes, (n_values,) * n_columns)


def _noisy(rng: np.random.Generator, classes: np.ndarray, size: int) -> np.ndarray:
    noise = rng.integers(0, size, len(classes))
    return np.where(rng.random(len(classes)) < 0.5, classes % size, noise)


def _as_text(codes: list[np.ndarray], sizes: tuple[int, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            f"c{number}": np.array([f"value {value}" for value in range(size)], dtype=object)[
                column
            ]
            for number, (column, size) in enumerate(zip(codes, sizes, strict=True))
        }
    )


def fit_default(table: pd.DataFrame) -> TableEncoder:
    return TableEncoder(n_components=16, preparer=None).fit(table)


def compare(n_rows: int, n_values: int) -> None:
    """Print the figures of one table."""
    table = make_table(n_rows, n_values)
    times = best_times(
        {
            "one-hot fit": lambda: OneHotEncoder().fit(table),
            "one-hot": lambda: OneHotEncoder().fit_transform(table),
            "fit": lambda: fit_default(table),
            "fit_transform": lambda: TableEncoder(n_components=16, preparer=None).fit_transform(
                table
            ),
        },
        repeats=2,
    )
    used, _ = peak_memory(partial(make_table, n_rows), fit_default, n_values)
    fit_ratio = times["fit"] / times["one-hot fit"]
    both = times["fit_transform"] / times["one-hot"]
    errors = fit_default(table).kernel_errors()
    header = ["rows", "values", "fit (s)", "fit / one-hot", "fit_transform / one-hot", "GiB"]
    header += ["median error", "largest error"]
    cells = [f"{n_rows:,}", f"{n_values:,}", times["fit"], fit_ratio, both, used / 2**30]
    inter = errors[errors["coupling"] == "inter"]["error"]
    print_table(header, [[*cells, inter.median(), inter.max()]])
    print_verdict(f"{n_values:,} values: fit / OneHotEncoder's fit", fit_ratio, 20.0)
    print_verdict(f"{n_values:,} values: GiB of fit", used / 2**30, 4.0)


def together(n_rows: int) -> None:
    """Print the figures of 10,000 values in ten columns."""
    table = make_wide_table(n_rows)
    times = best_times(
        {"one-hot": lambda: OneHotEncoder().fit(table), "fit": lambda: fit_default(table)},
        repeats=1,
    )
    used, _ = peak_memory(make_wide_table, fit_default, n_rows)
    header = ["rows", "values", "fit (s)", "fit / one-hot", "GiB"]
    cells = [f"{n_rows:,}", "10 x 1,000", times["fit"], times["fit"] / times["one-hot"]]
    print_table(header, [[*cells, used / 2**30]])
    print_verdict("10 x 1,000 values: seconds of fit", times["fit"], 10.0)
    print_verdict("10 x 1,000 values: GiB of fit", used / 2**30, 4.0)


def landmarks_against_matrices(n_rows: int, n_values: int) -> None:
    """Print how far value similarities are from those of whole kernel matrices."""
    table = make_table(n_rows, n_values)
    exact = _with_limit(n_values, lambda: TableEncoder(N_CLASSES, preparer=None).fit(table))
    found = TableEncoder(N_CLASSES, preparer=None).fit(table)
    times = best_times(
        {
            "matrices": lambda: _with_limit(
                n_values, lambda: TableEncoder(N_CLASSES, preparer=None).fit(table)
            ),
            "landmarks": lambda: TableEncoder(N_CLASSES, preparer=None).fit(table),
        },
        repeats=1,
    )
    rows = table[:500]
    similar, near = exact.similarity(rows), found.similarity(rows)
    header = ["values", "matrices / landmarks (time)", "largest error of a similarity"]
    header += ["chosen", "chosen with matrices"]
    error = np.abs(similar - near).max() / np.abs(similar).max()
    cells = [f"{n_values:,}", times["matrices"] / times["landmarks"], error]
    print_table(header, [[*cells, next(iter(found.gains_)), next(iter(exact.gains_))]])


def _with_limit(n_values: int, work: Callable[[], TableEncoder]) -> TableEncoder:
    before = memory.LARGE
    memory.LARGE = n_values
    try:
        return work()
    finally:
        memory.LARGE = before


if __name__ == "__main__":
    main()
