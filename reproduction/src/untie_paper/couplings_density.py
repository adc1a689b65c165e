"""How heterogeneous couplings are: densities of I_intra and I_inter over the data sets.

I_intra compares the class shares of values; I_inter the couplings of a method with each other. The
second depends on the unit in which a method measures its couplings, so it is also given as a share
of their size: every matrix of an attribute divided by the root of the mean square of all their
entries. CDE draws random numbers: the figure is the mean over seeds, each with one start of each
k-means over values, as in the authors' program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from untie_paper.arrays import FloatArray
from untie_paper.baselines import CDE, COS, DILCA
from untie_paper.couplings_indicators import (
    METHODS,
    READINGS,
    SHARE,
    indicator_table,
    with_spread,
)
from untie_paper.data import SETS
from untie_paper.datasets import load
from untie_paper.evaluation import coupling_matrices, inter_factor, intra_factor
from untie_paper.output.report import Figure, PaperReport, PaperTable
from untie_paper.output.style import (
    FONT_SIZE,
    INK,
    common_legend,
    label_left,
    method_style,
    name_panel,
    panels,
    plain_numbers,
)
from untie_paper.output.words import many
from untie_paper.run.experiment import Cell, Effort, Experiment, Job, Results

N_POINTS, BANDWIDTHS = 200, 3.0
"""Points of a curve, and how many bandwidths it goes beyond the values."""


def intra_cell(dataset: str) -> Cell:
    """Return I_intra under the three readings of its mean."""
    X, y = load(dataset)
    return {average: intra_factor(X, y, average) for average in READINGS}


def inter_cell(dataset: str, method: str, seed: int = 0) -> Cell:
    """Return I_inter of a method's couplings, as defined and as a share of their size.

    Parameters
    ----------
    dataset, method : str
        Whose values, and which of `METHODS` couples them.
    seed : int, default=0
        Of CDE, the only one that draws random numbers.
    """
    X, _ = load(dataset)
    if method == "UNTIE":
        matrices = coupling_matrices(X)
    else:
        cde = CDE(n_init=1, random_state=seed)
        made: Any = {"CDE": cde, "DILCA": DILCA(), "COS": COS()}[method]
        matrices = made.fit(X).coupling_matrices()
    shares = inter_factor([_of_size_one(of_attribute) for of_attribute in matrices])
    return {"inter": inter_factor(matrices), "inter_share": shares}


def _of_size_one(matrices: list[FloatArray]) -> list[FloatArray]:
    """Divide an attribute's matrices by one number, so that their mean square is 1."""
    size = float(np.sqrt(np.mean(np.square(matrices)))) if matrices else 0.0
    return [matrix / size for matrix in matrices] if size > 0 else matrices


def jobs(effort: Effort) -> list[Job]:
    """Return one job for each data set and indicator; of CDE's, one for each seed."""
    found = []
    for dataset in effort.datasets(SETS):
        found.append(Job(intra_cell, {"dataset": dataset}, 0.1))
        for method in METHODS:
            arguments = {"dataset": dataset, "method": method}
            seeds = [{"seed": seed} for seed in range(effort.n_seeds)] if method == "CDE" else [{}]
            found += [Job(inter_cell, arguments | seed, 0.3) for seed in seeds]
    return found


def density_curve(values: Sequence[float]) -> tuple[FloatArray, FloatArray]:
    """Return points and the Gaussian kernel density there, by Scott's rule; nothing for one value.

    Examples
    --------
    >>> points, density = density_curve([0.0, 1.0, 2.0])
    >>> round(float(np.trapezoid(density, points)), 2)
    1.0
    """
    from scipy.stats import gaussian_kde

    array = np.asarray(values, dtype=float)
    if np.ptp(array) == 0:
        return np.empty(0), np.empty(0)
    density = gaussian_kde(array)
    reach = BANDWIDTHS * float(np.sqrt(density.covariance[0, 0]))
    points = np.linspace(array.min() - reach, array.max() + reach, N_POINTS)
    return points, density(points)


