"""Stated and measured exponents of made times."""

import pytest

from untie_paper import complexity as experiment
from untie_paper import memory_use, time_cost
from untie_paper.methods import PAPER
from untie_paper.run.experiment import Effort, Results
from untie_paper.timing import EXACT, sizes_with


def row(method, seconds, **sizes):
    names = ("coupling", "heterogeneity", "per_step", "total")
    return {"method": method, **sizes_with(**sizes), **dict.fromkeys(names, seconds)}


@pytest.fixture
def results():
    rows = [row(PAPER, (n / 20) ** 2.9, batch_size=n) for n in (20, 80, 160, 320)]
    rows += [row(PAPER, n / 1000, n_steps=n) for n in (250, 500)]
    rows += [row(EXACT, 5.0, n_objects=n) for n in (1000, 10_000, 100_000)]
    rows += [row(EXACT, n**4.0, n_values=n) for n in (40, 70, 100)]
    rows += [row(EXACT, 1e9, n_values=10)]  # not among the three largest
    return Results(rows)


def test_most_cells_are_those_of_the_times():
    shared = {str(job.arguments) for job in time_cost.jobs(Effort())}
    jobs = [job for job in experiment.jobs(Effort()) if job.function is not memory_use.memory_cell]
    own = [job for job in jobs if str(job.arguments) not in shared]
    assert {job.function for job in own} <= {time_cost.time_cell}
    assert [(job.arguments["batch_size"], job.arguments["n_steps"]) for job in own] == [
        (40, 1000),
        (80, 1000),
        (160, 1000),
        (320, 1000),
        (20, 250),
        (20, 500),
    ]


def test_stated_exponents_are_those_of_the_formula():
    """O(n_v + n_mv^2 n_a^2 + n_b^3 n_i + n_b n_omega n_i)."""
    spaces, printed, _ = experiment.TERMS
    assert spaces.stated["n_attributes"] == spaces.stated["n_values"] == 2
    assert printed.stated["batch_size"] == 3
    assert printed.stated["n_steps"] == printed.stated["n_attributes"] == 1


def test_exponents(results):
    data = experiment.complexity_data(results).set_index(["stage", "factor"])
    by_batch = data.loc["heterogeneity, printed protocol", "n_b, objects a batch"]
    assert by_batch["stated"] == 3
    assert by_batch["measured"] == pytest.approx(2.9)
    assert by_batch["sizes"] == "80, 160, 320"
    step = data.loc["heterogeneity, exact solver, a step"]
    assert step.loc["n_o, objects", "measured"] == pytest.approx(0.0)
    assert step.loc["n_mv, values of an attribute", "measured"] == pytest.approx(4.0)


def test_cells_of_memory_are_no_times(results):
    sizes = [sizes_with(batch_size=n) for n in (80, 160, 320)]
    peaks = [{"method": PAPER, **s, "learning_bytes": 1, "building_bytes": 1} for s in sizes]
    both = experiment.complexity_data(Results([*results.rows, *peaks]))
    assert both.equals(experiment.complexity_data(results))


def test_findings(results):
    first, second = experiment.report(results).findings
    assert "heterogeneity, exact solver, a step by n_mv, values of an attribute (4.00" in first
    assert "stated 3" in first
    assert "3 of 4 measured exponents" in first
    assert "to the power 0.00 (heterogeneity, exact solver, a step)" in second


def test_figure_and_table(results):
    report = experiment.report(results)
    figure = report.figures[0].draw(report.figures[0].data)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "heterogeneity, printed protocol",
        "heterogeneity, exact solver, a step",
    ]
    stated = figure.axes[0].lines[0].get_xdata()
    assert list(stated) == [1, 3]  # steps, then batch: from bottom to top
    assert len(report.tables[0].measured) == 4


def test_missing_cells():
    assert not experiment.report(Results([])).tables
    assert not experiment.report(Results([row(PAPER, 1.0)])).tables


def test_no_two_files_have_the_same_name(results):
    report = experiment.report(results)
    names = [part.name for part in (*report.tables, *report.figures)]
    assert len(names) == len(set(names)) == 2
