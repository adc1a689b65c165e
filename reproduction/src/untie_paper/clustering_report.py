"""What the clustering cells say: scores, ranks and tests, beside the printed ones."""

from __future__ import annotations

from typing import Any

from untie.evaluation import published
from untie_paper.clustering_findings import rank_findings, score_findings
from untie_paper.clustering_scores import (
    CLOSE,
    DELTA,
    NEAR,
    by_set_and_method,
    gaps_to_paper,
    printed_scores,
    with_delta,
)
from untie_paper.methods import PAPER
from untie_paper.output.report import Report, Table
from untie_paper.output.words import many
from untie_paper.ranks import complete, diagram, mean_ranks, printed_statistics, statistics
from untie_paper.run.experiment import Results

SCORES_NOTE = (
    "Macro F after one-to-one matching of clusters and classes, times 100; mean over {seeds} "
    "of encoder and starts; of {n_restarts} starts of k-means or k-modes the one of lowest "
    "cost counts. Delta: 0 unless UNTIE is best of the ten printed columns, otherwise its gain in "
    "percent over the best of the eight that are not Couplings. Deep methods learn from at most "
    "{max_steps} batches of 64 rows."
)
RANKS_NOTE = (
    "Mean rank over {n_sets} data sets, 1 is best. Among printed: a method that is not printed "
    "stands in UNTIE's place there. Among all: among all columns of the table "
    "of scores. The published ranks are those of the printed scores on the same data sets."
)


def report(results: Results) -> Report:
    """Return the tables, the diagrams and what they say."""
    frame = results.frame()
    if frame.empty:
        return Report(("No cell came out.",))
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
    return Report(findings, tables, figures)


def _scores_table(scores: Any, paper: Any, results: Results) -> Table:
    steps = {int(row["max_steps"]) for row in results.rows if row.get("max_steps")}
    printed = paper.assign(**{DELTA: published("clustering").set_index("dataset")["delta"]})
    return Table(
        "clustering",
        "Clustering F-scores",
        with_delta(scores),
        printed,
        close=CLOSE,
        note=SCORES_NOTE.format(
            seeds=_seeds(results),
            n_restarts=results.effort.n_restarts,
            max_steps=max(steps, default=0),
        ),
    )


def _seeds(results: Results) -> str:
    """Return how many seeds methods have, and which have fewer."""
    n_seeds = results.frame().groupby("method")["seed"].nunique()
    fewer = [f"{method} {n}" for method, n in n_seeds.items() if n < n_seeds.max()]
    return many(n_seeds.max(), "seed") + (f" ({', '.join(fewer)})" if fewer else "")


def _ranks_table(scores: Any, paper: Any) -> Table:
    import pandas as pd

    among_printed = {}
    for method in scores:
        others = [name for name in paper if name != PAPER]
        columns = list(paper) if method in paper else [method, *others]
        among_printed[method] = mean_ranks(scores[columns])[method]
    measured = pd.DataFrame(
        {
            "rank among printed": among_printed,
            "rank among all": mean_ranks(scores),
            "mean F": scores.mean(),
        }
    ).rename_axis("method")
    same = paper.loc[scores.index]
    printed = pd.DataFrame({"rank among printed": mean_ranks(same), "mean F": same.mean()})
    note = RANKS_NOTE.format(n_sets=len(same))
    return Table("clustering_ranks", "Mean ranks", measured, printed, note=note)


def _tests_table(scores: Any, paper: Any) -> Table:
    import pandas as pd

    measured = pd.DataFrame(
        {
            "measured, printed columns": statistics(scores[list(paper)]),
            "from the printed scores": statistics(printed_scores()),
            "measured, all columns": statistics(scores),
        }
    ).rename_axis("quantity")
    is_whole = scores[list(paper)].shape == printed_scores().shape
    comparable = list(measured)[0 if is_whole else 1 : 2]
    printed = pd.DataFrame(dict.fromkeys(comparable, printed_statistics()), dtype=object)
    note = "Friedman's statistic is corrected for ties, as the printed one is."
    return Table(
        "clustering_tests",
        "Friedman's and the Bonferroni-Dunn test",
        measured,
        printed,
        close=0.05,
        note=note,
    )


def _agreement_table(frame: Any, paper: Any) -> Table:
    import pandas as pd

    gaps = gaps_to_paper(by_set_and_method(frame), paper)
    by_seed = [gaps_to_paper(by_set_and_method(part), paper) for _, part in frame.groupby("seed")]
    nearest = pd.concat(by_seed).groupby(level=0).min()
    counts = {
        method: {
            "cells": int(column.notna().sum()),
            "both decimals": int((column < 0.00501).sum()),
            f"within {CLOSE:g}": int((column <= CLOSE).sum()),
            f"within {NEAR:g}": int((column <= NEAR).sum()),
            f"a seed within {CLOSE:g}": int((nearest[method] <= CLOSE).sum()),
            "mean difference": column.mean(),
        }
        for method, column in gaps.items()
    }
    measured = pd.DataFrame(counts).T.rename_axis("method")
    whole = dict.fromkeys(measured.columns[:-1], int)
    note = (
        "Differences of the F-scores to the printed ones, without regard to sign; of the mean over "
        "seeds, and whether any one seed is near."
    )
    return Table("clustering_agreement", "Agreement by method", measured.astype(whole), note=note)


def _measures_table(frame: Any) -> Table:
    import pandas as pd

    names = {"f_score": "F", "accuracy": "accuracy", "nmi": "NMI", "ari": "ARI"}
    means = {title: complete(by_set_and_method(frame, key)).mean() for key, title in names.items()}
    note = "Means over data sets and seeds, times 100."
    measured = pd.DataFrame(means).rename_axis("method")
    return Table("clustering_measures", "Other measures of the same clusters", measured, note=note)


def _spread_table(frame: Any) -> Table:
    measured = by_set_and_method(frame, over_seeds=_deviation)
    measured.loc["mean"] = measured.mean()
    note = "Standard deviation of F over seeds, each with its own encoder and starts."
    return Table("clustering_spread", "Spread over seeds", measured, note=note)


def _deviation(values: Any) -> float:
    return float(values.std(ddof=0))


def _published_diagram(paper: Any) -> Any:
    title = "Mean ranks as printed, and who differs from UNTIE (the paper's Figure 10)"
    ranks = published("clustering_ranks").set_index("method")["average_rank"]
    return diagram("critical_difference_published", title, ranks, len(paper), PAPER)
