"""Indicators of small sets, their densities, and what is said of them."""

import json

import numpy as np
import pytest

from untie_paper import couplings_density as experiment
from untie_paper.baselines import CDE
from untie_paper.datasets import load
from untie_paper.evaluation import coupling_matrices, inter_factor, inter_factors, intra_factor
from untie_paper.run.experiment import Effort, Results


def inter_row(dataset, method, value, share=0.5):
    return {"dataset": dataset, "method": method, "inter": value, "inter_share": share}


def intra_row(dataset, value, printed=0.5):
    return {"dataset": dataset, "value": value, "column": value, "printed": printed}


@pytest.fixture
def results():
    values = {"zoo": (2.0, 1.0, 0.1, 0.2), "hayesroth": (1.0, 0.5, 0.6, 0.2), "crx": (3, 2, 1, 1)}
    rows = [
        inter_row(dataset, method, value)
        for dataset, of_set in values.items()
        for method, value in zip(experiment.METHODS, of_set, strict=True)
    ]
    rows += [intra_row("zoo", 0.6), intra_row("hayesroth", 0.2, 1.5), intra_row("crx", 0.4)]
    return Results(rows)


def test_there_are_five_cells_for_each_of_25_sets():
    jobs = experiment.jobs(Effort())
    assert len(jobs) == 25 * (5 + 4)  # CDE has five seeds
    seeds = [job.arguments["seed"] for job in jobs if job.arguments.get("method") == "CDE"]
    assert seeds == list(range(5)) * 25
    assert len({job.arguments["dataset"] for job in jobs}) == 25
    assert len(experiment.jobs(Effort(quick=True))) == 25


def test_intra_cell():
    X, y = load("hayesroth")
    cell = experiment.intra_cell("hayesroth")
    assert cell["value"] == intra_factor(X, y)
    assert cell["printed"] == pytest.approx(cell["value"] * X.nunique().sum() / X.shape[1])


@pytest.mark.parametrize("method", experiment.METHODS)
def test_inter_cell_survives_json(method):
    cell = experiment.inter_cell("zoo", method)
    assert json.loads(json.dumps(cell)) == cell
    assert cell["inter"] > 0
    assert 0 < cell["inter_share"] < np.sqrt(2)


def test_share_is_the_indicator_over_the_size():
    matrices = coupling_matrices(load("hayesroth")[0])
    sizes = [np.sqrt(np.mean(np.square(of_one))) for of_one in matrices]
    expected = np.mean(inter_factors(matrices) / sizes)
    assert experiment.inter_cell("hayesroth", "UNTIE")["inter_share"] == pytest.approx(expected)


def test_share_of_couplings_that_are_all_zero_is_zero():
    cell = experiment.inter_cell("threeof9", "UNTIE")
    assert cell == {"inter": 0.0, "inter_share": 0.0}


def test_density_is_that_of_gaussians_at_the_values():
    values = np.array([0.0, 1.0, 3.0])
    points, density = experiment.density_curve(values)
    width = values.std(ddof=1) * len(values) ** (-1 / 5)
    bells = np.exp(-(((points[:, None] - values) / width) ** 2) / 2)
    np.testing.assert_allclose(density, bells.mean(axis=1) / (width * np.sqrt(2 * np.pi)))


@pytest.mark.parametrize("values", [[1.0], [2.0, 2.0]])
def test_equal_values_have_no_density(values):
    assert not len(experiment.density_curve(values)[0])


def test_table_has_the_sets_in_the_papers_order(results):
    table = experiment.indicator_table(results)
    assert list(table.index) == ["zoo", "hayesroth", "crx"]
    assert table.loc["hayesroth", "I_inter DILCA"] == 0.6
    assert table.loc["hayesroth", "I_intra (printed)"] == 1.5


def test_findings_count_what_the_paper_says(results):
    said = experiment.findings(experiment.indicator_table(results))
    assert "median of I_intra is 0.40; it is above 0.5 on 1 of 3" in said[0]
    assert "above 1 on 1 of 3" in said[1]
    # On hayesroth DILCA is above CDE.
    assert "UNTIE 2.00, CDE 1.17, DILCA 0.57, COS 0.47" in said[2]
    assert "on 2 of 3 sets" in said[2]


def test_figures_have_every_set_and_curve(results):
    report = experiment.report(results)
    intra, inter = (figure.data for figure in report.figures)
    assert (intra["kind"] == "data set").sum() == 3
    assert (intra["kind"] == "density").sum() == experiment.N_POINTS
    names = {*experiment.METHODS, *(m + experiment.SHARE for m in experiment.METHODS)}
    assert set(inter["series"]) == names
    sets = inter[(inter["series"] == "CDE") & (inter["kind"] == "data set")]
    assert dict(zip(sets["dataset"], sets["x"], strict=True)) == {
        "zoo": 1.0,
        "hayesroth": 0.5,
        "crx": 2.0,
    }


def test_figures_are_drawn(results):
    intra, inter = (figure.draw(figure.data) for figure in experiment.report(results).figures)
    assert len(intra.axes) == 1
    assert len(inter.axes) == 2
    names = [text.get_text() for text in inter.legends[0].get_texts()]
    assert names == list(experiment.METHODS)


def test_missing_cells_are_left_out():
    rows = [intra_row("zoo", 0.5), inter_row("zoo", "CDE", 1.0), inter_row("crx", "CDE", 2.0)]
    report = experiment.report(Results(rows))
    assert list(report.tables[0].measured.index) == ["zoo", "crx"]
    assert [figure.name for figure in report.figures] == [
        "intra_heterogeneity_distribution",
        "inter_heterogeneity_distribution",
    ]
    assert len(report.findings) == 2
    for figure in report.figures:
        figure.draw(figure.data)


def test_nothing_at_all_is_an_empty_report():
    report = experiment.report(Results([]))
    assert not report.findings
    assert not report.figures


def test_no_two_files_have_the_same_name(results):
    report = experiment.report(results)
    names = [part.name for part in (*report.tables, *report.figures)]
    assert len(names) == len(set(names)) == 3


def test_cde_is_the_mean_over_seeds_with_its_spread():
    rows = [
        inter_row("zoo", "CDE", value, value / 10) | {"seed": s} for s, value in enumerate([1, 3])
    ]
    results = Results([*rows, inter_row("zoo", "COS", 5.0), inter_row("crx", "CDE", 2.0)])
    found = experiment.indicator_table(results)
    assert found["I_inter CDE"].to_dict() == {"zoo": 2.0, "crx": 2.0}
    assert not any("sd" in column for column in found)
    shown = experiment.report(results).tables[0].measured
    assert shown.loc["zoo", "I_inter CDE sd"] == 1.0
    assert shown.loc["crx", "I_inter CDE sd"] == 0.0
    assert shown.loc["zoo", f"I_inter CDE{experiment.SHARE} sd"] == pytest.approx(0.1)
    place = shown.columns.get_loc("I_inter CDE")
    assert shown.columns[place + 1] == "I_inter CDE sd"


def test_cde_has_one_start_and_the_seed_of_the_cell():
    X, _ = load("zoo")
    expected = inter_factor(CDE(n_init=1, random_state=3).fit(X).coupling_matrices())
    assert experiment.inter_cell("zoo", "CDE", 3)["inter"] == expected
    assert experiment.inter_cell("zoo", "CDE", 4)["inter"] != expected
