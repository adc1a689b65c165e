"""Measured memory against the two space complexities that the paper states.

The paper gives O(n_o^2 n_omega) "with stochastic optimization" and, a paragraph on, O(n_b n_omega)
overall: n_o objects, n_b objects a batch, n_omega weights (one for each value, kernel and
coupling). What is measured is the peak of the memory that Python and numpy asked for while a stage
ran, beyond what there was when it began: the coupling spaces are built, then weights are learned.

The peak of learning is that of a step, so a few steps are enough. The exact solver learns from
counts, and its peak has the kernel matrices in it.
"""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from untie_paper import time_cost
from untie_paper.datasets import make_synthetic
from untie_paper.methods import PAPER
from untie_paper.output.report import PaperTable
from untie_paper.run.experiment import Cell, Effort, Job, Results
from untie_paper.stages import build_couplings, learn_weights
from untie_paper.timing import (
    DEFAULTS,
    EXACT,
    FACTORS,
    N_LARGEST,
    TOLERANCE,
    growth_exponent,
    sizes_with,
    staged_encoder,
)

T = TypeVar("T")

NUMBERS = {**time_cost.NUMBERS, "batch_size": [20, 40, 80, 160, 320]}
QUICK_NUMBERS = {**time_cost.QUICK_NUMBERS, "batch_size": [20, 80]}
N_STEPS = 10
OF_WEIGHTS = {"n_attributes": 1, "n_values": 1, "n_gaussians": 1}
"""n_omega is a product of these (with equally many values in every attribute)."""

STATED = {
    "O(n_o^2 n_omega)": {**OF_WEIGHTS, "n_objects": 2, "batch_size": 0},
    "O(n_b n_omega)": {**OF_WEIGHTS, "n_objects": 0, "batch_size": 1},
}


class Stage(NamedTuple):
    """Whose memory, and by what it may grow."""

    title: str
    method: str
    column: str
    factors: tuple[str, ...]


WITHOUT_BATCH = ("n_objects", "n_attributes", "n_values", "n_gaussians")
BUILDING = Stage("coupling spaces", PAPER, "building_bytes", WITHOUT_BATCH)
LEARNING = Stage(
    "learning, printed protocol", PAPER, "learning_bytes", (*WITHOUT_BATCH, "batch_size")
)
EXACTLY = Stage("learning, exact solver", EXACT, "learning_bytes", WITHOUT_BATCH)
STAGES = (BUILDING, LEARNING, EXACTLY)


def memory_cell(
    method: str,
    n_objects: int,
    n_attributes: int,
    n_values: int,
    n_gaussians: int,
    batch_size: int,
    n_steps: int,
) -> Cell:
    """Return the peaks of memory of the two stages on a made table, in bytes.

    Parameters
    ----------
    method : str
        The printed protocol or the exact solver.
    n_objects, n_attributes, n_values : int
        Size of the table.
    n_gaussians : int
        Number of Gaussian kernels; 0 is the paper's set.
    batch_size, n_steps : int
        Of the printed protocol.
    """
    X, _ = make_synthetic(n_objects, n_attributes, n_values)
    encoder = staged_encoder(method, n_gaussians, batch_size, n_steps)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the steps are few
        some = X.iloc[: min(n_objects, 100)]
        learn_weights(encoder, build_couplings(encoder, some))  # what is loaded on first use
        building, problem = peak_of(lambda: build_couplings(encoder, X))
        learning, _ = peak_of(lambda: learn_weights(encoder, problem))
    return {"building_bytes": building, "learning_bytes": learning}


def peak_of(work: Callable[[], T]) -> tuple[int, T]:
    """Return the most memory that some work held at once, in bytes, and what it returned.

    Examples
    --------
    >>> import numpy as np
    >>> peak, _ = peak_of(lambda: np.zeros(1_000_000).sum())
    >>> round(peak / 1e6)
    8
    """
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        result = work()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak - before, result


def jobs(effort: Effort) -> list[Job]:
    """Return the cells, one number changed at a time."""
    numbers = QUICK_NUMBERS if effort.quick else NUMBERS
    found: dict[str, Job] = {}
    for stage in (LEARNING, EXACTLY):  # the cells of the first have the building, too
        for factor in stage.factors:
            for size in numbers[factor]:
                sizes = sizes_with(**{factor: size, "n_steps": N_STEPS})
                arguments = {"method": stage.method, **sizes}
                found[str(arguments)] = Job(memory_cell, arguments, 0.2)
    return list(found.values())


