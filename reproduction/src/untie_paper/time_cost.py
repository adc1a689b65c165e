"""Time by the number of objects, attributes, values and kernels, by stage and beside other methods.

Absolute times say little on a machine that does other work and nothing against those of the
paper's machine, so the growth is what counts: exponents are slopes of log time by log size.
Factors, ranges and defaults are the paper's; what it leaves open is said in `make_synthetic`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from untie_paper.methods import DEFAULT, PAPER
from untie_paper.output.report import Figure, PaperReport, PaperTable
from untie_paper.run.experiment import Effort, Experiment, Job, Results
from untie_paper.time_figures import FACTORS, OTHERS, draw_methods, draw_stages, tidy_times
from untie_paper.timing import EXACT, growth_exponent, rough_cost, sizes_with, time_cell

NUMBERS = {
    "n_objects": [1000, 3000, 10_000, 30_000, 100_000],
    "n_attributes": [10, 20, 40, 70, 100],
    "n_values": [10, 20, 40, 70, 100],
    "n_gaussians": [1, 5, 10, 20, 30],
}
QUICK_NUMBERS = {
    "n_objects": [1000, 10_000],
    "n_attributes": [10, 20],
    "n_values": [10, 20],
    "n_gaussians": [1, 10],
}
REPEATS = 5
METHODS = (PAPER, EXACT, DEFAULT, *OTHERS)
STAGES = ("total", "coupling", "heterogeneity")


def jobs(effort: Effort) -> list[Job]:
    """Return a job for each method and size; kernels matter for UNTIE alone."""
    numbers, repeats = (QUICK_NUMBERS, 1) if effort.quick else (NUMBERS, REPEATS)
    found: dict[str, Job] = {}
    for factor, sizes in numbers.items():
        methods = (PAPER, EXACT) if factor == "n_gaussians" else METHODS
        for size in sizes:
            for method in methods:
                job = time_job(method, sizes_with(**{factor: size}), repeats)
                found[str(job.arguments)] = job  # the default sizes are in two series
    return list(found.values())


def time_job(method: str, sizes: dict[str, int], repeats: int) -> Job:
    """Return the job that times a method on a table of that size."""
    arguments = {"method": method, **sizes, "repeats": repeats}
    return Job(time_cell, arguments, rough_cost(method, sizes, repeats))


def exponent_table(data: Any) -> Any:
    """Return the growth exponents: a line for each method and stage, a column for each factor."""
    import pandas as pd

    lines: dict[str, dict[str, float]] = {}
    for (method, stage, factor), part in data.groupby(["method", "stage", "factor"], sort=False):
        name = method if stage == "total" else f"{method}, {stage}"
        exponent = growth_exponent(part["size"], part["seconds"])
        lines.setdefault(name, {})[FACTORS[factor]] = exponent
    order = [m if s == "total" else f"{m}, {s}" for m in METHODS for s in STAGES]
    table = pd.DataFrame.from_dict(lines, orient="index")
    table.index.name = "method"
    columns = [name for name in FACTORS.values() if name in table]
    return table.loc[[name for name in order if name in table.index], columns]


def seconds_table(data: Any) -> Any:
    """Return milliseconds: a line for each factor and size, a column for each method and stage."""
    labelled = data.assign(
        column=[
            m if s == "total" else f"{m}, {s}"
            for m, s in zip(data["method"], data["stage"], strict=True)
        ],
        line=[f"{FACTORS[f]} = {n}" for f, n in zip(data["factor"], data["size"], strict=True)],
        milliseconds=1000 * data["seconds"],
    )
    table = labelled.pivot_table(index="line", columns="column", values="milliseconds", sort=False)
    order = [m if s == "total" else f"{m}, {s}" for m in METHODS for s in STAGES]
    table.index.name = "table"
    table.columns.name = None
    return table[[name for name in order if name in table]]


def findings(data: Any) -> list[str]:
    """Set the paper's statements on time beside what was measured."""
    total = data[data["stage"] == "total"].set_index(["factor", "size", "method"])["seconds"]
    found = []
    objects = _series(total, "n_objects", PAPER)
    if len(objects) > 1:
        found.append(
            f"From {objects.index[0]:,} to {objects.index[-1]:,} objects, the time of the printed "
            f"protocol grows {objects.iloc[-1] / objects.iloc[0]:.1f} times (the paper: from 1.8 "
            "to 3.6 s, 2.0 times, for 100 times the objects)."
        )
    for factor in ("n_attributes", "n_values"):
        series = _series(total, factor, PAPER)
        if len(series) > 1:
            found.append(
                f"The printed protocol grows with the {FACTORS[factor]} to the power "
                f"{growth_exponent(series.index, series):.2f} (the paper: about linear)."
            )
    kernels = _series(total, "n_gaussians", PAPER)
    if len(kernels) > 1:
        slope, start = np.polyfit(kernels.index, kernels, 1)
        fit = np.corrcoef(kernels.index, kernels)[0, 1] ** 2
        found.append(
            f"Each kernel adds {100 * slope / (start + slope):.1f} % to the time with one kernel; "
            f"the straight line explains {100 * fit:.0f} % of the variance (the paper: linear with "
            "a very small slope)."
        )
    return [*found, *_heterogeneity(data), *_rivals(total)]


