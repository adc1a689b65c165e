"""Textbook methods next to the packages that people know: kmodes, StepMix, prince.

Clusters: the same rows, the same starts or as many, the same objective; what is compared is the
time of all starts and the best value. Axes: the eigenvalues and coordinates must be equal. All run
in turns in one process, and ratios are taken within the run. Times are of the processor, that of
all threads together, so what else the machine does hardly counts.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import prince
from kmodes.kmodes import KModes as PackageKModes
from kmodes.kprototypes import KPrototypes as PackageKPrototypes
from numpy.typing import NDArray
from stepmix.stepmix import StepMix

from _timing import best_times, parse_quick, print_table, print_verdict
from untie.cluster import KModes, KPrototypes, LatentClasses
from untie.decomposition import FAMD, MCA
from untie_paper.baselines import DISTANCES

PATIENCE = 4.0
"""What takes more seconds is timed once."""

OURS = "untie"

MODES_PURITIES = (0.0, 0.3, 0.6)

PROTOTYPES = ((1_000, 3, 3, 3), (5_000, 5, 5, 5), (20_000, 5, 5, 10))
"""Numbers of rows, columns of words, columns of numbers and clusters."""

CLASSES = ((1_000, 3, 0.0), (5_000, 5, 0.0), (5_000, 5, 0.1), (20_000, 8, 0.0))
"""Numbers of rows and classes, and the share of missing cells; 10 columns of 4 values."""

N_STARTS = 10
"""Random starts of latent classes."""

EXACT = 1e-10
"""Latent classes end when a step gains less than this per row, as they do in StepMix."""

AXES = ((10_000, 3), (100_000, 10), (100_000, 50))
"""Numbers of rows, and of values in each of 10 columns."""

EXACT_ROWS = 2_000
"""So many rows are placed by the exact solver of prince as well."""

Verdict = tuple[Any, ...]


def main() -> None:
    quick = parse_quick(__doc__)
    verdicts: list[Verdict] = []
    n_rows, n_starts = (10**4, 2) if quick else (10**5, 3)
    for purity in MODES_PURITIES:
        verdicts += compare_modes(n_rows, 10, 5, 10, n_starts, purity)
    for shape in PROTOTYPES[:2] if quick else PROTOTYPES:
        verdicts += compare_prototypes(*shape, n_starts=2)
    for classes in CLASSES[:1] if quick else CLASSES:
        verdicts += compare_classes(*classes)
    for axes in AXES[:1] if quick else AXES:
        verdicts += compare_mca(*axes)
    for n_rows in (10_000,) if quick else (10_000, 100_000):
        verdicts += compare_famd(n_rows)
    if not quick:
        report_distances(10**5, 10, 5, 10)
    print("## Targets\n")
    for verdict in verdicts:
        print_verdict(*verdict)


def time_both(
    title: str, package: str, work: Mapping[str, Callable[[], object]], found: Mapping[str, float]
) -> float:
    """Time both, print what they took and found, and return the ratio of their times."""
    times = best_times(work, repeats=2, patience=PATIENCE, clock=time.process_time)
    print(f"## {title}\n")
    lines = [[name, times[name], times[name] / times[OURS], found[name]] for name in work]
    print_table(["", "seconds", "ratio", "found"], lines)
    return times[package] / times[OURS]


def make_codes(n_rows: int, n_columns: int, n_values: int, purity: float) -> NDArray[Any]:
    """Draw rows of ten latent classes; a cell has its class's value with chance `purity`."""
    rng = np.random.default_rng(0)
    latent = rng.integers(0, 10, n_rows)
    typical = rng.integers(0, n_values, (10, n_columns))
    noise = rng.integers(0, n_values, (n_rows, n_columns))
    return np.where(rng.random(noise.shape) < purity, typical[latent], noise)


