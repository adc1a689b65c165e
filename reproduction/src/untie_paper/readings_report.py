"""What each reading of the printed protocol agrees with: tables and a figure."""

from __future__ import annotations

from typing import Any

from untie_paper.clustering_scores import CLOSE, NEAR, printed_scores
from untie_paper.methods import PAPER
from untie_paper.off_protocol import LEFT_OUT, LEVEL, footnotes, sets_off
from untie_paper.output.report import Figure, PaperReport, PaperTable
from untie_paper.output.style import INK, METHOD_COLOURS, OTHER, common_legend, name_panel, panels
from untie_paper.output.words import many
from untie_paper.ranks import mean_ranks
from untie_paper.readings_findings import findings
from untie_paper.readings_scores import (
    COMPARED,
    COUPLINGS,
    EQUAL,
    mean_scores,
    meets,
    plain_frame,
    reading_frame,
)
from untie_paper.run.experiment import Results

NOT_LEARNED = (
    "No weight is learned: there are as many classes as rows in a batch, or more, so every weight "
    "stays 1."
)
CONSTANT = "S is constant, so all rows are one cluster, whatever the weights."


def report(results: Results) -> PaperReport:
    """Return the readings, every score, and what they say."""
    frame, plain, printed = reading_frame(results), plain_frame(results), printed_scores()
    if frame.empty:
        return PaperReport(("No cell came out.",))
    table = readings_table(frame, printed)
    sets = sets_table(frame, printed, plain)
    tables = [
        PaperTable(
            "readings",
            "What each reading agrees with",
            table,
            note=_note(frame, printed, results),
        ),
        *(_score_table(frame, printed, kind) for kind in COUPLINGS if kind in table.index),
        PaperTable(
            "readings_sets",
            "Which readings meet which set",
            sets,
            note="Met: the printed score in both decimals, by some seed. Without UNTIE: by "
            "k-means on one-hot vectors or on plain couplings.",
            footnotes=footnotes(sets, ("printed",)),
        ),
    ]
    return PaperReport(findings(frame, table, printed, plain), tables, [_figure(frame, printed)])


def readings_table(frame: Any, printed: Any) -> Any:
    """Return a line for each reading: its mean, its rank, and how often it meets a printed score.

    Parameters
    ----------
    frame : pandas DataFrame
        As `reading_frame` gives it.
    printed : pandas DataFrame
        The printed scores of all methods.
    """
    import pandas as pd

    scores = mean_scores(frame)
    others = printed.loc[scores.index].drop(columns=PAPER)
    followed = scores.drop(index=sets_off(scores.index))
    lines = {}
    for (couplings, reading, method), part in frame.groupby(
        ["couplings", "reading", "method"], sort=False
    ):
        gaps = (scores[method] - printed.loc[scores.index, PAPER]).abs()
        met = meets(part, printed[PAPER]).groupby(part["dataset"]).agg(["any", "all", "sum"])
        lines[couplings, reading] = {
            "is": "a comparison" if reading in COMPARED else "a reading",
            "mean F": scores[method].mean(),
            f"mean F, {LEFT_OUT}": followed[method].mean(),
            "mean F, best seed": part.groupby("dataset")["f_score"].max().mean(),
            "mean difference": gaps.mean(),
            "rank in UNTIE's place": mean_ranks(others.assign(**{PAPER: scores[method]}))[PAPER],
            f"sets within {CLOSE:g}": int((gaps <= CLOSE).sum()),
            f"sets within {NEAR:g}": int((gaps <= NEAR).sum()),
            "sets met by a seed": int(met["any"].sum()),
            "sets met by all": int(met["all"].sum()),
            "seeds that meet": int(met["sum"].sum()),
            "sets learned": int(part.groupby("dataset")["learned"].all().sum()),
            "mean omega": part["mean_omega"].mean(),
        }
    table = pd.DataFrame.from_dict(lines, orient="index")
    table.index = pd.MultiIndex.from_tuples(table.index, names=["couplings", "reading"])
    return table


def _score_table(frame: Any, printed: Any, couplings: str) -> PaperTable:
    """Return every score of the readings with one kind of couplings."""
    part = frame[frame["couplings"] == couplings].assign(method=lambda cells: cells["reading"])
    scores = mean_scores(part)
    notes = {
        (name, column): CONSTANT
        for name in LEVEL
        if name in scores.index
        for column in scores
        if scores.notna().loc[name, column]
    }
    still = part[~part["learned"].astype(bool) & (part["reading"] != EQUAL)]
    notes |= dict.fromkeys(zip(still["dataset"], still["reading"], strict=True), NOT_LEARNED)
    scores.insert(0, "printed", printed.loc[scores.index, PAPER])
    return PaperTable(
        f"readings_{couplings}",
        f"F-scores of the readings with {couplings} couplings",
        scores,
        note="Mean over seeds, times 100.",
        footnotes=notes,
    )


