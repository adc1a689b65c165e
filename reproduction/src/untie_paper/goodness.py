"""How good similarities are: (epsilon, gamma) curves on four sets (the paper's goodness figure).

An object's margin is its mean similarity to its class less that to the others; all but a share
epsilon of the objects have a margin of gamma or more. As in the paper, UNTIE has its learned
similarity (an inner product of kernels) and CDE the reversed Euclidean distance; the value
distances are reversed too. A similarity is scaled so that the pairs range from 0 to 1, without
which gamma means nothing across methods; the paper does not say how it did that. Curves of methods
that draw random numbers are means over seeds at equal epsilon.
"""

from __future__ import annotations

from typing import Any

from untie_paper.datasets import load
from untie_paper.evaluation import goodness_curve
from untie_paper.fitted import fit_encoder
from untie_paper.methods import DEFAULT, DISTANCES, ENCODERS, PAPER, STOCHASTIC
from untie_paper.output.report import Figure, PaperReport, PaperTable
from untie_paper.output.style import common_legend, method_style, name_panel, panels
from untie_paper.run.experiment import Cell, Effort, Experiment, Job, Results

DATASETS = ("mofn3710", "dermatology", "crx", "breastcancer")
QUICK_DATASETS = ("dermatology", "housevotes")
PAPERS = (PAPER, "CDE", *DISTANCES)
"""The methods of the paper's figure."""

METHODS = (PAPER, DEFAULT, "One-hot", *PAPERS[1:])
GRID = tuple(round(0.01 * step, 2) for step in range(100))
"""The values of epsilon at which gamma is asked for."""

UNSEPARATED = {"mofn3710": "20 % with UNTIE and 30 % with the others"}
"""Shares of objects without a margin that the paper's text names."""


def margins(dataset: str, method: str, seed: int) -> Cell:
    """Return gamma for each epsilon of the grid, and the share of objects without a margin.

    Parameters
    ----------
    dataset, method : str
        Whose objects, and which similarity.
    seed : int
        Of the encoder.
    """
    table, labels = load(dataset)
    if method in ENCODERS:
        encoder = fit_encoder(method, table, labels.nunique(), seed)
        if method in (PAPER, DEFAULT):
            curve = goodness_curve(table, labels, similarity=encoder)
        else:
            curve = goodness_curve(encoder.transform(table), labels)
    else:
        curve = goodness_curve(table, labels, distance=DISTANCES[method]().fit(table))
    return {"gamma": curve.gamma(GRID).tolist(), "unseparated": curve.epsilon(0.0)}


def jobs(effort: Effort) -> list[Job]:
    """Return a cell for each data set, method and seed."""
    names = QUICK_DATASETS if effort.quick else DATASETS
    return [
        Job(margins, {"dataset": name, "method": method, "seed": seed})
        for name in names
        for method in METHODS
        for seed in range(effort.n_seeds if method in STOCHASTIC else 1)
    ]


def report(results: Results) -> PaperReport:
    """Return the curves, and the share of objects that each method leaves without a margin."""
    if not results.rows:
        return PaperReport(["No cell came out."])
    curves = tidy(results)
    shares = share_table(results)
    found = [finding(curves, shares.measured, name) for name in in_order(curves)]
    figure = Figure(
        name="goodness",
        title="Margins of the similarities: (epsilon, gamma) curves (the paper's Figure 6)",
        data=curves,
        draw=draw,
        text="A panel for each data set, a curve for each method: the margin gamma that all "
        "objects but a share epsilon have. The higher a curve, the better.",
    )
    return PaperReport(found, [shares], [figure])


def in_order(frame: Any) -> list[str]:
    """Return the data sets of a frame in the paper's order."""
    here = set(frame["dataset"])
    return [name for name in dict.fromkeys((*DATASETS, *QUICK_DATASETS)) if name in here]


