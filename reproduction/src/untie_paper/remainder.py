"""What decides the weights that the printed protocol leaves after its 1,000 steps.

Adam divides a gradient by the root of its mean square, so a step is about the learning rate times
(mean / root mean square) of the column's gradients, however large they are. A column whose gradient
is the same in every batch loses a whole learning rate a step; one that few batches need keeps more.
So what is left should follow how steady a column's gradients are, and hardly its cost. Gradients
are taken at omega = 1, from batches of their own, by the definition: rows in full, no counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from untie import UNTIE
from untie_paper.arrays import FloatArray
from untie_paper.convergence_figures import DATASETS
from untie_paper.datasets import load
from untie_paper.fitted import quietly_fitted
from untie_paper.output.report import PaperTable
from untie_paper.output.words import many
from untie_paper.run.experiment import Cell, Effort, Job, Results

N_BATCHES, BATCH = 300, 20


def remainder_cell(dataset: str, seed: int, n_batches: int) -> Cell:
    """Return the correlations of what is left with another seed's, and with the gradients."""
    X, y = load(dataset)
    k = y.nunique()
    left, other = (
        quietly_fitted(UNTIE.from_paper(k, random_state=one), X).omega_ for one in (seed, seed + 1)
    )
    features = quietly_fitted(UNTIE(k, solver="uniform", output="full"), X).transform(X)
    draws = np.random.default_rng(seed)
    batches = [features[draws.integers(0, len(features), BATCH)] for _ in range(n_batches)]
    gradients = np.array([costs(batch, k) for batch in batches])
    return {
        "between_seeds": _correlation(left, other),
        "with_steadiness": _correlation(left, steadiness(gradients)),
        "with_cost": _correlation(left, gradients.mean(axis=0)),
    }


def costs(batch: FloatArray, n_clusters: int) -> FloatArray:
    """Return what the leading eigenvectors of a batch's S leave over of every column.

    Examples
    --------
    >>> costs(np.diag([3.0, 2.0, 1.0]), 2)
    array([0., 0., 1.])
    """
    vectors = np.linalg.svd(batch, full_matrices=False)[0][:, :n_clusters]
    left_over: FloatArray = batch - vectors @ (vectors.T @ batch)
    return np.square(left_over).sum(axis=0)


def steadiness(gradients: FloatArray) -> FloatArray:
    """Return mean / root mean square over batches: 1 for gradients that are always the same.

    Examples
    --------
    >>> steadiness(np.array([[2.0, 4.0, 0.0], [2.0, 0.0, 0.0]])).round(3)
    array([1.   , 0.707, 0.   ])
    """
    scale = np.sqrt(np.square(gradients).mean(axis=0))
    return gradients.mean(axis=0) / np.where(scale > 0, scale, 1.0)


def _correlation(one: FloatArray, other: FloatArray) -> float:
    return float(np.corrcoef(one, other)[0, 1])


def jobs(effort: Effort) -> list[Job]:
    """Return a job for each data set."""
    return [
        Job(remainder_cell, {"dataset": dataset, "seed": 0, "n_batches": N_BATCHES}, 2.0)
        for dataset in effort.datasets(DATASETS)
    ]


def remainder_table(results: Results) -> Any:
    """Return a line for each data set: three correlations."""
    import pandas as pd

    columns = {
        "with another seed's": "between_seeds",
        "with steadiness": "with_steadiness",
        "with mean cost": "with_cost",
    }
    rows = {row["dataset"]: row for row in results.rows if "with_steadiness" in row}
    lines = {
        name: {title: rows[name][column] for title, column in columns.items()}
        for name in DATASETS
        if name in rows
    }
    table = pd.DataFrame.from_dict(lines, orient="index", columns=list(columns))
    table.index.name = "dataset"
    return table


def as_table(results: Results) -> list[PaperTable]:
    """Return the table with its note; none if there are no cells."""
    table = remainder_table(results)
    if table.empty:
        return []
    note = (
        "Correlations, over the columns of the kernels, of omega after 1,000 steps. Another seed "
        "draws other batches. Steadiness: mean / root mean square of a column's gradients over "
        f"{N_BATCHES} batches at omega = 1; mean cost: their mean."
    )
    return [PaperTable("remainder", "What decides the weights that are left", table, note=note)]


def findings(results: Results) -> list[str]:
    """Say whether what is left is noise, and what it follows."""
    table = remainder_table(results)
    if table.empty:
        return []
    seeds, steady, cost = (_range(table[column]) for column in table.columns)
    follows = (table.iloc[:, 1].abs() > table.iloc[:, 2].abs()).sum()
    return [
        f"The weights left after 1,000 steps correlate {seeds} with those of another seed, "
        f"{steady} with how steady the gradients of a column are over batches (mean / root mean "
        f"square, which is what Adam's step is made of) and {cost} with the mean cost of a column; "
        f"on {follows} of {many(len(table), 'set')} steadiness is the stronger."
    ]


def _range(numbers: Any) -> str:
    return f"{numbers.min():.2f} to {numbers.max():.2f}"
