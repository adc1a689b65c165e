import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score, silhouette_score

from untie import TableClusterer, TableEncoder
from untie import comparison as compare_module
from untie._learn import memory
from untie._learn.selection.choose_k import clustering_f_score
from untie._learn.selection.cluster_gain import Attributes, description_gain
from untie.cluster import KModes
from untie.comparison import METHODS, compare, compare_prepared
from untie.datasets import load


@pytest.fixture
def groups():
    """Return a table with two obvious groups, some rows the same, and the groups."""
    rng = np.random.default_rng(5)
    y = np.repeat(["a", "b"], 60)
    cells = {
        name: np.where(rng.random(120) < 0.85, np.where(y == "a", "u", "v"), "w")
        for name in ("p", "q", "r", "s")
    }
    return pd.DataFrame(cells), y


def by_method(comparison):
    return {score.method: score for score in comparison.scores}


def test_obvious_groups_are_found_by_all(groups):
    X, y = groups
    scores = by_method(compare(X, 2, y=y))
    assert list(scores) == [name for name in METHODS if name != "k-prototypes"]
    for score in scores.values():
        assert score.ari > 0.98
        assert score.f_score > 0.98
        assert score.gain > 0
        assert 0 < score.stability <= 1
        assert score.silhouette > 0.71


def test_scores_are_those_of_the_clusters(groups):
    """k-modes has one answer here, so that its clusters can be made again from outside."""
    X, y = groups
    score = by_method(compare(X, 2, y=y, methods=["k-modes"]))["k-modes"]
    labels = KModes(2, n_init=50, random_state=1).fit_predict(X)
    codes = np.column_stack([pd.factorize(X[name], sort=True)[0] for name in X])
    encoder = TableEncoder(2, preparer=None).fit(X)
    expected = description_gain(
        codes, (3, 3, 3, 3), np.ones(120), labels.astype(np.intp), Attributes(encoder.counts_).votes
    )
    assert score.gain == pytest.approx(expected)
    assert score.silhouette == pytest.approx(silhouette_score(codes, labels, metric="hamming"))
    assert score.ari == pytest.approx(adjusted_rand_score(y, labels))
    assert score.f_score == pytest.approx(clustering_f_score(y, labels))


def test_k_prototypes_compare_numbers(groups):
    X, y = groups
    rng = np.random.default_rng(1)
    numbers = {"size": np.where(y == "a", 0.0, 9.0) + rng.normal(size=120)}
    numbers["size"][3] = np.nan
    data = X.assign(size=pd.cut(numbers["size"], [-9, 2, 5, 20]).astype(str))
    given = {"y": y, "sample_weight": None, "numbers": numbers}
    scores = by_method(compare_prepared(data, 2, **given))
    assert list(scores) == list(METHODS)
    assert scores["k-prototypes"].ari > 0.95
    order = rng.permutation(120)
    turned = {**given, "y": y[order], "numbers": {"size": numbers["size"][order]}}
    asked = {"methods": ["k-prototypes"]}
    (again,) = compare_prepared(data.iloc[order], 2, **turned, **asked).scores
    (first,) = compare_prepared(data, 2, **given, **asked).scores
    assert again.gain == pytest.approx(first.gain)
    with pytest.raises(ValueError, match="the table has no column of them that was prepared; leav"):
        compare(X, 2, **asked)


def test_numbers_of_a_table_as_it_is_are_compared(groups):
    X, y = groups
    table = X.assign(size=np.where(y == "a", 0.0, 9.0) + np.linspace(-1, 1, 120))
    (score,) = compare(table, 2, y=y, methods=["k-prototypes"]).scores
    assert score.ari > 0.95


def test_parameters_are_those_of_a_user():
    known = "data n_clusters y sample_weight preparer methods n_resamples random_state"
    assert list(inspect.signature(compare).parameters) == known.split()


def test_equal_rows_have_their_mean_number():
    data, weights = [["a"], ["b"], ["a"], ["a"]], np.array([1, 1, 3, 2])
    numbers = {"x0": [1.0, np.inf, 5.0, np.nan]}
    rows = compare_module.read_rows(data, weights, None, np.random.RandomState(0), numbers)
    np.testing.assert_equal(rows.numbers[0], [4.0, np.nan])


def test_weights_are_numbers_of_rows(groups):
    X, _ = groups
    weights = np.arange(120) % 3 + 1
    weighted = compare(X, 2, sample_weight=weights, methods=["one-hot", "MCA"])
    repeated = compare(X.loc[X.index.repeat(weights)], 2, methods=["one-hot", "MCA"])
    for one, other in zip(weighted.scores, repeated.scores, strict=True):
        assert one.gain == pytest.approx(other.gain)


def test_the_order_of_the_rows_does_not_matter(groups):
    X, y = groups
    order = np.random.default_rng(0).permutation(120)
    first = compare(X, 2, y=y, methods=["TableClusterer", "k-modes"])
    second = compare(X.iloc[order], 2, y=y[order], methods=["TableClusterer", "k-modes"])
    for one, other in zip(first.scores, second.scores, strict=True):
        assert one.gain == pytest.approx(other.gain)
        assert one.ari == pytest.approx(other.ari)