def tidy(results: Results) -> Any:
    """Return a frame with gamma of each data set, method and epsilon, averaged over seeds."""
    import pandas as pd

    lines = [
        {"dataset": row["dataset"], "method": row["method"], "epsilon": epsilon, "gamma": gamma}
        for row in results.rows
        for epsilon, gamma in zip(GRID, row["gamma"], strict=True)
    ]
    keys = ["dataset", "method", "epsilon"]
    return pd.DataFrame(lines).groupby(keys, sort=False)["gamma"].mean().reset_index()


def share_table(results: Results) -> PaperTable:
    """Return the percentage of objects whose margin is negative."""
    frame = results.frame()
    measured = 100 * frame.pivot_table(index="dataset", columns="method", values="unseparated")
    measured = measured.reindex(
        index=in_order(frame),
        columns=[method for method in METHODS if method in measured],
    )
    measured.index.name = "data set"
    return PaperTable(
        name="goodness_unseparated",
        title="Objects (%) that are less similar to their own class than to the others",
        measured=measured,
        digits=1,
        note="epsilon at gamma = 0, where a curve of the figure begins; less is better. The paper "
        "prints no number here; its text names nearly "
        + "; ".join(f"{share} on {name}" for name, share in UNSEPARATED.items())
        + ".",
    )


def finding(curves: Any, shares: Any, dataset: str) -> str:
    """Return whether UNTIE's curve is the highest of the paper's, and where it begins."""
    wide = curves[curves["dataset"] == dataset].pivot_table(
        index="epsilon", columns="method", values="gamma"
    )
    printed = wide[[method for method in PAPERS if method in wide]]
    if PAPER not in printed or printed.shape[1] < 2:
        return f"{dataset}: there is nothing to compare."
    others = printed.drop(columns=PAPER)
    drawn = printed[(printed >= 0).any(axis=1)]
    ahead = int((drawn[PAPER] > others.loc[drawn.index].max(axis=1)).sum())
    share = shares.loc[dataset]
    best = others.clip(lower=0).mean().idxmax()
    rest = share[others.columns]
    sentence = (
        f"{dataset}: where any curve is at 0 or above, UNTIE's is the highest of the paper's "
        f"methods at {ahead} of {len(drawn)} values of epsilon (the paper: UNTIE is better than "
        f"its competitors); the best of the others is {best}. Objects without a margin: UNTIE "
        f"{share[PAPER]:.0f} %, the others {_percents(rest)}"
    )
    if DEFAULT in share and share[DEFAULT] == share[DEFAULT]:
        sentence += f"; our default {share[DEFAULT]:.0f} %"
    named = f" (the paper's text: nearly {UNSEPARATED[dataset]})" if dataset in UNSEPARATED else ""
    return sentence + named + "."


def _percents(shares: Any) -> str:
    least, most = f"{shares.min():.0f}", f"{shares.max():.0f}"
    return f"{most} %" if least == most else f"{least} to {most} %"


def draw(data: Any) -> Any:
    """Draw one panel per data set, one curve per method, where gamma is 0 or more."""
    names = in_order(data)
    figure, axes = panels(len(names), columns=2, height=2.8)
    for one, name in zip(axes, names, strict=True):
        chosen = data[(data["dataset"] == name) & (data["gamma"] >= 0)]
        for method in METHODS:
            curve = chosen[chosen["method"] == method]
            if not curve.empty:
                one.plot(curve["epsilon"], curve["gamma"], **method_style(method, markers=False))
        name_panel(one, name)
        one.set_xlabel("share of objects that may fail (epsilon)")
        one.set_ylabel("margin (gamma)")
        one.set_xlim(0, 1)
        one.set_ylim(bottom=0)
    common_legend(figure, axes)
    return figure


EXPERIMENT = Experiment(
    name="goodness",
    title="Goodness of the similarities (the paper's Figure 6)",
    jobs=jobs,
    report=report,
    group="figures",
)
