"""What the paper derives from its tables follows from the tables as they are stored."""

from importlib.resources import files

import pytest

from untie_paper.datasets import names
from untie_paper.evaluation import (
    average_ranks,
    bonferroni_dunn,
    friedman,
    published,
    published_names,
)

METHODS = [
    "UNTIE",
    "Couplings",
    "CDE",
    "COS",
    "Ahmad",
    "DILCA",
    "Rough",
    "Hamming",
    "BiGAN_WD",
    "VAE_WD",
]


@pytest.fixture
def scores():
    return published("clustering").set_index("dataset")[METHODS]


@pytest.fixture
def tests():
    return published("clustering_tests").set_index("quantity")["value"]


def test_ranks_of_the_methods(scores):
    printed = published("clustering_ranks").set_index("method")["average_rank"]
    assert list(printed.index) == METHODS
    assert average_ranks(scores).round(10).tolist() == printed.tolist()


def test_friedman_and_the_critical_difference(scores, tests):
    test = friedman(scores)
    assert round(test.chi2, 2) == tests["chi2"] == 83.21
    assert f"{test.p_value:.2e}" == f"{tests['p_value']:.2e}" == "3.71e-14"
    assert test.chi2 == pytest.approx(83.2125, abs=1e-4)
    difference = bonferroni_dunn(10, 25, tests["alpha"])
    assert round(difference, 2) == tests["critical_difference"] == 2.17


def test_without_tie_correction(scores):
    test = friedman(scores, tie_correction=False)
    assert test.chi2 == pytest.approx(82.3047, abs=1e-4)
    assert test.f == pytest.approx(13.843, abs=1e-3)


def test_which_methods_differ(scores):
    ranks = dict(zip(METHODS, average_ranks(scores), strict=True))
    difference = bonferroni_dunn(10, 25, 0.1)
    differ = {name for name, rank in ranks.items() if rank - ranks["UNTIE"] > difference}
    assert differ == {"Hamming", "Rough", "COS", "BiGAN_WD", "VAE_WD"}


def test_gain_over_the_other_methods(scores):
    # 0 unless UNTIE is best of all; then over the best of the others but Couplings.
    others = scores[METHODS[2:]].max(axis=1)
    gain = (100 * (scores["UNTIE"] - others) / others).round(2)
    gain[scores["UNTIE"] < scores.max(axis=1)] = 0.0
    printed = published("clustering").set_index("dataset")["delta"]
    assert gain.tolist() == pytest.approx(printed.tolist(), abs=1e-9)
    assert (printed > 0).sum() == 10


def test_ranks_of_the_classifiers():
    table = published("classification")
    printed = published("classification_ranks").set_index(["classifier", "method"])["average_rank"]
    for classifier, rows in table.groupby("classifier"):
        wide = rows.pivot(index="dataset", columns="method", values="f_score")
        assert len(wide) == 10
        for method, rank in zip(wide.columns, average_ranks(wide), strict=True):
            assert round(rank, 10) == printed[classifier, method]


def test_classification_is_complete():
    table = published("classification")
    assert len(table) == 80
    assert set(table["dataset"]) <= set(names())
    # A deviation is left out exactly where all 20 samples give 100.
    assert (table["std"].isna() == (table["f_score"] == 100)).all()


def test_clustering_has_the_data_sets_of_the_data_table():
    assert published("clustering")["dataset"].tolist() == names()[:-1]  # all but lymphography


def test_kernel_sets():
    table = published("kernels")
    sizes = table.groupby("set").size()
    assert sizes.to_dict() == {"F1": 7, "F2": 11, "F3": 2, "F4": 3, "F5": 9, "F6": 14}
    parts = {
        name: set(zip(rows["kernel"], rows["parameter"], strict=True))
        for name, rows in table.groupby("set")
    }
    assert parts["F5"] == parts["F1"] | parts["F3"]
    assert parts["F6"] == parts["F2"] | parts["F4"]
    assert max(p for k, p in parts["F6"] if k == "gaussian") == 2**5


def test_every_table():
    for name in published_names():
        assert len(published(name)) > 0


def test_unknown_table():
    with pytest.raises(ValueError, match=r"no table 'retrieval'; choose among .*clustering"):
        published("retrieval")


def test_tables_lie_inside_the_package():
    stored = {entry.name for entry in (files("untie_paper.evaluation") / "data").iterdir()}
    assert stored == {f"{name}.csv" for name in published_names()}
