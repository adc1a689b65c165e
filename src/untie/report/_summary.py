"""The page in a few sentences."""

from __future__ import annotations

from typing import Any

from untie.report._limits import shown
from untie.report._study import Study
from untie.report._table import count

CLEAR = 0.7
"""Share of the resamples that must agree on the number of groups for it to be called the best."""


def summary(study: Study, groups: dict[str, Any]) -> list[str]:
    """Return sentences that need no other knowledge.

    Parameters
    ----------
    study : Study
        What the page is about.
    groups : dict
        What `cards` gives.
    """
    n = len(study.clusters)
    if study.n_rows == 1:
        return [f"There is one row in {shown(study.title)}, so there is nothing to group."]
    rows = f"The {count(study.n_rows)} rows"
    if n == 1:
        why = "as asked for" if study.recipe.n_clusters == 1 else "they do not differ"
        return [f"{rows} of {shown(study.title)} are one group: {why}."]
    said = [f"{rows} of {shown(study.title)} fall into {n} groups of similar rows."]
    if study.choice is not None and len(study.choice.ks) == 1:
        said.append("There are too few distinct rows to say how many groups there are.")
    elif study.choice is not None and not study.choice.found_clusters:
        said.append(
            "The groups are weak: no number of them describes the table better than none, so take "
            "them as a way to look at the rows, not as a finding."
        )
    elif study.choice is not None:
        sure = study.choice.how_sure
        said.append(
            f"{n} is the number that describes the table best, in {sure:.0%} of the resamples."
            if sure >= CLEAR
            else f"{n} is the smallest number that describes the table about as well as any; "
            "others would do, too."
        )
    largest = groups["cards"][0]
    what = "rows" if study.weights is None else "weight"
    if largest.typical:
        said.append(
            f"The largest group has {largest.share} of the {what}; typical of it: "
            f"{', '.join(largest.typical[:3])}."
        )
    main = [shown(name, 40) for name in study.shares["column"][:3]]
    said.append(f"Rows differ most in {_and(main)}.")
    return said


def _and(names: list[str]) -> str:
    """Return names as they are listed in a sentence.

    Examples
    --------
    >>> _and(["a", "b", "c"]), _and(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
