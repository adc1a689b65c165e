"""Maps of a small set, the measures beside them, and what is said of both."""

import json

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from untie_paper import maps as experiment
from untie_paper.datasets import load
from untie_paper.evaluation import precision_at_k
from untie_paper.fitted import fit_encoder
from untie_paper.run.experiment import Effort, Results

ARGUMENTS = {"dataset": "zoo", "seed": 0, "perplexity": 10, "n_neighbours": 5}


def row(method, silhouette, precision, seed=0, with_map=True):
    cell = {"method": method, "seed": seed, "silhouette": silhouette, "precision": precision}
    points = {"first": [0.0, 1.0, 2.0], "second": [3.0, 4.0, 5.0], "classes": ["a", "b", "a"]}
    return {**cell, "chance": 0.25, **(points if with_map else {})}


@pytest.fixture
def results():
    return Results(
        [
            row("UNTIE", 0.30, 0.90),
            row("UNTIE", 0.40, 0.94, seed=1, with_map=False),
            row("UNTIE (default)", 0.05, 0.95),
            row("CDE", 0.10, 0.80),
            row("BiGAN_WD", 0.20, 0.60),
        ]
    )


def test_measures_are_those_of_the_vectors():
    X, y = load("zoo")
    vectors = fit_encoder("One-hot", X, 7, 0).transform(X)
    cell = experiment.map_cell(method="One-hot", with_map=True, **ARGUMENTS)
    assert cell["silhouette"] == pytest.approx(silhouette_score(vectors, y))
    assert cell["precision"] == pytest.approx(precision_at_k(vectors, y, 5))
    assert cell["chance"] == pytest.approx(np.square(y.value_counts() / 101).sum())
    assert len(cell["first"]) == len(cell["second"]) == len(cell["classes"]) == 101
    assert json.loads(json.dumps(cell)) == cell


def test_a_map_brings_objects_of_a_class_together():
    cell = experiment.map_cell(method="UNTIE (default)", with_map=True, **ARGUMENTS)
    points = np.array([cell["first"], cell["second"]]).T
    assert precision_at_k(points, cell["classes"], 5) > 2 * cell["chance"]


def test_only_the_first_seed_is_mapped():
    jobs = experiment.jobs(Effort())
    assert len(jobs) == 20
    assert [job.arguments["seed"] for job in jobs if job.arguments["with_map"]] == [0] * 4
    quick = {job.arguments["method"] for job in experiment.jobs(Effort(quick=True))}
    assert quick == {"UNTIE", "UNTIE (default)", "CDE"}


def test_table_has_means_over_seeds(results):
    table = experiment.separation_table(results)
    assert list(table.index) == list(experiment.METHODS)
    assert table.loc["UNTIE", "silhouette"] == pytest.approx(0.35)
    assert table.loc["UNTIE", "silhouette, sd"] == pytest.approx(0.05)
    assert table.loc["UNTIE", "seeds"] == 2


def test_findings(results):
    said = experiment.report(results).findings
    assert "by chance: 25.0" in said[0]
    assert "UNTIE: silhouette 0.35, precision@10 92.0" in said[0]
    assert "UNTIE has both measures above those of CDE and BiGAN_WD (compared:" in said[1]
    assert "UNTIE (default) has both measures above those of no other" in said[2]


def test_data_and_drawing(results):
    figure = experiment.report(results).figures[0]
    assert len(figure.data) == 12
    assert list(figure.data["class"][:3]) == ["a", "b", "a"]
    drawn = figure.draw(figure.data)
    assert [axes.get_title() for axes in drawn.axes] == list(experiment.METHODS)
    points = drawn.axes[0].collections[0].get_offsets()
    assert points.tolist() == [[0.0, 3.0], [2.0, 5.0]]


def test_missing_cells():
    assert not experiment.report(Results([])).tables
    report = experiment.report(Results([row("CDE", 0.1, 0.8, with_map=False)]))
    assert not report.figures
    assert len(report.findings) == 1


def test_no_two_files_have_the_same_name(results):
    report = experiment.report(results)
    names = [part.name for part in (*report.tables, *report.figures)]
    assert len(names) == len(set(names)) == 2
