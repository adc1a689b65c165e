"""Retrieval: the share of same-class objects among the k nearest (the paper's precision@k figure).

Every object is a query and is left out of its own answer; equally near objects count with their
expected precision. Distances are Euclidean for the methods that give vectors and the measure
itself for the others, as in the paper. Methods that draw random numbers are run with several seeds
and averaged; the two neural ones, which take minutes, with one and with the cap on their batches
that clustering has.

The paper draws three sets. Beyond that, five methods are compared on all 25 at k = 10, with two
seeds; of connect4 and mushroom, 5,000 rows drawn with a fixed seed are both queries and answers
(the encoders learn from all rows).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie_paper.clustering import MAX_STEPS
from untie_paper.datasets import load
from untie_paper.evaluation import precision_at_k, published
from untie_paper.fitted import quietly_fitted
from untie_paper.methods import DEEP, DISTANCES, ENCODERS, STOCHASTIC, limit_steps
from untie_paper.retrieval_report import DRAWN, EVERYWHERE, METHODS, MOST_K, MOST_ROWS, report
from untie_paper.run.experiment import Cell, Effort, Experiment, Job


def retrieve(
    dataset: str, method: str, seed: int, most_k: int, most_rows: int, max_steps: int = MAX_STEPS
) -> Cell:
    """Return the precision at k = 1 to `most_k`, and that of a random answer.

    Parameters
    ----------
    dataset, method : str
        Whose objects, and what measures their distances.
    seed : int
        Of the encoder.
    most_k : int
        The largest k; less where there are fewer objects.
    most_rows : int
        Of a larger set, this many rows are drawn, always the same.
    max_steps : int
        The neural encoders learn from at most this many batches.
    """
    table, labels = load(dataset)
    y = labels.to_numpy()
    rows = drawn_rows(len(y), most_rows)
    ks = np.arange(1, min(most_k, len(rows) - 1) + 1)
    if method in ENCODERS:
        encoder = ENCODERS[method](len(np.unique(y)), seed)
        if method in DEEP:
            limit_steps(encoder, len(table), max_steps)
        encoder = quietly_fitted(encoder, table)
        precision = precision_at_k(encoder.transform(table.iloc[rows]), y[rows], ks)
    else:
        distance = DISTANCES[method]().fit(table)
        precision = precision_at_k(table.iloc[rows], y[rows], ks, distance=distance)
    return {"precision": precision.tolist(), "chance": chance(y[rows])}


def drawn_rows(n_rows: int, most_rows: int) -> NDArray[np.intp]:
    """Return the numbers of the rows that count, in order.

    Examples
    --------
    >>> drawn_rows(3, 10), len(drawn_rows(30, 10))
    (array([0, 1, 2]), 10)
    """
    if n_rows <= most_rows:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, most_rows, replace=False))


def chance(y: NDArray[Any]) -> float:
    """Return the precision of an answer drawn at random.

    Examples
    --------
    >>> chance(np.array(["a", "a", "b"]))
    0.3333333333333333
    """
    sizes = np.unique(y, return_counts=True)[1]
    return float((sizes * (sizes - 1)).sum() / (len(y) * (len(y) - 1)))


def jobs(effort: Effort) -> list[Job]:
    """Return all methods on the drawn sets, and five methods on the others."""
    every = effort.datasets(published("clustering")["dataset"].tolist())
    wanted = [
        (name, method, seed)
        for name in every
        for method in (METHODS if name in DRAWN else EVERYWHERE)
        for seed in range(n_seeds(method, name in DRAWN, effort))
    ]
    caps = {"most_k": MOST_K, "most_rows": MOST_ROWS, "max_steps": MAX_STEPS}
    return [
        Job(
            retrieve,
            {"dataset": name, "method": method, "seed": seed, **caps},
            cost=rough_cost(name, method),
        )
        for name, method, seed in wanted
    ]


def n_seeds(method: str, is_drawn: bool, effort: Effort) -> int:
    """Return how many seeds a method is run with; the neural ones have no place in a quick run."""
    if method in DEEP:
        return 0 if effort.quick else 1
    if method not in STOCHASTIC:
        return 1
    return effort.n_seeds if is_drawn else min(2, effort.n_seeds)


def rough_cost(dataset: str, method: str) -> float:
    """Return about how many seconds a cell takes."""
    if method in DEEP:
        return 10.0 if dataset == "dermatology" else 60.0
    wide = {"CDE": 11.0, "Couplings": 25.0}
    if dataset in ("dnanominal", "splice"):
        return wide.get(method, 2.0)
    return 8.0 if dataset == "connect4" else 1.0


EXPERIMENT = Experiment(
    name="retrieval",
    title="Retrieval: precision@k (the paper's Figure 11)",
    jobs=jobs,
    report=report,
    group="figures",
)
