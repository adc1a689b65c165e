"""What the user wants of each column: a weight is a factor on its energy, 0 is as if absent."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tables import encoder_of, latent_classes
from untie import TableClusterer, TableEncoder, choose_k, count_table, load_model
from untie._learn.columns.attributes import Attributes, check_column_weights, column_factors
from untie.datasets import load
from untie.explain import (
    alike_values,
    cluster_profile,
    neighbors,
    outliers,
    weight_shares,
    why_alike,
    why_outlier,
    why_similar,
)

TABLE, CLASSES = latent_classes(150, 3, 5, 4, seed=3, purity=0.7)
OTHER = TABLE.assign(other=np.random.default_rng(0).integers(0, 6, 150).astype(str))
FIRST = OTHER[["other", *TABLE.columns]]
"""With a column that is none of our business, as the first."""


def energy_of(encoder):
    shares = weight_shares(encoder)
    return dict(zip(shares["column"], shares["share"], strict=True))


def test_a_factor_multiplies_the_energy():
    ordered = {"ordered": list(TABLE.columns)}  # where nothing is chosen
    table = TABLE.map(lambda value: int(value[1:]))
    plain = energy_of(TableEncoder(3, preparer=None, **ordered).fit(table))
    weights = {"c1": 2, "c4": 0.5}
    weighted = energy_of(
        TableEncoder(3, preparer=None, column_weights=weights, **ordered).fit(table)
    )
    ratios = {name: weighted[name] / plain[name] for name in plain}
    for name in ("c2", "c3"):
        assert ratios[name] == pytest.approx(ratios["c0"])
    assert ratios["c1"] / ratios["c0"] == pytest.approx(2)
    assert ratios["c4"] / ratios["c0"] == pytest.approx(0.5)


def test_a_factor_multiplies_the_vote_in_the_choice():
    weights = {"c1": 2, "c4": 0.5}
    encoder = TableEncoder(3, column_weights=weights, preparer=None).fit(TABLE)
    np.testing.assert_array_equal(encoder._model.attributes.votes, [1, 2, 1, 1, 0.5])
    assert encoder.gains_ != TableEncoder(3, preparer=None).fit(TABLE).gains_
    values = TableEncoder(3, column_weights={"c1": 1e6}, preparer=None).fit(TABLE)
    assert energy_of(values)["c1"] > 0.99


def test_ones_change_nothing():
    plain, ones = (
        TableEncoder(3, column_weights=weights, preparer=None).fit_transform(TABLE)
        for weights in (None, dict.fromkeys(TABLE.columns, 1))
    )
    np.testing.assert_array_equal(plain, ones)


PARAMETERS = [
    {},
    {"n_components": 4},
    {"sparse_output": True},
    {"n_clusters": None},
    {"n_clusters": "auto"},
    {"max_categories": 3},
]


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
@pytest.mark.parametrize("table", [OTHER, FIRST], ids=["last", "first"])
def test_a_passive_column_is_as_if_absent(table, parameters):
    parameters = {"n_clusters": 3, "random_state": 0, **parameters}
    without = encoder_of(**parameters).fit(TABLE)
    passive = encoder_of(**parameters, column_weights={"other": 0}).fit(table)
    assert passive.get_feature_names_out().tolist() == without.get_feature_names_out().tolist()
    one, other = passive.transform(table), without.transform(TABLE)
    if parameters.get("sparse_output"):
        one, other = one.toarray(), other.toarray()
    np.testing.assert_allclose(one, other, atol=1e-9)
    assert passive.n_clusters_ == without.n_clusters_
    assert list(passive.gains_) == list(without.gains_)
    np.testing.assert_allclose(passive.omega_, without.omega_, rtol=1e-9)
    np.testing.assert_allclose(passive.similarity(table), without.similarity(TABLE), atol=1e-9)


@pytest.mark.parametrize("name", ["zoo", pytest.param("hepatitis", marks=pytest.mark.slow)])
def test_labels_are_those_of_the_table_without_it(name):
    X, y = load(name)
    encoder = TableEncoder(column_weights={"y": 0}, preparer=None)
    for k in (3, "auto"):
        with_it = TableClusterer(k, encoder=encoder, preparer=None).fit(X.assign(y=y))
        without = TableClusterer(k, preparer=None).fit(X)
        np.testing.assert_array_equal(with_it.labels_, without.labels_)
        assert with_it.inertia_ == pytest.approx(without.inertia_)


def test_a_passive_column_is_described():
    encoder = TableEncoder(3, column_weights={"other": 0}, preparer=None).fit(OTHER)
    assert encoder.vocabulary_.columns[-1] == "other"
    assert len(encoder.categories_[-1]) == 6
    assert encoder.counts_.sizes[-1] == 6
    assert energy_of(encoder)["other"] == 0
    np.testing.assert_array_equal(encoder.value_similarity("other"), 0)
    assert "other" not in set(encoder.weights()["column"])
    assert len(encoder.value_vectors()) == sum(encoder.vocabulary_.sizes)
    clusterer = TableClusterer(3, encoder=encoder).fit(OTHER)
    assert "other" in set(cluster_profile(clusterer, OTHER)["column"])
    assert weight_shares(encoder, by="column x coupling")["share"].sum() == pytest.approx(1)
    reasons = why_similar(encoder, OTHER[:1], OTHER[1:2])
    assert len(reasons)
    assert len(alike_values(encoder))
    assert len(why_alike(encoder, "other", "1", "2"))
    assert len(neighbors(encoder, OTHER, 0, n=3))
    assert len(outliers(encoder, OTHER, n=3))


def test_nothing_is_unusual_for_a_passive_column():
    encoder = TableEncoder(3, column_weights={"other": 0}).fit(FIRST)
    found = outliers(encoder, FIRST, n=5)
    expected = outliers(TableEncoder(3).fit(TABLE), TABLE, n=5)
    pd.testing.assert_frame_equal(found, expected)
    parts = why_outlier(encoder, FIRST[:1]).set_index("column")["part"]
    assert parts["other"] == 0
    assert parts.sum() > 0
    with pytest.raises(ValueError, match="needs two columns"):
        outliers(
            TableEncoder(2, column_weights={"c0": 0}, preparer=None).fit(TABLE[["c0", "c1"]]),
            TABLE[["c0", "c1"]],
        )


def test_a_lazy_table_has_the_same_clusters():
    encoder = TableEncoder(column_weights={"other": 0}, preparer=None)
    lazy = TableClusterer(3, encoder=encoder, preparer=None).fit(pl.from_pandas(FIRST).lazy())
    np.testing.assert_array_equal(
        lazy.predict(FIRST), TableClusterer(3, preparer=None).fit_predict(TABLE)
    )


def test_no_vote_no_relevance_no_copies():
    table = OTHER.assign(again=OTHER["c0"])
    counts = count_table(table).counts
    factors = np.array([1.0, 1, 1, 1, 1, 1, 0])
    heard, without = Attributes(counts, factors), Attributes(count_table(OTHER).counts)
    np.testing.assert_allclose(heard.votes, [*without.votes, 0])
    np.testing.assert_allclose(heard.relevance[:-1], without.relevance)
    assert heard.relevance[-1] == 0
    assert Attributes(counts).votes[0] == 0.5
    assert heard.families == []


def test_other_ways_to_learn():
    weights = {"other": 0, "c0": 2}
    expected = TableEncoder(3, column_weights=weights, preparer=None).fit(OTHER)
    counted = TableEncoder(3, column_weights=weights, preparer=None).fit_counts(count_table(OTHER))
    parts = TableEncoder(3, column_weights=weights, preparer=None)
    for rows in (OTHER[:50], OTHER[50:]):
        parts.partial_fit(rows)
    lazy = TableEncoder(3, column_weights=weights, preparer=None).fit(pl.from_pandas(OTHER).lazy())
    for encoder in (counted, parts, lazy):
        np.testing.assert_allclose(encoder.transform(OTHER), expected.transform(OTHER), atol=1e-9)


def test_choose_k_does_not_see_it():
    X, y = load("zoo")
    with_it = choose_k(
        TableEncoder(column_weights={"y": 0}, preparer=None).fit(X.assign(y=y)), X.assign(y=y)
    )
    without = choose_k(TableEncoder(preparer=None).fit(X), X)
    np.testing.assert_allclose(with_it.gain, without.gain)


def test_very_many_values(monkeypatch):
    monkeypatch.setattr("untie._learn.memory.LARGE", 30)
    rng = np.random.default_rng(0)
    table = TABLE.assign(many=rng.integers(0, 40, 150).astype(str))
    wide = table.assign(other=rng.integers(0, 50, 150).astype(str))
    without = TableEncoder(3, preparer=None).fit(table)
    passive = TableEncoder(3, column_weights={"other": 0}, preparer=None).fit(wide)
    assert passive.get_feature_names_out().tolist() == without.get_feature_names_out().tolist()
    np.testing.assert_allclose(passive.similarity(wide), without.similarity(table), atol=1e-9)
    assert passive.kernel_errors()["column"].tolist() == without.kernel_errors()["column"].tolist()


def test_saved_with_the_model(tmp_path):
    weights = {"other": 0, "c0": 2.5}
    encoder = TableEncoder(3, column_weights=weights, preparer=None).fit(OTHER)
    encoder.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert again.column_weights == weights
    np.testing.assert_array_equal(again.transform(OTHER), encoder.transform(OTHER))
    np.testing.assert_array_equal(again._model.attributes.votes, encoder._model.attributes.votes)
    clusterer = TableClusterer(
        3, encoder=TableEncoder(column_weights=weights, preparer=None), preparer=None
    ).fit(OTHER)
    clusterer.save(tmp_path / "model")
    np.testing.assert_array_equal(load_model(tmp_path / "model").predict(OTHER), clusterer.labels_)


def test_columns_without_names():
    array = OTHER.to_numpy()
    by_name, by_place = (
        TableEncoder(3, column_weights=weights, preparer=None).fit_transform(array)
        for weights in ({"x5": 0}, {5: 0})
    )
    np.testing.assert_array_equal(by_name, by_place)
    np.testing.assert_allclose(
        by_name, TableEncoder(3, preparer=None).fit_transform(TABLE.to_numpy()), atol=1e-9
    )
    numbered = pd.DataFrame(array, columns=[5, 4, 3, 2, 1, 0])
    assert TableEncoder(3, column_weights={0: 0}, preparer=None).fit(
        numbered
    )._model.passive.tolist() == [False] * 5 + [True]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (["c0"], "must be a mapping"),
        ({"c0": -1}, r"column 'c0' is -1; it must be a finite number"),
        ({"c0": np.nan}, "finite"),
        ({"c0": np.inf}, "finite"),
        ({"c0": "2"}, "'2'"),
        ({"c0": True}, "True"),
        ({"c9": 2}, "There is no column 'c9' in the table, which column_weights names"),
        ({9: 2}, "There is no column '9'"),
        ({"c0": 2, 0: 3}, "names column 'c0' twice"),
        (dict.fromkeys(TABLE.columns, 0), "Every column is supplementary"),
    ],
)
def test_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        TableEncoder(3, column_weights=weights, preparer=None).fit(TABLE)


def test_factors():
    assert check_column_weights(None) == {}
    np.testing.assert_array_equal(column_factors({}, ["a", "b"]), 1)
    np.testing.assert_array_equal(column_factors({"b": 3, 0: 0.5}, ["a", "b"]), [0.5, 3])
