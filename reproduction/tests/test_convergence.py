"""Loss curves of small runs, the table made of them, and what is said of it."""

import json

import numpy as np
import pytest

from untie import UNTIE
from untie_paper import convergence as experiment
from untie_paper.convergence_figures import loss_data, share_data
from untie_paper.datasets import load
from untie_paper.fitted import quietly_fitted
from untie_paper.run.experiment import Effort, Results

FALLING = [100.0 - number for number in range(100)]  # blocks of ten steps: 100 at 10, 50 at 510


def loss_row(dataset, losses, rate=1e-3, seed=0):
    return {"dataset": dataset, "seed": seed, "learning_rate": rate, "losses": losses}


def share_row(dataset, steps, share, mean_omega=1.0, seed=0):
    return {
        "dataset": dataset,
        "seed": seed,
        "n_steps": steps,
        "share": share,
        "centred": 5 * share,
        "mean_omega": mean_omega,
        "zeros": 0.0,
    }


@pytest.fixture
def results():
    rows = [
        loss_row("crx", FALLING),
        loss_row("crx", FALLING[::2], 2e-3),
        loss_row("crx", np.repeat(FALLING, 2).tolist(), 5e-4),
        loss_row("crx", FALLING, seed=1),
        share_row("crx", 0, 0.10),
        share_row("crx", 1000, 0.04, 0.2),
        share_row("crx", 1000, 0.06, 0.4, seed=1),
        {"dataset": "crx", "solver": "exact", "exact_share": 0.09, "exact_centred": 0.4},
    ]
    return Results(rows)


def test_loss_cell_is_the_papers_curve_in_means_of_ten():
    X, y = load("hayesroth")
    cell = experiment.loss_cell("hayesroth", 3, 1e-3, 40)
    encoder = quietly_fitted(UNTIE.from_paper(y.nunique(), random_state=3, max_iter=40), X)
    expected = np.reshape(encoder.loss_curve_, (4, 10)).mean(axis=1)
    np.testing.assert_allclose(cell["losses"], expected)
    assert json.loads(json.dumps(cell)) == cell


def test_a_shorter_run_is_the_beginning_of_a_longer_one():
    short = experiment.loss_cell("hayesroth", 0, 1e-3, 30)["losses"]
    assert experiment.loss_cell("hayesroth", 0, 1e-3, 60)["losses"][:3] == short


def test_weights_shrink_and_the_share_at_no_steps_is_that_of_equal_weights():
    start, later = (experiment.share_cell("hayesroth", 0, steps) for steps in (0, 100))
    assert start["mean_omega"] == 1.0
    assert later["mean_omega"] == pytest.approx(0.9, abs=0.02)  # 100 steps of 1e-3
    assert 0 < later["share"] < 1


def test_exact_cell():
    cell = experiment.exact_cell("hayesroth", "exact")
    assert 0 < cell["exact_share"] < cell["exact_centred"] < 1


def test_jobs_have_one_seed_for_other_learning_rates():
    jobs = experiment.jobs(Effort())
    curves = [job.arguments for job in jobs if job.function is experiment.loss_cell]
    assert len(curves) == 6 * (3 + 4)
    assert all(a["seed"] == 0 for a in curves if a["learning_rate"] != 1e-3)
    assert {job.arguments["dataset"] for job in experiment.jobs(Effort(quick=True))} == {
        "hepatitis",
        "housevotes",
        "dermatology",
    }


def test_steps_to_half_of_a_curve_that_never_falls():
    assert np.isnan(experiment.steps_to_half([1.0] * 20))
    assert np.isnan(experiment.steps_to_half([]))


def test_table(results):
    line = experiment.convergence_table(results).loc["crx"]
    assert line["steps to half, rate 0.001"] == 540  # level 98 at step 50, 49 at 540
    assert line["first loss"] == 100.0
    assert line["loss at step 1,000"] == 1.0
    assert line["% unexplained, step 1,000"] == pytest.approx(5.0)
    assert line["mean omega, step 1,000"] == pytest.approx(0.3)
    assert line["% unexplained, exact"] == pytest.approx(9.0)


def test_findings(results):
    said = " ".join(experiment.report(results).findings)
    assert "the loss is 1.0 to 1.0 % of its first value" in said
    assert "the mean weight, 1 at first, is between 0.30 and" in said
    assert "number of steps is inverse to the learning rate" in said
    assert "10.0 % is unexplained at omega = 1, 5.0 % after the protocol and 9.0 %" in said
    assert "50.0 % is unexplained at omega = 1, 25.0 % after the protocol and 40.0 %" in said


def test_a_number_of_steps_that_is_the_same_for_all_rates_is_not_called_inverse():
    rows = [loss_row("crx", FALLING, rate) for rate in experiment.RATES]
    said = experiment.report(Results(rows)).findings
    assert "number of steps is not inverse to the learning rate" in said[0]


def test_data_of_the_figures(results):
    losses, shares = loss_data(results), share_data(results)
    printed = losses[losses["learning_rate"] == 1e-3]  # of seed 0 alone
    assert list(printed["step"]) == list(range(10, 1001, 10))
    assert list(printed["loss"]) == FALLING
    adam = shares[shares["step"] == 1000]
    assert list(adam["share"]) == [pytest.approx(0.05)]


def test_figures_show_what_the_data_has(results):
    losses, shares = (figure.draw(figure.data) for figure in experiment.report(results).figures)
    assert [axes.get_title() for axes in losses.axes] == ["crx"]
    curves = [line for line in shares.axes[0].lines if line.get_marker() == "o"]
    assert [line.get_xdata().tolist() for line in curves] == [[0, 1000]] * 2
    np.testing.assert_allclose([line.get_ydata() for line in curves], [[50.0, 25.0], [10.0, 5.0]])
    assert len(shares.legends[0].get_texts()) == 4


def test_missing_cells():
    assert not experiment.report(Results([])).figures
    report = experiment.report(Results([share_row("crx", 0, 0.1), loss_row("zoo", [1.0])]))
    assert not report.findings
    assert list(report.tables[0].measured.index) == ["crx"]


def test_no_two_files_have_the_same_name(results):
    report = experiment.report(results)
    names = [part.name for part in (*report.tables, *report.figures)]
    assert len(names) == len(set(names)) == 3
