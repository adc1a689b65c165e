"""Measured against stated complexity.

The paper states O(n_v + n_mv^2 n_a^2 + n_b^3 n_i + n_b n_omega n_i): n_v values in all, n_mv the
most of an attribute, n_a attributes, n_b objects per batch, n_i steps and n_omega weights, one for
each value, kernel and coupling. The first two terms are the coupling spaces, the others the
heterogeneity learning. A factor's stated exponent is its highest power in a stage's terms; a sum of
terms, and work that does not depend on the factor, make a measured one smaller. A step of the exact
solver is an eigenproblem of the size of the values, whatever the number of objects. Its exponents
are bounds, and are compared with the time of one step, as it takes more or fewer of them.

Slopes are those of the three largest sizes (of two in a quick run): small ones measure overhead.
Memory is in `memory_use`: the paper states two space complexities.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from untie_paper import memory_use, time_cost
from untie_paper.methods import PAPER
from untie_paper.output.report import Figure, PaperReport, PaperTable
from untie_paper.output.style import FONT_SIZE, OTHER, common_legend, is_narrow, panels
from untie_paper.run.experiment import Effort, Experiment, Job, Results
from untie_paper.timing import (
    EXACT,
    FACTORS,
    N_LARGEST,
    TOLERANCE,
    growth_exponent,
    sizes_with,
    time_series,
)

NUMBERS = {**time_cost.NUMBERS, "batch_size": [20, 40, 80, 160, 320], "n_steps": [250, 500, 1000]}
QUICK_NUMBERS = {**time_cost.QUICK_NUMBERS, "batch_size": [20, 80], "n_steps": [250, 1000]}


class Term(NamedTuple):
    """A stage of a solver: whose time, and the exponents that are stated for it."""

    title: str
    method: str
    column: str
    stated: dict[str, int]


TERMS = (
    Term(
        "coupling spaces",
        PAPER,
        "coupling",
        {"n_objects": 0, "n_attributes": 2, "n_values": 2, "n_gaussians": 0},
    ),
    Term(
        "heterogeneity, printed protocol",
        PAPER,
        "heterogeneity",
        {
            "n_objects": 0,
            "n_attributes": 1,
            "n_values": 1,
            "n_gaussians": 1,
            "batch_size": 3,
            "n_steps": 1,
        },
    ),
    Term(
        "heterogeneity, exact solver, a step",
        EXACT,
        "per_step",
        {"n_objects": 0, "n_attributes": 3, "n_values": 3, "n_gaussians": 1},
    ),
)


def jobs(effort: Effort) -> list[Job]:
    """Return the cells of UNTIE's stages; most of the times are those of `time_cost`."""
    numbers, repeats = (QUICK_NUMBERS, 1) if effort.quick else (NUMBERS, time_cost.REPEATS)
    found: dict[str, Job] = {}
    for term in TERMS:
        for factor in term.stated:
            for size in numbers[factor]:
                job = time_cost.time_job(term.method, sizes_with(**{factor: size}), repeats)
                found[str(job.arguments)] = job
    return [*found.values(), *memory_use.jobs(effort)]


def complexity_data(results: Results) -> Any:
    """Return a line for each stage and factor: stated and measured exponent, and the sizes."""
    import pandas as pd

    frame = Results([row for row in results.rows if "total" in row]).frame()
    numbers = QUICK_NUMBERS if results.effort.quick else NUMBERS
    lines = []
    for term in TERMS:
        for factor, stated in term.stated.items():
            series = time_series(frame, factor, numbers[factor])
            if term.column not in series:
                continue
            part = series[series["method"] == term.method].tail(N_LARGEST)
            measured = growth_exponent(part[factor], part[term.column])
            if len(part) > 1:
                sizes = ", ".join(f"{size:g}" for size in part[factor])
                lines.append((term.title, FACTORS[factor], stated, measured, sizes))
    return pd.DataFrame(lines, columns=["stage", "factor", "stated", "measured", "sizes"])


