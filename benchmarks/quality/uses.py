"""What vectors are good for beyond clusters: retrieval and classification on the paper's sets.

Encoders learn from all rows without labels, UNTIE knowing the number of classes, but for the
purpose "neighbors", which needs none. Retrieval is the
mean precision at 10 (ties expected over all orders). Classification is the macro F of 5 nearest
neighbours and of logistic regression, each with scikit-learn's defaults, on vectors brought to a
common scale, in five folds. Sets of over 5,000 rows are represented by 5,000 of them, drawn once.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

import scores
from tables import LabelledTable, paper_tables
from untie import UNTIE
from untie.evaluation import precision_at_k

ENCODERS: dict[str, Callable[[int, int], Any]] = {
    "UNTIE": scores.ENCODERS["UNTIE"],
    "UNTIE, neighbors": lambda k, seed: UNTIE(purpose="neighbors"),
    **{name: make for name, make in scores.ENCODERS.items() if name != "UNTIE"},
}
METHODS = list(ENCODERS)
MOST_ROWS, SEED, FOLDS = 5_000, 0, 5

CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "KNN": KNeighborsClassifier,
    "LR": lambda: LogisticRegression(max_iter=1000),
}


def sampled(table: LabelledTable) -> LabelledTable:
    if len(table.X) <= MOST_ROWS:
        return table
    rows = np.random.default_rng(SEED).permutation(len(table.X))[:MOST_ROWS]
    y = pd.factorize(table.y[rows])[0]
    return LabelledTable(table.name, table.kind, table.X.iloc[rows], y)


def measure(table: LabelledTable, method: str) -> dict[str, float]:
    warnings.simplefilter("ignore")  # a class may be in one fold alone
    vectors = ENCODERS[method](table.n_classes, SEED).fit_transform(table.X)
    vectors = vectors / (np.sqrt(vectors.var(axis=0).sum()) or 1.0)  # kernels may tell nothing
    result = {"precision@10": 100 * precision_at_k(vectors, table.y, k=10)}
    folds = KFold(FOLDS, shuffle=True, random_state=SEED)
    for name, make in CLASSIFIERS.items():
        found = cross_val_predict(make(), vectors, table.y, cv=folds)
        result[name] = 100 * f1_score(table.y, found, average="macro")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three small sets")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    small = ["zoo", "hayesroth", "housevotes"] if options.quick else None
    tables = [sampled(table) for table in paper_tables(small)]
    jobs = [(table, method) for table in tables for method in METHODS]
    jobs.sort(key=lambda job: -len(job[0].X))
    results = Parallel(options.jobs, batch_size=1)(delayed(measure)(t, m) for t, m in jobs)
    found = {(t.name, m): r for (t, m), r in zip(jobs, results, strict=True)}
    for measured in ("precision@10", *CLASSIFIERS):
        print(f"\n## {measured}\n\n| data set | " + " | ".join(METHODS) + " |")
        print("|---" * (len(METHODS) + 1) + "|")
        lines = {t.name: [found[t.name, m][measured] for m in METHODS] for t in tables}
        lines["**mean**"] = list(np.mean(list(lines.values()), axis=0))
        for name, line in lines.items():
            print(f"| {name} | " + " | ".join(f"{value:.1f}" for value in line) + " |")


if __name__ == "__main__":
    main()