def test_rows_without_an_answer_do_not_count(groups):
    X, y = groups
    holes = y.astype(object)
    holes[::7] = None
    known = np.array([answer is not None for answer in holes])
    score = by_method(compare(X, 2, y=holes, methods=["k-modes"]))["k-modes"]
    labels = KModes(2, n_init=50, random_state=1).fit_predict(X)
    assert score.ari == pytest.approx(adjusted_rand_score(y[known], labels[known]))


def test_large_tables_are_sampled(groups, monkeypatch):
    X, y = groups
    monkeypatch.setattr(compare_module, "MOST_ROWS", 50)
    monkeypatch.setattr(compare_module, "SILHOUETTE_ROWS", 20)
    result = compare(X, 2, y=y, methods=["one-hot"])
    assert result.n_rows == 50
    assert result.scores[0].ari > 0.98


def test_a_clusterer_that_is_fitted_is_the_one_compared(groups, monkeypatch):
    X, y = groups
    clusterer = TableClusterer(2, preparer=None, random_state=0).fit(X)
    given = {"y": y, "sample_weight": None, "methods": ["TableClusterer"]}
    fresh = compare_prepared(X, 2, **given)
    assert compare_prepared(X, 2, **given, clusterer=clusterer) == fresh
    monkeypatch.setattr(TableClusterer, "fit", None)  # nothing is fitted any more
    assert compare_prepared(X, 2, **given, clusterer=clusterer) == fresh
    assert compare(X, 2, methods=["one-hot"]).n_rows == len(X)


def test_untie_is_left_out_where_it_takes_long(groups, monkeypatch):
    X, _ = groups
    monkeypatch.setattr(compare_module, "UNTIE_VALUES", 11)
    result = compare(X, 2, methods=["UNTIE", "one-hot"])
    assert [score.method for score in result.scores] == ["one-hot"]
    assert result.skipped == ("UNTIE, as it takes long for 12 values",)


def test_one_hot_has_a_column_for_every_value(groups):
    X, _ = groups
    rows = compare_module.read_rows(X, None, None, np.random.RandomState(0))
    one_hot = compare_module.one_hot(rows)[rows.members]
    assert one_hot.shape == (120, 12)
    np.testing.assert_array_equal(one_hot.sum(axis=1), X.shape[1])


def test_the_frame_is_of_the_users_library(groups):
    X, _ = groups
    table = compare(pl.from_pandas(X), 2, methods=["one-hot"]).table()
    assert isinstance(table, pl.DataFrame)
    assert table.columns == ["method", "gain", "silhouette", "stability"]


def test_arrays_and_lists_of_rows():
    rows = [["red", "wine"], ["brown", "beer"]] * 20 + [["red", "beer"]]
    assert compare(rows, 2, methods=["TableClusterer", "k-modes"]).n_rows == 41


def test_progress_can_be_watched(groups):
    X, _ = groups
    seen = []

    def watch(names):
        for name in names:
            seen.append(name)
            yield name

    asked = {"y": None, "sample_weight": None, "methods": ["one-hot", "MCA"]}
    compare_prepared(X, 2, **asked, watch=watch)
    assert seen == ["one-hot", "MCA"]


def test_table_clusterer_is_the_default():
    """The gain is that of the default's clusters, up to the starts."""
    X, _ = load("zoo")
    score = by_method(compare(X, 4, methods=["TableClusterer"]))["TableClusterer"]
    encoder, labels = (
        TableEncoder(4, preparer=None).fit(X),
        TableClusterer(4, preparer=None).fit(X).labels_,
    )
    codes = np.column_stack(encoder._codes(X))
    sizes, votes = encoder.counts_.sizes, Attributes(encoder.counts_).votes
    expected = description_gain(codes, sizes, np.ones(len(X)), labels.astype(np.intp), votes)
    assert score.gain == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 1}, "n_clusters"),
        ({"n_clusters": 500}, "distinct rows, too few for 500 clusters"),
        ({"methods": ["magic"]}, "no method 'magic'"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"y": ["a"]}, "y has shape"),
    ],
)
def test_mistakes(groups, options, message):
    X, _ = groups
    with pytest.raises(ValueError, match=message):
        compare(X, **{"n_clusters": 2, **options})


def test_long_vectors_make_the_same_clusters(groups, monkeypatch):
    data, y = groups
    rng = np.random.default_rng(0)
    data = data.assign(town=[f"{a}{rng.integers(0, 40)}" for a in y])
    expected = compare(data, 2, y=y, methods=["one-hot"]).table()
    monkeypatch.setattr(memory, "LARGE", 20)
    rows = compare_module.read_rows(data, None, y, np.random.RandomState(0))
    assert sparse.issparse(compare_module._points(compare_module.one_hot(rows), rows.weights))
    found = compare(data, 2, y=y, methods=["one-hot"]).table()
    pd.testing.assert_frame_equal(found, expected)


def test_clusters_of_rows_drawn_anew_are_made_as_asked(groups, monkeypatch):
    asked = []
    fit = TableClusterer._fit_codes
    monkeypatch.setattr(
        TableClusterer,
        "_fit_codes",
        lambda self, *given: asked.append((self.n_init, self.max_iter)) or fit(self, *given),
    )
    X, _ = groups
    rows = compare_module.read_rows(X, None, None, np.random.RandomState(0))
    fitted = TableClusterer(2, preparer=None, n_init=3, max_iter=17).fit(rows.frame)
    compare_module.by_clusterer(fitted, rows, 0)(rows.weights + 1.0)
    assert asked == [(3, 17)]
