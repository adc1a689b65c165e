"""Cells that measure time on made tables, and how time grows with their size.

The tables are the paper's: 1,000 objects, 10 attributes, 3 values each, of which one number is
changed at a time. Time is processor time of one thread; of several runs the shortest counts, as
everything that disturbs a run makes it longer. UNTIE's time is split into coupling learning (a fit
with equal weights) and heterogeneity learning (what a fit that learns weights takes more).
The time of the others is that of `fit`.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from untie import UNTIE, Gaussian
from untie_paper.datasets import make_synthetic
from untie_paper.methods import DEFAULT, DISTANCES, ENCODERS, PAPER
from untie_paper.run.experiment import Cell

EXACT = "UNTIE (exact)"
STAGED = (PAPER, EXACT)
"""Methods whose time is split into stages."""

N_CLASSES = 2
DEFAULTS = {
    "n_objects": 1000,
    "n_attributes": 10,
    "n_values": 3,
    "n_gaussians": 0,
    "batch_size": 20,
    "n_steps": 1000,
}
"""The paper's; no Gaussians means its 14 kernels."""

FACTORS = {
    "n_objects": "n_o, objects",
    "n_attributes": "n_a, attributes",
    "n_values": "n_mv, values of an attribute",
    "n_gaussians": "kernels",
    "batch_size": "n_b, objects a batch",
    "n_steps": "n_i, steps",
}
"""The numbers by which time and memory may grow, as the paper calls them."""

N_LARGEST, TOLERANCE = 3, 0.3
"""Of how many sizes, the largest, slopes are taken, and what such a slope may be off."""

LEAST_SECONDS, PATIENCE = 0.2, 4.0
"""Seconds: runs go on for at least the first; work that takes the second is run only twice."""


def time_cell(
    method: str,
    n_objects: int,
    n_attributes: int,
    n_values: int,
    n_gaussians: int,
    batch_size: int,
    n_steps: int,
    repeats: int,
) -> Cell:
    """Return the shortest of several times of a method on a made table, in seconds.

    Parameters
    ----------
    method : str
        A method that has a name in `ENCODERS` or `DISTANCES`, or `EXACT`.
    n_objects, n_attributes, n_values : int
        Size of the table.
    n_gaussians : int
        Number of Gaussian kernels; 0 is the paper's set.
    batch_size, n_steps : int
        Of the printed protocol.
    repeats : int
        Number of runs, at least; 1 is a quick look.
    """
    from threadpoolctl import threadpool_limits

    X, _ = make_synthetic(n_objects, n_attributes, n_values)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the printed protocol takes all its steps, and says so
        if method not in STAGED:
            return {"total": best_time(lambda: _make(method).fit(X), repeats)}
        encoder = staged_encoder(method, n_gaussians, batch_size, n_steps)
        equal = clone(encoder).set_params(solver="uniform")
        n_evaluations = len(encoder.fit(X).loss_curve_)
        total = best_time(lambda: encoder.fit(X), repeats)
        coupling = min(total, best_time(lambda: equal.fit(X), repeats))
    heterogeneity = total - coupling
    return {
        "total": total,
        "coupling": coupling,
        "heterogeneity": heterogeneity,
        "per_step": heterogeneity / n_evaluations,
        "n_evaluations": n_evaluations,
    }


def staged_encoder(method: str, n_gaussians: int, batch_size: int, n_steps: int) -> UNTIE:
    """Return an encoder whose stages are measured: the printed protocol or the exact solver."""
    kernels = [Gaussian(2.0**e) for e in np.linspace(-5, 5, n_gaussians)] or "paper"
    if method == EXACT:
        return UNTIE(N_CLASSES, solver="exact", kernels=kernels)
    return UNTIE.from_paper(
        N_CLASSES, random_state=0, kernels=kernels, batch_size=batch_size, max_iter=n_steps
    )


def _make(method: str) -> Any:
    return DISTANCES[method]() if method in DISTANCES else ENCODERS[method](N_CLASSES, 0)


def best_time(work: Callable[[], object], repeats: int) -> float:
    """Return the shortest processor time of several runs, in seconds."""
    times = [_seconds(work)]
    if repeats == 1:
        return times[0]
    wanted = repeats if times[0] < PATIENCE else 2
    while len(times) < wanted or sum(times) < LEAST_SECONDS:
        times.append(_seconds(work))
    return min(times)


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def sizes_with(**changed: int) -> dict[str, int]:
    """Return the paper's default sizes with some of them changed.

    Examples
    --------
    >>> sizes_with(n_values=10)["n_values"], sizes_with()["n_objects"]
    (10, 1000)
    """
    return {**DEFAULTS, **changed}


def time_series(frame: Any, factor: str, numbers: list[int]) -> Any:
    """Return the cells in which one factor is changed and all others are the paper's.

    Parameters
    ----------
    frame : pandas DataFrame
        Cells of `time_cell`.
    factor : str
        A key of `DEFAULTS`.
    numbers : list of int
        Its values, in the order wanted.
    """
    if frame.empty:
        return frame
    kept = frame[factor].isin(numbers)
    for other, usual in DEFAULTS.items():
        if other != factor:
            kept &= frame[other] == usual
    return frame[kept].sort_values(factor, kind="stable")


def growth_exponent(sizes: Any, times: Any) -> float:
    """Return the slope of log time by log size (least squares); NaN for fewer than two sizes.

    Times that are missing or too short for the clock are left out.

    Examples
    --------
    >>> round(growth_exponent([10, 20, 40], [1.0, 4.0, 16.0]), 4)
    2.0
    """
    x, y = np.asarray(sizes, dtype=float), np.asarray(times, dtype=float)
    known = (x > 0) & (y > 0)
    if len(np.unique(x[known])) < 2:
        return float("nan")
    return float(np.polyfit(np.log(x[known]), np.log(y[known]), 1)[0])


def rough_cost(method: str, sizes: dict[str, int], repeats: int) -> float:
    """Guess the seconds that a cell takes, from a few that were measured."""
    values = sizes["n_attributes"] * sizes["n_values"]
    seconds = {
        PAPER: 0.1 + 4e-3 * values * sizes["n_steps"] / 1000,
        EXACT: 0.05 + 6e-7 * values**2,
        DEFAULT: 0.1 + 1.3e-3 * values,
        "CDE": 0.02 + 1.1e-5 * values**2 * (sizes["n_values"] > sizes["n_attributes"]),
    }.get(method, 0.05)
    return (repeats + 1) * seconds + 1.3e-5 * sizes["n_objects"]
