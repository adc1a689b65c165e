"""Regression on representations: a use that the paper's introduction names and does not measure.

The bundled tables have no numeric label, but some of their columns are counts, grades or months
that were made categories. Each target here is such a column: it is taken out of the table and
predicted from the representation of the rest (the class label is not used). Ten random splits of
90 % for training and 10 % for testing; encoders see the training rows alone and never the target.
The score is R^2 on the test rows: 1 is perfect, 0 is as good as the mean.

Ridge chooses its penalty on the training rows (leave-one-out, 13 values), so the scale of a
representation does not matter; nearest neighbours are scikit-learn's default of five. UNTIE under
the paper's protocol is told the number of classes of the data set, as everywhere; our default
is told nothing, MCA keeps all axes, and CDE has one start of each k-means over values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsRegressor

from untie import TableEncoder
from untie_paper.baselines import MCA
from untie_paper.datasets import load
from untie_paper.evaluation import average_ranks
from untie_paper.fitted import common_scale, quietly_fitted
from untie_paper.methods import DEFAULT, ENCODERS, PAPER
from untie_paper.output.report import PaperReport, PaperTable
from untie_paper.output.words import many, means_and_ranks
from untie_paper.run.experiment import Cell, Effort, Experiment, Job, Results

METHODS = (PAPER, DEFAULT, "One-hot", "CDE", "MCA")
REGRESSORS: dict[str, Callable[[], Any]] = {
    "ridge": lambda: RidgeCV(np.logspace(-3, 3, 13)),
    "KNN": KNeighborsRegressor,
}


@dataclass(frozen=True)
class Target:
    """A column that is a number.

    Attributes
    ----------
    dataset, column : str
        Where it stands.
    meaning : str
        What it counts.
    no_number : tuple of str
        Cells that are no number or no degree of the same thing; their rows are left out.
    """

    dataset: str
    column: str
    meaning: str
    no_number: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.dataset}: {self.column}"


TARGETS = (
    Target("zoo", "legs", "number of legs, 0 to 8"),
    Target("lymphography", "No_of_nodes_in", "number of nodes, in 8 steps"),
    Target("soybeanlarge", "date", "month, April to October", ("?",)),
    Target("dermatology", "itching", "grade, 0 to 3"),
    Target("dermatology", "acanthosis", "grade, 0 to 3"),
    Target("wisconsin", "Clump_Thickness", "grade, 1 to 10"),
    Target("wisconsin", "Bland_Chromatin", "grade, 1 to 10"),
    Target("mammographic", "BI-RADS", "assessment, 2 to 6 (0 is none, 55 a slip)", ("0", "55")),
    Target("flare", "C-class", "number of flares, 0 to 8"),
)


def predict(dataset: str, column: str, method: str, n_splits: int) -> Cell:
    """Return R^2 of each regressor on each split.

    Parameters
    ----------
    dataset, column : str
        One of `TARGETS`.
    method : str
        Which encoder.
    n_splits : int
        Number of splits; split number s has the seed s.
    """
    rest, target, n_classes = take_out(dataset, column)
    scores: dict[str, list[float]] = {name: [] for name in REGRESSORS}
    for seed in range(n_splits):
        train, test = train_test_split(np.arange(len(target)), test_size=0.1, random_state=seed)
        encoder = quietly_fitted(make_encoder(method, n_classes, seed), rest.iloc[train])
        vectors = np.asarray(encoder.transform(rest))
        # Only so that the penalties to choose from lie in the right range for all.
        vectors *= common_scale(vectors[train], rest.shape[1])
        for name, make in REGRESSORS.items():
            predicted = make().fit(vectors[train], target[train]).predict(vectors[test])
            scores[name].append(float(r2_score(target[test], predicted)))
    return {"r2": scores, "n_rows": len(target)}


def take_out(dataset: str, column: str) -> tuple[Any, Any, int]:
    """Return the table without the target's column, the target, and the number of classes."""
    target = next(one for one in TARGETS if (one.dataset, one.column) == (dataset, column))
    table, labels = load(dataset)
    table = table[~table[column].isin(target.no_number)].reset_index(drop=True)
    return table.drop(columns=column), table[column].astype(float).to_numpy(), labels.nunique()


def make_encoder(method: str, n_classes: int, seed: int) -> Any:
    """Return an encoder that is told no more than a user would know who has a number to predict."""
    if method == DEFAULT:
        return TableEncoder(preparer=None, random_state=seed)
    return MCA(None) if method == "MCA" else ENCODERS[method](n_classes, seed)


def jobs(effort: Effort) -> list[Job]:
    """Return a cell for each target and method; two splits if quick, else ten."""
    names = effort.datasets([target.dataset for target in TARGETS])
    n_splits = 2 if effort.quick else 10
    return [
        Job(
            predict,
            {
                "dataset": target.dataset,
                "column": target.column,
                "method": method,
                "n_splits": n_splits,
            },
            cost=10.0 if method in (PAPER, "CDE") else 2.0,
        )
        for target in TARGETS
        if target.dataset in names
        for method in METHODS
    ]


def report(results: Results) -> PaperReport:
    """Return a table for each regressor, and who is best."""
    if not results.rows:
        return PaperReport(["No cell came out."])
    tables = [regressor_table(results, name) for name in REGRESSORS]
    found = [
        sentence
        for name, table in zip(REGRESSORS, tables, strict=True)
        for sentence in findings(name, table.measured)
    ]
    return PaperReport(found, tables)


def regressor_table(results: Results, regressor: str) -> PaperTable:
    """Return mean R^2 of every target and method, with means and ranks over the complete rows."""
    import pandas as pd

    lines = [
        {
            "target": f"{row['dataset']}: {row['column']}",
            "method": row["method"],
            "r2": float(np.mean(row["r2"][regressor])),
        }
        for row in results.rows
    ]
    measured = pd.DataFrame(lines).pivot_table(index="target", columns="method", values="r2")
    order = [target.name for target in TARGETS if target.name in measured.index]
    measured = measured.reindex(index=order, columns=list(METHODS))
    complete = measured.dropna()
    if len(complete):
        measured.loc["mean"] = complete.mean()
        measured.loc["mean rank"] = average_ranks(complete.round(6))
    meanings = "; ".join(f"{t.name}: {t.meaning}" for t in TARGETS if t.name in order)
    return PaperTable(
        name=f"regression_{regressor.lower()}",
        title=f"R^2 of {regressor} regression, mean over random splits (beyond the paper)",
        measured=measured,
        digits=3,
        note=f"The mean's score is 0. CDE has one start of each k-means over values. {meanings}.",
    )


def findings(regressor: str, measured: Any) -> list[str]:
    """Return who is best over all targets, and how often UNTIE is ahead of one-hot."""
    if "mean" not in measured.index:
        return []
    rows = measured.drop(index=["mean", "mean rank"]).dropna()
    listed = means_and_ranks(measured.loc["mean"], measured.loc["mean rank"])
    ahead = {method: int((rows[method] > rows["One-hot"]).sum()) for method in (PAPER, DEFAULT)}
    return [
        f"{regressor}: mean R^2 over {many(len(rows), 'target')}: {listed}. Above one-hot on "
        f"{many(ahead[PAPER], 'target')} (paper's protocol) and {ahead[DEFAULT]} (our default)."
    ]


EXPERIMENT = Experiment(
    name="regression",
    title="Regression on the representations (beyond the paper)",
    jobs=jobs,
    report=report,
    group="beyond",
)
