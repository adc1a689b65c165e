"""What an experiment is: a list of jobs, and a report made of their results.

A job is one cell (data set x method x seed): a function of this package and plain arguments. It
knows nothing of files, workers or other cells, so any of them can fail, be repeated or be cached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from untie_paper.output.report import PaperReport

Cell = Mapping[str, Any]
"""What a job returns: numbers, text and lists of them, by name; must survive JSON."""


@dataclass(frozen=True)
class Effort:
    """How much work a run is worth.

    Attributes
    ----------
    quick : bool
        Small sets and few restarts; everything ends within two minutes.
    n_restarts : int
        Of k-means and k-modes; the run of lowest cost counts.
    n_seeds : int
        Of encoders that draw random numbers.
    """

    quick: bool = False

    @property
    def n_restarts(self) -> int:
        return 3 if self.quick else 20

    @property
    def n_seeds(self) -> int:
        return 1 if self.quick else 5

    def datasets(self, names: list[str]) -> list[str]:
        """Return those of the names that this effort covers."""
        return [name for name in names if name in QUICK] if self.quick else names


QUICK = ("zoo", "hayesroth", "hepatitis", "housevotes", "dermatology")
"""Small sets that come with the package."""


@dataclass(frozen=True)
class Job:
    """One cell.

    Attributes
    ----------
    function : callable
        A function at the top of a module; it is called with the arguments by name.
    arguments : mapping
        Numbers, text and truth values. With the function they are the cell's key, so everything
        that a result depends on is among them, and experiments may share cells.
    cost : float
        A rough number of seconds; the longest begin first.
    """

    function: Callable[..., Cell]
    arguments: Mapping[str, Any]
    cost: float = 1.0


@dataclass(frozen=True)
class Results:
    """The cells of an experiment that came out, and those that failed.

    Attributes
    ----------
    rows : list of dict
        The arguments and what the job returned, together; a job's `seconds` too.
    failures : list of dict
        The arguments and `error`, one line.
    effort : Effort
        What was asked for.
    """

    rows: list[dict[str, Any]]
    failures: list[dict[str, Any]] = field(default_factory=list)
    effort: Effort = field(default_factory=Effort)

    def frame(self) -> Any:
        """Return a pandas frame with a line for each cell."""
        import pandas as pd

        return pd.DataFrame(self.rows)


@dataclass(frozen=True)
class Experiment:
    """A table or a figure of the paper, or one beyond it.

    Attributes
    ----------
    name : str
        What the command and the files call it.
    title : str
        What a reader calls it, with its place in the paper.
    jobs : callable
        Effort -> jobs.
    report : callable
        Results -> report. Must cope with cells that are missing.
    group : {"data", "clustering", "readings", "classification", "kernels", "figures", "beyond"}
        What else asks for it: ``untie paper figures`` runs all that are in it.
    alone : bool
        Its cells measure time: they run one at a time, with nothing beside them.
    """

    name: str
    title: str
    jobs: Callable[[Effort], list[Job]]
    report: Callable[[Results], PaperReport]
    group: str
    alone: bool = False
