"""The table of the data sets."""

from typing import Any

import pytest

from untie_paper.data import SETS, jobs, measure_data, report
from untie_paper.evaluation import published
from untie_paper.run.experiment import QUICK, Effort, Results

ZOO = {"dataset": "zoo", "n_o": 101, "n_a": 16, "n_c": 7, "n_av": 2.25, "n_mv": 6}
CRX = {"dataset": "crx", "n_o": 690, "n_a": 9, "n_c": 2, "n_av": 5.0, "n_mv": 15}


def test_sets_are_those_of_the_clustering_table() -> None:
    assert published("clustering")["dataset"].tolist() == SETS


@pytest.mark.parametrize("cell", [ZOO, CRX])
def test_a_cell_has_the_figures(cell: dict[str, Any]) -> None:
    figures = {name: number for name, number in cell.items() if name != "dataset"}
    assert measure_data(cell["dataset"]) == figures


def test_a_job_a_set() -> None:
    assert [job.arguments["dataset"] for job in jobs(Effort())] == SETS
    assert {job.arguments["dataset"] for job in jobs(Effort(quick=True))} == set(QUICK)


def test_report_finds_no_difference_where_there_is_none() -> None:
    found = report(Results([CRX, ZOO]))
    assert found.findings == ("All five figures are as printed for 2 of 2 data sets.",)
    (table,) = found.tables
    assert table.measured.index.tolist() == ["zoo", "crx"]
    assert (table.measured == table.published).all(axis=None)


def test_report_names_what_differs() -> None:
    found = report(Results([ZOO | {"n_o": 100}, CRX]))
    assert found.findings == (
        "All five figures are as printed for 1 of 2 data sets; not for zoo (n_o is 100, "
        "printed 101).",
    )


def test_rounding_is_no_difference() -> None:
    row = {"dataset": "hepatitis", "n_o": 155, "n_a": 13, "n_c": 2, "n_av": 36 / 13, "n_mv": 3}
    assert "1 of 1" in report(Results([row])).findings[0]


def test_report_of_nothing() -> None:
    assert report(Results([])).findings == ("No data set could be read.",)
