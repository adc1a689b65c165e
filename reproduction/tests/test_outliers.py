import json

import numpy as np
import pandas as pd
import pytest

from untie_paper import outliers
from untie_paper.datasets import load
from untie_paper.methods import DEFAULT, PAPER
from untie_paper.outliers import (
    BASELINE,
    DATASETS,
    DETECTORS,
    EXPERIMENT,
    METHODS,
    detect,
    jobs,
    neighbour_distance,
    rare_classes,
    rare_values,
    report,
)
from untie_paper.run.experiment import Effort, Results


def row(dataset, method, auc, classes=("a",), seed=0):
    names = [BASELINE] if method == BASELINE else list(DETECTORS)
    scores = {name: {"auc": list(auc), "ap": [a / 2 for a in auc]} for name in names}
    return {
        "dataset": dataset,
        "method": method,
        "seed": seed,
        "classes": list(classes),
        "scores": scores,
    }


def test_a_rare_class_has_its_share_and_all_the_others_stay():
    y = np.array(["a"] * 300 + ["b"] * 190 + ["c"] * 6)
    found = dict(rare_classes(y, seed=0, share=0.05, most_rows=1000))
    assert set(found) == {"a", "b"}  # six rows are too few
    for name, rows in found.items():
        assert (y[rows] == name).mean() == pytest.approx(0.05, abs=0.003)
        assert set(np.flatnonzero(y != name)) <= set(rows.tolist())
        assert (np.diff(rows) > 0).all()


def test_large_sets_are_cut_and_draws_depend_on_the_seed():
    y = np.array(["a"] * 900 + ["b"] * 900)
    first, again, other = (dict(rare_classes(y, seed, 0.05, 190)) for seed in (0, 0, 1))
    assert len(first["a"]) == 200
    assert first["a"].tolist() == again["a"].tolist() != other["a"].tolist()


@pytest.mark.parametrize("name", DATASETS)
def test_every_set_has_a_class_that_can_be_made_rare(name):
    y = load(name)[1].to_numpy()
    assert list(rare_classes(y, 0, outliers.SHARE, outliers.MOST_ROWS))


def test_rarity_by_hand():
    table = pd.DataFrame({"x": ["a", "a", "a", "b"], "y": ["p", "p", "q", "q"]})
    expected = -np.log([0.375, 0.375, 0.375, 0.125])
    np.testing.assert_allclose(rare_values(table), expected)


def test_a_row_is_not_its_own_neighbour():
    vectors = np.zeros((11, 1))
    vectors[0] = 3.0
    assert neighbour_distance(vectors, 0).tolist() == [3.0] * 11


@pytest.mark.parametrize("method", [DEFAULT, "One-hot", BASELINE])
def test_strange_rows_are_found(monkeypatch, method):
    rng = np.random.default_rng(0)
    usual = rng.choice(["a", "b"], size=(200, 6))
    strange = rng.choice(["c", "d"], size=(40, 6))
    table = pd.DataFrame(np.vstack([usual, strange])).add_prefix("x")
    labels = pd.Series(["usual"] * 200 + ["strange"] * 40)
    monkeypatch.setattr(outliers, "load", lambda name: (table, labels))
    cell = detect("made", method, 0, share=0.05, most_rows=1000)
    assert cell["classes"] == ["strange"]  # 40 rows are too few to be the usual ones
    assert json.loads(json.dumps(cell)) == cell
    assert set(cell["scores"]) == ({BASELINE} if method == BASELINE else set(DETECTORS))
    for score in cell["scores"].values():
        assert score["auc"][0] > 0.98
        assert score["ap"][0] > 0.98


def test_a_real_set_gives_every_detector_a_score_a_class():
    cell = detect("wisconsin", "One-hot", 0, share=0.05, most_rows=150)
    assert cell["classes"] == ["benign", "malignant"]
    assert all(len(score["auc"]) == 2 for score in cell["scores"].values())
    assert cell["scores"]["neighbour distance"]["auc"][1] > 0.97  # malignant rows differ


def test_jobs():
    assert len(jobs(Effort())) == 3 * len(DATASETS) * (len(METHODS) + 1)
    assert {job.arguments["dataset"] for job in jobs(Effort(quick=True))} == {"dermatology"}


def test_tables_are_means_over_classes_and_draws():
    rows = [row("crx", m, [0.6, 0.8], ("+", "-"), seed) for m in METHODS for seed in (0, 1)]
    rows += [row("crx", BASELINE, [0.5, 0.5], ("+", "-")), row("splice", PAPER, [0.9])]
    outcome = report(Results(rows))
    means, *tables = outcome.tables
    assert [table.name for table in tables] == [
        "outliers_neighbour_distance",
        "outliers_lof",
        "outliers_isolation_forest",
    ]
    assert tables[0].measured.loc["crx", PAPER] == pytest.approx(0.7)
    assert tables[0].measured.loc["mean", PAPER] == pytest.approx(0.7)  # splice is incomplete
    assert tables[0].measured.loc["mean rank"].tolist() == [2.5] * 4 + [5]
    assert means.measured.loc["LOF: average precision", PAPER] == pytest.approx(0.35)
    assert "crx 2, splice 1" in tables[0].note
    assert "on 1 set (paper's protocol) and 1 (our default)" in outcome.findings[0]


def test_missing_methods_leave_the_rest_to_be_reported():
    outcome = report(Results([row("crx", PAPER, [0.6])]))
    assert outcome.tables[1].measured.loc["crx", PAPER] == 0.6
    assert outcome.findings[0] == "neighbour distance: no data set has all methods."
    assert EXPERIMENT.report(Results([])).findings == ["No cell came out."]
