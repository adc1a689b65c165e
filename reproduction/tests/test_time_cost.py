"""Times by factor: which are asked for, exponents, and what is said of them."""

import pytest

from untie_paper import time_cost as experiment
from untie_paper.methods import PAPER
from untie_paper.run.experiment import Effort, Results
from untie_paper.timing import EXACT, sizes_with


def staged(method, coupling, heterogeneity, **sizes):
    row = {"method": method, **sizes_with(**sizes), "repeats": 5, "coupling": coupling}
    total = coupling + heterogeneity
    return {**row, "heterogeneity": heterogeneity, "total": total, "per_step": heterogeneity / 10}


def plain(method, total, **sizes):
    return {"method": method, **sizes_with(**sizes), "repeats": 5, "total": total}


@pytest.fixture
def results():
    rows = [staged(PAPER, 0.1 * n / 10, 0.9 * n / 10, n_attributes=n) for n in (10, 20, 100)]
    rows += [staged(EXACT, 0.1, 0.1, n_attributes=n) for n in (10, 20, 100)]
    rows += [staged(PAPER, 0.1, 1.9, n_objects=100_000), plain("COS", 0.5, n_objects=100_000)]
    rows += [staged(PAPER, 0.5, 1.5, n_values=n) for n in (10, 100)]
    rows += [plain("CDE", 8.0, n_values=100), plain("DILCA", 0.1, n_values=100)]
    rows += [plain("CDE", 5.0, n_attributes=100), plain("DILCA", 4.0, n_attributes=100)]
    return Results(rows)


def test_every_cell_is_asked_for_once():
    jobs = experiment.jobs(Effort())
    keys = [str(job.arguments) for job in jobs]
    assert len(keys) == len(set(keys))
    # Nine methods; objects and attributes share the default sizes, kernels only UNTIE's two.
    assert len(jobs) == 9 * (5 + 4 + 5) + 2 * 5
    assert len(experiment.jobs(Effort(quick=True))) < 60


def test_ranges_are_the_papers():
    ends = {factor: (sizes[0], sizes[-1]) for factor, sizes in experiment.NUMBERS.items()}
    assert ends == {
        "n_objects": (1000, 100_000),
        "n_attributes": (10, 100),
        "n_values": (10, 100),
        "n_gaussians": (1, 30),
    }


def test_exponents(results):
    table = experiment.report(results).tables[0].measured
    assert table.loc["UNTIE", "attributes"] == pytest.approx(1.0)
    assert table.loc["UNTIE (exact)", "attributes"] == pytest.approx(0.0)
    assert table.loc["UNTIE", "values"] == pytest.approx(0.0)
    # From 1,000 (the defaults) to 100,000 objects: from 1 s to 2 s.
    assert table.loc["UNTIE", "objects"] == pytest.approx(0.1505, abs=1e-4)


def test_milliseconds(results):
    table = experiment.report(results).tables[1].measured
    assert table.loc["attributes = 20", "UNTIE, coupling"] == pytest.approx(200.0)
    assert table.loc["values = 100", "CDE"] == pytest.approx(8000.0)


def test_findings(results):
    said = " ".join(experiment.report(results).findings)
    assert "From 1,000 to 100,000 objects, the time of the printed protocol grows 2.0 times" in said
    assert "grows with the attributes to the power 1.00" in said
    assert "Heterogeneity learning takes 75 to 95 % (UNTIE), 50 to 50 % (UNTIE (exact))" in said
    assert "At 100 values the printed protocol takes 0.25 times as long as CDE" in said
    assert "At 100 attributes the printed protocol takes 2.00 times as long as CDE" in said
    assert "kernel adds" not in said  # no such cells


def test_kernels_are_fitted_by_a_straight_line():
    rows = [staged(PAPER, 0.0, 1.0 + 0.02 * (n - 1), n_gaussians=n) for n in (1, 10, 30)]
    said = experiment.report(Results(rows)).findings
    assert said[0].startswith("Each kernel adds 2.0 % to the time with one kernel")
    assert "explains 100 % of the variance" in said[0]


def test_data_of_the_figures(results):
    stages, methods = experiment.report(results).figures
    assert set(stages.data["method"]) == {PAPER, EXACT}
    assert set(methods.data["stage"]) == {"total"}
    assert [axes.get_title() for axes in stages.draw(stages.data).axes] == [
        "by objects",
        "by attributes",
        "by values",
    ]
    panel = methods.draw(methods.data).axes[1]
    line = next(line for line in panel.lines if line.get_label() == PAPER)
    assert line.get_xdata().tolist() == [10, 20, 100]
    assert line.get_ydata().tolist() == pytest.approx([1.0, 2.0, 10.0])


def test_missing_cells():
    assert not experiment.report(Results([])).tables
    report = experiment.report(Results([plain("CDE", 1.0, n_values=10)]))
    assert not report.findings
    assert report.tables[1].measured.shape == (1, 1)
    for figure in report.figures:
        figure.draw(figure.data)


def test_no_two_files_have_the_same_name(results):
    report = experiment.report(results)
    names = [part.name for part in (*report.tables, *report.figures)]
    assert len(names) == len(set(names)) == 4
