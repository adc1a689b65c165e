"""K-modes beside the kmodes package.

The same rows, the same starting modes, the same number of restarts; what is compared is the time of
all restarts and the cost of the best. Both run in turns in one process, and ratios are taken within
the run.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _timing import best_times, parse_quick, print_table, print_verdict
from untie.cluster import KModes
from untie_paper.baselines import DISTANCES

OURS, PACKAGE = "untie.cluster.KModes", "kmodes.KModes"
PATIENCE = 5.0
"""What takes more seconds is timed once."""


def main() -> None:
    quick = parse_quick(__doc__)
    n_rows, n_starts = (10**4, 2) if quick else (10**5, 3)
    verdicts = []
    for purity in (0.0, 0.3, 0.6):
        verdicts += compare_kmodes(n_rows, 10, 5, 10, n_starts, purity)
    if not quick:
        report_distances(n_rows, 10, 5, 10)
    print("## Targets\n")
    for verdict in verdicts:
        print_verdict(*verdict)


def make_codes(n_rows: int, n_columns: int, n_values: int, purity: float) -> NDArray[Any]:
    """Draw rows of ten latent classes; a cell has its class's value with chance `purity`."""
    rng = np.random.default_rng(0)
    latent = rng.integers(0, 10, n_rows)
    typical = rng.integers(0, n_values, (10, n_columns))
    noise = rng.integers(0, n_values, (n_rows, n_columns))
    return np.where(rng.random(noise.shape) < purity, typical[latent], noise)


def compare_kmodes(
    n_rows: int, n_columns: int, n_values: int, n_clusters: int, n_starts: int, purity: float
) -> list[tuple[Any, ...]]:
    """Cluster from the same starts; return the targets."""
    codes = make_codes(n_rows, n_columns, n_values, purity)
    rng = np.random.default_rng(1)
    starts = [codes[rng.choice(n_rows, n_clusters, replace=False)] for _ in range(n_starts)]
    costs: dict[str, float] = {}
    makers: dict[str, Callable[..., Any]] = {
        OURS: partial(KModes, n_clusters),
        PACKAGE: partial(_package().KModes, n_clusters, n_init=1),
    }
    work = {
        name: partial(_cluster, name, make, codes, starts, costs) for name, make in makers.items()
    }
    times = best_times(work, patience=PATIENCE)
    shape = f"{n_rows:,} x {n_columns} x {n_values} values, k = {n_clusters}, purity {purity:g}"
    print(f"## K-modes: {shape}, {n_starts} starts\n")
    rows = [[name, times[name], times[name] / times[OURS], costs[name]] for name in makers]
    print_table(["", "seconds", "ratio", "lowest cost"], rows)
    return [
        (f"times faster than the package at {shape}", times[PACKAGE] / times[OURS], 20.0, True),
        (f"cost / the package's at {shape}", costs[OURS] / costs[PACKAGE], 1.0),
    ]


def report_distances(n_rows: int, n_columns: int, n_values: int, n_clusters: int) -> None:
    """Print the times of ten restarts with each distance and each kind of mode."""
    codes = make_codes(n_rows, n_columns, n_values, 0.6)
    rows = []
    for distance, make in DISTANCES.items():
        fits: dict[str, Callable[[], object]] = {
            mode: partial(KModes(n_clusters, distance=make(), mode=mode, random_state=0).fit, codes)
            for mode in ("frequency", "median")
        }
        times = best_times(fits, repeats=2)
        rows.append([distance, times["frequency"], times["median"]])
    print(f"## K-modes, ten restarts, {n_rows:,} x {n_columns} x {n_values} values\n")
    print_table(["distance", "frequency (s)", "median (s)"], rows)


def _package() -> Any:
    """Import the kmodes package; this script, which has its name, must not stand before it."""
    path = sys.path.copy()
    sys.path = [entry for entry in path if Path(entry).resolve() != Path(__file__).parent.resolve()]
    try:
        return import_module("kmodes.kmodes")
    finally:
        sys.path = path


def _cluster(
    name: str,
    make: Callable[..., Any],
    codes: NDArray[Any],
    starts: list[NDArray[Any]],
    costs: dict[str, float],
) -> None:
    # A copy, as the package writes its modes over the start that it is given.
    costs[name] = min(float(make(init=start.copy()).fit(codes).cost_) for start in starts)


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # what the other libraries deprecate
    main()
