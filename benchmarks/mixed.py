"""Clusters of mixed tables by TableClusterer and by other methods that users would try.

The number of clusters is that of the classes, which are used for the scores alone. Every method
that starts at random has five seeds and 20 restarts, but k-prototypes has five restarts, as each
takes about a second on 2,000 rows. Scores are means over the seeds. A rank is that on a table, 1 is
best, and ties share; each form of it is ranked against the other methods alone, and those among
themselves and TableClusterer. Wins and losses are those of TableClusterer, by more than half a
point of the measure times 100.

All methods see the same columns, those that `Preparer` uses: ids, free text and constants are left
out. What they make of them:

- TableClusterer: with a `Preparer`; "TableEncoder + k-means" are the vectors of the pipeline with
  scikit-learn's k-means; "five ranges" has five per column of numbers, without order.
- k-prototypes: standardized numbers and words, with the package's own gamma.
- FAMD: max(k, 5) components, or as many as there are, and k-means.
- Gower: average linkage; missing cells are left out of each pair, as Gower defines it.
- one-hot: standardized numbers next to one-hot words, and k-means.
- latent classes: `untie.cluster.LatentClasses` on the columns that `Preparer` makes.
- StepMix: standardized numbers, normal within a class, and categorical words. Missing cells are
  left out of the likelihood.

The last two have 10 starts. For k-prototypes, FAMD and one-hot, missing numbers are the median and
missing words are a word; where a table has no numbers, k-modes and MCA take the place of the first
two, and where it has no words, k-means and PCA.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import prince
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from _timing import print_table
from quality.mixed_tables import DEVELOPMENT, HELD_BACK, NAMES, MixedTable, mixed_tables
from quality.mixtures import latent_classes_labels, step_mix_labels
from quality.summaries import print_rows, summary_rows
from untie import Preparer, TableClusterer, TableEncoder
from untie.cluster import KModes
from untie_paper.evaluation import clustering_f_score

RESTARTS, SEEDS, PROTOTYPE_RESTARTS = 20, 5, 5
LEAST_COMPONENTS = 5
FAMD_PASSES = 10
"""Of the randomized decomposition; with the package's three, late components are not yet right."""

FAR_BEHIND = 0.15
"""Tables where its adjusted Rand index is lower than the best by more than this are named."""

OURS = "TableClusterer"
VECTORS, FEW_RANGES = "TableEncoder + k-means", "five ranges"
QUICK = ["msleep", "penguins", "survey"]

Labels = NDArray[np.integer]
Method = Callable[[pd.DataFrame, int, int], Labels]
"""Takes the columns that are used, the number of clusters and a seed."""

MEASURES: dict[str, Callable[[Labels, Labels], float]] = {
    "Adjusted Rand index": adjusted_rand_score,
    "Normalized mutual information": normalized_mutual_info_score,
    "Macro F": clustering_f_score,
}
ARI = next(iter(MEASURES))


def untie(bins: int | None = None, ordered: object = "auto") -> Method:
    def method(X: pd.DataFrame, k: int, seed: int) -> Labels:
        preparer = Preparer() if bins is None else Preparer(bins=bins)
        encoder = TableEncoder(ordered=ordered, preparer=None)
        model = TableClusterer(
            k, encoder=encoder, preparer=preparer, n_init=RESTARTS, random_state=seed
        )
        return model.fit(X).labels_

    return method


def untie_k_means(X: pd.DataFrame, k: int, seed: int) -> Labels:
    vectors = make_pipeline(
        Preparer(), TableEncoder(k, random_state=seed, preparer=None)
    ).fit_transform(X)
    return k_means(np.asarray(vectors), k, seed)


