"""The published clustering scores of seven methods, recomputed on the paper's data sets.

Hamming, Ahmad, DILCA, COS and Rough: k-modes from random objects with the modes that the paper
very likely used (frequency); of the restarts the cheapest counts, and of several that are equally
cheap the first. Couplings and CDE: k-means on the vectors, lowest inertia; CDE, whose vectors
depend on a seed, with the seed 0. No label and no printed score chooses a run. The score is the
macro F after one-to-one matching.

CDE clusters values by k-means. The authors' program (CDE.m of github.com/jiansonglei/CDE) calls
MATLAB's kmeans without options, that is with one start: the column "CDE". Beside it is one
with ten starts, of which the best counts.

How many restarts the authors took is not known, and more can find a cheaper solution than they
had. So "nearest" is chosen by the printed score: of the solutions that share the lowest cost, of
the cheapest of any forty restarts in a row, and of the other seeds of CDE. It says whether
the printed score can be had, not that it would be.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from _timing import print_table
from untie import count_table
from untie.cluster import KModes
from untie_paper.baselines import CDE, COS, DILCA, Ahmad, Couplings, Hamming, Rough
from untie_paper.datasets import load
from untie_paper.evaluation import clustering_f_score, published
from untie_paper.weighted_k_means import k_means

DISTANCES: dict[str, Callable[[], Any]] = {
    "Hamming": Hamming,
    "Ahmad": Ahmad,
    "DILCA": partial(DILCA, norm="n_attributes", empty="zero"),
    "COS": COS,
    "Rough": Rough,
}
CDE_STARTS = {"CDE": 1, "CDE (10 starts)": 10}
"""Starts of each k-means over values; both are compared with the printed column of CDE."""

METHODS = [*DISTANCES, "Couplings", *CDE_STARTS]
CALIBRATED = [
    *("housevotes", "spect", "zoo", "titanic", "mammographic", "breastcancer"),
    *("crx", "hepatitis", "dnapromoter", "threeof9", "hayesroth", "tictactoe"),
]
"""The sets on which the settings of the k-modes methods were chosen; the others check them."""

FEW = 40
RESTARTS = {2_000: 300, 20_000: 120, 10**9: 20}
"""Number of restarts, by the number of rows up to which it is taken."""

CDE_SEEDS, LARGE_CDE_SEEDS = 10, 2
KMEANS_RESTARTS = 50
TOLERANCES = {"both decimals": 0.00501, "0.5 points": 0.5, "2 points": 2.0}


@dataclass
class Cell:
    """Scores of one method on one data set.

    Attributes
    ----------
    best : list of float
        Of the solutions that share the lowest cost, the first found first.
    others : list of float
        Of solutions that may be the authors'.
    """

    best: list[float]
    others: list[float] = field(default_factory=list)

    @property
    def cheapest(self) -> float:
        return self.best[0]

    def nearest(self, printed: float) -> float:
        return min(self.best + self.others, key=lambda score: abs(score - printed))


Cells = dict[tuple[str, str], Cell]
Printed = dict[tuple[str, str], float]
"""By data set and method."""


def k_modes_cell(X: pd.DataFrame, y: pd.Series, distance: Any, n_restarts: int) -> Cell:
    tables = distance(count_table(X).counts)  # the same for all runs
    runs = []
    for seed in range(n_restarts):
        # Objects, not distinct rows: two modes may start equal, as they may have with the authors.
        start = X.sample(y.nunique(), random_state=seed)
        model = KModes(y.nunique(), distance=lambda _: tables, init=start, random_state=seed).fit(X)
        runs.append((model.cost_, 100 * clustering_f_score(y, model.labels_)))
    batches = [runs[start : start + FEW] for start in range(0, n_restarts, FEW)]
    return Cell(cheapest(runs), [score for batch in batches for score in cheapest(batch)])


def cheapest(runs: list[tuple[float, float]]) -> list[float]:
    """Return the distinct scores of the runs of lowest cost, in the order of the runs."""
    lowest = min(cost for cost, _ in runs)
    return list(dict.fromkeys(score for cost, score in runs if cost <= lowest * (1 + 1e-9)))


def couplings_cell(X: pd.DataFrame, y: pd.Series) -> Cell:
    return Cell([k_means_score(Couplings().fit_transform(X), y, 0)])


def cde_cell(X: pd.DataFrame, y: pd.Series, n_starts: int, n_seeds: int) -> Cell:
    scores = [
        k_means_score(CDE(n_init=n_starts, random_state=seed).fit_transform(X), y, seed)
        for seed in range(n_seeds)
    ]
    return Cell(scores[:1], scores[1:])


def k_means_score(vectors: NDArray[Any], y: pd.Series, seed: int) -> float:
    found = k_means(vectors, y.nunique(), seed, KMEANS_RESTARTS)
    return 100 * clustering_f_score(y, found.labels)


def one_cell(name: str, method: str, quick: bool) -> Cell:
    warnings.simplefilter("ignore")  # fewer distinct vectors than clusters, as in the paper
    X, y = load(name)
    n_restarts = next(number for n_rows, number in RESTARTS.items() if len(X) <= n_rows)
    if method in DISTANCES:
        return k_modes_cell(X, y, DISTANCES[method](), FEW if quick else n_restarts)
    if method in CDE_STARTS:
        n_seeds = LARGE_CDE_SEEDS if len(X) > 20_000 else CDE_SEEDS
        return cde_cell(X, y, CDE_STARTS[method], 1 if quick else n_seeds)
    return couplings_cell(X, y)


def report_agreement(title: str, cells: Cells, printed: Printed) -> None:
    """Print how many cells agree: by the cheapest run, and by the nearest."""
    print(f"## {title}\n")
    rows = []
    groups = {method: [key for key in cells if key[1] == method] for method in METHODS}
    # One column of CDE counts, that of the authors' program.
    groups["all but CDE (10 starts)"] = [key for key in cells if key[1] != "CDE (10 starts)"]
    for name, keys in groups.items():
        if keys:
            shown = [abs(cells[key].cheapest - printed[key]) for key in keys]
            near = [abs(cells[key].nearest(printed[key]) - printed[key]) for key in keys]
            rows.append([name, len(keys), *within(shown), *within(near)])
    header = ["method", "cells", *TOLERANCES, *(f"nearest: {name}" for name in TOLERANCES)]
    print_table(header, rows)


def within(gaps: list[float]) -> list[int]:
    """Count the gaps within each tolerance."""
    return [sum(gap <= limit for gap in gaps) for limit in TOLERANCES.values()]


def report_cells(cells: Cells, printed: Printed) -> None:
    """Print the cheapest run of every cell, and then the nearest where that is another one."""
    print("## Cells: the cheapest run (printed); equal to both decimals in bold\n")
    print_table(*cell_rows(cells, printed, cheapest_text))
    print("## Cells: the nearest run, where it is nearer than the cheapest\n")
    print_table(*cell_rows(cells, printed, nearest_text))
    ties = [key for key in cells if len(cells[key].best) > 1]
    missed = [
        key
        for key in ties
        if abs(cells[key].cheapest - printed[key])
        > min(abs(score - printed[key]) for score in cells[key].best) + 1e-9
    ]
    print(
        f"In {len(ties)} of {len(cells)} cells solutions of several scores share the lowest cost; "
        f"in {len(missed)} of them the first is not the one nearest to the printed score.\n"
    )


def cell_rows(
    cells: Cells, printed: Printed, text: Callable[[Cell, float], str]
) -> tuple[list[str], list[list[str]]]:
    """Return the header and a row per data set that has any text."""
    names = dict.fromkeys(name for name, _ in cells)
    methods = [method for method in METHODS if any(key[1] == method for key in cells)]
    rows = [
        [
            name,
            *(
                text(cells[name, method], printed[name, method]) if (name, method) in cells else ""
                for method in methods
            ),
        ]
        for name in names
    ]
    return ["data set", *methods], [row for row in rows if any(row[1:])]


def cheapest_text(cell: Cell, printed: float) -> str:
    """Write the cheapest run's score, and the printed one where it differs."""
    text = f"{cell.cheapest:.2f}"
    return f"**{text}**" if text == f"{printed:.2f}" else f"{text} ({printed:.2f})"


