"""What long runs end in: the cells, the table made of them, and what is said of it."""

import json

import numpy as np
import pytest

from untie import UNTIE
from untie_paper import convergence
from untie_paper import long_runs as experiment
from untie_paper.datasets import load
from untie_paper.fitted import quietly_fitted
from untie_paper.run.experiment import Effort, Results
from untie_paper.stages import build_couplings


def row(dataset="crx", seed=0, **changed):
    found = {
        "dataset": dataset,
        "seed": seed,
        "n_steps": 10_000,
        "steps_taken": 10_000,
        "first_loss": 200.0,
        "last_loss": 1e-4,
        "n_clusters": 2,
        "n_weights": 100,
        "alive": 40,
        "carrying": 30,
        "largest": 0.25,
        "trace": 0.02,
        "unexplained": 1e-5,
        "dimensions": 2,
    }
    return found | changed


@pytest.fixture
def problem():
    X, y = load("hayesroth")
    return build_couplings(UNTIE.from_paper(y.nunique()), X)


def test_the_cell_describes_the_weights_of_the_protocol():
    X, y = load("hayesroth")
    cell = experiment.long_run_cell("hayesroth", 3, 1500)
    protocol = UNTIE.from_paper(y.nunique(), random_state=3, max_iter=1500)
    encoder = quietly_fitted(protocol, X)
    features = quietly_fitted(UNTIE(y.nunique(), solver="uniform", output="full"), X).transform(X)
    similarity = (features * encoder.omega_) @ features.T
    spectrum = np.linalg.eigvalsh(similarity)[::-1]
    assert cell["alive"] == (encoder.omega_ > 0).sum() < cell["n_weights"]
    assert cell["trace"] == pytest.approx(np.trace(similarity) / np.sum(features**2))
    unexplained = spectrum[y.nunique() :].sum() / spectrum.sum()
    assert cell["unexplained"] == pytest.approx(unexplained, abs=1e-9)
    assert cell["dimensions"] == (spectrum > 1e-3 * spectrum.sum()).sum()
    assert cell["last_loss"] == pytest.approx(np.mean(encoder.loss_curve_[-100:]))
    assert cell["last_loss"] < cell["first_loss"]
    assert json.loads(json.dumps(cell)) == cell


def test_a_column_that_carries_nothing_does_not_count_as_the_largest(problem):
    energy = problem.energies()
    long, shortest = energy > 1e-3 * energy.max(), np.argmin(energy)
    omega = np.where(long, 1.0, 0.0)
    omega[shortest] = 1.2  # less than a millionth of S all the same
    left = experiment.what_is_left(problem, omega)
    assert left["alive"] == long.sum() + 1
    assert left["carrying"] == long.sum()
    assert left["largest"] == 1.0


def test_weights_of_0_leave_nothing(problem):
    left = experiment.what_is_left(problem, np.zeros(problem.n_coordinates))
    assert (left["alive"], left["largest"], left["dimensions"], left["unexplained"]) == (0, 0, 0, 0)


def test_jobs_are_part_of_the_convergence():
    wanted = [job.arguments for job in experiment.jobs(Effort())]
    assert len(wanted) == 6 * 5
    assert {arguments["n_steps"] for arguments in wanted} == {10_000}
    jobs = convergence.jobs(Effort())
    assert [job.arguments for job in jobs if job.function is experiment.long_run_cell] == wanted
    assert {job.arguments["n_steps"] for job in experiment.jobs(Effort(quick=True))} == {2000}


def test_table():
    rows = [row(), row(seed=1, alive=44, trace=0.04, last_loss=3e-4)]
    line = experiment.long_run_table(Results(rows)).loc["crx"]
    assert line["alive"] == "40 to 44"
    assert line["dimensions"] == line["n_c"] == "2"
    assert line["largest loss at last"] == "3.0e-04"
    assert line["Tr(S), % of omega = 1"] == pytest.approx(3.0)


def test_findings_of_weights_that_are_alive():
    rows = [row(), row(seed=1, alive=44, trace=0.04, dimensions=3), row("zoo", dimensions=1)]
    first, second, third = convergence.report(Results(rows)).findings
    assert "omega is 0 in none of 3 runs: 40 to 44 columns have weight" in first
    assert "Tr(S) is 2 to 4 % of that at omega = 1" in first
    assert "exactly n_c dimensions in 1 of 3 runs and fewer in 1" in second
    assert "up to 2.0 (crx)" in third


def test_findings_of_weights_that_are_gone():
    gone = row(alive=0, largest=0.0, trace=0.0, dimensions=0, unexplained=0.0)
    first = experiment.findings(Results([gone, row(seed=1)]))[0]
    assert "and omega is 0 in 1 of 2 runs" in first


def test_nothing_is_said_of_no_runs():
    assert experiment.findings(Results([])) == []
    assert experiment.as_table(Results([])) == []