def memory_data(results: Results) -> Any:
    """Return a line for each stage and factor: stated and measured exponents, and the peak."""
    import pandas as pd

    cells = [row for row in results.rows if "learning_bytes" in row]
    numbers = QUICK_NUMBERS if results.effort.quick else NUMBERS
    lines = []
    for stage in STAGES:
        for factor in stage.factors:
            part = _series(cells, stage, factor, numbers[factor])[-N_LARGEST:]
            if len(part) < 2:
                continue
            sizes, peaks = zip(*part, strict=True)
            stated = [powers[factor] for powers in STATED.values()]
            measured = growth_exponent(sizes, peaks)
            listed = ", ".join(f"{size:g}" for size in sizes)
            lines.append((stage.title, factor, *stated, measured, listed, peaks[-1] / 1e6))
    columns = ["stage", "factor", *STATED, "measured", "sizes", "MB at the largest"]
    return pd.DataFrame(lines, columns=columns)


def _series(
    cells: list[dict[str, Any]], stage: Stage, factor: str, numbers: list[int]
) -> list[tuple[int, int]]:
    """Return sizes and peaks where one factor is changed and all others are the paper's."""
    others = {name: size for name, size in DEFAULTS.items() if name not in (factor, "n_steps")}
    return sorted(
        (row[factor], row[stage.column])
        for row in cells
        if row["method"] == stage.method
        and row[factor] in numbers
        and all(row[name] == size for name, size in others.items())
    )


def as_table(data: Any) -> list[PaperTable]:
    """Return the table with its note; none if nothing was measured."""
    if data.empty:
        return []
    lines = data.assign(line=data["stage"] + ", by " + data["factor"].map(FACTORS)).set_index(
        "line"
    )
    table = lines.drop(columns=["stage", "factor"]).rename_axis("stage and factor")
    note = (
        "Exponents of the two space complexities that the paper states, and measured ones: slopes "
        "of log peak by log size over the sizes named, everything else at the paper's defaults. "
        "Peaks are those of memory that Python and numpy asked for in a stage, beyond what there "
        "was before. n_b is the number of objects in a batch; where the paper counts, it calls it "
        "that of pairs of objects, by which the exponent would be half as large."
    )
    return [PaperTable("memory", "Stated and measured space complexity", table, note=note)]


def findings(data: Any) -> list[str]:
    """Say which of the two stated complexities the memory follows, and what neither has."""
    found = []
    learning = data[data["stage"] == LEARNING.title].set_index("factor")
    if set(LEARNING.factors) <= set(learning.index):
        near = {
            formula: int(((learning["measured"] - learning[formula]).abs() <= TOLERANCE).sum())
            for formula in STATED
        }
        first, second = STATED
        best = max(near, key=lambda formula: near[formula])
        which = f"is nearer to {best}" if len(set(near.values())) > 1 else "is as near to either"
        objects, batch = (_power(learning, factor) for factor in ("n_objects", "batch_size"))
        found.append(
            "The paper states two space complexities. The memory of learning with batches grows "
            f"with the objects to the power {objects} and with the objects of a batch to the power "
            f"{batch}; {near[first]} of {len(learning)} exponents are within {TOLERANCE:g} of "
            f"those of {first}, {near[second]} of those of {second}: it {which}."
        )
        values = learning.loc["n_values", "measured"]
        if values > 1 + TOLERANCE:
            found.append(
                f"With the values of an attribute it grows to the power {values:.2f}, where both "
                "state 1: a kernel matrix has n_mv^2 entries, and neither formula has these."
            )
    for stage, what in (
        (EXACTLY, "The exact solver, a solution on all objects, takes memory that grows"),
        (BUILDING, "Reading, counting and building the coupling spaces takes memory that grows"),
    ):
        by_objects = data[(data["stage"] == stage.title) & (data["factor"] == "n_objects")]
        if len(by_objects):
            found.append(
                f"{what} with the objects to the power "
                f"{_power(by_objects.set_index('factor'), 'n_objects')}; "
                + (
                    "the paper has O(n_o^2) for such a solution."
                    if stage is EXACTLY
                    else "O(n_b n_omega) has no term for the table itself."
                )
            )
    return found


def _power(lines: Any, factor: str) -> str:
    # 0 is added so that no power is written -0.00.
    return f"{round(float(lines.loc[factor, 'measured']), 2) + 0.0:.2f}"
