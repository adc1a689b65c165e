"""The six sets of kernels: how much the clusters depend on them (the paper's test of stability).

UNTIE by the printed protocol (Adam) with each set, and by the exact solver, which users get who
name kernels. The paper draws its scores and does not print them, but its default set is F6, whose
score stands in the table of clustering.
"""

from __future__ import annotations

from typing import Any

from untie import UNTIE
from untie_paper.clustering_cell import Clustering, judge
from untie_paper.datasets import load
from untie_paper.evaluation import published
from untie_paper.fitted import quietly_fitted
from untie_paper.output.report import Figure, PaperReport, PaperTable
from untie_paper.output.style import CLASS_COLOURS, INK, common_legend, name_panel, panels
from untie_paper.output.words import many
from untie_paper.run.experiment import Cell, Effort, Experiment, Job, Results
from untie_paper.weighted_k_means import k_means

SETS = ("dnapromoter", "mofn3710")
QUICK_SETS = ("hayesroth",)
"""Neither of the paper's two sets is both small and in the package."""

KERNELS = ("F1", "F2", "F3", "F4", "F5", "F6")
GROUPS = {"Gaussian": ("F1", "F2"), "polynomial": ("F3", "F4"), "both": ("F5", "F6")}
SERIES = {"adam": "printed protocol", "exact": "exact solver"}
SAME = 0.5
"""Points of F within which two scores count as the same."""

NOTE = (
    "Macro F times 100, mean over {seeds}; k-means with {n_restarts} starts, lowest "
    "inertia. The published figures are those of the table of clustering, where the paper uses F6."
)


def cluster_with_kernels(
    dataset: str, kernels: str, solver: str, seed: int, n_restarts: int
) -> Cell:
    """Cluster a data set by UNTIE with a set of kernels.

    Examples
    --------
    >>> cell = cluster_with_kernels("hayesroth", "F3", "exact", seed=0, n_restarts=2)
    >>> 0 < cell["f_score"] < 100
    True
    """
    X, y = load(dataset)
    k = y.nunique()
    options: dict[str, Any] = {"kernels": kernels, "random_state": seed}
    encoder = UNTIE.from_paper(k, **options) if solver == "adam" else UNTIE(k, **options)
    vectors = quietly_fitted(encoder.set_params(solver=solver), X).transform(X)
    return judge(X, y, Clustering(*k_means(vectors, k, seed, n_restarts)))


def jobs(effort: Effort) -> list[Job]:
    """Return a job for each data set, set of kernels, solver and seed."""
    common = {"n_restarts": effort.n_restarts}
    return [
        Job(
            cluster_with_kernels,
            {"dataset": name, "kernels": kernels, "solver": solver, "seed": seed, **common},
            cost=1.5 if solver == "adam" else 0.3,
        )
        for name in (QUICK_SETS if effort.quick else SETS)
        for kernels in KERNELS
        for solver in SERIES
        for seed in range(effort.n_seeds)
    ]


def report(results: Results) -> PaperReport:
    """Return the scores by set of kernels, and whether the paper's three claims hold."""
    frame = results.frame()
    if frame.empty:
        return PaperReport(("No cell came out.",))
    frame = frame.assign(series=frame["solver"].map(SERIES), group=frame["kernels"].map(_group))
    scores = frame.pivot_table(
        index=["group", "kernels"], columns=["dataset", "series"], values="f_score", sort=False
    ).rename_axis(columns=[None, None])
    note = NOTE.format(
        seeds=many(results.effort.n_seeds, "seed"), n_restarts=results.effort.n_restarts
    )
    title = "Clustering F-scores by set of kernels"
    table = PaperTable("kernels", title, scores, _printed(scores), note=note)
    return PaperReport(_findings(scores), (table,), (_figure(frame),))


def _group(kernels: str) -> str:
    return next(group for group, members in GROUPS.items() if kernels in members)


def _printed(scores: Any) -> Any:
    """Return the printed scores of the set that the paper's other tables use."""
    import pandas as pd

    printed = published("clustering").set_index("dataset")["UNTIE"]
    columns = [column for column in scores if column[1] == SERIES["adam"]]
    values = {column: [printed[column[0]]] for column in columns}
    return pd.DataFrame(values, pd.MultiIndex.from_tuples([("both", "F6")]))


