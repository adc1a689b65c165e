"""What retrieval says: curves of precision@k, their order, and the precision on all sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from untie_paper.clustering import MAX_STEPS
from untie_paper.evaluation import average_ranks, published
from untie_paper.methods import DEEP, DEFAULT, PAPER
from untie_paper.off_protocol import LEFT_OUT, footnotes, including, sets_off
from untie_paper.output.report import Figure, PaperReport, PaperTable
from untie_paper.output.style import common_legend, label_left, method_style, name_panel, panels
from untie_paper.output.words import listing, many, means_and_ranks
from untie_paper.run.experiment import Results

DRAWN = ("dermatology", "dnanominal", "splice")
"""The sets of the paper's figure."""

PAPERS = (PAPER, "CDE", "COS", "Ahmad", "DILCA", "Rough", "Hamming", *DEEP)
"""The methods of the paper's figure."""

METHODS = (PAPER, DEFAULT, "Couplings", "One-hot", *PAPERS[1:])
EVERYWHERE = (PAPER, DEFAULT, "CDE", "One-hot")
"""The methods that are run on all sets."""

MOST_K, TABLE_K = 100, 10
MOST_ROWS = 5000
SOME_K = (1, 10, 50, 100)


def report(results: Results) -> PaperReport:
    """Return the curves, their heights at some k, and the precision at 10 on all sets."""
    if not results.rows:
        return PaperReport(["No cell came out."])
    curves = tidy(results)
    names = [name for name in DRAWN if name in set(curves["dataset"])]
    found = [order_finding(curves, name) for name in names]
    drawn = curves[curves["dataset"].isin(names)]
    tables = [some_k_table(drawn)] if names else []
    tables.append(everywhere_table(curves))
    figure = Figure(
        name="retrieval",
        title="Precision@k on dermatology, dnanominal and splice (the paper's Figure 11)",
        data=drawn.reset_index(drop=True),
        draw=draw,
        text="A panel for each data set, a curve for each method: the share of an object's k "
        "nearest that are of its class, by k. A dotted line is a random answer.",
    )
    return PaperReport(
        [*found, *everywhere_findings(tables[-1].measured)], tables, [figure] if names else []
    )


def tidy(results: Results) -> Any:
    """Return a frame with the precision of each data set, method and k, averaged over seeds."""
    import pandas as pd

    lines = [
        {"dataset": row["dataset"], "method": row["method"], "k": k, "precision": precision}
        for row in results.rows
        for k, precision in enumerate(row["precision"], 1)
    ]
    chances = {
        (row["dataset"], "chance", k): row["chance"]
        for row in results.rows
        for k in range(1, len(row["precision"]) + 1)
    }
    frame = pd.DataFrame(lines)
    mean = frame.groupby(["dataset", "method", "k"], sort=False)["precision"].mean()
    floor = pd.Series(chances, name="precision")
    floor.index.names = mean.index.names
    return pd.concat([mean, floor]).reset_index()


def order_finding(curves: Any, dataset: str) -> str:
    """Return whether UNTIE's curve is the highest, as the paper's text says."""
    wide = curves[curves["dataset"] == dataset].pivot_table(
        index="k", columns="method", values="precision"
    )
    printed = wide[[method for method in PAPERS if method in wide]]
    if PAPER not in printed or printed.shape[1] < 2:
        return f"{dataset}: there is nothing to compare."
    others = printed.drop(columns=PAPER)
    ahead = int((printed[PAPER] > others.max(axis=1)).sum())
    order = wide.drop(columns="chance").mean().sort_values(ascending=False)
    listed = ", ".join(f"{method} {value:.3f}" for method, value in order.items())
    claim = "as the paper says" if ahead == len(wide) else "the paper says at all of them"
    return (
        f"{dataset}: of the paper's methods, UNTIE under its protocol has the highest precision at "
        f"{ahead} of {len(wide)} k ({claim}). Mean over k: {listed}."
    )


