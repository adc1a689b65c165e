"""Figures of the time by data factors: the stages of UNTIE, and all methods."""

from __future__ import annotations

from typing import Any

from untie_paper.methods import DEFAULT, PAPER
from untie_paper.output.style import (
    METHOD_COLOURS,
    common_legend,
    label_left,
    method_style,
    name_panel,
    panels,
    plain_numbers,
)
from untie_paper.timing import EXACT, time_series

FACTORS = {
    "n_objects": "objects",
    "n_attributes": "attributes",
    "n_values": "values",
    "n_gaussians": "kernels",
}
OTHERS = ("Couplings", "CDE", "COS", "Ahmad", "DILCA", "One-hot")
LINES = {"total": ("-", "o"), "coupling": (":", "."), "heterogeneity": ("--", "*")}
"""As in the paper: solid the whole, dotted the coupling spaces, stars the heterogeneity."""


def tidy_times(frame: Any, numbers: dict[str, list[int]]) -> Any:
    """Return a line for each factor, size, method and stage, with its seconds.

    Parameters
    ----------
    frame : pandas DataFrame
        Cells of `time_cell`.
    numbers : mapping from factors to sizes
        The series.
    """
    import pandas as pd

    lines = []
    for factor, sizes in numbers.items():
        for row in time_series(frame, factor, sizes).to_dict("records"):
            stages = [stage for stage in LINES if pd.notna(row.get(stage))]
            lines += [(factor, row[factor], row["method"], s, row[s]) for s in stages]
    return pd.DataFrame(lines, columns=["factor", "size", "method", "stage", "seconds"])


def draw_stages(data: Any) -> Any:
    """Draw the stages of the printed protocol and of the exact solver, one panel per factor."""
    factors = [factor for factor in FACTORS if factor in set(data["factor"])]
    figure, axes = panels(len(factors), height=2.5)
    for one, factor in zip(axes, factors, strict=True):
        for method in (PAPER, EXACT):
            for stage, (line, marker) in LINES.items():
                part = _part(data, factor, method, stage)
                if len(part):
                    style = {"color": METHOD_COLOURS[method], "ls": line, "marker": marker}
                    label = f"{_name(method)}, {stage}"
                    one.plot(part["size"], part["seconds"], ms=5, lw=1.3, label=label, **style)
        _finish(one, factor)
    label_left(axes, "seconds")
    common_legend(figure, axes, columns=3)
    return figure


def draw_methods(data: Any) -> Any:
    """Draw the time of all methods, one panel per factor."""
    factors = [factor for factor in FACTORS if factor in set(data["factor"])]
    figure, axes = panels(len(factors), height=3.2)
    for one, factor in zip(axes, factors, strict=True):
        for method in (PAPER, EXACT, DEFAULT, *OTHERS):
            part = _part(data, factor, method, "total")
            if len(part):
                one.plot(part["size"], part["seconds"], **method_style(method))
        _finish(one, factor)
    label_left(axes, "seconds")
    common_legend(figure, axes, columns=5)
    return figure


def _part(data: Any, factor: str, method: str, stage: str) -> Any:
    kept = (data["factor"] == factor) & (data["method"] == method) & (data["stage"] == stage)
    return data[kept]


def _finish(axes: Any, factor: str) -> None:
    axes.set(xscale="log", yscale="log", xlabel=f"number of {FACTORS[factor]}")
    plain_numbers(axes.xaxis)
    plain_numbers(axes.yaxis)
    name_panel(axes, f"by {FACTORS[factor]}")


def _name(method: str) -> str:
    return "printed protocol" if method == PAPER else "exact solver"
