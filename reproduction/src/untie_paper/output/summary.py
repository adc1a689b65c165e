"""What stands above everything else, the same in every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from untie_paper.output.agreement import Agreement
from untie_paper.output.grid import ABOVE, BELOW, DIFFERENT
from untie_paper.output.sections import PageSection
from untie_paper.output.words import many

TITLE = "The paper's evaluation, measured again"

QUICK = "This was a quick run, on small data sets with few restarts: no evidence for or against."

LEGEND = (
    f"Marked: {ABOVE} the measured figure is higher than the published one by more than the "
    f"table's bound, {BELOW} it is lower, {DIFFERENT} the words differ. To the digit: the same in "
    "all decimals shown; of two or more, the last may be one apart. Close: within the table's "
    "bound, 0.5 unless it says otherwise."
)


def lead(sections: Sequence[PageSection], provenance: Mapping[str, Any]) -> str:
    """Say in a few sentences what there is and how much of it agrees."""
    if not sections:
        return "No experiment was run."
    n_cells = sum(section.n_cells for section in sections)
    n_failed = sum(len(section.failures) for section in sections)
    failed = f"{n_failed} of them failed" if n_failed else "none failed"
    shared = "" if len(sections) == 1 else ", those that several share counted in each"
    text = f"{QUICK} " if _is_quick(provenance) else ""
    text += f"{many(len(sections), 'experiment')} with {many(n_cells, 'cell')}{shared}; {failed}."
    n_problems = sum(section.n_problems for section in sections)
    if n_problems:
        text += f" Tables and figures that could not be made: {n_problems}."
    total = sum((section.agreement for section in sections), Agreement())
    if not total.compared:
        return text
    return (
        f"{text} Of {many(total.compared, 'measured figure')} published as well: "
        f"{total.to_the_digit} to the digit, {total.close} close."
    )


def summary_rows(sections: Sequence[PageSection]) -> tuple[list[str], list[list[str]]]:
    """Return headings and a row of counts for each experiment."""
    headings = ["cells", "failed", "compared", "to the digit", "close"]
    rows = []
    for section in sections:
        found = section.agreement
        agreeing = [found.compared, found.to_the_digit, found.close]
        counts = [section.n_cells, len(section.failures)]
        rows.append([*map(str, counts), *(map(str, agreeing) if found.compared else [""] * 3)])
    return headings, rows


def _is_quick(provenance: Mapping[str, Any]) -> bool:
    settings = provenance.get("settings")
    return isinstance(settings, Mapping) and settings.get("effort") == "quick"
