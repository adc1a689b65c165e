"""The page in a few sentences."""

from __future__ import annotations

from typing import Any

from untie.report._limits import LONG_TEXT, shown
from untie.report._study import Study
from untie.report._table import count


def lead(study: Study, groups: dict[str, Any]) -> list[str]:
    """Return the sentences that the page begins with, which need no other knowledge.

    Parameters
    ----------
    study : Study
        What the page is about.
    groups : dict
        What `cards` gives.
    """
    title = shown(study.title)
    if study.n_rows == 1:
        return [f"There is one row in {title}, so there is nothing to group."]
    said = [f"There are {count(study.n_rows)} rows in {title}.", groups["said"]]
    caution = study.verdict.caution if len(study.clusters) > 1 else None
    return [*said, caution] if caution else said


def how_sure(study: Study) -> list[str]:
    """Return the other sentences of the verdict: how sure it is, and why."""
    verdict = study.verdict
    return [shown(said, LONG_TEXT) for said in verdict.sentences if said != verdict.caution]


def summary(study: Study, groups: dict[str, Any]) -> list[str]:
    """Return the lead, and what stands below it on the page, for whoever has not opened it yet."""
    said = lead(study, groups)
    if len(study.clusters) == 1:
        return said
    largest = max(groups["cards"], key=lambda card: study.sizes[study.clusters.index(card.number)])
    what = "rows" if study.weights is None else "weight"
    if largest.typical:
        said.append(
            f"The largest group has {largest.share} of the {what}; typical of it: {largest.name}."
        )
    return [*said, *how_sure(study)]