def k_prototypes(X: pd.DataFrame, k: int, seed: int) -> Labels:
    numbers, words = split(X)
    if not numbers.shape[1]:
        return KModes(k, init="random", n_init=RESTARTS, random_state=seed).fit(words).labels_
    if not words.shape[1]:
        return k_means(standardized(numbers), k, seed)
    values = np.hstack([standardized(numbers).astype(object), words])
    positions = list(range(numbers.shape[1], values.shape[1]))
    model = _prototypes_package().KPrototypes(k, n_init=PROTOTYPE_RESTARTS, random_state=seed)
    return model.fit_predict(values, categorical=positions)


def _prototypes_package() -> Any:
    """Import a part of the kmodes package; the benchmark of its name must not stand before it."""
    path = sys.path.copy()
    sys.path = [entry for entry in path if Path(entry).resolve() != Path(__file__).parent.resolve()]
    try:
        return import_module("kmodes.kprototypes")
    finally:
        sys.path = path


def famd(X: pd.DataFrame, k: int, seed: int) -> Labels:
    numbers, words = split(X)
    n_features = numbers.shape[1] + int((words.nunique() - 1).sum())
    n_components = min(max(k, LEAST_COMPONENTS), n_features, len(X) - 1)
    method = prince.FAMD if numbers.shape[1] and words.shape[1] else prince.MCA
    if not words.shape[1]:
        method, numbers = prince.PCA, numbers.loc[:, numbers.std() > 0]
    model = method(n_components=n_components, n_iter=FAMD_PASSES, random_state=seed)
    return k_means(model.fit_transform(pd.concat([numbers, words], axis=1)).to_numpy(), k, seed)


def gower(X: pd.DataFrame, k: int, seed: int) -> Labels:
    """Cut the tree of average linkage; the seed is of no use."""
    tree = linkage(squareform(gower_distances(X), checks=False), method="average")
    return fcluster(tree, k, criterion="maxclust")


def latent_classes(X: pd.DataFrame, k: int, seed: int) -> Labels:
    return latent_classes_labels(Preparer().fit_transform(X), k, seed, RESTARTS)


def step_mix(X: pd.DataFrame, k: int, seed: int) -> Labels:
    return step_mix_labels(X, k, seed, RESTARTS)


def one_hot(X: pd.DataFrame, k: int, seed: int) -> Labels:
    numbers, words = split(X)
    parts = [standardized(numbers)]
    if words.shape[1]:
        parts.append(OneHotEncoder(sparse_output=False).fit_transform(words))
    return k_means(np.hstack(parts), k, seed)


def k_means(vectors: NDArray[np.floating], k: int, seed: int) -> Labels:
    return KMeans(k, n_init=RESTARTS, random_state=seed).fit_predict(vectors)


def standardized(numbers: pd.DataFrame) -> NDArray[np.floating]:
    values = numbers.to_numpy()
    return StandardScaler().fit_transform(values) if values.shape[1] else values


