"""Loss curves of the printed protocol, and what its objective does without its scale.

For a fixed H no weight omega >= 0 has a negative cost in the printed objective, Tr(S (I - HH')), so
no step of Adam makes a weight larger; and as its steps are about as long as the learning rate, most
weights are near 0 after some 1 / (learning rate) steps from omega = 1, and the loss with them. Two
checks: the same curves with half and with twice the printed learning rate; and the share that is
left unexplained on all rows, which does not see the scale. It can be compared with that of the
exact solver's weights, as printed and for centred rows; the exact solver's own objective has a
price for leaving equal weights and can't. What decides the weights that are left is in `remainder`;
where they end if there are many more steps, in `long_runs`: not at omega = 0, which is not the only
minimum.

Losses are means over ten steps; the protocol stops at step 1,000, here it goes on to 2,000.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from untie import UNTIE
from untie_paper import long_runs, remainder
from untie_paper.arrays import FloatArray
from untie_paper.convergence_figures import (
    BLOCK,
    DATASETS,
    PRINTED_RATE,
    PRINTED_STEPS,
    SMOOTH,
    draw_losses,
    draw_shares,
    loss_data,
    share_data,
)
from untie_paper.datasets import load
from untie_paper.output.report import Figure, PaperReport, PaperTable
from untie_paper.output.words import many
from untie_paper.run.experiment import Cell, Effort, Experiment, Job, Results
from untie_paper.stages import build_couplings, learn_weights, unexplained_share

RATES = (5e-4, PRINTED_RATE, 2e-3)
STEPS = 2000
LARGEST_RATIO = 1.25
"""Numbers within this ratio are the same."""


def loss_cell(dataset: str, seed: int, learning_rate: float, n_steps: int) -> Cell:
    """Return the loss of every ten steps of the printed protocol."""
    X, y = load(dataset)
    encoder = _protocol(y.nunique(), seed, learning_rate, n_steps)
    solution = learn_weights(encoder, build_couplings(encoder, X))
    return {"losses": block_means(solution.loss_curve).tolist()}


def share_cell(dataset: str, seed: int, n_steps: int) -> Cell:
    """Return weights and unexplained shares after some steps of the printed protocol.

    A run of fewer steps is the beginning of a longer one with the same seed. 0 steps: omega = 1.
    """
    X, y = load(dataset)
    encoder = _protocol(y.nunique(), seed, PRINTED_RATE, max(n_steps, 1))
    problem = build_couplings(encoder, X)
    ones = np.ones(problem.n_coordinates)
    omega = learn_weights(encoder, problem).omega if n_steps else ones
    return {
        "share": unexplained_share(problem, omega),
        "centred": unexplained_share(problem, omega, centred=True),
        "mean_omega": float(omega.mean()),
        "zeros": float((omega == 0).mean()),
    }


def exact_cell(dataset: str, solver: str) -> Cell:
    """Return the unexplained shares of the exact solver's weights."""
    X, y = load(dataset)
    encoder = UNTIE(y.nunique(), solver=solver)
    problem = build_couplings(encoder, X)
    omega = learn_weights(encoder, problem).omega
    return {
        "exact_share": unexplained_share(problem, omega),
        "exact_centred": unexplained_share(problem, omega, centred=True),
    }


def _protocol(n_clusters: int, seed: int, learning_rate: float, n_steps: int) -> UNTIE:
    return UNTIE.from_paper(
        n_clusters, random_state=seed, learning_rate=learning_rate, max_iter=n_steps
    )


def block_means(losses: list[float]) -> FloatArray:
    """Return the means of every ten losses.

    Examples
    --------
    >>> block_means([1.0] * 10 + [3.0] * 10)
    array([1., 3.])
    """
    whole = len(losses) // BLOCK * BLOCK
    return np.asarray(losses[:whole]).reshape(-1, BLOCK).mean(axis=1)


