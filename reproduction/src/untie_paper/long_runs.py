"""What a long run of the printed protocol ends in.

Over omega and H together the printed objective is smallest, 0, at omega = 0 and at every omega
whose weighted columns span at most n_c dimensions. The protocol stops after 1,000 steps, when it
has reached none of them; here it goes on, at the printed rate, to see which it comes near.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from untie import UNTIE
from untie_paper.arrays import FloatArray
from untie_paper.convergence_figures import DATASETS
from untie_paper.datasets import load
from untie_paper.output.report import PaperTable
from untie_paper.output.words import many
from untie_paper.run.experiment import Cell, Effort, Job, Results
from untie_paper.stages import PaperProblem, build_couplings, learn_weights

STEPS, QUICK_STEPS = 10_000, 2000
LAST = 100
"""Steps whose losses are averaged: one batch's loss is noise."""

CARRIES = 1e-6
"""The share of Tr(S) from which on a column counts. Adam hardly moves one whose gradients are
below its floor, so its weight stays near 1, and says nothing."""

DIMENSION = 1e-3
"""The share of Tr(S) from which on an eigenvalue of S counts as a dimension."""


def long_run_cell(dataset: str, seed: int, n_steps: int) -> Cell:
    """Return what is left of the weights after many steps of the printed protocol."""
    X, y = load(dataset)
    encoder = UNTIE.from_paper(y.nunique(), random_state=seed, max_iter=n_steps)
    problem = build_couplings(encoder, X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solution = learn_weights(encoder, problem)
    return {
        "steps_taken": solution.n_iter,
        "last_loss": float(np.mean(solution.loss_curve[-LAST:])),
        "first_loss": float(np.mean(solution.loss_curve[:LAST])),
        **what_is_left(problem, solution.omega),
    }


def what_is_left(problem: PaperProblem, omega: FloatArray) -> dict[str, float | int]:
    """Describe weights by what they leave of S, over all rows.

    Parameters
    ----------
    problem : PaperProblem
        As `build_couplings` gives it.
    omega : array of shape (n_coordinates,)
        The weights.

    Examples
    --------
    >>> encoder = UNTIE.from_paper(2)
    >>> problem = build_couplings(encoder, [["a", "x"], ["b", "y"], ["b", "x"]])
    >>> first = np.arange(112) < 56  # the columns of the first attribute, of two values
    >>> left = what_is_left(problem, np.where(first, 5.0, 0.0))
    >>> left["alive"], left["dimensions"], left["unexplained"] < 1e-9
    (56, 2, True)
    """
    energy = problem.energies()
    trace = float(energy @ omega)
    spectrum = problem.spectrum(omega)
    carrying = energy * omega > CARRIES * trace
    return {
        "n_clusters": problem.n_clusters,
        "n_weights": len(omega),
        "alive": int((omega > 0).sum()),
        "carrying": int(carrying.sum()),
        "largest": float(omega[carrying].max(initial=0.0)),
        "trace": trace / float(energy.sum()),
        "unexplained": max(0.0, trace - float(spectrum[: problem.n_clusters].sum()))
        / (trace or 1.0),
        "dimensions": int((spectrum > DIMENSION * trace).sum()),
    }


def jobs(effort: Effort) -> list[Job]:
    """Return a long run for each data set and seed."""
    n_steps = QUICK_STEPS if effort.quick else STEPS
    return [
        Job(
            long_run_cell,
            {"dataset": dataset, "seed": seed, "n_steps": n_steps},
            n_steps / 5000,
        )
        for dataset in effort.datasets(DATASETS)
        for seed in range(effort.n_seeds)
    ]


def rows_of(results: Results) -> list[dict[str, Any]]:
    """Return the cells that are long runs."""
    return [row for row in results.rows if "last_loss" in row]


def long_run_table(results: Results) -> Any:
    """Return a line for each data set: what is left of loss, weights and dimensions."""
    import pandas as pd

    lines = {}
    for name in DATASETS:
        rows = [row for row in rows_of(results) if row["dataset"] == name]
        if not rows:
            continue
        lines[name] = {
            "loss at first": _mean(rows, "first_loss"),
            "largest loss at last": f"{max(row['last_loss'] for row in rows):.1e}",
            "% unexplained": f"{100 * max(row['unexplained'] for row in rows):.1e}",
            "Tr(S), % of omega = 1": 100 * _mean(rows, "trace"),
            "largest omega": _mean(rows, "largest"),
            "columns": _text(rows, "n_weights"),
            "alive": _text(rows, "alive"),
            "that carry S": _text(rows, "carrying"),
            "dimensions": _text(rows, "dimensions"),
            "n_c": _text(rows, "n_clusters"),
        }
    table = pd.DataFrame.from_dict(lines, orient="index")
    table.index.name = "dataset"
    return table


def _mean(rows: list[dict[str, Any]], column: str) -> float:
    return float(np.mean([row[column] for row in rows]))


def _text(rows: list[dict[str, Any]], column: str) -> str:
    """Return a whole number, or the least and the largest over the seeds."""
    numbers = sorted({int(row[column]) for row in rows})
    return " to ".join(str(number) for number in sorted({numbers[0], numbers[-1]}))


def as_table(results: Results) -> list[PaperTable]:
    """Return the table with its note; none if there are no long runs."""
    table = long_run_table(results)
    if table.empty:
        return []
    note = (
        f"At the printed rate; means, ranges and largest values are over seeds. Losses are means "
        f"over {LAST} steps. % unexplained: Tr(S (I - HH')) / Tr(S) on all rows, the largest of "
        "the seeds. Alive: columns with omega > 0. That carry S: those of them with more than "
        f"{CARRIES:g} of Tr(S); the largest omega is theirs (columns of nearly no length keep "
        "weights near 1, as Adam does not move them). Dimensions: eigenvalues of S above "
        f"{DIMENSION:g} of Tr(S)."
    )
    return [PaperTable("long_runs", "What a long run ends in", table, note=note)]


def findings(results: Results) -> list[str]:
    """Say whether the weights are gone, and how many dimensions are left."""
    rows = rows_of(results)
    if not rows:
        return []
    left = [row["last_loss"] / row["first_loss"] for row in rows if row["first_loss"] > 0]
    steps = {row["n_steps"] for row in rows}
    alive, largest, traces, unexplained = (
        [row[column] for row in rows] for column in ("alive", "largest", "trace", "unexplained")
    )
    n_gone = sum(count == 0 for count in alive)
    same = sum(row["dimensions"] == row["n_clusters"] for row in rows)
    fewer = sum(row["dimensions"] < row["n_clusters"] for row in rows)
    found = [
        f"After {max(steps):,} steps at the printed rate the loss is at most "
        f"{100 * max(left):.1g} % of what it was at first, {_at_0(n_gone, len(rows))}: "
        f"{min(alive)} to {max(alive)} columns have weight, the largest omega is "
        f"{min(largest):.2f} to {max(largest):.2f}, and Tr(S) is {100 * min(traces):.2g} to "
        f"{100 * max(traces):.2g} % of that at omega = 1.",
        f"What has weight then spans exactly n_c dimensions in {same} of {many(len(rows), 'run')} "
        f"and fewer in {fewer} (eigenvalues above {DIMENSION:g} of Tr(S)), and the n_c "
        f"eigenvectors leave at most {100 * max(unexplained):.1g} % of Tr(S) unexplained. The "
        "printed objective is 0 at omega = 0 and at every omega whose weighted columns span at "
        "most n_c dimensions; rate, steps and the rows drawn decide which a run comes near.",
    ]
    return found + _say_seeds(rows)


def _at_0(n_gone: int, n_runs: int) -> str:
    if n_gone == 0:
        return f"but omega is 0 in none of {many(n_runs, 'run')}"
    return f"and omega is 0 in {n_gone} of {many(n_runs, 'run')}"


def _say_seeds(rows: list[dict[str, Any]]) -> list[str]:
    """Compare Tr(S) at the end between seeds: which minimum it is depends on the draws."""
    ratios = {}
    for name in {row["dataset"] for row in rows}:
        traces = [row["trace"] for row in rows if row["dataset"] == name and row["trace"] > 0]
        if len(traces) > 1:
            ratios[name] = max(traces) / min(traces)
    if not ratios:
        return []
    most = max(ratios, key=lambda name: ratios[name])
    return [
        f"Between seeds, which draw other batches, Tr(S) at the end differs by a factor of up to "
        f"{ratios[most]:.1f} ({most})."
    ]
