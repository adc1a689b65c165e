"""Missing cells: how often the likely values are right, compared with scikit-learn's imputers.

One in ten known cells of a table is hidden at random, and each method fills the hidden cells. All
columns are categories, and the class is left out. The tables are the bundled ones, at most 1,000
rows of each, and those in the folder that UNTIE_PEERS names.

- likely_values: `untie.explain.likely_values` of a `TableClusterer`.
- mode: SimpleImputer with the most frequent value; its probabilities are the shares of values.
- KNN codes: KNNImputer on the values' codes, rounded to the nearest code.
- KNN one-hot: KNNImputer on one-hot columns; the means of the five neighbors are probabilities.
- iterative: IterativeImputer with a random forest of 30 trees, three rounds; it has no
  probabilities.

Accuracy is the share of the hidden cells that are filled with what was in them. Log loss is the
mean of minus the log of the probability of what was in them, in nats; probabilities of neighbors
are mixed with 1% of the shares of values, as they may be 0. Lower is better. Of likely_values only
the probability of its value is known; its log loss takes the rest as shared out like the other
values of the column. Last comes how often its values are right, by their probability.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  # its import enables the next
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer

from _timing import parse_quick, print_table
from untie import TableClusterer
from untie.datasets import load, names
from untie.explain import likely_values

VARIABLE = "UNTIE_PEERS"
MOST_ROWS, HIDDEN, MIXED = 1000, 0.1, 0.01
BINS = (0.0, 0.4, 0.6, 0.8, 0.95, 1.0001)

Codes = NDArray[np.float64]
Found = tuple[NDArray[np.float64], NDArray[np.float64] | None]
"""The codes that hidden cells are filled with, and the probability of what was in them."""


def tables(quick: bool) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield tables of categories."""
    for name in ["zoo", "hepatitis"] if quick else names():
        yield name, load(name)[0]
    folder = os.environ.get(VARIABLE)
    for path in [] if quick or folder is None else sorted(Path(folder).glob("*.csv")):
        table = pd.read_csv(path, dtype=str)
        yield f"peers: {path.stem}", table.drop(columns="class", errors="ignore")


def coded(table: pd.DataFrame) -> Codes:
    """Return the codes of cells, NaN where they are missing."""
    parts = [pd.factorize(table[name], sort=True)[0] for name in table]
    codes = np.stack(parts, axis=1).astype(float)
    return np.where(codes < 0, np.nan, codes)


def shares_of(codes: Codes, cells: tuple[NDArray[np.int64], ...], truth: Codes) -> Codes:
    """Return the share of what is in hidden cells among the known cells of their columns."""
    known = [column[~np.isnan(column)] for column in codes.T]
    pairs = zip(cells[1], truth, strict=True)
    found = [np.mean(known[column] == value) for column, value in pairs]
    return np.maximum(found, 0.5 / len(codes))


def by_untie(codes: Codes, cells: tuple[NDArray[np.int64], ...], truth: Codes) -> Found:
    """Fill with `likely_values`; a second array has the probability of what it fills with."""
    frame = pd.DataFrame(codes, columns=[f"c{place}" for place in range(codes.shape[1])])
    frame = frame.map(lambda cell: None if np.isnan(cell) else f"v{cell:g}").astype(object)
    lines = likely_values(TableClusterer(preparer=None).fit(frame), frame)
    by_cell = {
        (row, int(column[1:])): (float(value[1:]), probability)
        for row, column, value, probability in lines.itertuples(index=False)
    }
    asked = list(zip(*cells, strict=True))
    found = np.array([by_cell.get(cell, (np.nan, 0.0)) for cell in asked])
    return found[:, 0], found[:, 1]


def by_mode(codes: Codes, cells: tuple[NDArray[np.int64], ...], truth: Codes) -> Found:
    """Fill with the most frequent value."""
    filled = SimpleImputer(strategy="most_frequent").fit_transform(codes)
    return filled[cells], shares_of(codes, cells, truth)


def by_neighbor_codes(codes: Codes, cells: tuple[NDArray[np.int64], ...], truth: Codes) -> Found:
    """Fill with the rounded mean of the neighbors' codes."""
    return np.rint(KNNImputer().fit_transform(codes)[cells]), None


