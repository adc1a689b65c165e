"""What the clustering cells say: scores, ranks and tests, beside the printed ones."""

from __future__ import annotations

from typing import Any

from untie_paper.clustering_findings import rank_findings, score_findings
from untie_paper.clustering_scores import (
    CLOSE,
    DELTA,
    DIGIT,
    NEAR,
    by_set_and_method,
    gaps_to_paper,
    printed_scores,
    with_delta,
    with_ten_starts,
)
from untie_paper.evaluation import published
from untie_paper.methods import PAPER
from untie_paper.off_protocol import LEFT_OUT, footnotes, including, sets_off
from untie_paper.output.report import PaperReport, PaperTable
from untie_paper.output.words import many
from untie_paper.ranks import complete, diagram, mean_ranks, printed_statistics, statistics
from untie_paper.run.experiment import Results

SCORES_NOTE = (
    "Macro F after one-to-one matching of clusters and classes, times 100; mean over {seeds} "
    "of encoder and starts; of {n_restarts} starts of k-means or k-modes the one of lowest "
    "cost counts. Delta: 0 unless UNTIE is best of the ten printed columns, otherwise its gain in "
    "percent over the best of the eight that are not Couplings. CDE has one start of each k-means "
    "over values, as the authors' program has, and beside it ten. Deep methods learn from at most "
    "{max_steps} batches of 64 rows."
)
RANKS_NOTE = (
    "Mean rank over {n_sets} data sets, 1 is best. Among printed: a method that is not printed "
    "stands in UNTIE's place there. Among all: among all columns of the table "
    "of scores. The published ranks are those of the printed scores on the same data sets."
)
LEFT_OUT_NOTE = " Off the protocol, and left out where it says so: {sets}."


def report(results: Results) -> PaperReport:
    """Return the tables, the diagrams and what they say."""
    frame = results.frame()
    if frame.empty:
        return PaperReport(("No cell came out.",))
    scores = by_set_and_method(frame)
    paper = printed_scores()
    tables = [
        _scores_table(scores, paper, results),
        _agreement_table(frame, paper),
        _measures_table(frame),
        _spread_table(frame),
    ]
    figures = [_published_diagram(paper)]
    findings = score_findings(scores, paper)
    ranked, n_sets = complete(scores), len(complete(scores))
    shared = paper[[method for method in paper if method in ranked]]
    if n_sets > 1 and PAPER in shared and shared.shape[1] > 1:
        ranks = mean_ranks(ranked)
        tables[1:1] = [_ranks_table(ranked, shared), _tests_table(ranked, shared)]
        title = "Mean ranks as measured, of the printed methods"
        ten = mean_ranks(ranked[list(shared)])
        figures.append(diagram("critical_difference_printed_methods", title, ten, n_sets, PAPER))
        title = "Mean ranks as measured, of all methods"
        figures.append(diagram("critical_difference_measured", title, ranks, n_sets, PAPER))
        findings += rank_findings(ranked, shared)
    return PaperReport(findings, tables, figures)


def _scores_table(scores: Any, paper: Any, results: Results) -> PaperTable:
    steps = {int(row["max_steps"]) for row in results.rows if row.get("max_steps")}
    printed = paper.assign(**{DELTA: published("clustering").set_index("dataset")["delta"]})
    measured = with_delta(scores)
    return PaperTable(
        "clustering",
        "Clustering F-scores",
        measured,
        printed,
        close=CLOSE,
        note=SCORES_NOTE.format(
            seeds=_seeds(results),
            n_restarts=results.effort.n_restarts,
            max_steps=max(steps, default=0),
        ),
        # Delta is UNTIE's gain.
        footnotes=footnotes(measured, (PAPER, DELTA)),
    )


def _seeds(results: Results) -> str:
    """Return how many seeds methods have, and which have fewer."""
    n_seeds = results.frame().groupby("method")["seed"].nunique()
    fewer = [f"{method} {n}" for method, n in n_seeds.items() if n < n_seeds.max()]
    return many(n_seeds.max(), "seed") + (f" ({', '.join(fewer)})" if fewer else "")


def _ranks_table(scores: Any, paper: Any) -> PaperTable:
    import pandas as pd

    same, off = paper.loc[scores.index], sets_off(scores.index)
    measured = pd.DataFrame(_ranks(scores, same)).rename_axis("method")
    printed = pd.DataFrame({"rank among printed": mean_ranks(same), "mean F": same.mean()})
    note = RANKS_NOTE.format(n_sets=len(same))
    if 0 < len(off) < len(scores):
        kept, kept_paper = scores.drop(index=off), same.drop(index=off)
        for name, column in _ranks(kept, kept_paper).items():
            measured[f"{name}, {LEFT_OUT}"] = column
        printed[f"rank among printed, {LEFT_OUT}"] = mean_ranks(kept_paper)
        printed[f"mean F, {LEFT_OUT}"] = kept_paper.mean()
        note += LEFT_OUT_NOTE.format(sets=", ".join(off))
    with_all = ("rank among printed", "rank among all", "mean F") if off else ()
    notes = {(PAPER, name): including(off) for name in with_all}
    return PaperTable(
        "clustering_ranks", "Mean ranks", measured, printed, note=note, footnotes=notes
    )