def nearest_text(cell: Cell, printed: float) -> str:
    """Write the nearest run's score where it is nearer than the cheapest's, otherwise nothing."""
    text, shown = f"{cell.nearest(printed):.2f}", f"{cell.cheapest:.2f}"
    if text == shown or shown == f"{printed:.2f}":
        return ""
    return f"**{text}**" if text == f"{printed:.2f}" else f"{text} ({printed:.2f})"


def report_seeds(cells: Cells, printed: Printed) -> None:
    """Print what the seeds of CDE reach, with one start and with ten."""
    print("## CDE over seeds: the lowest and the highest score\n")
    ranges = {key: seed_range(cell) for key, cell in cells.items() if key[1] in CDE_STARTS}
    rows = [
        [
            name,
            *(" to ".join(ranges.get((name, method), ("", ""))) for method in CDE_STARTS),
            f"{printed[name, 'CDE']:.2f}",
        ]
        for name in dict.fromkeys(name for name, _ in ranges)
    ]
    if rows:
        print_table(["data set", *CDE_STARTS, "printed"], rows)
    for method in CDE_STARTS:
        bounds = [(ends, printed[key]) for key, ends in ranges.items() if key[1] == method]
        inside = sum(float(low) <= score <= float(high) for (low, high), score in bounds)
        print(f"{method}: the printed score is within the range on {inside} of {len(bounds)} sets.")


