"""What the table of clustering says, in sentences made from its figures."""

from __future__ import annotations

from typing import Any

from untie_paper.clustering_scores import (
    CLOSE,
    DELTA,
    NEAR,
    gaps_to_paper,
    with_delta,
    with_ten_starts,
)
from untie_paper.methods import CDE_TEN, DEFAULT, PAPER
from untie_paper.off_protocol import LEVEL, sets_off, single_cluster_score
from untie_paper.output.words import agree, listing, many
from untie_paper.ranks import mean_ranks, worse_than


def score_findings(scores: Any, paper: Any) -> list[str]:
    """Say how far the scores agree with the printed ones."""
    said = []
    if PAPER in scores:
        kept = scores[PAPER].dropna()
        said.append(
            f"UNTIE under the printed protocol has a {_beside(kept, paper)}.{_without(kept, paper)}"
        )
        said += [_level(name, kept, paper) for name in LEVEL if name in kept]
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
            f"Of {many(len(others), 'cell')} of the other printed methods "
            f"{agree((others <= CLOSE).sum())} within {CLOSE:g} and {(others <= NEAR).sum()} "
            f"within {NEAR:g}."
        )
    return said + _starts_findings(scores, paper)


def _beside(kept: Any, paper: Any) -> str:
    """Return the mean of UNTIE's scores beside the printed ones, and how many agree."""
    printed = paper.loc[kept.index, PAPER]
    gaps = (kept - printed).abs()
    return (
        f"mean F of {kept.mean():.1f} on {many(len(kept), 'data set')}, printed "
        f"{printed.mean():.1f}; of the {many(len(kept), 'score')} {agree((gaps <= CLOSE).sum())} "
        f"within {CLOSE:g} and {(gaps <= NEAR).sum()} within {NEAR:g}"
    )


def _without(kept: Any, paper: Any) -> str:
    """Return the same without the sets on which the protocol cannot be followed."""
    off = sets_off(kept.index)
    if not off or len(off) == len(kept):
        return ""
    return (
        f" On {listing(off)} the protocol cannot be followed (marked in the tables); without "
        f"{'it' if len(off) == 1 else 'them'} a {_beside(kept.drop(index=off), paper)}."
    )


def _level(name: str, kept: Any, paper: Any) -> str:
    """Say what a single cluster scores where S is constant, beside what one-hot vectors do."""
    return (
        f"On {name} S is constant, so that k-means has one point; a single cluster scores "
        f"{single_cluster_score(name):.2f}, the printed score is {paper.loc[name, PAPER]:.2f}, and "
        f"the one-hot vectors that stand in have {kept[name]:.2f}."
    )


def _starts_findings(scores: Any, paper: Any) -> list[str]:
    """Say whether CDE is nearer to its printed column with one start of k-means or with ten."""
    if not {"CDE", CDE_TEN} <= set(scores):
        return []
    gaps = gaps_to_paper(scores, with_ten_starts(paper))[["CDE", CDE_TEN]].dropna()
    if gaps.empty:
        return []
    one, ten = (
        f"{(gaps[name] <= CLOSE).sum()} within {CLOSE:g}, {(gaps[name] <= NEAR).sum()} within "
        f"{NEAR:g} and on average {gaps[name].mean():.1f} apart"
        for name in ("CDE", CDE_TEN)
    )
    return [
        "CDE clusters values by k-means, in the authors' program with one start. Of "
        f"{many(len(gaps), 'cell')} of its printed column, with one start: {one}; with ten: {ten}."
    ]


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
        f"(place {places[1]}){default}.{_rank_without(scores, same)}",
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


def _rank_without(scores: Any, paper: Any) -> str:
    """Return UNTIE's mean rank without the sets on which the protocol cannot be followed."""
    off = sets_off(scores.index)
    if not off or len(off) == len(scores):
        return ""
    rank, printed = (
        mean_ranks(table[list(paper)].drop(index=off))[PAPER] for table in (scores, paper)
    )
    return (
        f" Without {listing(off)}, where the protocol cannot be followed, it is {rank:.2f}, by the "
        f"printed scores {printed:.2f}."
    )