def draw(data: Any) -> Any:
    """Draw stated exponents as open diamonds and measured ones as dots, one panel per stage."""
    stages = list(data["stage"].unique())
    figure, axes = panels(len(stages), columns=1, height=1.9)
    least, most = data["measured"].min(), data["measured"].max()
    for one, stage in zip(axes, stages, strict=True):
        part = data[data["stage"] == stage].iloc[::-1]
        rows = range(len(part))
        one.hlines(rows, part["stated"], part["measured"], color=OTHER, lw=0.8)
        one.plot(part["stated"], rows, "D", mfc="white", mec="#d55e00", label="stated")
        one.plot(part["measured"], rows, "o", color="#0072b2", label="measured")
        one.set(yticks=list(rows), yticklabels=list(part["factor"]))
        one.set(xlim=(min(least, 0) - 0.3, max(most, 3) + 0.3), ylim=(-0.6, len(part) - 0.4))
        one.set_title(stage, fontsize=FONT_SIZE, loc="right" if is_narrow() else "left")
    axes[-1].set_xlabel("exponent (1 is linear)")
    common_legend(figure, axes)
    return figure


def findings(data: Any) -> list[str]:
    """Say where measured exponents are above the stated ones, and how the objects matter."""
    above = data[data["measured"] > data["stated"] + TOLERANCE]
    listed = [
        f"{line['stage']} by {line['factor']} ({line['measured']:.2f}, stated {line['stated']})"
        for _, line in above.iterrows()
    ]
    n_ours = int((data["stage"] == TERMS[-1].title).sum())
    found = [
        f"{len(data) - len(above)} of {len(data)} measured exponents are at most the stated ones "
        f"({len(data) - n_ours} of the paper's formula, {n_ours} bounds of the exact solver) plus "
        f"{TOLERANCE:g}" + (f"; above: {'; '.join(listed)}." if listed else ".")
    ]
    objects = data[data["factor"] == FACTORS["n_objects"]]
    learning = objects[objects["stage"].str.startswith("heterogeneity")]
    if len(learning):
        # 0 is added so that no power is written -0.00.
        powers = (learning["measured"].round(2) + 0.0).tolist()
        parts = [f"{power:.2f} ({s})" for power, s in zip(powers, learning["stage"], strict=True)]
        found.append(
            f"Learning grows with the number of objects to the power {', '.join(parts)}; by "
            "construction neither batches nor counts depend on it. The paper gives O(n_o^3) for a "
            "solution on all objects; the exact solver is one, from counts."
        )
    reading = objects[objects["stage"] == "coupling spaces"]
    if len(reading):
        found.append(
            "Building the coupling spaces grows with the number of objects to the power "
            f"{reading['measured'].iloc[0]:.2f}; the stated formula has no term for reading and "
            "counting the rows."
        )
    return found


def report(results: Results) -> PaperReport:
    """Return stated and measured exponents of time and memory."""
    data, memory = complexity_data(results), memory_use.memory_data(results)
    if data.empty:
        return PaperReport(
            memory_use.findings(memory) or ["No cell came out."], memory_use.as_table(memory)
        )
    table = data.assign(line=data["stage"] + ", by " + data["factor"]).set_index("line")
    table = table[["stated", "measured", "sizes"]].rename_axis("stage and factor")
    note = (
        "The stated ones are the highest powers in the paper's formula; those of the exact solver "
        "are bounds of one eigenproblem a step. Measured: slope of log time by log size over the "
        "sizes named, everything else at the paper's defaults."
    )
    return PaperReport(
        [*findings(data), *memory_use.findings(memory)],
        [
            PaperTable("exponents", "Stated and measured exponents", table, note=note),
            *memory_use.as_table(memory),
        ],
        [
            Figure(
                "complexity",
                "Growth of the time: stated and measured exponents (the paper's section 5.5)",
                data,
                draw,
                "For each stage and factor, the stated exponent as a diamond and the measured one "
                "as a dot.",
            )
        ],
    )


EXPERIMENT = Experiment(
    "complexity",
    "Stated and measured complexity (the paper's section 5.5)",
    jobs,
    report,
    "figures",
    alone=True,
)
