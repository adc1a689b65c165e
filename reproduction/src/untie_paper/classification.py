"""Classification on representations: the paper's table of four classifiers on ten sets.

20 random splits of 90 % for training and 10 % for testing; not stratified, since the paper says
"randomly select" and audiology has classes of a single row. Encoders see the training rows
alone, without labels, and give vectors to the test rows; that is what a user with new rows
gets, though the paper may well have encoded all rows at once. UNTIE is told the number of
classes. The score is macro F over the classes that occur in the test labels or the predictions.

Classifiers are scikit-learn's, with its defaults, on vectors brought to a common scale (which only
logistic regression and the linear SVM notice). The paper does not say which kernel its SVM has:
the default (Gaussian) stands in its place, and a linear one is reported beside it. Every
split has one seed: of the split, the encoder and the forest.

A cell is a data set and a method, with all classifiers, so that each split is encoded once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from untie_paper.classification_report import LINEAR, METHODS, report
from untie_paper.datasets import load
from untie_paper.evaluation import published
from untie_paper.fitted import common_scale, fit_encoder
from untie_paper.run.experiment import Cell, Effort, Experiment, Job

CLASSIFIERS: dict[str, Callable[[int], Any]] = {
    "SVM": lambda seed: SVC(),
    LINEAR: lambda seed: SVC(kernel="linear"),
    "KNN": lambda seed: KNeighborsClassifier(),
    "RF": lambda seed: RandomForestClassifier(random_state=seed),
    "LR": lambda seed: LogisticRegression(max_iter=1000),
}
"""Seed -> classifier."""

COSTS = {"soybeanlarge": 0.4, "audiology": 0.4, "dnapromoter": 0.5}
"""Seconds for a split; the others take a fifth of a second, CDE four times as long."""


def classify(dataset: str, method: str, n_splits: int) -> Cell:
    """Return the macro F (times 100) of each classifier on each split.

    Parameters
    ----------
    dataset, method : str
        Whose rows, and which encoder.
    n_splits : int
        Number of splits; split number s has the seed s.
    """
    table, labels = load(dataset)
    y = labels.to_numpy()
    scores: dict[str, list[float]] = {name: [] for name in CLASSIFIERS}
    for seed in range(n_splits):
        train, test = train_test_split(np.arange(len(y)), test_size=0.1, random_state=seed)
        encoder = fit_encoder(method, table.iloc[train], len(np.unique(y)), seed)
        vectors = np.asarray(encoder.transform(table))
        vectors *= common_scale(vectors[train], table.shape[1])
        for name, make in CLASSIFIERS.items():
            predicted = make(seed).fit(vectors[train], y[train]).predict(vectors[test])
            scores[name].append(macro_f(y[test], predicted))
    return {"f_scores": scores}


def macro_f(y: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Return macro F times 100; a class that is never right has 0.

    Examples
    --------
    >>> macro_f(np.array(["a", "a", "b"]), np.array(["a", "a", "a"]))
    40.0
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return 100 * float(f1_score(y, predicted, average="macro", zero_division=0))


def jobs(effort: Effort) -> list[Job]:
    """Return a cell for each data set and method; two splits if quick, else 20."""
    names = effort.datasets(published("classification")["dataset"].unique().tolist())
    n_splits = 2 if effort.quick else 20
    return [
        Job(
            classify,
            {"dataset": name, "method": method, "n_splits": n_splits},
            cost=n_splits * COSTS.get(name, 0.2) * (4 if method == "CDE" else 1),
        )
        for name in names
        for method in METHODS
    ]


EXPERIMENT = Experiment(
    name="classification",
    title="Classification with SVM, KNN, RF and LR (the paper's Table 5)",
    jobs=jobs,
    report=report,
    group="classification",
)