def density_data(table: Any, series: dict[str, str]) -> Any:
    """Return the curves of some columns of `indicator_table` and the values they are made of.

    Parameters
    ----------
    table : frame
        As `indicator_table` gives it.
    series : mapping from columns to names
        What to draw.
    """
    import pandas as pd

    parts = []
    for column, name in series.items():
        values = table[column].dropna() if column in table else pd.Series(dtype=float)
        if values.empty:
            continue
        parts.append(_part(name, "data set", values, np.nan, values.index))
        points, density = density_curve(values.tolist())
        parts.append(_part(name, "density", points, density, ""))
    columns = ["series", "kind", "x", "density", "dataset"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def _part(name: str, kind: str, x: Any, density: Any, dataset: Any) -> Any:
    import pandas as pd

    columns = {"x": np.asarray(x, dtype=float), "density": density, "dataset": dataset}
    part = pd.DataFrame(columns)
    part.insert(0, "kind", kind)
    part.insert(0, "series", name)
    return part


def draw_intra(data: Any) -> Any:
    """Draw the density of I_intra; each data set is a tick below it."""
    figure, (axes,) = panels(1, width=5.0, height=2.9)
    _draw_series(axes, data, list(data["series"].unique()))
    axes.set(xlabel="intra-coupling heterogeneity (I_intra)", ylabel="density of data sets")
    axes.set_ylim(bottom=0.0)
    return figure


def draw_inter(data: Any) -> Any:
    """Draw the densities of I_inter: as defined, and as a share of the couplings' size."""
    figure, axes = panels(2, height=3.0)
    is_share = data["series"].str.endswith(SHARE)
    titles = ("as defined", "as a share of the couplings' size")
    for one, part, title in zip(axes, (data[~is_share], data[is_share]), titles, strict=True):
        _draw_series(one, part, list(part["series"].unique()))
        one.set(xlabel="inter-coupling heterogeneity (I_inter)", yscale="log")
        plain_numbers(one.yaxis)
        one.set_ylim(bottom=0.02)
        name_panel(one, title)
    label_left(axes, "density of data sets (log scale)")
    common_legend(figure, axes, columns=4)
    return figure


def _draw_series(axes: Any, data: Any, series: list[str]) -> None:
    for number, name in enumerate(series):
        part = data[data["series"] == name]
        curve, sets = part[part["kind"] == "density"], part[part["kind"] == "data set"]
        style = method_style(name.removesuffix(SHARE), markers=False)
        if name == "I_intra":
            style |= {"color": INK, "label": "_nolegend_"}
        axes.plot(curve["x"], curve["density"], **style)
        # Ticks of the methods stand in rows, so that none hides another.
        height = np.full(len(sets), 0.025 + 0.045 * number)
        axes.plot(
            sets["x"],
            height,
            "|",
            color=style["color"],
            markersize=FONT_SIZE - 2,
            transform=axes.get_xaxis_transform(),
        )
    # No indicator is below 0; a kernel density does not know.
    axes.set_xlim(left=-0.02 * axes.get_xlim()[1])


def findings(table: Any) -> list[str]:
    """Say what the indicators are, and whether the paper's statements on them hold."""
    found = []
    intra, printed = "I_intra (mean over values)", "I_intra (printed)"
    if intra in table:
        values, as_printed = table[intra].dropna(), table[printed].dropna()
        found += [
            f"The median of I_intra is {values.median():.2f}; it is above 0.5 on "
            f"{(values > 0.5).sum()} of {len(values)} data sets. The paper says that most sets "
            "have strong inconsistency within couplings, without a number; that they are mostly "
            f"above the middle of the scale is {'true' if values.median() > 0.5 else 'not so'}.",
            "The formula as printed divides the sum over values by the number of attributes; it "
            f"is above 1 on {(as_printed > 1).sum()} of {len(as_printed)} sets, though the text "
            "has it from 0 to 1. The mean over values is drawn.",
        ]
    for suffix, how in (("", "as defined"), (SHARE, "as a share of the couplings' size")):
        columns = [f"I_inter {method}{suffix}" for method in METHODS]
        if all(column in table for column in columns):
            complete = table[columns].dropna()
            least = complete[columns[:2]].min(axis=1)
            above = (least > complete[columns[2:]].max(axis=1)).sum()
            means = ", ".join(
                f"{method} {complete[column].mean():.2f}"
                for method, column in zip(METHODS, columns, strict=True)
            )
            found.append(
                f"Mean I_inter {how}: {means}. The paper says that both UNTIE and CDE are above "
                f"both DILCA and COS; they are on {above} of {len(complete)} sets."
            )
    return found


def report(results: Results) -> PaperReport:
    """Return both densities and the values of every data set."""
    table = indicator_table(results)
    intra = density_data(table, {"I_intra (mean over values)": "I_intra"})
    inter = density_data(
        table, {f"I_inter {m}{end}": f"{m}{end}" for end in ("", SHARE) for m in METHODS}
    )
    note = (
        "Share: an attribute's coupling matrices divided by the root of the mean square of all "
        "their entries. UNTIE's matrices are Euclidean distances of vectors that grow with the "
        "number of values, those of the others hardly grow, so I_inter as defined compares units "
        "too. CDE: mean and standard deviation (sd) over "
        f"{many(results.effort.n_seeds, 'seed')}, one start of each k-means over values."
    )
    figures = [
        Figure(
            "intra_heterogeneity_distribution",
            "Density of intra-coupling heterogeneity over the data sets (the paper's Figure 2)",
            intra,
            draw_intra,
            "The Gaussian kernel density of I_intra, cut at 0; a tick for each data set.",
        ),
        Figure(
            "inter_heterogeneity_distribution",
            "Density of inter-coupling heterogeneity over the data sets (the paper's Figure 3)",
            inter,
            draw_inter,
            "Gaussian kernel densities of I_inter for UNTIE, CDE, DILCA and COS, as defined and "
            "as a share of the size of the coupling matrices; a tick for each data set.",
        ),
    ]
    title = "Heterogeneity indicators of the data sets"
    shown = with_spread(table, results)
    tables = [PaperTable("heterogeneity_indicators", title, shown, digits=3, note=note)]
    return PaperReport(findings(table), tables, [figure for figure in figures if len(figure.data)])


EXPERIMENT = Experiment(
    "couplings_density",
    "Heterogeneity of couplings (the paper's Figures 2 and 3)",
    jobs,
    report,
    "figures",
)
