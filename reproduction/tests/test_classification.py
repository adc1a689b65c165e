import json

import numpy as np
import pytest

from untie_paper import classification
from untie_paper.classification import CLASSIFIERS, EXPERIMENT, classify, jobs, macro_f
from untie_paper.classification_report import CLASSIFIERS as REPORTED
from untie_paper.classification_report import METHODS, PRINTED_AS, complete_means, report, tidy
from untie_paper.datasets import load
from untie_paper.evaluation import published
from untie_paper.methods import DEFAULT, PAPER
from untie_paper.off_protocol import LEFT_OUT
from untie_paper.output.grid import make_grid
from untie_paper.run.experiment import Effort, Results


def row(dataset, method, *scores):
    return {
        "dataset": dataset,
        "method": method,
        "n_splits": len(scores),
        "f_scores": {name: list(scores) for name in CLASSIFIERS},
    }


def sentence(outcome, beginning):
    (found,) = [text for text in outcome.findings if text.startswith(beginning)]
    return found


def printed_results():
    """Return results that are the paper's own, with 0 for the methods that it has not."""
    table = published("classification").set_index(["dataset", "method", "classifier"])["f_score"]
    rows = []
    for name in dict.fromkeys(table.index.get_level_values("dataset")):
        for method in METHODS:
            scores = {}
            for classifier in CLASSIFIERS:
                key = (name, method, PRINTED_AS.get(classifier, classifier))
                scores[classifier] = [float(table.get(key, 0.0))]
            rows.append({"dataset": name, "method": method, "n_splits": 1, "f_scores": scores})
    return Results(rows)


def test_a_cell_has_every_classifier_and_survives_json():
    cell = classify("hayesroth", "One-hot", n_splits=2)
    assert set(cell["f_scores"]) == set(CLASSIFIERS)
    for scores in cell["f_scores"].values():
        assert len(scores) == 2
        assert all(0 <= score <= 100 for score in scores)
    assert json.loads(json.dumps(cell)) == cell
    assert cell == classify("hayesroth", "One-hot", n_splits=2)


def test_encoders_see_the_training_rows_alone_and_no_label(monkeypatch):
    table, labels = load("zoo")
    seen = []
    fit = classification.fit_encoder

    def spy(method, rows, n_clusters, seed):
        seen.append((len(rows), rows.columns.tolist(), n_clusters))
        return fit(method, rows, n_clusters, seed)

    monkeypatch.setattr(classification, "fit_encoder", spy)
    classify("zoo", "One-hot", n_splits=1)
    n_test = int(np.ceil(0.1 * len(table)))
    assert seen == [(len(table) - n_test, table.columns.tolist(), labels.nunique())]


def test_every_classifier_is_reported():
    assert tuple(CLASSIFIERS) == REPORTED


def test_macro_f_by_hand():
    y = np.array(["a", "a", "b", "b", "c"])
    predicted = np.array(["a", "b", "b", "b", "a"])
    # a: 1 right of 2 and 2; b: 2 right of 2 and 3; c: none.
    assert macro_f(y, predicted) == pytest.approx(100 * (1 / 2 + 4 / 5 + 0) / 3)


def test_jobs_are_ten_sets_by_four_methods():
    all_jobs = jobs(Effort())
    assert len(all_jobs) == 10 * len(METHODS)
    assert {job.arguments["n_splits"] for job in all_jobs} == {20}
    assert "lymphography" in {job.arguments["dataset"] for job in all_jobs}
    quick = {job.arguments["dataset"] for job in jobs(Effort(quick=True))}
    assert quick == {"zoo", "hayesroth", "hepatitis", "housevotes"}


def test_the_papers_own_figures_give_the_papers_own_ranks():
    outcome = report(printed_results())
    ranks = outcome.tables[0]
    printed = ranks.published.dropna()
    assert printed.index.tolist() == ["SVM", "KNN", "RF", "LR"]
    np.testing.assert_allclose(ranks.measured.loc[printed.index, list(printed)], printed)
    assert ranks.published.loc["LR"].tolist() == [1.45, 1.55]
    assert outcome.findings[0].startswith("Printed means met, of 80: 80 within 0.5 points")
    tables = [table for table in outcome.tables[1:-1] if table.published is not None]
    assert len(tables) == 4  # the linear SVM's would count the same figures twice
    for table in tables:
        both = table.measured.drop(index=["mean", f"mean, {LEFT_OUT}"])
        np.testing.assert_allclose(both[list(table.published)], table.published)
    assert "(printed: UNTIE 84.0, CDE 82.5)" in sentence(outcome, "SVM:")


def test_printed_figures_stand_beside_the_measured_ones():
    table = {t.name: t for t in report(printed_results()).tables}["classification_svm"]
    assert table.published.loc["zoo"].to_dict() == {"UNTIE": 100, "CDE": 88}
    assert "mean" not in table.published.index  # no mean is printed
    assert DEFAULT not in table.published