def sets_table(frame: Any, printed: Any, plain: Any) -> Any:
    """Return a line for each set: the readings that meet its printed score, and the nearest."""
    import pandas as pd

    lines = {}
    for dataset, part in frame.groupby("dataset", sort=False):
        score = printed.loc[dataset, PAPER]
        seeds = part[meets(part, printed[PAPER])].groupby("method", sort=False)["seed"].nunique()
        means = part.groupby("method", sort=False)["f_score"].mean()
        nearest = (means - score).abs().idxmin()
        not_untie = plain[(plain["dataset"] == dataset) & meets(plain, printed[PAPER])]
        lines[dataset] = {
            "printed": score,
            "lowest": part["f_score"].min(),
            "highest": part["f_score"].max(),
            "nearest mean": means[nearest],
            "of the reading": nearest,
            "readings that meet it": len(seeds),
            "first of them (seeds)": "; ".join(f"{name} ({n})" for name, n in seeds[:3].items()),
            "met without UNTIE": ", ".join(dict.fromkeys(not_untie["method"])),
        }
    return pd.DataFrame.from_dict(lines, orient="index").rename_axis("data set")


def _note(frame: Any, printed: Any, results: Results) -> str:
    sets = list(dict.fromkeys(frame["dataset"]))
    off = sets_off(sets)
    rank = mean_ranks(printed.loc[sets])[PAPER]
    means = printed.loc[sets, PAPER].mean(), printed.loc[sets, PAPER].drop(index=off).mean()
    return (
        f"{many(len(sets), 'data set')}, {many(frame['seed'].nunique(), 'seed')} of batches and "
        f"starts; of {results.effort.n_restarts} starts of k-means the one of lowest inertia "
        f"counts. Printed: mean F {means[0]:.2f}, without the sets off the protocol of from_paper "
        f"({', '.join(off) or 'none'}) {means[1]:.2f}, rank {rank:.2f}. A comparison is what the "
        "paper's settings exclude: more than 1,000 steps, another optimiser than Adam, nothing "
        "learned. Best seed: chosen by its score, which no protocol could; a bound. Difference: of "
        "the mean over seeds to the printed score, without regard to sign. Rank: among the printed "
        "scores of the nine other methods. Met: the printed score in both decimals. Learned: sets "
        "with fewer classes than a batch has rows; on the others omega stays 1. Where S is "
        "constant (threeof9) all rows are one cluster here and nothing stands in, so all meet the "
        "printed score there, and means differ a little from those of the clustering table. "
        "Gaussian kernels have a diagonal of 1, so with them cosine is also no scale."
    )


def _figure(frame: Any, printed: Any) -> Figure:
    sets = list(dict.fromkeys(frame["dataset"]))
    means = frame.groupby(["couplings", "reading", "seed"], sort=False)["f_score"].mean()
    data = means.rename("mean_f").reset_index().assign(printed=printed.loc[sets, PAPER].mean())
    text = (
        "Panels for separate and joint couplings: a row for each reading, a ring for each seed at "
        "its mean F, and a line at the printed mean."
    )
    return Figure("readings_means", "Mean F-score of the readings", data, draw, text)


def draw(data: Any) -> Any:
    """Draw the mean F of every reading and seed, a panel for each kind of couplings."""
    kinds = list(dict.fromkeys(data["couplings"]))
    order = list(dict.fromkeys(data["reading"]))
    figure, panels_drawn = panels(len(kinds), height=0.9 + 0.24 * len(order))
    for axes, couplings in zip(panels_drawn, kinds, strict=True):
        for is_compared, colour, label in (
            (False, METHOD_COLOURS[PAPER], "a seed"),
            (True, OTHER, "a seed, for comparison"),
        ):
            shown = data["reading"].isin(COMPARED) == is_compared
            part = data[(data["couplings"] == couplings) & shown]
            places = part["reading"].map(order.index)
            axes.plot(part["mean_f"], places, "o", ms=4, mfc="none", mec=colour, label=label)
        axes.axvline(data["printed"].iloc[0], color=INK, ls="--", lw=1.0, label="printed mean")
        named = axes.get_subplotspec().is_first_col()
        axes.set(yticks=range(len(order)), yticklabels=order if named else [])
        axes.set(ylim=(len(order) - 0.4, -0.6), xlim=_around(data[["mean_f", "printed"]]))
        axes.set_xlabel("mean F-score")
        name_panel(axes, f"{couplings} couplings")
    common_legend(figure, panels_drawn)
    return figure


def _around(numbers: Any) -> tuple[float, float]:
    return float(numbers.min().min()) - 2, float(numbers.max().max()) + 2