def steps_to_half(losses: list[float]) -> float:
    """Return after how many steps the loss, averaged over 50 steps, is half of its first level.

    Missing (NaN) if it never is.

    Examples
    --------
    >>> steps_to_half([4.0] * 5 + [2.0] * 5)
    100.0
    """
    if len(losses) < SMOOTH:
        return float("nan")
    levels = np.lib.stride_tricks.sliding_window_view(losses, SMOOTH).mean(axis=1)
    below = np.flatnonzero(levels <= levels[0] / 2)
    return float((below[0] + SMOOTH) * BLOCK) if len(below) else float("nan")


def jobs(effort: Effort) -> list[Job]:
    """Return the curves, the shares along them and the exact solver's."""
    n_steps = PRINTED_STEPS if effort.quick else STEPS
    every = 500 if effort.quick else 250
    found = []
    for dataset in effort.datasets(DATASETS):
        found.append(Job(exact_cell, {"dataset": dataset, "solver": "exact"}, 0.2))
        for seed in range(effort.n_seeds):
            rates = RATES if seed == 0 else (PRINTED_RATE,)
            found += [
                Job(loss_cell, _arguments(dataset, seed, n_steps) | {"learning_rate": rate}, 1.0)
                for rate in rates
            ]
            found += [
                Job(share_cell, _arguments(dataset, seed, steps), steps / 1000)
                for steps in range(0, n_steps + 1, every)
            ]
    return [*found, *remainder.jobs(effort), *long_runs.jobs(effort)]


def _arguments(dataset: str, seed: int, n_steps: int) -> dict[str, Any]:
    return {"dataset": dataset, "seed": seed, "n_steps": n_steps}


def convergence_table(results: Results) -> Any:
    """Return a line for each data set: losses, steps to half of the first, weights and shares."""
    import pandas as pd

    lines = {}
    for name in DATASETS:
        rows = [row for row in results.rows if row["dataset"] == name]
        line: dict[str, float] = {}
        curves = [row for row in rows if "losses" in row]
        for rate in RATES:
            halves = [
                steps_to_half(row["losses"]) for row in curves if row["learning_rate"] == rate
            ]
            if halves:
                line[f"steps to half, rate {rate:g}"] = float(np.mean(halves))
        printed = [row["losses"] for row in curves if row["learning_rate"] == PRINTED_RATE]
        line |= _first_and_last(printed)
        for row_name, steps in (("omega = 1", 0), ("step 1,000", PRINTED_STEPS)):
            cells = [row for row in rows if "share" in row and row["n_steps"] == steps]
            if cells:
                line[f"% unexplained, {row_name}"] = 100 * _mean(cells, "share")
                line[f"% unexplained, centred, {row_name}"] = 100 * _mean(cells, "centred")
                if steps:
                    line["mean omega, step 1,000"] = _mean(cells, "mean_omega")
        exact = [row for row in rows if "exact_share" in row]
        if exact:
            line["% unexplained, exact"] = 100 * _mean(exact, "exact_share")
            line["% unexplained, centred, exact"] = 100 * _mean(exact, "exact_centred")
        if line:
            lines[name] = line
    table = pd.DataFrame.from_dict(lines, orient="index")
    table.index.name = "dataset"
    return table


def _first_and_last(curves: list[list[float]]) -> dict[str, float]:
    last = PRINTED_STEPS // BLOCK
    whole = [curve for curve in curves if len(curve) >= last]
    if not whole:
        return {}
    means = np.mean([curve[:last] for curve in whole], axis=0)
    return {"first loss": float(means[0]), "loss at step 1,000": float(means[-1])}


def _mean(rows: list[dict[str, Any]], column: str) -> float:
    return float(np.mean([row[column] for row in rows]))


