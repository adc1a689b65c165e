"""Scores of clusters on the peers' tables: those of stored partitions and our own.

A method has several runs, and two scores: the mean over them, and that of the run whose clusters
describe the table best (the description gain, which knows no classes). Runs of the same gain share.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from quality.k_means import k_means_labels
from quality.mixtures import latent_classes_labels, step_mix_labels
from quality.tables import LabeledTable
from untie import TableClusterer, TableEncoder, count_table
from untie._learn.columns.attributes import Attributes
from untie._learn.selection.cluster_gain import description_gain
from untie.cluster import KModes
from untie_paper.baselines import CDE, MCA, OneHot
from untie_paper.evaluation import (
    adjusted_rand_index,
    clustering_accuracy,
    clustering_f_score,
    normalized_mutual_information,
)

RESTARTS, SEEDS = 20, 5
SAME_GAIN = 1e-9
"""Partitions whose gains differ by less are equally good: most often, they are the same."""

Labels = NDArray[np.integer]
Runs = NDArray[np.integer]
"""The clusters of each row by each run; shape (n_rows, n_runs)."""

MEASURES: dict[str, Callable[[Labels, Labels], float]] = {
    "ARI": adjusted_rand_index,
    "NMI": normalized_mutual_information,
    "F": clustering_f_score,
    "ACC": clustering_accuracy,
}
MEAN, BEST = "mean over the runs", "run of the highest description gain"
SCORINGS = (MEAN, BEST)


class Score(NamedTuple):
    """How good the clusters of a method are on a table."""

    table: str
    method: str
    scoring: str
    measure: str
    points: float


PEERS = {
    "MHTC": "K-MHTC",
    "CU": "CU",
    "kmodes": "k-modes",
    "Entropy": "Entropy",
    "CDC_DR": "CDC_DR",
    "CMS": "CMS",
    "CDE": "CDE",
    "HDNDW": "HD-NDW",
    "Het2Hom": "Het2Hom",
    "COForest": "COForest",
    "SigDT": "SigDT",
}
"""Names of the methods, by those in the file of partitions."""


def untie_clusterer(X: pd.DataFrame, k: int, seed: int) -> Labels:
    return TableClusterer(k, random_state=seed, preparer=None).fit(X).labels_


def untie_k_means(X: pd.DataFrame, k: int, seed: int) -> Labels:
    return k_means_labels(
        TableEncoder(k, random_state=seed, preparer=None).fit_transform(X), k, seed, RESTARTS
    )


def one_hot_k_means(X: pd.DataFrame, k: int, seed: int) -> Labels:
    return k_means_labels(OneHot().fit_transform(X), k, seed, RESTARTS)


def mca_k_means(X: pd.DataFrame, k: int, seed: int) -> Labels:
    return k_means_labels(MCA(max(k - 1, 2)).fit_transform(X), k, seed, RESTARTS)


def cde_k_means(X: pd.DataFrame, k: int, seed: int) -> Labels:
    return k_means_labels(CDE(random_state=seed).fit_transform(X), k, seed, RESTARTS)


def k_modes(X: pd.DataFrame, k: int, seed: int) -> Labels:
    return KModes(k, init="random", n_init=RESTARTS, random_state=seed).fit(X).labels_


def latent_classes(X: pd.DataFrame, k: int, seed: int) -> Labels:
    return latent_classes_labels(X, k, seed, RESTARTS)


def step_mix(X: pd.DataFrame, k: int, seed: int) -> Labels:
    return step_mix_labels(X, k, seed, RESTARTS)


FORMS: dict[str, Callable[[pd.DataFrame, int, int], Labels]] = {
    "TableClusterer": untie_clusterer,
    "TableEncoder + k-means": untie_k_means,
    "one-hot + k-means": one_hot_k_means,
    "latent classes": latent_classes,
    "StepMix": step_mix,
}
"""What is run here: takes the table, the number of clusters and a seed."""

OWN_RUNS = FORMS | {
    "MCA + k-means": mca_k_means,
    "k-modes, 20 starts": k_modes,
    "CDE, 20 starts": cde_k_means,
}
"""Run here where there are no stored runs, too."""


def stored_runs(path: Path, table: str) -> dict[str, Runs]:
    """Read the partitions of a table, by method."""
    with np.load(path) as partitions:
        return {name: partitions[f"{table}|{key}"] for key, name in PEERS.items()}


def score_stored(table: LabeledTable, runs: Mapping[str, Runs], equal_votes: bool) -> list[Score]:
    """Return the scores of each method by its stored partitions."""
    gain = gain_in(table, equal_votes)
    scores = []
    for method, found in runs.items():
        partitions, times = np.unique(found, axis=1, return_counts=True)
        columns = [column.astype(np.intp) for column in partitions.T]
        gains = np.array([gain(labels) for labels in columns])
        shares = {MEAN: times, BEST: times * (gains >= gains.max() - SAME_GAIN)}
        for measure, points in _points(table, columns).items():
            scores += [
                Score(table.name, method, scoring, measure, np.average(points, weights=weights))
                for scoring, weights in shares.items()
            ]
    return scores


def score_form(table: LabeledTable, form: str, n_seeds: int = SEEDS) -> list[Score]:
    """Return the scores of what is run here; both are means over the seeds.

    Each run is the best of several starts already, and is what a user gets.
    """
    warnings.simplefilter("ignore")  # fewer distinct vectors than clusters
    columns = [OWN_RUNS[form](table.X, table.n_classes, seed) for seed in range(n_seeds)]
    return [
        Score(table.name, form, scoring, measure, float(np.mean(points)))
        for measure, points in _points(table, columns).items()
        for scoring in SCORINGS
    ]


def gain_in(table: LabeledTable, equal_votes: bool) -> Callable[[NDArray[np.intp]], float]:
    """Return a function of labels of a table's rows: their description gain."""
    codes = np.stack([pd.factorize(table.X[name])[0] for name in table.X], axis=1)
    sizes = (codes.max(axis=0) + 1).tolist()
    votes = np.ones(len(sizes)) if equal_votes else Attributes(count_table(table.X).counts).votes
    weights = np.ones(len(codes))
    return lambda labels: description_gain(codes, sizes, weights, labels, votes)


def _points(table: LabeledTable, columns: Sequence[Labels]) -> dict[str, list[float]]:
    """Return the points of each partition, by measure."""
    return {
        name: [100 * measure(table.y, labels) for labels in columns]
        for name, measure in MEASURES.items()
    }
