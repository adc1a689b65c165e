"""What the table of clustering says, in sentences made from its figures."""

from __future__ import annotations

from typing import Any

from untie.paper.clustering_scores import CLOSE, DELTA, NEAR, gaps_to_paper, with_delta
from untie.paper.methods import DEFAULT, PAPER
from untie.paper.ranks import complete, mean_ranks, worse_than


def score_findings(scores: Any, paper: Any) -> list[str]:
    """Say how far the scores agree with the printed ones."""
    said = []
    if PAPER in scores:
        kept = scores[PAPER].dropna()
        printed = paper.loc[kept.index, PAPER]
        gaps = (kept - printed).abs()
        said.append(
            f"UNTIE under the printed protocol has a mean F of {kept.mean():.1f} on {len(kept)} "
            f"data sets, printed {printed.mean():.1f}; {(gaps <= CLOSE).sum()} of {len(kept)} "
            f"cells agree within {CLOSE:g} and {(gaps <= NEAR).sum()} within {NEAR:g}."
        )
    if DEFAULT in scores:
        kept = scores[DEFAULT].dropna()
        printed = paper.loc[kept.index, PAPER]
        said.append(
            f"The default has a mean F of {kept.mean():.1f}; it is above the printed score of "
            f"UNTIE by more than {CLOSE:g} on {(kept > printed + CLOSE).sum()} data sets and "
            f"below on {(kept < printed - CLOSE).sum()}."
        )
    others = gaps_to_paper(scores, paper).drop(columns=PAPER, errors="ignore").stack()
    if len(others):
        said.append(
            f"Of {len(others)} cells of the other printed methods {(others <= CLOSE).sum()} agree "
            f"within {CLOSE:g} and {(others <= NEAR).sum()} within {NEAR:g}."
        )
    return said


def rank_findings(scores: Any, paper: Any) -> list[str]:
    """Say how the methods compare, by the measured and by the printed scores."""
    ten, n_sets = list(paper), len(complete(scores))
    ranks, printed = mean_ranks(scores[ten]), mean_ranks(paper)
    place = int((ranks < ranks[PAPER]).sum()) + 1
    measured_worse, printed_worse = (
        ", ".join(worse_than(table, PAPER, n)) or "none"
        for table, n in ((ranks, n_sets), (printed, len(paper)))
    )
    default = mean_ranks(scores[[DEFAULT, *ten[1:]]])[DEFAULT] if DEFAULT in scores else None
    said = [
        f"Among the ten printed columns UNTIE's mean rank is {ranks[PAPER]:.2f} (place {place}), "
        f"printed {printed[PAPER]:.2f} (place {int((printed < printed[PAPER]).sum()) + 1})"
        + (f"; in its place the default has {default:.2f}." if default is not None else "."),
        f"Worse than UNTIE by the Bonferroni-Dunn test: {measured_worse}; "
        f"by the printed scores: {printed_worse}.",
    ]
    gains = with_delta(scores, ten)[DELTA].dropna()
    printed_gains = with_delta(paper, ten)[DELTA]
    said.append(
        f"Delta is above 0 on {(gains > 0).sum()} of {len(gains)} data sets, printed "
        f"{(printed_gains > 0).sum()} of {len(printed_gains)}."
    )
    return said
