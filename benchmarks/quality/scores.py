"""Clustering scores of the default and of what else users would try, on all tables.

k-means with 50 restarts on the vectors, lowest inertia, for five seeds of encoder and k-means
(20 and two on tables beyond the paper's, 10 and two on tables of over 15,000 rows);
the number of clusters is that of the classes, which are used for the scores alone (macro F after
one-to-one matching, and the adjusted Rand index). Latent classes and StepMix have 10 starts,
StepMix 3 on large tables. Means, medians, ranks and wins of TableClusterer are also given apart for
the tables that were seen and those that were held out while the default was chosen. The paper's
sets have ranks against the paper's nine other columns, too, which are of macro F.
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
from mixtures import latent_classes_labels, step_mix_labels
from summaries import TIE, print_rows, summary_rows
from tables import (
    PAPER,
    LabeledTable,
    made_tables,
    paper_tables,
    real_tables,
)
from untie import TableClusterer, TableEncoder
from untie.cluster import KModes
from untie_paper.baselines import CDE, MCA, OneHot
from untie_paper.evaluation import (
    adjusted_rand_index,
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
MEASURES = {"F": clustering_f_score, "ARI": adjusted_rand_index}


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
CLUSTERERS: dict[str, Callable[[pd.DataFrame, int, int, int], NDArray[Any]]] = {
    "TableClusterer": lambda X, k, seed, n: (
        TableClusterer(k, n_init=n, random_state=seed, preparer=None).fit(X).labels_
    ),
    "k-modes": lambda X, k, seed, n: (
        KModes(k, init="random", n_init=n, random_state=seed).fit(X).labels_
    ),
    "latent classes": latent_classes_labels,
    "StepMix": step_mix_labels,
}
"""Functions of the table, the number of clusters, the seed and the number of starts."""

DEFAULT = "TableClusterer"
METHODS = [DEFAULT, *ENCODERS, *(name for name in CLUSTERERS if name != DEFAULT)]

Scores = dict[str, dict[tuple[str, str], list[float]]]
"""By measure: the scores of a table and a method, one per seed."""


def score(table: LabeledTable, method: str, seed: int, n_restarts: int) -> dict[str, float]:
    k = table.n_classes
    if method in CLUSTERERS:
        labels = CLUSTERERS[method](table.X, k, seed, n_restarts)
    else:
        vectors = ENCODERS[method](k, seed).fit_transform(table.X)
        labels = k_means_labels(vectors, k, seed, n_restarts)
    return {name: 100 * measure(table.y, labels) for name, measure in MEASURES.items()}


def scores(
    table: LabeledTable, method: str, n_restarts: int, n_seeds: int
) -> dict[str, list[float]]:
    warnings.simplefilter("ignore")  # fewer distinct vectors than clusters
    if len(table.X) > LARGE_ROWS:
        n_restarts, n_seeds = min(n_restarts, LARGE_RESTARTS), min(n_seeds, LARGE_SEEDS)
    found = [score(table, method, seed, n_restarts) for seed in range(n_seeds)]
    return {name: [line[name] for line in found] for name in MEASURES}


def mean_rank(column: pd.Series) -> float:
    """Return the mean rank among the published columns, UNTIE's own left out; ties share."""
    table = published("clustering").set_index("dataset").drop(columns=["UNTIE", "delta"])
    table = table.loc[column.index]
    values = column.to_numpy().round(2)[:, None]
    better = (table.to_numpy() > values).sum(axis=1)
    equal = (table.to_numpy() == values).sum(axis=1)
    return float((1 + better + equal / 2).mean())


def report_paper(found: Scores, methods: list[str]) -> None:
    for measure, lines in found.items():
        names = [name for name in PAPER if (name, methods[0]) in lines]
        means = pd.DataFrame({m: {n: np.mean(lines[n, m]) for n in names} for m in methods})
        if measure == "F":
            means["published UNTIE"] = published("clustering").set_index("dataset")["UNTIE"]
        print(f"## The paper's sets: {measure}\n")
        parts = {
            "seen": [name for name in names if not is_held_back(name)],
            "held out": [name for name in names if is_held_back(name)],
            "without threeof9": [name for name in names if name != "threeof9"],
            "all": names,
        }
        rows = table_rows(means)
        for part, chosen in parts.items():
            rows += summary_rows(means, {part: chosen}, methods[0])
            if measure == "F" and chosen:
                ranks = (f"{mean_rank(means.loc[chosen, m]):.2f}" for m in means)
                rows.append([f"**rank against the published, {part}**", *ranks])
        rows.append([*spread_row(lines, names, methods), *[""] * (means.shape[1] - len(methods))])
        print_rows(["data set", *means.columns], rows)
        report_duels(means)