def some_k_table(curves: Any) -> PaperTable:
    """Return the heights of the curves at a few k."""
    chosen = curves[curves["k"].isin(SOME_K) & (curves["method"] != "chance")]
    measured = chosen.pivot_table(index="method", columns=["dataset", "k"], values="precision")
    order = [(name, k) for name in DRAWN for k in SOME_K if (name, k) in measured.columns]
    measured = measured.reindex(index=[m for m in METHODS if m in measured.index], columns=order)
    measured.columns = [f"{name} @{k}" for name, k in order]
    return PaperTable(
        name="retrieval_some_k",
        title="Precision@k of the curves at some k",
        measured=measured,
        digits=3,
        note="The paper draws the curves and prints no number. Means over seeds where a method "
        f"draws random numbers; {' and '.join(DEEP)} have one seed and at most {MAX_STEPS} "
        "batches. CDE has one start of each k-means over values.",
    )


def everywhere_table(curves: Any) -> PaperTable:
    """Return the precision at 10 on all sets, with means and ranks over the complete ones."""
    chosen = curves[curves["k"] == TABLE_K]
    measured = chosen.pivot_table(index="dataset", columns="method", values="precision")
    order = [name for name in published("clustering")["dataset"] if name in measured.index]
    measured = measured.reindex(index=order, columns=[*EVERYWHERE, "chance"])
    complete, notes = measured.dropna(), footnotes(measured)
    off = sets_off(complete.index)
    parts = {"": complete} if len(complete) else {}
    if 0 < len(off) < len(complete):
        parts[f", {LEFT_OUT}"] = complete.drop(index=off)
    for end, part in parts.items():
        measured.loc[f"mean{end}"] = part.mean()
        ranks = average_ranks(part[list(EVERYWHERE)].round(6))
        measured.loc[f"mean rank{end}"] = [*ranks, np.nan]
    if off:
        notes |= {(name, PAPER): including(off) for name in ("mean", "mean rank")}
    measured.index.name = "data set"
    return PaperTable(
        name="retrieval_all_sets",
        title=f"Precision@{TABLE_K} on the data sets of the clustering table (beyond the paper)",
        measured=measured,
        digits=3,
        note=f"Means and ranks are over the {len(complete)} sets on which all methods came out. At "
        f"most {MOST_ROWS} rows of a set, drawn once. Chance: an answer drawn at random.",
        footnotes=notes,
    )


def everywhere_findings(measured: Any) -> list[str]:
    """Return who is best over all sets."""
    if "mean" not in measured.index:
        return []
    sets = [name for name in measured.index if not name.startswith("mean")]
    complete = measured.loc[sets].dropna().index
    listed = {
        end: means_and_ranks(
            measured.loc[f"mean{end}", list(EVERYWHERE)], measured.loc[f"mean rank{end}"]
        )
        for end in ("", f", {LEFT_OUT}")
        if f"mean{end}" in measured.index
    }
    found = [f"Mean precision@{TABLE_K} over {many(len(complete), 'set')}: {listed.pop('')}."]
    return found + [
        f"Without {listing(sets_off(complete))}, where the printed protocol cannot be followed: "
        f"{means}."
        for means in listed.values()
    ]


def draw(data: Any) -> Any:
    """Draw one panel per data set, one curve per method; a dotted line is a random answer."""
    here = set(data["dataset"])
    names = [name for name in DRAWN if name in here]
    figure, axes = panels(len(names), columns=len(names), height=3.6)
    for one, name in zip(axes, names, strict=True):
        chosen = data[data["dataset"] == name]
        for method in [*METHODS, "chance"]:
            curve = chosen[chosen["method"] == method]
            if curve.empty:
                continue
            style = method_style(method, markers=False)
            if method == "chance":
                style |= {"linestyle": ":", "linewidth": 1.0}
            one.plot(curve["k"], curve["precision"], **style)
        name_panel(one, name)
        one.set_xlabel("nearest objects asked for (k)")
        one.set_xlim(1, MOST_K)
    label_left(axes, "share of the same class (precision)")
    common_legend(figure, axes)
    return figure
