"""What decides the weights that are left: the cell, the table and what is said."""

import json

import numpy as np
import pytest

from untie_paper import convergence
from untie_paper import remainder as experiment
from untie_paper.run.experiment import Effort, Results


def row(dataset, seeds, steady, cost):
    found = {"between_seeds": seeds, "with_steadiness": steady, "with_cost": cost}
    return {"dataset": dataset, "seed": 0, "n_batches": 300, **found}


def test_steady_gradients_cost_the_weights():
    cell = experiment.remainder_cell("hayesroth", 0, 100)
    assert cell["between_seeds"] > 0.8
    assert cell["with_steadiness"] < -0.5
    assert json.loads(json.dumps(cell)) == cell


def test_costs_are_those_of_the_best_projection():
    batch = np.random.default_rng(0).random((8, 5))
    rest = np.linalg.svd(batch, compute_uv=False)[2:]
    assert experiment.costs(batch, 2).sum() == pytest.approx(np.sum(rest**2))


def test_steadiness_does_not_see_the_size_of_gradients():
    gradients = np.array([[1.0, 0.0], [1.0, 2.0], [1.0, 4.0]])
    expected = [1.0, 2 / np.sqrt(20 / 3)]
    np.testing.assert_allclose(experiment.steadiness(gradients), expected)
    np.testing.assert_allclose(experiment.steadiness(100 * gradients), expected)


def test_table_and_finding():
    rows = [row("crx", 0.9, -0.8, -0.1), row("hepatitis", 0.7, -0.2, -0.3)]
    results = Results(rows)
    (table,) = convergence.report(results).tables
    assert list(table.measured.index) == ["hepatitis", "crx"]  # the experiment's order
    assert table.measured.loc["crx", "with steadiness"] == -0.8
    (said,) = convergence.report(results).findings
    assert "correlate 0.70 to 0.90 with those of another seed, -0.80 to -0.20 with how" in said
    assert "on 1 of 2 sets steadiness is the stronger" in said


def test_jobs_are_part_of_the_convergence():
    jobs = [job for job in convergence.jobs(Effort()) if job.function is experiment.remainder_cell]
    assert len(jobs) == 6


def test_nothing_is_said_of_no_cells():
    assert experiment.findings(Results([])) == []
    assert experiment.as_table(Results([])) == []