def table_rows(means: pd.DataFrame) -> list[list[str]]:
    return [
        [str(name), *(f"{cell:.1f}" for cell in line)]
        for name, line in zip(means.index, means.to_numpy(), strict=True)
    ]


def spread_row(
    lines: dict[tuple[str, str], list[float]], names: list[str], methods: list[str]
) -> list[str]:
    """Return the standard deviation over the seeds of each method's mean over the tables."""
    cells = ["sd of the mean over seeds"]
    for method in methods:
        n_seeds = max(len(lines[name, method]) for name in names)
        per_seed = [
            np.mean([lines[name, method][seed % len(lines[name, method])] for name in names])
            for seed in range(n_seeds)
        ]
        cells.append(f"{np.std(per_seed):.2f}")
    return cells


def report_duels(means: pd.DataFrame) -> None:
    """Print how the first column fares against each other one, and what is significant."""
    control, *others = means.columns
    difference = means[others].rsub(means[control], axis=0)
    ranks = dict(zip(means.columns, average_ranks(means.round(2)), strict=True))
    distance = bonferroni_dunn(means.shape[1], len(means))
    chance = friedman(means.round(2)).p_value
    print(
        f"Ranks among these columns; {control} is the control, and a rank differs significantly "
        f"from {distance:.2f} on (Bonferroni-Dunn, 5%; Friedman p = {chance:.2g}). A tie is a "
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
    groups = {
        ground: [table.name for table in chosen] for ground, chosen in grounds(tables).items()
    }
    for measure, lines in found.items():
        print(f"## Other tables: {measure}\n")
        means = pd.DataFrame(
            {m: {t.name: float(np.mean(lines[t.name, m])) for t in tables} for m in methods}
        )
        rows = [*table_rows(means), *summary_rows(means, groups, methods[0])]
        print_rows(["table", *methods], rows)
        if len(methods) > 1:
            report_duels(means)


def grounds(tables: list[LabeledTable]) -> dict[str, list[LabeledTable]]:
    """Group tables by their kind: all, seen, held out; groups without any are left out."""
    found = {}
    kinds = sorted({table.kind for table in tables})
    for kind in [*kinds, "all"] if len(kinds) > 1 else kinds:
        members = [table for table in tables if kind in (table.kind, "all")]
        held_back = [is_held_back(table.name, table.kind) for table in members]
        if not all(held_back):  # else it would be the last group again
            found[kind] = members
        found[f"{kind}, seen"] = list(compress(members, np.logical_not(held_back)))
        found[f"{kind}, held out"] = list(compress(members, held_back))
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
    parser.add_argument("--tables", nargs="+", metavar="NAME", help="these tables of the part only")
    parser.add_argument("--methods", choices=METHODS, nargs="*", default=METHODS)
    parser.add_argument("--seeds", type=int, help="seeds per method, if fewer than usual")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    restarts, seeds = (10, 1) if options.quick else (RESTARTS, options.seeds or SEEDS)
    small = ["zoo", "hayesroth", "housevotes", "dnapromoter", "crx"] if options.quick else None
    paper = list(paper_tables(small)) if options.part in ("paper", "all") else []
    wider = list(made_tables(1 if options.quick else 2)) if options.part in ("made", "all") else []
    if options.part in ("real", "all") and not options.quick:
        wider += list(real_tables())
    if options.part == "words":
        wider = list(word_tables())
    if options.tables is not None:
        paper, wider = ([t for t in part if t.name in options.tables] for part in (paper, wider))
    effort = {"paper": (restarts, seeds)}
    other = (min(restarts, WIDER_RESTARTS), min(seeds, WIDER_SEEDS))
    jobs = [(table, method) for table in [*paper, *wider] for method in options.methods]
    jobs.sort(key=lambda job: -len(job[0].X))  # the longest first
    results = Parallel(options.jobs, batch_size=1)(
        delayed(scores)(table, method, *effort.get(table.kind, other)) for table, method in jobs
    )
    found = {
        measure: {(t.name, m): s[measure] for (t, m), s in zip(jobs, results, strict=True)}
        for measure in MEASURES
    }
    if paper:
        report_paper(found, options.methods)
    if wider:
        report_wider(found, options.methods, wider)


if __name__ == "__main__":
    main()
