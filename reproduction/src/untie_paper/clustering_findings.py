"""What the table of clustering says, in sentences made from its figures."""

from __future__ import annotations

from typing import Any

from untie_paper.clustering_scores import CLOSE, DELTA, NEAR, gaps_to_paper, with_delta
from untie_paper.methods import DEFAULT, PAPER
from untie_paper.output.words import many
from untie_paper.ranks import mean_ranks, worse_than


def score_findings(scores: Any, paper: Any) -> list[str]:
    """Say how far the scores agree with the printed ones."""
    said = []
    if PAPER in scores:
        kept = scores[PAPER].dropna()
        printed = paper.loc[kept.index, PAPER]
        gaps = (kept - printed).abs()
        said.append(
            f"UNTIE under the printed protocol has a mean F of {kept.mean():.1f} on "
            f"{many(len(kept), 'data set')}, printed {printed.mean():.1f}; of the {len(kept)} "
            f"scores {(gaps <= CLOSE).sum()} agree within {CLOSE:g} and {(gaps <= NEAR).sum()} "
            f"within {NEAR:g}."
        )
    if DEFAULT in scores:
        kept = scores[DEFAULT].dropna()
        printed = paper.loc[kept.index, PAPER]
        said.append(
            f"The default has a mean F of {kept.mean():.1f}; it is above the printed score of "
            f"UNTIE by more than {CLOSE:g} on {many((kept > printed + CLOSE).sum(), 'data set')} "
            f"and below by more on {(kept < printed - CLOSE).sum()}."
        )
    others = gaps_to_paper(scores, paper).drop(columns=PAPER, errors="ignore").stack()
    if len(others):
        said.append(
            f"Of {len(others)} cells of the other printed methods {(others <= CLOSE).sum()} agree "
            f"within {CLOSE:g} and {(others <= NEAR).sum()} within {NEAR:g}."
        )
    return said


def rank_findings(scores: Any, paper: Any) -> list[str]:
    """Say how the methods compare, by the measured and by the printed scores.

    Parameters
    ----------
    scores : pandas DataFrame
        Complete; UNTIE by the printed protocol is among the columns.
    paper : pandas DataFrame
        Printed scores, with columns that `scores` has as well.
    """
    columns, same = list(paper), paper.loc[scores.index]
    ranks, printed = mean_ranks(scores[columns]), mean_ranks(same)
    places = [int((table < table[PAPER]).sum()) + 1 for table in (ranks, printed)]
    measured_worse, printed_worse = (
        ", ".join(worse_than(table, PAPER, len(same))) or "none" for table in (ranks, printed)
    )
    default = ""
    if DEFAULT in scores:
        others = [name for name in columns if name != PAPER]
        rank = mean_ranks(scores[[DEFAULT, *others]])[DEFAULT]
        default = f"; in its place the default has {rank:.2f}"
    said = [
        f"Among {len(columns)} printed columns UNTIE's mean rank over {len(same)} data sets is "
        f"{ranks[PAPER]:.2f} (place {places[0]}), by the printed scores {printed[PAPER]:.2f} "
        f"(place {places[1]}){default}.",
        f"Worse than UNTIE by the Bonferroni-Dunn test: {measured_worse}; "
        f"by the printed scores: {printed_worse}.",
    ]
    gains, printed_gains = (with_delta(table).get(DELTA) for table in (scores, same))
    if gains is not None and printed_gains is not None:
        said.append(
            f"Delta is above 0 on {(gains > 0).sum()} of {len(gains)} data sets, by the printed "
            f"scores on {(printed_gains > 0).sum()}."
        )
    return said
