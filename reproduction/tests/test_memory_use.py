"""Peaks of memory: the cells, the exponents made of them, and what is said."""

import json

import numpy as np
import pytest

from untie_paper import complexity
from untie_paper import memory_use as experiment
from untie_paper.methods import PAPER
from untie_paper.run.experiment import Effort, Results
from untie_paper.timing import EXACT, sizes_with

KERNELS = 14


def row(method, building, learning, **sizes):
    peaks = {"building_bytes": building, "learning_bytes": learning}
    return {"method": method, **sizes_with(n_steps=10, **sizes), **peaks}


def cells(law):
    """Return made cells, in which learning takes what a law of their sizes says."""
    found = []
    for job in experiment.jobs(Effort()):
        sizes = dict(job.arguments)
        method = sizes.pop("method")
        n_omega = sizes["n_attributes"] * sizes["n_values"] * (sizes["n_gaussians"] or KERNELS)
        found.append(row(method, sizes["n_objects"], law(sizes, n_omega), **_without_steps(sizes)))
    return Results(found)


def _without_steps(sizes):
    return {name: size for name, size in sizes.items() if name != "n_steps"}


def test_the_peak_is_what_was_held_at_once():
    held, result = experiment.peak_of(lambda: np.ones(500_000).sum() + np.ones(250_000).sum())
    assert result == 750_000
    assert 4e6 <= held < 4.1e6  # the first array is gone when the second is made


def test_the_cell_sees_the_batch_and_not_the_objects():
    sizes = sizes_with(n_attributes=4, n_steps=3)
    small = experiment.memory_cell(PAPER, **sizes)
    many = experiment.memory_cell(PAPER, **{**sizes, "n_objects": 20_000})
    wide = experiment.memory_cell(PAPER, **{**sizes, "batch_size": 80})
    assert many["learning_bytes"] == pytest.approx(small["learning_bytes"], rel=0.1)
    assert many["building_bytes"] > 2 * small["building_bytes"]
    assert 3 < wide["learning_bytes"] / small["learning_bytes"] < 5
    assert json.loads(json.dumps(small)) == small


def test_the_batch_is_no_factor_of_the_exact_solver():
    jobs = [job.arguments for job in experiment.jobs(Effort())]
    assert {job["batch_size"] for job in jobs if job["method"] == EXACT} == {20}
    assert {job["batch_size"] for job in jobs if job["method"] == PAPER} == {20, 40, 80, 160, 320}
    assert {job["n_steps"] for job in jobs} == {10}


@pytest.mark.parametrize(
    ("law", "near", "nearer", "powers"),
    [
        (lambda sizes, n_omega: sizes["batch_size"] * n_omega, (3, 5), 1, ("0.00", "1.00")),
        (lambda sizes, n_omega: sizes["n_objects"] ** 2 * n_omega, (5, 3), 0, ("2.00", "0.00")),
    ],
)
def test_findings_follow_the_cells(law, near, nearer, powers):
    full, batches = formulas = list(experiment.STATED)
    said = experiment.findings(experiment.memory_data(cells(law)))
    assert f"{near[0]} of 5 exponents are within 0.3 of those of {full}" in said[0]
    assert f"{near[1]} of those of {batches}: it is nearer to {formulas[nearer]}." in said[0]
    assert f"with the objects to the power {powers[0]} and" in said[0]
    assert f"of a batch to the power {powers[1]}" in said[0]
    assert "to the power 1.00; O(n_b n_omega) has no term" in said[-1]  # as the made building does
    assert not any("kernel matrix" in finding for finding in said)


def test_more_than_stated_for_the_values_is_said():
    data = experiment.memory_data(cells(lambda sizes, _: sizes["n_values"] ** 2))
    assert "to the power 2.00, where both state 1" in experiment.findings(data)[1]


def test_memory_is_part_of_the_complexity_and_no_time():
    jobs = [job for job in complexity.jobs(Effort()) if job.function is experiment.memory_cell]
    assert len(jobs) == len(experiment.jobs(Effort()))
    results = cells(lambda sizes, n_omega: sizes["batch_size"] * n_omega)
    assert complexity.complexity_data(results).empty
    report = complexity.report(results)
    assert [table.name for table in report.tables] == ["memory"]
    line = report.tables[0].measured.loc["learning, printed protocol, by n_b, objects a batch"]
    assert line["O(n_b n_omega)"] == 1
    assert line["measured"] == pytest.approx(1.0)
    assert line["sizes"] == "80, 160, 320"


def test_missing_cells():
    assert experiment.findings(experiment.memory_data(Results([]))) == []
    assert experiment.as_table(experiment.memory_data(Results([row(PAPER, 1, 1)]))) == []