def compare_modes(
    n_rows: int, n_columns: int, n_values: int, n_clusters: int, n_starts: int, purity: float
) -> list[Verdict]:
    """Cluster by k-modes from the same starts; what is found is the lowest cost."""
    codes = make_codes(n_rows, n_columns, n_values, purity)
    rng = np.random.default_rng(1)
    starts = [codes[rng.choice(n_rows, n_clusters, replace=False)] for _ in range(n_starts)]
    costs: dict[str, float] = {}

    def cluster(name: str, make: Callable[..., Any]) -> None:
        # A copy, as the package writes its modes over the start that it is given.
        fits = [make(init=start.copy()).fit(codes) for start in starts]
        costs[name] = min(float(fit.cost_) for fit in fits)

    package = "kmodes.KModes"
    work = {
        OURS: partial(cluster, OURS, partial(KModes, n_clusters)),
        package: partial(cluster, package, partial(PackageKModes, n_clusters, n_init=1)),
    }
    shape = f"{n_rows:,} x {n_columns} x {n_values} values, k = {n_clusters}, purity {purity:g}"
    ratio = time_both(f"K-modes: {shape}, {n_starts} starts; lowest cost", package, work, costs)
    return [
        (f"times faster than {package} at {shape}", ratio, 20.0, True),
        (f"cost / that of {package} at {shape}", costs[OURS] / costs[package], 1.0),
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
        times = best_times(fits, repeats=2, clock=time.process_time)
        rows.append([distance, times["frequency"], times["median"]])
    print(f"## K-modes, ten restarts, {n_rows:,} x {n_columns} x {n_values} values\n")
    print_table(["distance", "frequency (s)", "median (s)"], rows)


def make_mixed(n_rows: int, n_words: int, n_numbers: int, n_classes: int) -> pd.DataFrame:
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


def compare_prototypes(
    n_rows: int, n_words: int, n_numbers: int, n_clusters: int, n_starts: int
) -> list[Verdict]:
    """Cluster by k-prototypes from the same starts; what is found is the lowest cost.

    The package is given standardized numbers and integer codes, ours the table as it is.
    """
    table = make_mixed(n_rows, n_words, n_numbers, n_clusters)
    rng = np.random.default_rng(1)
    starts = [rng.choice(n_rows, n_clusters, replace=False) for _ in range(n_starts)]
    words = table.columns[:n_words]
    numbers = table.drop(columns=words)
    standard = ((numbers - numbers.mean()) / numbers.std(ddof=0)).to_numpy()
    codes = table[words].map(lambda word: int(word[1:])).to_numpy()
    rows = np.hstack([codes, standard])
    costs: dict[str, float] = {}
    package = "kmodes.KPrototypes"

    def ours() -> None:
        fits = [KPrototypes(n_clusters, init=table.iloc[start]).fit(table) for start in starts]
        costs[OURS] = min(fit.cost_ for fit in fits)

    def theirs() -> None:
        found = []
        for start in starts:
            init = [standard[start].copy(), codes[start].copy()]
            model = PackageKPrototypes(n_clusters, init=init, n_init=1, gamma=0.5)
            found.append(float(model.fit(rows, categorical=list(range(n_words))).cost_))
        costs[package] = min(found)

    shape = f"{n_rows:,} x ({n_words} words + {n_numbers} numbers), k = {n_clusters}"
    title = f"K-prototypes: {shape}, {n_starts} starts; lowest cost"
    ratio = time_both(title, package, {OURS: ours, package: theirs}, costs)
    return [
        (f"times faster than {package} at {shape}", ratio, 20.0, True),
        (f"cost / that of {package} at {shape}", costs[OURS] / costs[package], 1.001),
    ]


def compare_classes(n_rows: int, n_classes: int, missing: float) -> list[Verdict]:
    """Fit latent classes from as many random starts; what is found is the log-likelihood.

    Both maximize the likelihood alone, of the known cells, and end at the same gain.
    """
    rng = np.random.default_rng(0)
    classes = rng.integers(0, n_classes, n_rows)
    profiles = rng.dirichlet(np.full(4, 0.5), (10, n_classes))
    chances = rng.random((n_rows, 10, 1))
    codes = (profiles.cumsum(axis=2)[:, classes].transpose(1, 0, 2) < chances).sum(axis=2)
    codes = np.minimum(codes, 3).astype(float)
    codes[rng.random(codes.shape) < missing] = np.nan
    table = pd.DataFrame(codes, columns=[f"c{column}" for column in range(10)])
    found: dict[str, float] = {}
    package = "StepMix"

    def ours() -> None:
        model = LatentClasses(
            n_classes, n_init=N_STARTS, tol=EXACT, max_iter=1000, smoothing=0, missing="neutral"
        )
        found[OURS] = model.fit(table).log_likelihood_

    def theirs() -> None:
        model = StepMix(
            n_classes,
            measurement="categorical_nan" if missing else "categorical",
            n_init=N_STARTS,
            abs_tol=EXACT,
            max_iter=1000,
            random_state=0,
            verbose=0,
            progress_bar=0,
        )
        found[package] = float(model.fit(table).score(table)) * n_rows

    shape = f"{n_rows:,} x 10 x 4 values, {n_classes} classes, {missing:.0%} missing"
    title = f"Latent classes: {shape}, {N_STARTS} starts; log-likelihood"
    ratio = time_both(title, package, {OURS: ours, package: theirs}, found)
    behind = (found[package] - found[OURS]) / abs(found[package])
    return [
        (f"times faster than {package} at {shape}", ratio, 5.0, True),
        (f"share of the log-likelihood behind {package} at {shape}", behind, 1e-8),
    ]


def compare_mca(n_rows: int, n_values: int) -> list[Verdict]:
    """Find two axes by multiple correspondence analysis, and place the rows on them."""
    codes = make_codes(n_rows, 10, n_values, 0.3)
    table = pd.DataFrame(codes, columns=[f"c{column}" for column in range(10)]).astype(str)
    shape = f"{n_rows:,} x 10 x {n_values} values"
    theirs = partial(prince.MCA, n_components=2, random_state=0)
    return compare_axes("MCA", shape, table, MCA, theirs)


def compare_famd(n_rows: int) -> list[Verdict]:
    """Find two axes by factor analysis of mixed data, and place the rows on them."""
    table = make_mixed(n_rows, 5, 5, 5)
    shape = f"{n_rows:,} x (5 words + 5 numbers)"
    theirs = partial(prince.FAMD, n_components=2, random_state=0)
    return compare_axes("FAMD", shape, table, FAMD, theirs)


def compare_axes(
    method: str,
    shape: str,
    table: pd.DataFrame,
    ours: Callable[[], Any],
    theirs: Callable[..., Any],
) -> list[Verdict]:
    """Time `fit` and the coordinates of all rows; what is found is the first eigenvalue.

    By default prince takes a random approximation; coordinates of some rows are compared with those
    of its exact solver.
    """
    package = f"prince.{method}"
    found: dict[str, float] = {}

    def place(name: str, model: Any, rows: pd.DataFrame) -> NDArray[Any]:
        coordinates = np.asarray(model.fit(rows).transform(rows))
        found[name] = float(model.eigenvalues_[0])
        return coordinates

    work = {
        OURS: lambda: place(OURS, ours(), table),
        package: lambda: place(package, theirs(), table),
    }
    title = f"{method}: {shape}, fit and transform; first eigenvalue"
    ratio = time_both(title, package, work, found)
    some = table.head(EXACT_ROWS)
    own, exact = place(OURS, ours(), some), place(package, theirs(engine="scipy"), some)
    error = float(np.abs(np.abs(own) - np.abs(exact)).max() / np.abs(exact).max())
    return [
        (f"times faster than {package} at {shape}", ratio, 3.0, True),
        (f"largest relative error of coordinates, exact {package}, at {shape}", error, 1e-9),
    ]


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # what the other libraries deprecate
    main()
