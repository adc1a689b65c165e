"""K-prototypes next to the package kmodes: the same rows, the same starts, the same gamma.

What is compared is the time of all starts and the cost of the best. The package is given
standardized numbers and integer codes, ours the table as it is. Both run in turns in one process,
and ratios are taken within the run.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from _timing import best_times, parse_quick, print_table, print_verdict
from untie.cluster import KPrototypes

OURS, PACKAGE = "untie.cluster.KPrototypes", "kmodes.KPrototypes"
PATIENCE = 2.0
"""What takes more seconds is timed once."""

SHAPES = ((1_000, 3, 3, 3), (5_000, 5, 5, 5), (20_000, 5, 5, 10))
"""Numbers of rows, columns of words, columns of numbers and clusters."""


def main() -> None:
    quick = parse_quick(__doc__)
    verdicts = []
    for shape in SHAPES[:2] if quick else SHAPES:
        verdicts += compare(*shape, n_starts=2)
    print("## Targets\n")
    for verdict in verdicts:
        print_verdict(*verdict)


def make_table(n_rows: int, n_words: int, n_numbers: int, n_classes: int) -> pd.DataFrame:
    """Draw rows of latent classes, which overlap."""
    rng = np.random.default_rng(0)
    classes = rng.integers(0, n_classes, n_rows)
    typical = rng.integers(0, 5, (n_classes, n_words))
    noise = rng.integers(0, 5, (n_rows, n_words))
    codes = np.where(rng.random(noise.shape) < 0.5, typical[classes], noise)
    words = np.array([f"v{code}" for code in range(5)], dtype=object)[codes]
    frame = pd.DataFrame(words, columns=[f"c{column}" for column in range(n_words)])
    centers = 1.5 * rng.normal(size=(n_classes, n_numbers))
    for column in range(n_numbers):
        frame[f"x{column}"] = centers[classes, column] + rng.normal(size=n_rows)
    return frame


def compare(
    n_rows: int, n_words: int, n_numbers: int, n_clusters: int, n_starts: int
) -> list[tuple[Any, ...]]:
    """Cluster from the same starts; return the targets."""
    table = make_table(n_rows, n_words, n_numbers, n_clusters)
    rng = np.random.default_rng(1)
    starts = [rng.choice(n_rows, n_clusters, replace=False) for _ in range(n_starts)]
    words = table.columns[:n_words]
    numbers = table.drop(columns=words)
    standard = ((numbers - numbers.mean()) / numbers.std(ddof=0)).to_numpy()
    codes = table[words].map(lambda word: int(word[1:])).to_numpy()
    rows = np.hstack([codes, standard])
    package = _package().KPrototypes
    costs: dict[str, float] = {}

    def ours() -> None:
        fits = [KPrototypes(n_clusters, init=table.iloc[start]).fit(table) for start in starts]
        costs[OURS] = min(fit.cost_ for fit in fits)

    def theirs() -> None:
        found = []
        for start in starts:
            init = [standard[start].copy(), codes[start].copy()]
            model = package(n_clusters, init=init, n_init=1, gamma=0.5)
            found.append(float(model.fit(rows, categorical=list(range(n_words))).cost_))
        costs[PACKAGE] = min(found)

    times = best_times({OURS: ours, PACKAGE: theirs}, repeats=2, patience=PATIENCE)
    shape = f"{n_rows:,} x ({n_words} words + {n_numbers} numbers), k = {n_clusters}"
    print(f"## K-prototypes: {shape}, {n_starts} starts\n")
    lines = [[name, times[name], times[name] / times[OURS], costs[name]] for name in times]
    print_table(["", "seconds", "ratio", "lowest cost"], lines)
    return [
        (f"times faster than the package at {shape}", times[PACKAGE] / times[OURS], 20.0, True),
        (f"cost / the package's at {shape}", costs[OURS] / costs[PACKAGE], 1.001),
    ]


def _package() -> Any:
    """Import the kmodes package, not the script of that name beside this one."""
    path = sys.path.copy()
    sys.path = [entry for entry in path if Path(entry).resolve() != Path(__file__).parent.resolve()]
    try:
        return import_module("kmodes.kprototypes")
    finally:
        sys.path = path


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # what the other libraries deprecate
    main()
