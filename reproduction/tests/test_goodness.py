import json

import numpy as np
import pytest

from untie_paper.datasets import load
from untie_paper.evaluation import goodness_curve
from untie_paper.fitted import fit_encoder
from untie_paper.goodness import DATASETS, EXPERIMENT, GRID, METHODS, jobs, margins, report
from untie_paper.methods import DEFAULT, DISTANCES, PAPER
from untie_paper.run.experiment import Effort, Results


def row(dataset, method, gamma, unseparated=0.0, seed=0):
    return {
        "dataset": dataset,
        "method": method,
        "seed": seed,
        "gamma": gamma,
        "unseparated": unseparated,
    }


def level(height):
    return [height] * len(GRID)


def test_untie_has_its_similarity_and_the_others_a_reversed_distance():
    table, labels = load("zoo")
    encoder = fit_encoder(DEFAULT, table, labels.nunique(), 0)
    expected = {
        DEFAULT: goodness_curve(table, labels, similarity=encoder),
        "One-hot": goodness_curve(
            fit_encoder("One-hot", table, 7, 0).transform(table), labels, distance="euclidean"
        ),
        "COS": goodness_curve(table, labels, distance=DISTANCES["COS"]().fit(table)),
    }
    for method, curve in expected.items():
        cell = margins("zoo", method, 0)
        assert cell["gamma"] == pytest.approx(curve.gamma(GRID))
        assert cell["unseparated"] == (curve.margins < 0).mean()
        assert json.loads(json.dumps(cell)) == cell


def test_jobs():
    arguments = [job.arguments for job in jobs(Effort())]
    assert {a["dataset"] for a in arguments} == set(DATASETS)
    assert {a["method"] for a in arguments} == set(METHODS)
    assert len([a for a in arguments if a["method"] == "Hamming"]) == len(DATASETS)
    assert len([a for a in arguments if a["method"] == PAPER]) == 5 * len(DATASETS)
    assert len(jobs(Effort(quick=True))) < len(arguments)


def test_the_claim_is_counted_where_a_curve_is_above_zero():
    ours = [-0.1] * 40 + [0.3] * 60
    rows = [
        row("mofn3710", PAPER, ours, 0.4),
        row("mofn3710", "CDE", [-0.2] * 60 + [0.2] * 40, 0.6),
        row("mofn3710", "COS", [-0.2] * 30 + [0.1] * 70, 0.3),
        row("mofn3710", "One-hot", level(0.9)),
    ]
    sentence = report(Results(rows)).findings[0]
    assert "highest of the paper's methods at 60 of 70 values of epsilon" in sentence
    assert "best of the others is CDE" in sentence
    assert "UNTIE 40 %, the others 30 to 60 % (the paper's text: nearly 20 %" in sentence


def test_curves_and_shares_are_means_over_seeds():
    rows = [row("crx", PAPER, level(0.1), 0.2, 0), row("crx", PAPER, level(0.3), 0.4, 1)]
    outcome = report(Results(rows))
    np.testing.assert_allclose(outcome.figures[0].data["gamma"], 0.2)
    assert outcome.tables[0].measured.loc["crx", PAPER] == pytest.approx(30)
    assert outcome.findings == ["crx: there is nothing to compare."]


def test_the_drawing_begins_where_gamma_is_zero():
    rows = [row(name, "CDE", [-0.1] * 30 + [0.2] * 70) for name in ("crx", "dermatology")]
    rows.append(row("crx", PAPER, level(-0.5)))
    figure = report(Results(rows)).figures[0]
    drawn = figure.draw(figure.data)
    assert [axes.get_title() for axes in drawn.axes] == ["dermatology", "crx"]  # as in the paper
    (line,) = drawn.axes[1].lines
    assert line.get_xdata().min() == pytest.approx(0.3)


def test_nothing_at_all_is_said_so():
    assert EXPERIMENT.report(Results([])).findings == ["No cell came out."]