def _ranks(scores: Any, paper: Any) -> dict[str, Any]:
    """Return the mean ranks of all methods and their mean scores, by the title of the column."""
    import pandas as pd

    among_printed = {}
    for method in scores:
        others = [name for name in paper if name != PAPER]
        columns = list(paper) if method in paper else [method, *others]
        among_printed[method] = mean_ranks(scores[columns])[method]
    return {
        "rank among printed": pd.Series(among_printed),
        "rank among all": mean_ranks(scores),
        "mean F": scores.mean(),
    }


def _tests_table(scores: Any, paper: Any) -> PaperTable:
    import pandas as pd

    measured = pd.DataFrame(
        {
            "measured, printed columns": statistics(scores[list(paper)]),
            "from the printed scores": statistics(printed_scores()),
            "measured, all columns": statistics(scores),
        }
    ).rename_axis("quantity")
    note = "Friedman's statistic is corrected for ties, as the printed one is."
    off = sets_off(scores.index)
    if off and len(scores) - len(off) > 1:
        kept = scores.drop(index=off)
        measured[f"measured, printed columns, {LEFT_OUT}"] = statistics(kept[list(paper)])
        note += LEFT_OUT_NOTE.format(sets=", ".join(off))
    is_whole = scores[list(paper)].shape == printed_scores().shape
    comparable = list(measured)[0 if is_whole else 1 : 2]
    printed = pd.DataFrame(dict.fromkeys(comparable, printed_statistics()), dtype=object)
    return PaperTable(
        "clustering_tests",
        "Friedman's and the Bonferroni-Dunn test",
        measured,
        printed,
        close=0.05,
        note=note,
    )


def _agreement_table(frame: Any, paper: Any) -> PaperTable:
    import pandas as pd

    beside = with_ten_starts(paper)
    gaps = gaps_to_paper(by_set_and_method(frame), beside)
    by_seed = [gaps_to_paper(by_set_and_method(part), beside) for _, part in frame.groupby("seed")]
    nearest = pd.concat(by_seed).groupby(level=0).min().reindex(gaps.index)
    counts = {method: _agreement(gaps[method], nearest[method]) for method in gaps}
    off = sets_off(gaps.index) if PAPER in gaps else []
    if off:
        kept = gaps.index.difference(off)
        counts[f"{PAPER}, {LEFT_OUT}"] = _agreement(gaps.loc[kept, PAPER], nearest.loc[kept, PAPER])
    measured = pd.DataFrame(counts).T.rename_axis("method")
    whole = dict.fromkeys(measured.columns[:-1], int)
    note = (
        "Differences of the F-scores to the printed ones, without regard to sign; of the mean over "
        "seeds, and whether any one seed is near. CDE with ten starts is beside the printed column "
        "of CDE too."
    )
    note += LEFT_OUT_NOTE.format(sets=", ".join(off)) if off else ""
    notes = {(PAPER, name): including(off, "the row") for name in measured if off}
    return PaperTable(
        "clustering_agreement",
        "Agreement by method",
        measured.astype(whole),
        note=note,
        footnotes=notes,
    )


def _agreement(gaps: Any, nearest: Any) -> dict[str, Any]:
    """Return how many gaps are small, of the means over seeds and of the nearest seed."""
    return {
        "cells": int(gaps.notna().sum()),
        "both decimals": int((gaps < DIGIT).sum()),
        f"within {CLOSE:g}": int((gaps <= CLOSE).sum()),
        f"within {NEAR:g}": int((gaps <= NEAR).sum()),
        f"a seed within {CLOSE:g}": int((nearest <= CLOSE).sum()),
        "mean difference": gaps.mean(),
    }


def _measures_table(frame: Any) -> PaperTable:
    import pandas as pd

    names = {"f_score": "F", "accuracy": "accuracy", "nmi": "NMI", "ari": "ARI"}
    tables = {title: complete(by_set_and_method(frame, key)) for key, title in names.items()}
    measured = pd.DataFrame({title: table.mean() for title, table in tables.items()})
    off = sets_off(tables["F"].index) if PAPER in measured.index else []
    note = "Means over data sets and seeds, times 100."
    if 0 < len(off) < len(tables["F"]):
        for title, table in tables.items():
            measured[f"{title}, {LEFT_OUT}"] = table.drop(index=off, errors="ignore").mean()
        note += LEFT_OUT_NOTE.format(sets=", ".join(off))
    return PaperTable(
        "clustering_measures",
        "Other measures of the same clusters",
        measured.rename_axis("method"),
        note=note,
        footnotes={(PAPER, title): including(off) for title in names.values() if off},
    )


def _spread_table(frame: Any) -> PaperTable:
    measured = by_set_and_method(frame, over_seeds=_deviation)
    notes = footnotes(measured)
    off = sets_off(measured.index) if PAPER in measured else []
    means = {"mean": measured.mean()}
    if 0 < len(off) < len(measured):
        means[f"mean, {LEFT_OUT}"] = measured.drop(index=off).mean()
        notes["mean", PAPER] = including(off)
    for name, mean in means.items():
        measured.loc[name] = mean
    note = "Standard deviation of F over seeds, each with its own encoder and starts."
    return PaperTable(
        "clustering_spread", "Spread over seeds", measured, note=note, footnotes=notes
    )


def _deviation(values: Any) -> float:
    return float(values.std(ddof=0))


def _published_diagram(paper: Any) -> Any:
    title = "Mean ranks as printed, and who differs from UNTIE (the paper's Figure 10)"
    ranks = published("clustering_ranks").set_index("method")["average_rank"]
    return diagram("critical_difference_published", title, ranks, len(paper), PAPER)