def findings(table: Any) -> list[str]:
    """Say how far the loss falls, why, and what the learning rate has to do with it."""
    found = []
    if {"first loss", "loss at step 1,000", "mean omega, step 1,000"} <= set(table.columns):
        left = (table["loss at step 1,000"] / table["first loss"]).dropna()
        omega = table["mean omega, step 1,000"]
        found.append(
            f"After 1,000 steps the loss is {100 * left.min():.1f} to {100 * left.max():.1f} % of "
            f"its first value, and the mean weight, 1 at first, is between {omega.min():.2f} and "
            f"{omega.max():.2f}: no step makes a weight larger, as for fixed H none has a negative "
            "cost, and the loss goes down with the weights."
        )
    halves = [f"steps to half, rate {rate:g}" for rate in RATES]
    if set(halves) <= set(table.columns) and len(table[halves].dropna()):
        found.append(_say_inverse(table[halves].dropna().mean().to_numpy()))
    for centred, what in (("", "of Tr(S)"), ("centred, ", "of the rows' variance")):
        shares = [f"% unexplained, {centred}{e}" for e in ("omega = 1", "step 1,000", "exact")]
        if set(shares) <= set(table.columns) and len(table[shares].dropna()):
            start, printed, exact = table[shares].dropna().mean()
            found.append(
                f"Without the scale, as a share {what} on all rows, {start:.1f} % is unexplained "
                f"at omega = 1, {printed:.1f} % after the protocol and {exact:.1f} % with the "
                f"exact solver's weights (mean over {many(len(table[shares].dropna()), 'set')})."
            )
    return found


def _say_inverse(steps: FloatArray) -> str:
    """Compare the steps to half of the first loss under the three learning rates."""
    products = steps * RATES
    listed = ", ".join(f"{n:.0f} (rate {rate:g})" for n, rate in zip(steps, RATES, strict=True))
    inverse = products.max() / products.min() < LARGEST_RATIO
    return (
        f"The loss is halved after {listed} steps, {products.min():.2f} to {products.max():.2f} / "
        "(learning rate): the number of steps is "
        + ("" if inverse else "not ")
        + "inverse to the learning rate, 1 / 0.001 being the 1,000 iterations at which the paper "
        "reports convergence."
    )


def report(results: Results) -> PaperReport:
    """Return the curves, the shares, a table of both, what is left of omega and at the end."""
    losses, shares, table = loss_data(results), share_data(results), convergence_table(results)
    note = (
        "Means over seeds of batches; learning rates other than 0.001 have one. Steps to half: "
        "until the loss, averaged over 50 steps, is half of its first level. % unexplained: "
        "Tr(S (I - HH')) / Tr(S) on all rows, with the best H; centred: the same of the rows "
        "less their mean, with one eigenvector fewer. A small share is no aim in itself: any few "
        "columns that the eigenvectors explain fully have 0, so the exact solver pays for leaving "
        "equal weights."
    )
    figures = [
        Figure(
            "convergence",
            "Loss during training, printed protocol (the paper's Figure 8)",
            losses,
            draw_losses,
            "A panel for each data set: the loss by the step for three learning rates, and a "
            "straight line from the first loss to 0 at step 1,000.",
        ),
        Figure(
            "convergence_share",
            "The objective without its scale, along the printed protocol",
            shares,
            draw_shares,
            "A panel for each data set: the unexplained share by the step, of Tr(S) as printed "
            "and of the centred rows, and lines at the shares of the exact solver's weights.",
        ),
    ]
    tables = [
        PaperTable("convergence_numbers", "Convergence of the printed protocol", table, note=note)
    ]
    shown = [figure for figure in figures if len(figure.data)]
    further = (remainder, long_runs)
    said = [*findings(table), *(line for part in further for line in part.findings(results))]
    more = [one for part in further for one in part.as_table(results)]
    return PaperReport(said, [*(tables if len(table) else []), *more], shown)


EXPERIMENT = Experiment(
    "convergence",
    "Convergence of the printed protocol (the paper's Figure 8)",
    jobs,
    report,
    "figures",
)
