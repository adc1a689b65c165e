r"""All methods, once, on the hold-out: 53 tables on which nothing was ever chosen or compared.

    python benchmarks/hold_out.py                             # prints the list, and runs nothing
    python benchmarks/hold_out.py --ground hold-out           # the run, for a settled default
    python benchmarks/hold_out.py --ground words --tables icu # a trial on tables that were seen

Run it when a default is settled, once, and publish the result. A default that is changed because of
the result needs a new hold-out. `quality/hold_out.py` has the list and its criteria.

The number of clusters is that of the classes, which are used for the scores alone. Every method
sees the same columns, those that `Preparer` uses, and has three seeds. The methods are those of
`mixed.py`, where they are described, and these two:

- CDE: the vectors of CDE on the columns that `Preparer` makes, and k-means.
- Gower + PAM: k-medoids on Gower's distances.

Means, medians, mean ranks and wins against TableClusterer, by more than half a point, are given for
all tables, for categorical tables (no numeric column) and for mixed ones. A method that fails on a
table has no score there; the error goes to stderr, as does the progress.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence

import kmedoids
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.metrics import adjusted_rand_score

import mixed
from mixed import Labels, Method, gower_distances, k_means
from quality.hold_out import hold_out_tables
from quality.hold_out import main as show_list
from quality.mixed_tables import MixedTable, mixed_tables
from quality.summaries import print_rows, summary_rows
from quality.word_tables import word_tables
from untie import Preparer
from untie_paper.baselines import CDE
from untie_paper.evaluation import clustering_f_score

HOLD_OUT = "hold-out"
SEEDS = 3
MEASURES: dict[str, Callable[[Labels, Labels], float]] = {
    "ARI": adjusted_rand_score,
    "F": clustering_f_score,
}


def cde(X: pd.DataFrame, k: int, seed: int) -> Labels:
    vectors = CDE(random_state=seed).fit_transform(Preparer().fit_transform(X))
    return k_means(np.asarray(vectors), k, seed)


def gower_pam(X: pd.DataFrame, k: int, seed: int) -> Labels:
    return kmedoids.fasterpam(gower_distances(X), k, random_state=seed).labels


METHODS: dict[str, Method] = {
    mixed.OURS: mixed.METHODS[mixed.OURS],
    mixed.VECTORS: mixed.METHODS[mixed.VECTORS],
    "one-hot": mixed.one_hot,
    "FAMD": mixed.famd,
    "k-prototypes": mixed.k_prototypes,
    "CDE": cde,
    "Gower + PAM": gower_pam,
    "latent classes": mixed.latent_classes,
    "StepMix": mixed.step_mix,
}


def words(chosen: Sequence[str] | None = None) -> Iterator[MixedTable]:
    for table in word_tables(chosen):
        yield MixedTable(table.name, table.X, table.y)


GROUNDS: dict[str, Callable[[Sequence[str] | None], Iterator[MixedTable]]] = {
    HOLD_OUT: hold_out_tables,
    "mixed": mixed_tables,
    "words": words,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ground", choices=GROUNDS, help="what to run on; else nothing is run")
    parser.add_argument("--tables", nargs="+", metavar="NAME", help="these tables only")
    parser.add_argument("--methods", choices=METHODS, nargs="+", default=[*METHODS])
    parser.add_argument("--seeds", type=int, default=SEEDS, help="seeds per method [default: 3]")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.ground is None:
        show_list()
        return
    tables = list(GROUNDS[options.ground](options.tables))
    groups = {
        "all": [table.name for table in tables],
        "categorical": [table.name for table in tables if is_categorical(table)],
        "mixed": [table.name for table in tables if not is_categorical(table)],
    }
    show_sizes(tables)
    for measure, frame in compare(tables, options.methods, options.seeds, options.jobs).items():
        print(f"## {measure}\n")
        points = [(name, *(f"{cell:.1f}" for cell in line)) for name, *line in frame.itertuples()]
        rows = [*points, *summary_rows(frame, groups, options.methods[0])]
        print_rows(["table", *frame.columns], rows)


def is_categorical(table: MixedTable) -> bool:
    return table.X.select_dtypes("number").empty


def show_sizes(tables: Sequence[MixedTable]) -> None:
    rows = []
    for table in tables:
        n_numeric = table.X.select_dtypes("number").shape[1]
        largest = f"{100 * np.bincount(table.y).max() / len(table.y):.1f}"
        rows.append((table.name, *table.X.shape, n_numeric, table.n_classes, largest))
    print_rows(["table", "rows", "columns", "numeric", "classes", "largest class"], rows)


def compare(
    tables: Sequence[MixedTable], methods: Sequence[str], n_seeds: int, n_jobs: int
) -> dict[str, pd.DataFrame]:
    """Return one frame per measure: a row per table and a column per method, times 100."""
    jobs = [(table, method) for table in tables for method in methods]
    jobs.sort(key=lambda job: -job[0].X.size)  # the largest first
    results = Parallel(n_jobs, batch_size=1)(
        delayed(points_of)(table, method, n_seeds) for table, method in jobs
    )
    found = {
        (table.name, method): points for (table, method), points in zip(jobs, results, strict=True)
    }
    names = [table.name for table in tables]
    return {
        measure: pd.DataFrame(
            {method: {name: found[name, method][measure] for name in names} for method in methods}
        )
        for measure in MEASURES
    }


def points_of(table: MixedTable, method: str, n_seeds: int) -> dict[str, float]:
    """Return the mean of each measure over the seeds, times 100."""
    warnings.simplefilter("ignore")  # slow convergence, fewer distinct rows than clusters
    print(f"{table.name}: {method}", file=sys.stderr, flush=True)
    X = table.X[list(Preparer().fit(table.X).columns_)]
    try:
        labels = [METHODS[method](X, table.n_classes, seed) for seed in range(n_seeds)]
    except Exception as error:  # whatever a package raises, the other scores are wanted
        print(f"{table.name}: {method} failed: {error!r}", file=sys.stderr, flush=True)
        return dict.fromkeys(MEASURES, np.nan)
    return {
        name: 100 * float(np.mean([measure(table.y, found) for found in labels]))
        for name, measure in MEASURES.items()
    }


if __name__ == "__main__":
    main()
