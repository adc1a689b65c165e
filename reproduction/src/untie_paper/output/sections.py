"""Outcomes made ready for writing: every table set, every figure drawn, nothing in a format yet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from untie_paper.output.agreement import Agreement
from untie_paper.output.frames import to_csv
from untie_paper.output.grid import Grid, make_grid
from untie_paper.output.picture import Picture, draw
from untie_paper.output.report import Figure, PaperTable
from untie_paper.output.texts import MISSING
from untie_paper.run.outcome import Outcome
from untie_paper.run.worker import one_line


@dataclass(frozen=True)
class ShownTable:
    """A table with its CSV files; or, in `problem`, why it could not be set."""

    name: str
    title: str
    note: str
    grid: Grid | None = None
    csv: bytes = b""
    published_csv: bytes = b""
    problem: str = ""


@dataclass(frozen=True)
class FigureView:
    """A figure with its images and its data; or, in `problem`, why it could not be drawn."""

    name: str
    title: str
    text: str
    picture: Picture
    csv: bytes = b""
    problem: str = ""


@dataclass(frozen=True)
class PageSection:
    """One experiment.

    Attributes
    ----------
    name, title, group, n_cells, findings
        Those of the outcome.
    tables, figures : lists
        In the order of reading.
    failures : list of (str, str)
        A cell and its error.
    agreement : Agreement
        Counts over all tables.
    """

    name: str
    title: str
    group: str
    n_cells: int
    findings: list[str]
    tables: list[ShownTable] = field(default_factory=list)
    figures: list[FigureView] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)
    agreement: Agreement = field(default_factory=Agreement)

    @property
    def n_problems(self) -> int:
        """How many tables and figures could not be made."""
        problems = [table.problem for table in self.tables]
        return sum(map(bool, problems + [figure.problem for figure in self.figures]))


def make_sections(outcomes: Sequence[Outcome]) -> list[PageSection]:
    """Set all tables and draw all figures.

    Raises
    ------
    ValueError
        If a name cannot be the name of a file, or would be used for two.
    """
    _check_names([outcome.name for outcome in outcomes], "experiments")
    for outcome in outcomes:
        names = [table.name for table in outcome.report.tables]
        names += [figure.name for figure in outcome.report.figures]
        _check_names(names, f"tables and figures of {outcome.name!r}")
    return [_section(outcome) for outcome in outcomes]


def facts(record: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """List what a nested record says, one line per fact.

    Examples
    --------
    >>> list(facts({"commit": "1a2b", "versions": {"numpy": "2.0"}, "seeds": [0, 1]}))
    [('commit', '1a2b'), ('versions, numpy', '2.0'), ('seeds', '0, 1')]
    """
    for key, value in record.items():
        name = f"{above}, {key}" if above else str(key)
        if isinstance(value, Mapping):
            yield from facts(value, name)
        elif isinstance(value, list | tuple):
            yield name, ", ".join(map(str, value))
        else:
            yield name, MISSING if value is None else str(value)


def _section(outcome: Outcome) -> PageSection:
    tables = [_table(table) for table in outcome.report.tables]
    return PageSection(
        name=outcome.name,
        title=outcome.title,
        group=outcome.group,
        n_cells=outcome.n_cells,
        findings=list(outcome.report.findings),
        tables=tables,
        figures=[_figure(figure) for figure in outcome.report.figures],
        failures=[_failure(failure) for failure in outcome.failures],
        agreement=sum((view.grid.agreement for view in tables if view.grid), Agreement()),
    )


def _table(table: PaperTable) -> ShownTable:
    try:
        return ShownTable(
            table.name,
            table.title,
            table.note,
            make_grid(table),
            to_csv(table.measured),
            b"" if table.published is None else to_csv(table.published),
        )
    except Exception as error:
        return ShownTable(table.name, table.title, table.note, problem=one_line(error))


def _figure(figure: Figure) -> FigureView:
    picture, csv, problem = draw(figure), b"", ""
    try:
        csv = to_csv(figure.data)
    except Exception as error:
        problem = one_line(error)
    problem = picture.problem or problem
    return FigureView(figure.name, figure.title, figure.text, picture, csv, problem)


def _failure(failure: Mapping[str, Any]) -> tuple[str, str]:
    cell = ", ".join(f"{key}={value}" for key, value in failure.items() if key != "error")
    return cell, str(failure.get("error", "unknown"))


def _check_names(names: list[str], what: str) -> None:
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name):
            raise ValueError(
                f"{name!r} among the {what} cannot name a file; use letters, digits, - and _."
            )
    # Some file systems do not tell capitals from small letters.
    small = [name.lower() for name in names]
    twice = sorted({name for name in small if small.count(name) > 1})
    if twice:
        raise ValueError(f"The name {twice[0]!r} is there twice among the {what}; rename one.")
