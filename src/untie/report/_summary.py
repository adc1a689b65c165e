"""The page in a few sentences."""

from __future__ import annotations

from typing import Any

from untie._util.words import listed
from untie.report._limits import shown
from untie.report._study import Study
from untie.report._table import count


def summary(study: Study, groups: dict[str, Any]) -> list[str]:
    """Return sentences that need no other knowledge.

    Parameters
    ----------
    study : Study
        What the page is about.
    groups : dict
        What `cards` gives.
    """
    title, verdict = shown(study.title), study.verdict
    if study.n_rows == 1:
        return [f"There is one row in {title}, so there is nothing to group."]
    said = [f"There are {count(study.n_rows)} rows in {title}.", f"{groups['headline']}."]
    if len(study.clusters) == 1:
        return said
    if verdict.caution:
        said.append(verdict.caution)
    largest = groups["cards"][0]
    what = "rows" if study.weights is None else "weight"
    if largest.typical:
        said.append(
            f"The largest group has {largest.share} of the {what}; typical of it: "
            f"{', '.join(largest.typical[:3])}."
        )
    main = [shown(name, 40) for name in study.shares["column"][:3]]
    said.append(f"Rows differ most in {listed(main)}.")
    return said
