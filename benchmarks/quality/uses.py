"""What vectors are good for beyond clusters: retrieval and classification.

Encoders learn from all rows without labels. TableEncoder is not told the number of classes, but for
"number given" and the weightings alone. Retrieval is the mean precision at 10 (ties expected over
all orders). Classification is the macro F of 5 nearest neighbors and of logistic regression, each
with scikit-learn's defaults, on vectors brought to a common scale, in five folds. Sets of over
5,000 rows are represented by 5,000 of them, drawn once. Mixed tables are prepared by `Preparer`,
for every encoder.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

import scores
from held_back import is_held_back
from hold_out import hold_out_tables
from mixed_tables import MixedTable, mixed_tables
from summaries import print_rows, summary_rows
from tables import LabeledTable, made_tables, paper_tables, real_tables
from untie import Preparer, TableEncoder
from untie_paper.evaluation import precision_at_k
from word_tables import word_tables

ENCODERS: dict[str, Callable[[int, int], Any]] = {
    "TableEncoder": lambda k, seed: TableEncoder(random_state=seed, preparer=None),
    "TableEncoder, number given": scores.ENCODERS["TableEncoder"],
    **{name: make for name, make in scores.ENCODERS.items() if name != "TableEncoder"},
}
METHODS = list(ENCODERS)


def prepared(tables: Iterable[MixedTable]) -> Iterator[LabeledTable]:
    """Give tables with numbers in ranges and missing cells as "?"."""
    for table in tables:
        X = Preparer().fit_transform(table.X).astype(object)
        yield LabeledTable(table.name, "mixed", X.where(X.notna(), "?"), table.y)


PARTS: dict[str, Callable[[], Iterable[LabeledTable]]] = {
    "paper": paper_tables,
    "made": made_tables,
    "real": real_tables,
    "words": word_tables,
    "mixed": lambda: prepared(mixed_tables()),
    "hold-out": lambda: prepared(hold_out_tables()),
}
MOST_ROWS, SEED, FOLDS = 5_000, 0, 5

CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "KNN": KNeighborsClassifier,
    "LR": lambda: LogisticRegression(max_iter=1000),
}


Found = dict[tuple[str, str], dict[str, float]]
"""What was measured, by the table and the method."""


def sampled(table: LabeledTable) -> LabeledTable:
    if len(table.X) <= MOST_ROWS:
        return table
    rows = np.random.default_rng(SEED).permutation(len(table.X))[:MOST_ROWS]
    y = pd.factorize(table.y[rows])[0]
    return LabeledTable(table.name, table.kind, table.X.iloc[rows], y)


def measure(table: LabeledTable, method: str) -> dict[str, float]:
    warnings.simplefilter("ignore")  # a class may be in one fold alone
    vectors = ENCODERS[method](table.n_classes, SEED).fit_transform(table.X)
    vectors = vectors / (np.sqrt(vectors.var(axis=0).sum()) or 1.0)  # kernels may tell nothing
    result = {"precision@10": 100 * precision_at_k(vectors, table.y, k=10)}
    folds = KFold(FOLDS, shuffle=True, random_state=SEED)
    for name, make in CLASSIFIERS.items():
        found = cross_val_predict(make(), vectors, table.y, cv=folds)
        result[name] = 100 * f1_score(table.y, found, average="macro")
    return result


def report(tables: list[LabeledTable], found: Found, methods: list[str], measured: str) -> None:
    """Print a measure of every table, then means, medians, ranks and wins of the first method."""
    frame = pd.DataFrame({m: {t.name: found[t.name, m][measured] for t in tables} for m in methods})
    is_seen = [not is_held_back(table.name, table.kind) for table in tables]
    parts = {
        "all": list(frame.index),
        "seen": list(frame.index[is_seen]),
        "held out": list(frame.index[np.logical_not(is_seen)]),
    }
    parts = {part: names for part, names in parts.items() if part == "all" or any(is_seen)}
    print(f"\n## {measured}\n")
    rows = [[str(name), *(f"{cell:.1f}" for cell in line)] for name, *line in frame.itertuples()]
    print_rows(["data set", *methods], [*rows, *summary_rows(frame, parts, methods[0], digits=1)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three small sets")
    parser.add_argument("--part", choices=PARTS, default="paper")
    parser.add_argument("--methods", choices=METHODS, nargs="*", default=METHODS)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    small = paper_tables(["zoo", "hayesroth", "housevotes"])
    tables = [sampled(table) for table in (small if options.quick else PARTS[options.part]())]
    jobs = [(table, method) for table in tables for method in options.methods]
    jobs.sort(key=lambda job: -len(job[0].X))
    results = Parallel(options.jobs, batch_size=1)(delayed(measure)(t, m) for t, m in jobs)
    found = {(t.name, m): r for (t, m), r in zip(jobs, results, strict=True)}
    for measured in ("precision@10", *CLASSIFIERS):
        report(tables, found, options.methods, measured)


if __name__ == "__main__":
    main()