def test_printed_deviations_stand_beside_the_measured_ones():
    table = report(printed_results()).tables[-1]
    assert table.measured.index.tolist() == table.published.index.tolist()
    assert table.measured.columns.tolist() == table.published.columns.tolist()
    assert table.measured.columns.get_level_values(0).unique().tolist() == [
        "SVM",
        "KNN",
        "RF",
        "LR",
    ]
    assert table.measured.shape == (10, 8)
    assert table.published.loc["zoo", ("SVM", "CDE sd")] == 18.33
    assert table.published.loc["soybeanlarge", ("LR", "UNTIE sd")] == 5.98
    assert np.isnan(table.published.loc["zoo", ("SVM", "UNTIE sd")])  # 100 is printed alone


def test_mean_and_deviation_of_a_cell():
    frame = tidy(Results([row("zoo", PAPER, 80.0, 90.0)]))
    knn = frame.set_index("classifier").loc["KNN"]
    assert (knn["mean"], knn["sd"], knn["n_splits"], knn["printed"]) == (85, 5, 2, 100)


def test_missing_cells_leave_sets_out_of_the_ranks_and_the_mean_unsaid():
    rows = [row("spect", method, 60.0, 60.0) for method in METHODS if method != "CDE"]
    rows += [row("zoo", method, 90.0, 80.0) for method in METHODS]
    results = Results(rows)
    assert complete_means(tidy(results), "RF").index.tolist() == ["zoo"]
    outcome = report(results)
    table = {t.name: t for t in outcome.tables}["classification_lr"].measured
    assert table.index.tolist() == ["zoo", "spect", "mean"]  # as in the paper
    assert table.loc["spect", PAPER] == 60
    assert np.isnan(table.loc["spect", "CDE"])
    assert np.isnan(table.loc["mean", "CDE"])
    assert table.loc["mean", PAPER] == 72.5
    assert "level with CDE (0 sets won, 0 lost)" in sentence(outcome, "SVM:")


def test_a_loss_is_called_a_loss():
    rows = [row("zoo", method, 50.0 if method == PAPER else 90.0) for method in METHODS]
    found = sentence(report(Results(rows)), "SVM:")
    assert "2.00 to 1.00, worse than CDE (0 sets won, 1 lost)" in found
    rows = [row("zoo", method, 90.0 if method == PAPER else 50.0) for method in METHODS]
    assert "better than CDE (1 set won, 0 lost)" in sentence(report(Results(rows)), "SVM:")


def test_the_largest_gaps_are_named_with_both_figures():
    rows = [row("mofn3710", method, 44.0) for method in METHODS]
    found = sentence(report(Results(rows)), "The largest gaps")
    assert "UNTIE with SVM on mofn3710 44.0 (100.0)" in found
    assert "KNN" in found  # the fifth, after both methods with SVM and LR


def test_the_nearer_kernel_is_named():
    cell = row("mofn3710", PAPER, 40.0)
    cell["f_scores"]["SVM (linear)"] = [95.0]
    found = sentence(report(Results([cell])), "The printed SVM figures")
    assert "60.0 points from those of the default (Gaussian) kernel and 5.0 from" in found
    assert found.endswith("nearer to the linear one.")


def test_methods_that_never_ran_leave_the_rest_to_be_reported():
    outcome = report(Results([row("zoo", "One-hot", 90.0)]))
    assert outcome.tables[0].measured.empty
    assert outcome.tables[1].measured.loc["zoo", "One-hot"] == 90


def test_nothing_at_all_is_said_so():
    assert EXPERIMENT.report(Results([])).findings == ["No cell came out."]


def test_the_set_off_the_protocol_is_marked_and_left_out_of_a_mean():
    outcome = report(printed_results())
    tables = {table.name: table for table in outcome.tables}
    for table in tables.values():
        make_grid(table)
    table = tables["classification_knn"]
    ours = [PAPER, f"{PAPER} sd"]
    assert set(table.footnotes) == {(row, name) for row in ("audiology", "mean") for name in ours}
    assert "rows in a batch (20)" in table.footnotes["audiology", PAPER]
    kept = table.measured.iloc[:10].drop(index="audiology")
    assert table.measured.loc[f"mean, {LEFT_OUT}", PAPER] == pytest.approx(kept[PAPER].mean())
    spread = tables["classification_spread"]
    assert {row for row, _ in spread.footnotes} == {"audiology"}
    assert {column for _, column in spread.footnotes} == {
        (name, f"{PAPER} sd") for name in ("SVM", "KNN", "RF", "LR")
    }
    ranks = tables["classification_ranks"]
    assert set(ranks.footnotes) == {
        (row, name) for row in ranks.measured.index for name in (PAPER, f"{PAPER}, of four")
    }
    two = [f"{name}, {LEFT_OUT}" for name in (PAPER, "CDE")]
    assert ranks.measured[two].sum(axis=1).tolist() == pytest.approx([3.0] * 5)
    assert f"Without audiology, where the protocol cannot be followed: {PAPER} " in sentence(
        outcome, "KNN"
    )


def test_without_the_set_nothing_is_marked():
    rows = [row for row in printed_results().rows if row["dataset"] != "audiology"]
    outcome = report(Results(rows))
    assert not any(table.footnotes for table in outcome.tables)
    assert not any(LEFT_OUT in str(label) for t in outcome.tables for label in t.measured.index)
    assert not any("cannot be followed" in found for found in outcome.findings)