def _series(total: Any, factor: str, method: str) -> Any:
    if factor not in total.index.get_level_values("factor"):
        return total.iloc[:0]
    part = total.loc[factor]
    kept = part[part.index.get_level_values("method") == method]
    return kept.droplevel("method").sort_index()


def _heterogeneity(data: Any) -> list[str]:
    stages = data.pivot_table(index=["method", "factor", "size"], columns="stage", values="seconds")
    if not {"total", "heterogeneity"} <= set(stages.columns):
        return []
    share = 100 * (stages["heterogeneity"] / stages["total"]).dropna()
    parts = [
        f"{share[method].min():.0f} to {share[method].max():.0f} % ({method})"
        for method in (PAPER, EXACT)
        if method in share.index.get_level_values("method")
    ]
    text = "Heterogeneity learning takes " + ", ".join(parts)
    return [f"{text} of the time (the paper: the main cost)."] if parts else []


def _rivals(total: Any) -> list[str]:
    found = []
    for factor, rival, claim in (
        ("n_values", "CDE", "the paper: UNTIE is much more efficient than CDE"),
        ("n_attributes", None, "the paper: UNTIE costs more than the others"),
        ("n_objects", None, "the paper: all are at the same level"),
    ):
        ours = _series(total, factor, PAPER)
        others = {method: _series(total, factor, method) for method in OTHERS}
        at_last = {
            method: series.iloc[-1]
            for method, series in others.items()
            if len(ours) and len(series) and series.index[-1] == ours.index[-1]
        }
        rivals = {m: s for m, s in at_last.items() if rival in (None, m)}
        if rivals:
            slowest = max(rivals, key=lambda method: rivals[method])
            found.append(
                f"At {ours.index[-1]:,} {FACTORS[factor]} the printed protocol takes "
                f"{ours.iloc[-1] / rivals[slowest]:.2f} times as long as {slowest}"
                + ("" if rival else ", the slowest of the others")
                + f" ({claim})."
            )
    return found


def report(results: Results) -> PaperReport:
    """Return times and exponents, as figures and tables."""
    numbers = QUICK_NUMBERS if results.effort.quick else NUMBERS
    data = tidy_times(results.frame(), numbers)
    if data.empty:
        return PaperReport(["No cell came out."])
    runs = {int(row["repeats"]) for row in results.rows if "repeats" in row}
    note = (
        f"Processor time of one thread; the shortest of at least {min(runs)} runs. One number is "
        "changed at a time, the others are 1,000 objects, 10 attributes, 3 values, 14 kernels. "
        "UNTIE: the printed protocol; exact: the exact solver on the same spaces; coupling: "
        "reading, counting, couplings and kernels; heterogeneity: the weights. All methods are "
        "this package's, other authors' programs may be faster or slower; CDE has one start of "
        "each k-means over values, as its authors' program has."
    )
    exponents = "Slope of log time by log size over the whole range: 1 is linear, 0 is no growth."
    tables = [
        PaperTable("time_exponents", "Growth of the time", exponent_table(data), note=exponents),
        PaperTable(
            "time_milliseconds", "Time in milliseconds", seconds_table(data), digits=1, note=note
        ),
    ]
    figures = [
        Figure(
            "time_cost",
            "Time of UNTIE's stages by the size of the data (the paper's Figure 9)",
            data[data["method"].isin([PAPER, EXACT])].reset_index(drop=True),
            draw_stages,
            "Four panels, by objects, attributes, values and kernels: total, coupling and "
            "heterogeneity time of the printed protocol and of the exact solver.",
        ),
        Figure(
            "time_cost_methods",
            "Time of UNTIE and of other methods by the size of the data (the paper's section 6.4)",
            data[(data["stage"] == "total") & (data["factor"] != "n_gaussians")].reset_index(
                drop=True
            ),
            draw_methods,
            "Three panels, by objects, attributes and values: time of every method.",
        ),
    ]
    return PaperReport(findings(data), tables, [figure for figure in figures if len(figure.data)])


EXPERIMENT = Experiment(
    "time_cost",
    "Time by the size of the data (the paper's Figure 9)",
    jobs,
    report,
    "figures",
    alone=True,
)
