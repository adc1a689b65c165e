import json

import numpy as np
import pandas as pd
import pytest

from untie_paper import regression
from untie_paper.baselines import MCA
from untie_paper.datasets import load
from untie_paper.methods import DEFAULT, PAPER
from untie_paper.regression import (
    EXPERIMENT,
    METHODS,
    REGRESSORS,
    TARGETS,
    Target,
    jobs,
    make_encoder,
    predict,
    report,
    take_out,
)
from untie_paper.run.experiment import Effort, Results


def row(target, method, ridge, knn):
    return {
        "dataset": target.dataset,
        "column": target.column,
        "method": method,
        "r2": {"ridge": ridge, "KNN": knn},
    }


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_targets_are_numbers_and_leave_the_table(target):
    table, labels = load(target.dataset)
    rest, numbers, n_classes = take_out(target.dataset, target.column)
    assert rest.columns.tolist() == [name for name in table if name != target.column]
    assert len(rest) == len(numbers) == (~table[target.column].isin(target.no_number)).sum()
    assert len(numbers) > 0.9 * len(table)
    assert len(np.unique(numbers)) >= 4
    assert n_classes == labels.nunique()


def test_there_are_five_targets_at_least_and_names_are_theirs_alone():
    assert len({target.name for target in TARGETS}) == len(TARGETS) >= 5


def test_rows_without_a_number_go_with_their_target(monkeypatch):
    table = pd.DataFrame({"a": ["x", "y", "z"], "n": ["1", "?", "3"]})
    monkeypatch.setattr(regression, "load", lambda name: (table, pd.Series(["p", "q", "p"])))
    monkeypatch.setattr(regression, "TARGETS", (Target("made", "n", "a number", ("?",)),))
    rest, numbers, _ = take_out("made", "n")
    assert rest["a"].tolist() == ["x", "z"]
    assert numbers.tolist() == [1.0, 3.0]


@pytest.mark.parametrize("method", ["One-hot", "MCA", DEFAULT])
def test_a_target_that_a_column_gives_away_is_predicted(monkeypatch, method):
    rng = np.random.default_rng(0)
    number = rng.integers(0, 4, 200)
    table = pd.DataFrame({"n": number.astype(str), "copy": number.astype(str)})
    table["noise"] = rng.integers(0, 2, 200).astype(str)
    monkeypatch.setattr(regression, "load", lambda name: (table, pd.Series(number > 1)))
    monkeypatch.setattr(regression, "TARGETS", (Target("made", "n", "a number"),))
    cell = predict("made", "n", method, n_splits=2)
    assert min(cell["r2"]["ridge"]) > 0.99
    assert min(cell["r2"]["KNN"]) > 0.99
    assert json.loads(json.dumps(cell)) == cell


def test_encoders_see_the_training_rows_alone_and_not_the_target(monkeypatch):
    seen = []
    fit = regression.quietly_fitted

    def spy(encoder, rows):
        seen.append((len(rows), "legs" in rows.columns))
        return fit(encoder, rows)

    monkeypatch.setattr(regression, "quietly_fitted", spy)
    predict("zoo", "legs", "One-hot", n_splits=1)
    assert seen == [(90, False)]


def test_our_default_is_told_nothing():
    assert make_encoder(DEFAULT, 7, 0).n_clusters is None
    assert make_encoder(PAPER, 7, 0).n_clusters == 7
    mca = make_encoder("MCA", 7, 0)
    assert isinstance(mca, MCA)
    assert mca.n_components is None


def test_jobs():
    assert len(jobs(Effort())) == len(TARGETS) * len(METHODS)
    quick = {job.arguments["dataset"] for job in jobs(Effort(quick=True))}
    assert quick == {"zoo", "dermatology"}


def test_means_and_ranks_over_complete_targets():
    first, second = TARGETS[:2]
    rows = [row(first, m, [0.1 * i, 0.1 * i], [0.5]) for i, m in enumerate(METHODS)]
    rows.append(row(second, PAPER, [0.9], [0.9]))
    outcome = report(Results(rows))
    ridge, knn = (table.measured for table in outcome.tables)
    assert ridge.index.tolist() == [first.name, second.name, "mean", "mean rank"]
    assert ridge.loc["mean", "MCA"] == pytest.approx(0.4)
    assert ridge.loc["mean", PAPER] == 0
    assert ridge.loc["mean rank"].tolist() == [5, 4, 3, 2, 1]
    assert knn.loc["mean rank"].tolist() == [3] * 5
    assert "over 1 target: MCA 0.400 (rank 1.00)" in outcome.findings[0]
    assert (
        "Above one-hot on 0 targets (paper's protocol) and 0 (our default)" in outcome.findings[0]
    )


def test_incomplete_results_are_shown_without_means():
    outcome = report(Results([row(TARGETS[0], PAPER, [0.5], [0.4])]))
    assert outcome.tables[0].measured.loc[TARGETS[0].name, PAPER] == 0.5
    assert "mean" not in outcome.tables[0].measured.index
    assert list(outcome.findings) == []
    assert EXPERIMENT.report(Results([])).findings == ["No cell came out."]
    assert len(outcome.tables) == len(REGRESSORS)