def split(X: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the columns of numbers and those of words, without missing cells."""
    numbers = X.select_dtypes("number").astype(float)
    words = X.drop(columns=numbers.columns).astype(object)
    return numbers.fillna(numbers.median()), words.where(words.notna(), "(missing)")


def gower_distances(X: pd.DataFrame) -> NDArray[np.floating]:
    """Return the mean difference of each pair of rows over the columns that both have."""
    total = np.zeros((len(X), len(X)))
    shared = np.zeros_like(total)
    for name in X.columns:
        column = X[name]
        if pd.api.types.is_numeric_dtype(column):
            cells = column.to_numpy(float)
            known = ~np.isnan(cells)
            cells = np.where(known, cells, 0.0) / (np.ptp(cells[known]) or 1.0)
            differences = np.abs(cells[:, None] - cells)
        else:
            codes = pd.factorize(column)[0]
            known = codes >= 0
            differences = (codes[:, None] != codes).astype(float)
        both = known[:, None] & known
        total += differences * both
        shared += both
    # Two rows that have no column in common are as far apart as rows can be.
    distances = np.divide(total, shared, out=np.ones_like(total), where=shared > 0)
    np.fill_diagonal(distances, 0.0)
    return distances


METHODS: dict[str, Method] = {
    OURS: untie(),
    VECTORS: untie_k_means,
    FEW_RANGES: untie(5, ordered=False),
    "k-prototypes": k_prototypes,
    "FAMD": famd,
    "Gower": gower,
    "one-hot": one_hot,
    "latent classes": latent_classes,
    "StepMix": step_mix,
}
DETERMINISTIC = ("Gower",)


def scores(table: MixedTable, method: str, n_seeds: int) -> dict[str, float]:
    """Return the mean of each measure over the seeds."""
    warnings.simplefilter("ignore")  # slow convergence, which is the method's own affair
    X = table.X[list(Preparer().fit(table.X).columns_)]
    seeds = range(1 if method in DETERMINISTIC else n_seeds)
    labels = [METHODS[method](X, table.n_classes, seed) for seed in seeds]
    return {
        name: float(np.mean([measure(table.y, found) for found in labels]))
        for name, measure in MEASURES.items()
    }


def compare(
    tables: Sequence[MixedTable], methods: Sequence[str], n_seeds: int, n_jobs: int
) -> dict[str, pd.DataFrame]:
    """Return one frame per measure: a row per table and a column per method."""
    jobs = [(table, method) for table in tables for method in methods]
    order = sorted(range(len(jobs)), key=lambda job: -len(jobs[job][0].X))  # the longest first
    results = Parallel(n_jobs, batch_size=1)(
        delayed(scores)(*jobs[job], n_seeds=n_seeds) for job in order
    )
    found = {
        (jobs[job][0].name, jobs[job][1]): line for job, line in zip(order, results, strict=True)
    }
    return {
        measure: pd.DataFrame(
            {
                method: {table.name: found[table.name, method][measure] for table in tables}
                for method in methods
            }
        )
        for measure in MEASURES
    }


def report(found: dict[str, pd.DataFrame], tables: Sequence[MixedTable]) -> None:
    sizes = [(t.name, *t.X.shape, t.n_classes, _half(t.name)) for t in tables]
    print_table(["table", "rows", "columns", "classes", "half"], sizes)
    halves = {"all": NAMES, "development": DEVELOPMENT, "held out": HELD_BACK}
    for measure, frame in found.items():
        print(f"## {measure}\n")
        rows = [(name, *(f"{cell:.3f}" for cell in line)) for name, *line in frame.itertuples()]
        print_rows(["table", *frame.columns], [*rows, *summaries(frame, halves)])
    if OURS in found[ARI]:
        report_far_behind(found[ARI])


def _half(name: str) -> str:
    return "development" if name in DEVELOPMENT else "held out"


def summaries(frame: pd.DataFrame, groups: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Summarize a measure; forms of ours are not ranked against each other."""
    forms = [method for method in frame if method in (OURS, VECTORS, FEW_RANGES)]
    return summary_rows(frame, groups, frame.columns[0], scale=100, digits=3, forms=forms)


def report_far_behind(frame: pd.DataFrame) -> None:
    print(f"## {ARI}: tables where {OURS} is more than {FAR_BEHIND} behind the best\n")
    gap = frame.max(axis=1) - frame[OURS]
    names = gap[gap > FAR_BEHIND].sort_values(ascending=False).index
    rows = [
        (name, _half(name), frame.loc[name].idxmax(), *map(float, (frame[OURS][name], gap[name])))
        for name in names
    ]
    print_table(["table", "half", "best", OURS, "behind by"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="three small tables, one seed")
    parser.add_argument("--tables", choices=NAMES, nargs="+", metavar="NAME")
    parser.add_argument("--methods", choices=METHODS, nargs="+", default=[*METHODS])
    parser.add_argument("--seeds", type=int, default=SEEDS, help="seeds per method [default: 5]")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    tables = list(mixed_tables(options.tables or (QUICK if options.quick else NAMES)))
    n_seeds = 1 if options.quick else options.seeds
    report(compare(tables, options.methods, n_seeds, options.jobs), tables)


if __name__ == "__main__":
    main()