def _findings(scores: Any) -> list[str]:
    """Test what the paper says: equal within a group, and the mixed group is always best."""
    said = []
    for (dataset, series), column in scores.items():
        found = column.dropna().droplevel("group")
        if len(found) < len(KERNELS):
            continue
        means = {group: found[list(members)].mean() for group, members in GROUPS.items()}
        same = [
            g for g, members in GROUPS.items() if abs(found[members[0]] - found[members[1]]) <= SAME
        ]
        best = max(means.values())
        is_best = "is as good as any" if means["both"] >= best - SAME else "is not the best"
        listed = ", ".join(f"{group} {mean:.1f}" for group, mean in means.items())
        said.append(
            f"{dataset}, {series}: the same F (within {SAME:g}) in both sets of "
            f"{len(same)} of the {len(GROUPS)} groups (the paper: of all); the group of both kinds "
            f"{is_best} ({listed}; the paper: it is always the best)."
        )
    return said


def _figure(frame: Any) -> Figure:
    columns = ["dataset", "series", "group", "kernels", "seed", "f_score"]
    printed = published("clustering").set_index("dataset")["UNTIE"]
    data = frame[columns].assign(printed=frame["dataset"].map(printed)).reset_index(drop=True)
    title = "Clustering F-score by set of kernels (the paper's Figure 12)"
    means = data.groupby(["dataset", "series"])["f_score"].agg(["min", "max"])
    text = "; ".join(
        f"{dataset}, {series}: F from {low:.1f} to {high:.1f} over sets and seeds"
        for (dataset, series), (low, high) in zip(means.index, means.to_numpy(), strict=True)
    )
    return Figure("stability", title, data, draw, f"{text}.")


def draw(data: Any) -> Any:
    """Draw one panel per data set: means over seeds as large marks, every seed as a small one."""
    names = list(dict.fromkeys(data["dataset"]))
    figure, axes = panels(len(names), columns=len(names), height=2.9)
    for one, name in zip(axes, names, strict=True):
        name_panel(one, name)
        for number, (series, marker) in enumerate(zip(SERIES.values(), "os", strict=True)):
            part = data[(data["dataset"] == name) & (data["series"] == series)]
            _draw_series(one, part, -0.17 + 0.34 * number, series, marker)
        printed = float(data.loc[data["dataset"] == name, "printed"].iloc[0])
        one.axhline(printed, color=INK, linestyle="--", linewidth=1.0, label="printed (F6)")
        _leave_room(one)
        one.set_xticks(range(len(KERNELS)), KERNELS)
        one.set_xlabel("set of kernels")
        one.set_ylabel("F-score")
        one.grid(visible=False, axis="x")
    common_legend(figure, axes, columns=4)
    return figure


def _leave_room(axes: Any) -> None:
    """Show a range of at least ten points, so that equal scores do not look apart."""
    low, high = axes.get_ylim()
    missing = max(0.0, 10.0 - (high - low)) / 2
    axes.set_ylim(low - missing, high + missing)


def _draw_series(axes: Any, part: Any, shift: float, series: str, marker: str) -> None:
    for number, (group, members) in enumerate(GROUPS.items()):
        chosen = part[part["kernels"].isin(members)]
        if chosen.empty:
            continue
        place = [KERNELS.index(name) + shift for name in chosen["kernels"]]
        colour = CLASS_COLOURS[number]
        axes.plot(place, chosen["f_score"], marker, ms=2.5, mfc="none", mec=colour, alpha=0.7)
        means = chosen.groupby("kernels")["f_score"].mean()
        axes.plot(
            [KERNELS.index(name) + shift for name in means.index],
            means,
            marker,
            ms=7,
            color=colour,
            mec="white",
            label=f"{group}, {series}",
        )


EXPERIMENT = Experiment(
    "kernels",
    "Stability under six sets of kernels (the paper's Table 6 and Figure 12)",
    jobs,
    report,
    group="kernels",
)
