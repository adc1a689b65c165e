"""The table of the 25 data sets: counted from the data, beside the printed figures."""

from __future__ import annotations

from typing import Any

from untie_paper.datasets import Figures, measure, source
from untie_paper.datasets import printed_figures as printed
from untie_paper.output.report import PaperReport, PaperTable
from untie_paper.run.experiment import Cell, Effort, Experiment, Job, Results

SETS: list[str] = [name for name, figures in printed().items() if figures.n_o is not None]
"""The paper's data sets, in its order."""

TITLE = "Characteristics of the 25 categorical data sets (the paper's Table 3)"
CLOSE = 0.005
"""Means are printed with two decimals."""

NOTE = (
    "Objects, attributes, classes, mean and largest number of values of an attribute. "
    "A missing cell is a value of its own."
)


def measure_data(dataset: str) -> Cell:
    """Count rows, attributes, classes and values of a data set.

    Examples
    --------
    >>> measure_data("zoo")
    {'n_o': 101, 'n_a': 16, 'n_c': 7, 'n_av': 2.25, 'n_mv': 6}
    """
    return measure(source(dataset).read(dataset, None))._asdict()


def jobs(effort: Effort) -> list[Job]:
    """Return one job per data set."""
    return [Job(measure_data, {"dataset": name}, cost=0.2) for name in effort.datasets(SETS)]


def report(results: Results) -> PaperReport:
    """Set the measured figures beside the printed ones."""
    measured, paper = _table(results.rows), _printed()
    if measured.empty:
        return PaperReport(("No data set could be read.",))
    table = PaperTable(
        "data",
        TITLE,
        measured,
        paper.loc[measured.index],
        close=CLOSE,
        note=NOTE,
    )
    return PaperReport((_finding(measured, paper),), (table,))


def _table(rows: list[dict[str, Any]]) -> Any:
    """Return the measured figures, one row per data set, in the paper's order."""
    import pandas as pd

    found = {row["dataset"]: {name: row[name] for name in Figures._fields} for row in rows}
    names = pd.Index([name for name in SETS if name in found], name="data set")
    return pd.DataFrame([found[name] for name in names], names, list(Figures._fields))


def _printed() -> Any:
    """Return the printed figures of the paper's data sets."""
    import pandas as pd

    figures = [printed()[name] for name in SETS]
    return pd.DataFrame(figures, pd.Index(SETS, name="data set"), list(Figures._fields))


def _finding(measured: Any, paper: Any) -> str:
    different = []
    for name, row in measured.iterrows():
        gaps = [
            f"{figure} is {row[figure]:g}, printed {paper.loc[name, figure]:g}"
            for figure in Figures._fields
            if abs(row[figure] - paper.loc[name, figure]) > CLOSE
        ]
        different += [f"{name} ({', '.join(gaps)})"] if gaps else []
    n_same = len(measured) - len(different)
    text = f"All five figures are as printed for {n_same} of {len(measured)} data sets"
    return f"{text}; not for {'; '.join(different)}." if different else f"{text}."


EXPERIMENT = Experiment("data", TITLE, jobs, report, group="data")
