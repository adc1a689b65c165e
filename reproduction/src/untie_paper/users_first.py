"""Clustering by what users would try first: one-hot, MCA, latent classes and k-modes.

Beside UNTIE as it is by default. k-means on one-hot vectors and on as many MCA axes as there are
clusters less one (at least two), k-modes with the Hamming distance, and latent class analysis,
whose clusters are the most probable classes; all from as many starts. Cells are those of the table
of clustering where that has them.
"""

from __future__ import annotations

from typing import Any

from untie_paper.clustering import cells
from untie_paper.clustering_cell import LATENT
from untie_paper.clustering_scores import by_set_and_method
from untie_paper.methods import DEFAULT
from untie_paper.output.report import Figure, PaperReport, PaperTable
from untie_paper.output.style import common_legend, method_style, panels
from untie_paper.output.words import many
from untie_paper.ranks import complete, mean_ranks, statistics
from untie_paper.run.experiment import Effort, Experiment, Job, Results

TITLES = {
    DEFAULT: "UNTIE (default)",
    "One-hot": "k-means on one-hot",
    "MCA": "k-means on MCA",
    LATENT: "latent classes",
    "Hamming": "k-modes",
}
CLOSE = 0.5
"""Points of F within which two methods are as good."""

SCORES_NOTE = (
    "Macro F after one-to-one matching, times 100; mean over {seeds}, each with the best "
    "by cost of {n_restarts} starts. The number of clusters is that of the classes."
)
SUMMARY_NOTE = (
    "Over {n_sets} data sets. Category utility (how much better values are guessed when the "
    "cluster is known) and conditional entropy (bits that are left then) need no classes. Ranks "
    "are means over data sets, 1 is best."
)


def jobs(effort: Effort) -> list[Job]:
    """Return the cells of the five methods."""
    return cells(effort, list(TITLES))


def report(results: Results) -> PaperReport:
    """Compare the methods by classes and without them."""
    frame = results.frame()
    if frame.empty:
        return PaperReport(("No cell came out.",))
    frame = frame[frame["method"].isin(TITLES)]
    scores = _titled(by_set_and_method(frame))
    effort = results.effort
    note = SCORES_NOTE.format(seeds=many(effort.n_seeds, "seed"), n_restarts=effort.n_restarts)
    title = "Clustering F-scores of what users try first"
    tables = [PaperTable("users_first_scores", title, scores, note=note)]
    findings = _findings(scores)
    if len(complete(scores)) > 1 and scores.shape[1] > 1:
        tables.append(_summary(frame, scores))
    return PaperReport(findings, tables, (_figure(scores),))


def _titled(table: Any) -> Any:
    """Return the columns in this module's order, by what they are called here."""
    present = [method for method in TITLES if method in table]
    return table[present].rename(columns=TITLES)


def _summary(frame: Any, scores: Any) -> PaperTable:
    import pandas as pd

    nmi = _titled(by_set_and_method(frame, "nmi"))
    utility = _titled(by_set_and_method(frame, "category_utility"))
    entropy = _titled(by_set_and_method(frame, "conditional_entropy"))
    measured = pd.DataFrame(
        {
            "mean F": complete(scores).mean(),
            "mean NMI": complete(nmi).mean(),
            "rank by F": mean_ranks(scores),
            "rank by NMI": mean_ranks(nmi),
            # Scaled up, because ranks are taken of two decimals.
            "rank by category utility": mean_ranks(1e4 * utility),
            "rank by conditional entropy": mean_ranks(-1e4 * entropy),
        }
    ).rename_axis("method")
    return PaperTable(
        "users_first_summary",
        "The same clusters by the classes and by the data alone",
        measured,
        note=SUMMARY_NOTE.format(n_sets=len(complete(scores))),
    )


def _findings(scores: Any) -> list[str]:
    ours = TITLES[DEFAULT]
    said = []
    if ours in scores:
        for other in [name for name in scores if name != ours]:
            gap = (scores[ours] - scores[other]).dropna()
            said.append(
                f"UNTIE's default has {gap.mean():+.1f} points of F on average against {other}: "
                f"better by more than {CLOSE:g} on {(gap > CLOSE).sum()} of "
                f"{many(len(gap), 'data set')}, worse by more on {(gap < -CLOSE).sum()}."
            )
    if len(complete(scores)) > 1 and scores.shape[1] > 1:
        test = statistics(scores)
        listed = ", ".join(f"{name} {rank:.2f}" for name, rank in mean_ranks(scores).items())
        said.append(f"Mean ranks by F: {listed} (Friedman's p {float(test['its p']):.2g}).")
    return said


def _figure(scores: Any) -> Figure:
    data = scores.rename_axis(index="dataset").reset_index()
    data = data.melt("dataset", var_name="method", value_name="f_score").dropna()
    means = ", ".join(f"{name} {mean:.1f}" for name, mean in scores.mean().items())
    text = f"F-score by data set and method, data sets ordered by UNTIE's. Means: {means}."
    title = "What users try first: F-scores by data set"
    return Figure("users_first", title, data.reset_index(drop=True), draw, text)


def draw(data: Any) -> Any:
    """Draw one line per data set and one mark per method."""
    table = data.pivot_table(index="dataset", columns="method", values="f_score", sort=False)
    ours = TITLES[DEFAULT]
    table = table.sort_values(ours if ours in table else table.columns[0])
    figure, (axes,) = panels(1, height=1.2 + 0.21 * len(table))
    lines = range(len(table))
    low, high = table.min(axis=1), table.max(axis=1)
    axes.hlines(lines, low, high, color="#bbbbbb", linewidth=1.0, zorder=1)
    for method, title in TITLES.items():
        if title in table:
            style = method_style(method) | {"label": title, "linestyle": "none"}
            if method == DEFAULT:  # hollow, so that it hides no other
                style |= {"markerfacecolor": "none", "markersize": 7.5, "markeredgewidth": 1.6}
            axes.plot(table[title], lines, **style)
    axes.set_yticks(lines, table.index)
    axes.set_ylim(-0.7, len(table) - 0.3)
    axes.set_xlabel("F-score")
    common_legend(figure, [axes])
    return figure


EXPERIMENT = Experiment(
    "users_first",
    "Clustering beside what users try first",
    jobs,
    report,
    group="beyond",
)
