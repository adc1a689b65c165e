"""Clustering scores of the default and of what else users would try, on all tables.

k-means with 50 restarts on the vectors, lowest inertia, for five seeds of encoder and k-means
(20 and two on tables beyond the paper's, 10 and two on tables of over 15,000 rows);
the number of clusters is that of the classes, which are used for the score alone (macro F after
one-to-one matching). Ranks are against the paper's nine other columns. Means are also given apart
for the tables that were seen and those that were held back while the default was chosen.
The tables of words are scored only if asked for by name: they are for judging what is settled.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from itertools import compress
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from held_back import is_held_back
from k_means import k_means_labels
from tables import (
    CONFIRMATION,
    DEVELOPMENT,
    PAPER,
    LabeledTable,
    made_tables,
    paper_tables,
    real_tables,
)
from untie import TableClusterer, TableEncoder
from untie.cluster import KModes, LatentClasses
from untie_paper.baselines import CDE, MCA, OneHot
from untie_paper.evaluation import (
    average_ranks,
    bonferroni_dunn,
    clustering_f_score,
    friedman,
    published,
)
from word_tables import word_tables

RESTARTS, SEEDS = 50, 5
WIDER_RESTARTS, WIDER_SEEDS = 20, 2
LARGE_ROWS, LARGE_RESTARTS, LARGE_SEEDS = 15_000, 10, 2
TIE = 0.5


class Alternative:
    """One of the weightings that the default chooses from, alone."""

    def __init__(self, name: str, k: int) -> None:
        self.name, self.k = name, k

    def fit_transform(self, X: pd.DataFrame) -> NDArray[Any]:
        # Here, as a worker process would patch a copy of what is imported above.
        from untie._learn.weights.weightings import ALTERNATIVES

        with patch.dict(ALTERNATIVES, {self.name: ALTERNATIVES[self.name]}, clear=True):
            return TableEncoder(self.k, preparer=None).fit_transform(X)


ENCODERS: dict[str, Callable[[int, int], Any]] = {
    "TableEncoder": lambda k, seed: TableEncoder(k, random_state=seed, preparer=None),
    "couplings": lambda k, seed: Alternative("couplings", k),
    "relevance": lambda k, seed: Alternative("relevance", k),
    "one-hot": lambda k, seed: OneHot(),
    "MCA": lambda k, seed: MCA(max(k - 1, 2)),
    "CDE": lambda k, seed: CDE(random_state=seed),
}
CLUSTERERS: dict[str, Callable[[int, int, int], Any]] = {
    "TableClusterer": lambda k, seed, n: TableClusterer(
        k, n_init=n, random_state=seed, preparer=None
    ),
    "k-modes": lambda k, seed, n: KModes(k, init="random", n_init=n, random_state=seed),
    "latent classes": lambda k, seed, n: LatentClasses(k, n_init=min(n, 10), random_state=seed),
}
METHODS = [*ENCODERS, *CLUSTERERS]

Scores = dict[tuple[str, str], list[float]]
"""The scores of a table and a method, one per seed."""


def score(table: LabeledTable, method: str, seed: int, n_restarts: int) -> float:
    k = table.n_classes
    if method in CLUSTERERS:
        model = CLUSTERERS[method](k, seed, n_restarts).fit(table.X)
        labels = model.predict(table.X) if method == "latent classes" else model.labels_
    else:
        vectors = ENCODERS[method](k, seed).fit_transform(table.X)
        labels = k_means_labels(vectors, k, seed, n_restarts)
    return 100 * clustering_f_score(table.y, labels)


def scores(table: LabeledTable, method: str, n_restarts: int, n_seeds: int) -> list[float]:
    warnings.simplefilter("ignore")  # fewer distinct vectors than clusters
    if len(table.X) > LARGE_ROWS:
        n_restarts, n_seeds = min(n_restarts, LARGE_RESTARTS), min(n_seeds, LARGE_SEEDS)
    return [score(table, method, seed, n_restarts) for seed in range(n_seeds)]


def mean_rank(column: pd.Series) -> float:
    """Return the mean rank among the published columns, UNTIE's own left out; ties share."""
    table = published("clustering").set_index("dataset").drop(columns=["UNTIE", "delta"])
    table = table.loc[column.index]
    values = column.to_numpy().round(2)[:, None]
    better = (table.to_numpy() > values).sum(axis=1)
    equal = (table.to_numpy() == values).sum(axis=1)
    return float((1 + better + equal / 2).mean())