def seed_range(cell: Cell) -> tuple[str, str]:
    """Return the lowest and the highest score, as they are printed."""
    scores = cell.best + cell.others
    return f"{min(scores):.2f}", f"{max(scores):.2f}"


def read_cells(path: Path | None) -> Cells:
    """Return what an earlier run has written down, one cell per line."""
    if path is None or not path.exists():
        return {}
    lines = map(json.loads, path.read_text().splitlines())
    return {(one["set"], one["method"]): Cell(one["best"], one["others"]) for one in lines}


def write_cell(path: Path | None, key: tuple[str, str], cell: Cell) -> None:
    """Write a cell down, so that a run that was interrupted can go on."""
    if path is not None:
        line = {"set": key[0], "method": key[1], "best": cell.best, "others": cell.others}
        with path.open("a") as file:
            file.write(json.dumps(line) + "\n")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="40 restarts, the calibrated sets")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--sets", nargs="+", help="all of the paper's if not given")
    parser.add_argument(
        "--cells",
        type=Path,
        help="file of finished cells, read and added to; for the same code and options only",
    )
    return parser.parse_args()


def compute(keys: list[tuple[str, str]], options: argparse.Namespace) -> Cells:
    """Return the cells, those that are not in the file computed."""
    known = read_cells(options.cells)
    # The longest first, so that no process waits for the last one.
    missing = sorted(
        (key for key in keys if key not in known), key=lambda key: -len(load(key[0])[0])
    )
    found = Parallel(options.jobs, batch_size=1, return_as="generator")(
        delayed(one_cell)(name, method, options.quick) for name, method in missing
    )
    for key, cell in zip(missing, found, strict=True):
        known[key] = cell
        write_cell(options.cells, key, cell)
    return {key: known[key] for key in keys}


def main() -> None:
    options = parse()
    table = published("clustering").set_index("dataset")
    table = table.assign(**dict.fromkeys(CDE_STARTS, table["CDE"]))
    names = options.sets or (CALIBRATED if options.quick else list(table.index))
    keys = [(name, method) for name in names for method in options.methods]
    printed = {(name, method): float(table.loc[name, method]) for name in names for method in table}
    cells = compute(keys, options)
    calibrated = {key: cell for key, cell in cells.items() if key[0] in CALIBRATED}
    rest = {key: cell for key, cell in cells.items() if key[0] not in CALIBRATED}
    if calibrated:
        report_agreement("Sets on which settings were chosen", calibrated, printed)
    if rest:
        report_agreement("The other sets", rest, printed)
        report_agreement("All sets", cells, printed)
    report_cells(cells, printed)
    report_seeds(cells, printed)


if __name__ == "__main__":
    main()
