"""Every representation that was tried, alone and as a candidate of the choice.

Each is clustered on the paper's sets, the made tables and the other real ones (k-means on distinct
rows, 30 starts, two seeds), and scored by macro F. Then yardsticks choose, table by table, among
sets of candidates: the gain in description with copies sharing a vote, as a mean over neighbouring
numbers of clusters (the one in use) and for the number of classes alone; the same with a smooth
discount and with every column's own vote; and the gain on rows that were held out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.random import RandomState
from numpy.typing import NDArray

from representations import IDEAS, Idea, View
from scores import mean_rank
from tables import (
    CONFIRMATION,
    DEVELOPMENT,
    PAPER,
    LabelledTable,
    made_tables,
    paper_tables,
    real_tables,
)
from untie import count_table
from untie._count.counts import count
from untie._learn.description import description_gain
from untie._util.k_means import best_labels
from untie._util.types import FloatArray
from untie.evaluation import clustering_f_score

STARTS, SEEDS, FOLDS = 30, 2, 5
LARGE_ROWS, LARGE_STARTS = 15_000, 8

CHOICES = [
    ["relevance", "values"],
    ["relevance", "values", "kernels"],
    ["relevance", "values", "kernels, copies in full"],
    ["relevance, no kernels", "values, no kernels", "kernels"],
    ["relevance, no kernels", "values, smooth discount", "kernels, copies in full"],
    ["relevance, no kernels", "values", "kernels"],
    ["relevance, kernels 0.1", "values", "kernels"],
    ["relevance, kernels 0.3", "values, kernels 0.3", "kernels"],
    ["relevance", "values, kernels 0.5", "kernels"],
    ["relevance", "values", "kernels", "one-hot"],
    ["relevance", "values", "kernels", "MCA axes above the noise"],
    ["relevance", "values", "kernels", "factor coupling"],
    list(IDEAS),
]
YARDSTICKS = [
    *("numbers k - 1, k, k + 1", "k alone"),
    *("k alone, smooth discount", "k alone, own votes", "k alone, held-out rows"),
]


def distinct(codes: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
    rows, inverse, times = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    return rows, inverse.ravel(), times.astype(float)


def vectors(matrix: FloatArray, rows: NDArray[np.intp], offsets: NDArray[np.intp]) -> FloatArray:
    total = matrix[offsets[0] + rows[:, 0]].copy()
    for start, column in zip(offsets[1:-1], rows.T[1:], strict=True):
        total += matrix[start + column]
    return total


def evaluate(table: LabelledTable, name: str, on_gpu: bool) -> dict[str, list[float]]:
    """Return the score and every yardstick, for each seed."""
    counted = count_table(table.X)
    counts, k = counted.counts, table.n_classes
    codes = np.stack(
        [
            pd.Categorical(table.X[c], categories=v).codes
            for c, v in zip(table.X, counted.vocabulary.values, strict=True)
        ],
        axis=1,
    ).astype(np.intp)
    rows, inverse, times = distinct(codes)
    view = View(counts, k)
    X = vectors(IDEAS[name](view), rows, counts.offsets)
    n_starts = LARGE_STARTS if len(codes) > LARGE_ROWS else STARTS
    k_means = clusterer(on_gpu)
    held_out = held_out_gain(codes, counts.sizes, k, IDEAS[name], n_starts, k_means)
    result: dict[str, list[float]] = {key: [] for key in ("F", *YARDSTICKS)}
    for seed in range(SEEDS):
        gains = {}
        for number in {max(2, k - 1), k, min(k + 1, len(rows))}:
            labels = k_means(X, times, number, n_starts, RandomState(seed))
            if number == k:
                result["F"].append(100 * clustering_f_score(table.y, labels[inverse]))
                own = labels
            if len(np.unique(labels)) == number:
                given = (rows, counts.sizes, times, labels)
                gains[number] = description_gain(*given, view.votes)
        numbers = [number for number in (k - 1, k, k, k + 1) if number in gains]
        given = (rows, counts.sizes, times, own)
        for yardstick, gain in (
            ("numbers k - 1, k, k + 1", np.mean([gains[number] for number in numbers] or [0.0])),
            ("k alone", gains.get(k, -np.inf)),
            ("k alone, smooth discount", description_gain(*given, view.smooth)),
            ("k alone, own votes", description_gain(*given, np.ones(len(counts.sizes)))),
            ("k alone, held-out rows", held_out),
        ):
            result[yardstick].append(float(gain) if k in gains else -np.inf)
    return result


def clusterer(on_gpu: bool) -> Callable[..., NDArray[np.intp]]:
    if on_gpu:
        from gpu_k_means import best_labels as on_a_gpu

        return on_a_gpu
    return best_labels


def held_out_gain(
    codes: NDArray[np.intp],
    sizes: tuple[int, ...],
    k: int,
    idea: Idea,
    n_starts: int,
    k_means: Callable[..., NDArray[np.intp]],
) -> float:
    """Learn on part of the rows; return the log likelihood gain of the others' cells."""
    fold = RandomState(0).permutation(len(codes)) % FOLDS
    total = 0.0
    for number in range(FOLDS):
        train, test = codes[fold != number], codes[fold == number]
        counts = count([column.astype(np.int64) for column in train.T], sizes)
        matrix = idea(View(counts, k))
        rows, inverse, times = distinct(train)
        X = vectors(matrix, rows, counts.offsets)
        labels = k_means(X, times, min(k, len(rows)), max(4, n_starts // 3), RandomState(0))
        n_clusters = int(labels.max()) + 1
        sums = np.zeros((n_clusters, X.shape[1]))
        np.add.at(sums, labels, X * times[:, None])
        size = np.bincount(labels, times)
        centres = sums / np.maximum(size, 1)[:, None]
        new = vectors(matrix, test, counts.offsets)
        distance = (centres**2).sum(axis=1) - 2 * new @ centres.T
        distance[:, size == 0] = np.inf
        nearest = distance.argmin(axis=1)
        total += np.log((size + 0.5) / (len(train) + n_clusters / 2))[nearest].sum()
        for attribute, n_values in enumerate(sizes):
            table = np.zeros((n_clusters, n_values))
            np.add.at(table, (labels[inverse], train[:, attribute]), 1.0)
            own = (table + 0.5) / (table.sum(axis=1, keepdims=True) + n_values / 2)
            overall = (table.sum(axis=0) + 0.5) / (len(train) + n_values / 2)
            cells = test[:, attribute]
            total += np.log(own[nearest, cells] / overall[cells]).sum()
    return total / len(codes)


def choose(
    found: dict[tuple[str, str], dict[str, list[float]]],
    names: Iterable[str],
    candidates: list[str],
    yardstick: str,
) -> pd.Series:
    scores = {}
    for name in names:
        picks = []
        for seed in range(SEEDS):
            best = max(candidates, key=lambda idea: found[name, idea][yardstick][seed])
            picks.append(found[name, best]["F"][seed])
        scores[name] = float(np.mean(picks))
    return pd.Series(scores)


def line(label: str, scores: pd.Series, kinds: dict[str, str]) -> str:
    paper = [name for name in PAPER if name in scores.index]
    parts = [[n for n in DEVELOPMENT if n in paper], [n for n in CONFIRMATION if n in paper], paper]
    cells = [f"{scores[p].mean():.1f} / {mean_rank(scores[p]):.2f}" if p else "" for p in parts]
    for kind in ("real", "made"):
        chosen = [name for name in scores.index if kinds[name] == kind]
        cells.append(f"{scores[chosen].mean():.1f}" if chosen else "")
    return f"| {label} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few small tables")
    parser.add_argument("--without", choices=["real", "large"], nargs="*", default=[])
    parser.add_argument("--gpu", action="store_true", help="k-means on a GPU (needs torch)")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    small = ["zoo", "hayesroth", "housevotes"] if options.quick else None
    tables = [*paper_tables(small), *made_tables(1 if options.quick else 2)]
    if not options.quick and "real" not in options.without:
        tables += list(real_tables())
    if "large" in options.without:
        tables = [table for table in tables if len(table.X) <= LARGE_ROWS]
    jobs = [(table, idea) for table in tables for idea in IDEAS]
    jobs.sort(key=lambda job: -len(job[0].X))
    results = Parallel(options.jobs, batch_size=1)(
        delayed(evaluate)(t, i, options.gpu) for t, i in jobs
    )
    found = {(t.name, i): r for (t, i), r in zip(jobs, results, strict=True)}
    kinds = {table.name: table.kind for table in tables}
    header = "| development | confirmation | all of the paper | real | made |"
    print(f"## Alone: mean F / mean rank\n\n| representation {header}\n" + "|---" * 6 + "|")
    for idea in IDEAS:
        scores = pd.Series({name: np.mean(found[name, idea]["F"]) for name in kinds})
        print(line(idea, scores, kinds))
    for candidates in CHOICES:
        title = ", ".join(candidates) if len(candidates) < len(IDEAS) else "all of them"
        print(f"\n## Choice among: {title}\n\n| yardstick {header}\n" + "|---" * 6 + "|")
        for yardstick in YARDSTICKS:
            print(line(yardstick, choose(found, kinds, candidates, yardstick), kinds))
        best = {n: max(float(np.mean(found[n, c]["F"])) for c in candidates) for n in kinds}
        print(line("the best for the labels", pd.Series(best), kinds))


if __name__ == "__main__":
    main()