def report_paper(found: Scores, methods: list[str]) -> None:
    names = [name for name in PAPER if (name, methods[0]) in found]
    means = pd.DataFrame({m: {n: np.mean(found[n, m]) for n in names} for m in methods})
    means["published UNTIE"] = published("clustering").set_index("dataset")["UNTIE"]
    print("## The paper's sets\n")
    print("| data set | " + " | ".join(means.columns) + " |")
    print("|---" * (means.shape[1] + 1) + "|")
    for name in names:
        print(f"| {name} | " + " | ".join(f"{value:.1f}" for value in means.loc[name]) + " |")
    parts = {
        "development": DEVELOPMENT,
        "confirmation": CONFIRMATION,
        "seen": [name for name in names if not is_held_back(name)],
        "held back": [name for name in names if is_held_back(name)],
        "without threeof9": [name for name in names if name != "threeof9"],
        "all": names,
    }
    for part, chosen in parts.items():
        rows = means.loc[[n for n in chosen if n in names]]
        if rows.empty:
            continue
        cells = [f"{rows[m].mean():.2f} / {mean_rank(rows[m]):.2f}" for m in means.columns]
        print(f"| **{part}**: mean / rank | " + " | ".join(cells) + " |")
    spreads = []
    for method in methods:
        per_seed = [
            np.mean([found[n, method][s % len(found[n, method])] for n in names])
            for s in range(SEEDS)
        ]
        spreads.append(f"{np.std(per_seed):.2f}")
    print("| sd of the mean over seeds | " + " | ".join(spreads) + " | |\n", flush=True)
    report_duels(means)


def report_duels(means: pd.DataFrame) -> None:
    """Print how the first column fares against each other one, and what is significant."""
    control, *others = means.columns
    difference = means[others].rsub(means[control], axis=0)
    ranks = dict(zip(means.columns, average_ranks(means.round(2)), strict=True))
    distance = bonferroni_dunn(means.shape[1], len(means))
    chance = friedman(means.round(2)).p_value
    print(
        f"Ranks among these columns; {control} is the control, and a rank differs significantly "
        f"from {distance:.2f} on (Bonferroni-Dunn, 5 %; Friedman p = {chance:.2g}). A tie is a "
        f"difference of at most {TIE} points.\n"
    )
    print(
        f"| {control} against | wins | ties | losses | mean rank | significant |\n"
        + "|---" * 6
        + "|"
    )
    print(f"| itself | | | | {ranks[control]:.2f} | |")
    for name in others:
        wins, losses = (int((sign * difference[name] > TIE).sum()) for sign in (1, -1))
        apart = abs(ranks[name] - ranks[control]) >= distance
        cells = (wins, len(means) - wins - losses, losses, f"{ranks[name]:.2f}")
        print(f"| {name} | " + " | ".join(map(str, cells)) + f" | {'yes' if apart else 'no'} |")
    print(flush=True)


def report_wider(found: Scores, methods: list[str], tables: list[LabeledTable]) -> None:
    print("## Other tables\n")
    print("| table | " + " | ".join(methods) + " |")
    print("|---" * (len(methods) + 1) + "|")
    lines = {t.name: [float(np.mean(found[t.name, m])) for m in methods] for t in tables}
    for name, line in lines.items():
        print(f"| {name} | " + " | ".join(f"{value:.1f}" for value in line) + " |")
    for ground, chosen in grounds(tables).items():
        mean = np.mean([lines[table.name] for table in chosen], axis=0)
        cells = " | ".join(f"{value:.2f}" for value in mean)
        print(f"| **mean, {ground}** ({len(chosen)}) | {cells} |")
    print()
    if len(methods) > 1:
        report_duels(pd.DataFrame.from_dict(lines, orient="index", columns=methods))


def grounds(tables: list[LabeledTable]) -> dict[str, list[LabeledTable]]:
    """Group tables by their kind: all, seen, held back; groups without any are left out."""
    found = {}
    kinds = sorted({table.kind for table in tables})
    for kind in [*kinds, "all"] if len(kinds) > 1 else kinds:
        members = [table for table in tables if kind in (table.kind, "all")]
        held_back = [is_held_back(table.name, table.kind) for table in members]
        found[kind] = members
        found[f"{kind}, seen"] = list(compress(members, np.logical_not(held_back)))
        found[f"{kind}, held back"] = list(compress(members, held_back))
    return {ground: members for ground, members in found.items() if members}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="five small sets, few restarts")
    parser.add_argument(
        "--part",
        choices=["paper", "made", "real", "words", "all"],
        default="all",
        help="all is without words",
    )
    parser.add_argument("--methods", choices=METHODS, nargs="*", default=METHODS)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    restarts, seeds = (10, 1) if options.quick else (RESTARTS, SEEDS)
    small = ["zoo", "hayesroth", "housevotes", "dnapromoter", "crx"] if options.quick else None
    paper = list(paper_tables(small)) if options.part in ("paper", "all") else []
    wider = list(made_tables(1 if options.quick else 2)) if options.part in ("made", "all") else []
    if options.part in ("real", "all") and not options.quick:
        wider += list(real_tables())
    if options.part == "words":
        wider = list(word_tables())
    effort = {"paper": (restarts, seeds)}
    other = (min(restarts, WIDER_RESTARTS), min(seeds, WIDER_SEEDS))
    jobs = [(table, method) for table in [*paper, *wider] for method in options.methods]
    jobs.sort(key=lambda job: -len(job[0].X))  # the longest first
    results = Parallel(options.jobs, batch_size=1)(
        delayed(scores)(table, method, *effort.get(table.kind, other)) for table, method in jobs
    )
    found = {(t.name, m): s for (t, m), s in zip(jobs, results, strict=True)}
    if paper:
        report_paper(found, options.methods)
    if wider:
        report_wider(found, options.methods, wider)


if __name__ == "__main__":
    main()