def by_neighbors(codes: Codes, cells: tuple[NDArray[np.int64], ...], truth: Codes) -> Found:
    """Fill with the value that most neighbors have."""
    parts, starts = [], [0]
    for column in codes.T:
        values = np.arange(np.nanmax(column) + 1)
        hot = (column[:, None] == values).astype(float)
        hot[np.isnan(column)] = np.nan
        parts.append(hot)
        starts.append(starts[-1] + len(values))
    filled = KNNImputer().fit_transform(np.hstack(parts))
    usual, best, told = shares_of(codes, cells, truth), [], []
    for row, column, value in zip(*cells, truth, strict=True):
        shares = filled[row, starts[column] : starts[column + 1]]
        best.append(shares.argmax())
        told.append(shares[int(value)] if value < len(shares) else 0.0)
    return np.array(best), (1 - MIXED) * np.array(told) + MIXED * usual


def by_forests(codes: Codes, cells: tuple[NDArray[np.int64], ...], truth: Codes) -> Found:
    """Fill by forests, column by column, three times over."""
    forest = RandomForestClassifier(30, min_samples_leaf=2, random_state=0)
    imputer = IterativeImputer(
        forest, initial_strategy="most_frequent", max_iter=3, skip_complete=True, random_state=0
    )
    return imputer.fit_transform(codes)[cells], None


METHODS: dict[str, Callable[..., Found]] = {
    "likely_values": by_untie,
    "mode": by_mode,
    "KNN codes": by_neighbor_codes,
    "KNN one-hot": by_neighbors,
    "iterative": by_forests,
}


def log_loss_of_best(
    codes: Codes,
    cells: tuple[NDArray[np.int64], ...],
    truth: Codes,
    best: Codes,
    probability: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return probabilities of what was in cells, where only those of the likeliest are known."""
    usual = shares_of(codes, cells, truth)
    rest = np.maximum(1.0 - shares_of(codes, cells, best), 1e-9)
    told = np.where(best == truth, probability, (1.0 - probability) * usual / rest)
    return np.maximum(told, 0.5 / len(codes))


def main() -> None:
    quick = parse_quick(__doc__)
    warnings.simplefilter("ignore")
    lines, sure, right = [], [], []
    totals: dict[str, list[float]] = {name: [] for name in METHODS}
    for name, table in tables(quick):
        if len(table) > MOST_ROWS:
            table = table.sample(MOST_ROWS, random_state=0)
        whole = coded(table)
        whole = whole[:, [len(np.unique(c[~np.isnan(c)])) > 1 for c in whole.T]]
        rng = np.random.default_rng(0)
        hidden = (rng.random(whole.shape) < HIDDEN) & ~np.isnan(whole)
        codes, cells = np.where(hidden, np.nan, whole), np.nonzero(hidden)
        truth, accuracy, losses, seconds = whole[cells], {}, {}, {}
        for method, fill in METHODS.items():
            start = time.perf_counter()
            best, told = fill(codes, cells, truth)
            seconds[method] = time.perf_counter() - start
            accuracy[method] = float(np.mean(best == truth))
            totals[method].append(accuracy[method])
            if method == "likely_values":
                sure += told.tolist()
                right += (best == truth).tolist()
                told = log_loss_of_best(codes, cells, truth, best, told)
            if told is not None:
                losses[method] = -float(np.log(told).mean())
        texts = [f"{accuracy[method]:.3f}" for method in METHODS]
        texts += [f"{losses[method]:.3f}" for method in losses]
        texts += [f"{seconds['likely_values']:.1f}", f"{seconds['iterative']:.1f}"]
        lines.append([name, f"{len(truth):,}", *texts])
        print(lines[-1], flush=True)
    means = [f"{np.mean(totals[method]):.3f}" for method in METHODS]
    lines.append(["mean", "", *means, *[""] * 5])
    of_loss = [f"log loss, {method}" for method in ("likely_values", "mode", "KNN one-hot")]
    print_table(["table", "cells", *METHODS, *of_loss, "s, likely_values", "s, iterative"], lines)
    places, said, hits = np.digitize(sure, BINS) - 1, np.array(sure), np.array(right)
    reliability = [
        [f"{low:.0%} to {min(high, 1):.0%}", f"{(places == at).sum():,}"]
        + [f"{part[places == at].mean():.1%}" for part in (said, hits)]
        for at, (low, high) in enumerate(pairwise(BINS))
        if (places == at).any()
    ]
    print_table(["probability", "cells", "mean probability", "right"], reliability)


if __name__ == "__main__":
    main()
