"""What came of one experiment, ready to be written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from untie_paper.output.report import PaperReport


@dataclass(frozen=True)
class Outcome:
    """An experiment's report, and how many of its cells it rests on.

    Attributes
    ----------
    name, title, group : str
        Those of the experiment.
    report : PaperReport
        Made of the cells that came out.
    n_cells : int
        How many cells were asked for.
    failures : list of dict
        The arguments of each cell that failed and `error`, one line.
    """

    name: str
    title: str
    group: str
    report: PaperReport
    n_cells: int
    failures: list[dict[str, Any]] = field(default_factory=list)
