"""Clustering of the 25 data sets by thirteen methods: the paper's largest table.

The printed columns, UNTIE as it is by default, one-hot, and CDE with ten starts of each k-means
over values (the printed column stands beside CDE with one, as in the authors' program). Methods
have five seeds, of the encoder and of the starts of k-means or k-modes; of 20 starts the cheapest
counts, and the table has the mean over seeds. connect4 has as many starts and seeds as the others.

The deep methods have three seeds and limits of their own (BiGAN 300 passes over the rows, VAE 200
or fewer), and learn from at most `MAX_STEPS` batches of 64 rows. That binds on tables of over
1,280 rows: titanic, the five of 3,000 to 6,000 rows, and connect4.
"""

from __future__ import annotations

from typing import Any

from untie_paper.clustering_cell import cluster
from untie_paper.clustering_report import report
from untie_paper.data import SETS
from untie_paper.datasets import printed_figures
from untie_paper.methods import COLUMNS, DEEP, DISTANCES
from untie_paper.run.experiment import Effort, Experiment, Job

MAX_STEPS, QUICK_STEPS, DEEP_SEEDS = 6000, 100, 3
"""Batches that a deep method learns from, and with how many seeds."""


def cells(effort: Effort, methods: list[str]) -> list[Job]:
    """Return a job for each data set, method and seed."""
    return [
        _job(dataset, method, seed, effort)
        for dataset in effort.datasets(SETS)
        for method in methods
        for seed in range(min(effort.n_seeds, DEEP_SEEDS) if method in DEEP else effort.n_seeds)
    ]


def _job(dataset: str, method: str, seed: int, effort: Effort) -> Job:
    arguments: dict[str, Any] = {
        "dataset": dataset,
        "method": method,
        "seed": seed,
        "n_restarts": effort.n_restarts,
    }
    if method in DEEP:
        arguments["max_steps"] = QUICK_STEPS if effort.quick else MAX_STEPS
    return Job(cluster, arguments, _seconds(dataset, method, arguments.get("max_steps", 0)))


def _seconds(dataset: str, method: str, max_steps: int) -> float:
    """Guess how long a cell takes, from the number of rows."""
    n_rows = printed_figures()[dataset].n_o or 0
    if method in DEEP:
        passes, step = {"BiGAN_WD": (300, 0.006), "VAE_WD": (200, 0.0025)}[method]
        return 0.1 + step * min(max_steps, passes * -(-n_rows // 64)) + 1e-4 * n_rows
    return 0.3 + (2e-5 if method in DISTANCES else 1.5e-4) * n_rows


def jobs(effort: Effort) -> list[Job]:
    """Return the cells of all methods."""
    return cells(effort, COLUMNS)


EXPERIMENT = Experiment(
    "clustering",
    "Clustering F-scores on 25 data sets, ranks and tests (the paper's Table 4 and Figure 10)",
    jobs,
    report,
    group="clustering",
)
