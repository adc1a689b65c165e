from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV

import distance_oracle as slow
from distances import DISTANCES, ahmad, cos, rough
from tables import latent_classes, small_tables
from untie import count_table
from untie._learn.selection.choose_k import clustering_f_score
from untie.cluster import KModes
from untie.datasets import load

SECOND = [("blurry", "yellow", "straight"), ("clear", "green", "slightly curled")]
SWEET = ["low", "low", "low", "low", "high", "high"]

FROM_A2_A4 = [
    (None, "000101", 6, 0.625),
    ("Ahmad", "000101", Fraction(41, 12), 0.625),
    ("COS", "000101", Fraction(275, 72), 0.625),
    ("Rough", "000111", Fraction(38, 3), 0.828571),
]

WHITE, BLACK = ("clear", "white", "slightly curled"), ("clear", "black", "slightly curled")
FROM_A1_A3 = [
    (None, "frequency", "011010", WHITE, 5),
    (None, "median", "011010", WHITE, 5),
    ("Ahmad", "frequency", "011010", WHITE, 3),
    ("Ahmad", "median", "011010", BLACK, Fraction(11, 4)),
    ("COS", "frequency", "011110", ("clear", "white", "straight"), Fraction(40, 9)),
    ("COS", "median", "011110", ("clear", "white", "straight"), Fraction(40, 9)),
    ("Rough", "frequency", "011010", WHITE, 12),
    ("Rough", "median", "011010", WHITE, 12),
]


def first_seen(table):
    """Return the values of each column in the order of the oracle: of first appearance."""
    return [list(dict.fromkeys(table[column])) for column in table]


def fit_toy(melons, starts, **parameters):
    parameters["distance"] = made(parameters.get("distance"))
    kmodes = KModes(2, init=melons.iloc[starts], categories=first_seen(melons), **parameters)
    return kmodes.fit(melons)


def made(distance):
    """Return a distance by its name."""
    return DISTANCES[distance] if isinstance(distance, str) else distance


def close(expected):
    return pytest.approx(float(expected), rel=1e-12 if isinstance(expected, Fraction) else 4e-7)


@pytest.mark.parametrize("mode", ["frequency", "median"])
@pytest.mark.parametrize(("distance", "labels", "cost", "score"), FROM_A2_A4, ids=str)
def test_oracle_from_a2_and_a4(melons, distance, labels, cost, score, mode):
    kmodes = fit_toy(melons, [1, 3], distance=distance, mode=mode)
    assert "".join(map(str, kmodes.labels_)) == labels
    assert [tuple(mode) for mode in kmodes.cluster_centers_] == SECOND
    assert kmodes.cost_ == close(cost)
    assert kmodes.inertia_ == kmodes.cost_
    assert clustering_f_score(SWEET, kmodes.labels_) == pytest.approx(score, abs=5e-7)


@pytest.mark.parametrize(("distance", "mode", "labels", "first", "cost"), FROM_A1_A3, ids=str)
def test_oracle_from_a1_and_a3(melons, distance, mode, labels, first, cost):
    kmodes = fit_toy(melons, [0, 2], distance=distance, mode=mode)
    assert "".join(map(str, kmodes.labels_)) == labels
    assert tuple(kmodes.cluster_centers_[0]) == first
    assert tuple(kmodes.cluster_centers_[1]) == ("blurry", "yellow", "curled")
    assert kmodes.cost_ == close(cost)


@pytest.mark.parametrize(
    ("distance", "cost"),
    [
        (None, 5),
        ("Ahmad", Fraction(11, 4)),
        ("COS", Fraction(7, 2)),
        ("Rough", 12),
    ],
)
def test_many_restarts_find_the_best_of_all_bipartitions(melons, distance, cost):
    kmodes = KModes(
        2, distance=made(distance), mode="median", init="random", n_init=50, random_state=0
    )
    kmodes.fit(melons)
    assert kmodes.cost_ == close(cost)
    labels = kmodes.labels_ ^ kmodes.labels_[0]
    assert labels.tolist() == [0, 1, 1, 0, 1, 0]


@pytest.mark.parametrize(("n_clusters", "starts"), [(2, [1, 3]), (3, [1, 3, 4])])
def test_cao_starts_from_the_oracle_s_rows(melons, n_clusters, starts):
    categories = first_seen(melons)
    by_name = KModes(n_clusters, init="cao", categories=categories).fit(melons)
    given_rows = KModes(n_clusters, init=melons.iloc[starts], categories=categories).fit(melons)
    assert by_name.labels_.tolist() == given_rows.labels_.tolist()


EXACT = {
    "Hamming": slow.hamming,
    "Ahmad": slow.ahmad,
    "COS": slow.cos_distance,
    "Rough": slow.rough,
}


THIRDS = pd.DataFrame(
    {
        "c0": ["v0", "v0", "v1", "v1", "v1", "v0", "v2", "v1"],
        "c1": ["v0", "v1", "v0", "v1", "v1", "v2", "v0", "v2"],
    }
)
"""A row is as far from one mode as from another, by distances that are rounded."""


@pytest.mark.parametrize("mode", ["frequency", "median"])
@given(
    name=st.sampled_from(sorted(EXACT)),
    table=small_tables(max_rows=10, max_columns=3, max_values=3, min_rows=4),
    n_clusters=st.integers(2, 3),
)
@example(name="Ahmad", table=THIRDS, n_clusters=2)
def test_as_in_plain_loops(mode, name, table, n_clusters):
    rows = [tuple(row) for row in table.to_numpy()]
    distinct = list(dict.fromkeys(rows))
    assume(len(distinct) > n_clusters)
    known = {}

    def distance(column, x, y):
        if (column, x, y) not in known:
            known[column, x, y] = EXACT[name](rows, column, x, y)
        return known[column, x, y]

    orders = [slow.values_of(rows, column) for column in range(len(rows[0]))]
    try:
        labels, modes, cost = slow.kmodes(
            rows, distinct[:n_clusters], distance, orders, mode == "median"
        )
    except AssertionError:  # an empty cluster, which is filled at random
        assume(False)
    init = [list(row) for row in distinct[:n_clusters]]
    kmodes = KModes(n_clusters, distance=made(name), init=init, mode=mode).fit(table)
    assert kmodes.labels_.tolist() == labels
    assert [tuple(mode) for mode in kmodes.cluster_centers_] == modes
    assert kmodes.cost_ == pytest.approx(float(cost), abs=1e-9)


def test_a_tie_between_medians_is_not_decided_by_rounding():
    # In the cluster of v0, v0, v0 and v2 both are at a summed distance of 3, of thirds for v0.
    table = pd.DataFrame({"c0": ["v0", "v0", "v0", "v1", "v2"]})
    kmodes = KModes(2, distance=rough, init=[["v0"], ["v1"]], mode="median").fit(table)
    assert kmodes.cluster_centers_.tolist() == [["v0"], ["v1"]]


@pytest.mark.parametrize("distance", [ahmad, cos])
def test_rows_that_no_distance_tells_apart(distance):
    # All nine-bit words: every two values occur together equally often, so all distances are 0.
    rows = list(product("01", repeat=9))
    for seed in range(3):
        kmodes = KModes(2, distance=distance, init="random", n_init=1, random_state=seed).fit(rows)
        assert kmodes.cost_ == 0
        assert sorted(np.bincount(kmodes.labels_)) == [1, 511]


@given(
    st.sampled_from(sorted(DISTANCES)),
    st.sampled_from(["huang", "random"]),
    small_tables(min_rows=6),
    st.randoms(use_true_random=False),
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_order_of_rows_does_not_matter(distance, init, table, random):
    assume(len(table.drop_duplicates()) > 2)  # two are numbered in the order of the table
    order = random.sample(range(len(table)), len(table))
    kmodes = KModes(2, distance=made(distance), init=init, n_init=3, random_state=0)
    first = clone(kmodes).fit(table)
    second = clone(kmodes).fit(table.iloc[order])
    assert first.cost_ == pytest.approx(second.cost_, abs=1e-12)
    np.testing.assert_array_equal(first.labels_[order], second.labels_)


@given(st.sampled_from(sorted(DISTANCES)), small_tables(min_rows=6, max_columns=5))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_order_of_columns_does_not_matter(distance, table):
    first = KModes(2, distance=made(distance), init="cao").fit(table)
    second = KModes(2, distance=made(distance), init="cao").fit(table[table.columns[::-1]])
    np.testing.assert_array_equal(first.labels_, second.labels_)
    np.testing.assert_array_equal(first.cluster_centers_, second.cluster_centers_[:, ::-1])


@pytest.mark.parametrize("init", ["cao", "huang", "random", "given"])
@pytest.mark.parametrize("mode", ["frequency", "median"])
@given(distance=st.sampled_from(sorted(DISTANCES)), table=small_tables(min_rows=5))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights_repeat_rows(init, mode, distance, table):
    weights = np.arange(len(table)) % 3 + 1
    start = table.iloc[:2] if init == "given" else init
    kmodes = KModes(2, distance=made(distance), init=start, mode=mode, n_init=2, random_state=0)
    weighted = clone(kmodes).fit(table, sample_weight=weights)
    repeated = clone(kmodes).fit(table.loc[table.index.repeat(weights)])
    np.testing.assert_array_equal(np.repeat(weighted.labels_, weights), repeated.labels_)
    np.testing.assert_array_equal(weighted.cluster_centers_, repeated.cluster_centers_)
    assert weighted.cost_ == repeated.cost_


def test_rows_without_weight_are_as_if_absent_but_have_a_label():
    table = [["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"], ["b", "z"], ["new", "y"]]
    kmodes = KModes(2, init="cao").fit(table, sample_weight=[1, 1, 1, 1, 1, 0])
    assert kmodes.labels_.shape == (6,)
    assert kmodes.labels_[5] == kmodes.labels_[2]
    assert "new" not in kmodes.vocabulary_.values[0]
    assert kmodes.cost_ == 1


@pytest.mark.parametrize("distance", [None, ahmad, cos])
def test_predict_gives_the_labels_again(distance):
    table, classes = latent_classes(400, 3, 8, 4, seed=1)
    kmodes = KModes(3, distance=distance, random_state=0)
    labels = kmodes.fit_predict(table)
    np.testing.assert_array_equal(kmodes.predict(table), labels)
    assert labels.dtype == np.int32
    assert clustering_f_score(classes, labels) > 0.98
    assert kmodes.predict(table.iloc[:0]).shape == (0,)
    assert kmodes.n_iter_ >= 2


def test_same_seed_same_result():
    table, _ = latent_classes(300, 4, 6, 4, seed=2, purity=0.4)
    first, second = (KModes(4, random_state=3).fit(table) for _ in range(2))
    np.testing.assert_array_equal(first.labels_, second.labels_)


def test_more_restarts_never_cost_more():
    table, _ = latent_classes(300, 6, 6, 4, seed=2, purity=0.4)
    for init in ("huang", "random"):
        costs = [
            KModes(6, init=init, n_init=n, random_state=0).fit(table).cost_ for n in (1, 5, 20)
        ]
        assert costs == sorted(costs, reverse=True)


def test_labels_are_ties_to_the_lowest():
    kmodes = KModes(2, init=[["a"], ["c"]]).fit([["a"], ["b"], ["c"], ["c"]])
    assert kmodes.labels_.tolist() == [0, 0, 1, 1]


def test_modes_are_labels_in_the_input_s_library(melons):
    frame = fit_toy(melons, [1, 3]).modes()
    assert isinstance(frame, pd.DataFrame)
    assert [tuple(row) for row in frame.to_numpy()] == SECOND
    polars = KModes(2, random_state=0).fit(pl.from_pandas(melons)).modes()
    assert isinstance(polars, pl.DataFrame)
    assert polars.shape == (2, 3)
    missing = KModes(1).fit([[1, None], [1, None], [2, "x"]])
    assert missing.cluster_centers_.tolist() == [[1, None]]
    assert missing.modes().to_numpy().tolist() == [["1", "missing"]]


def test_infrequent_values_are_taken_together():
    table = [["a"], ["a"], ["b"], ["b"], ["c"], ["d"]]
    kmodes = KModes(3, init="cao", min_frequency=2).fit(table)
    assert kmodes.labels_[4] == kmodes.labels_[5]
    assert sorted(map(repr, kmodes.cluster_centers_[:, 0])) == ["'a'", "'b'", "infrequent"]
    assert (
        kmodes.set_params(handle_unknown="infrequent_if_exist").predict([["e"]])
        == (kmodes.labels_[4])
    )


def test_unknown_values_are_neutral(melons):
    kmodes = fit_toy(melons, [1, 3], distance=ahmad)
    row = pd.DataFrame([["clear", "?", "slightly curled"]], columns=melons.columns)
    assert kmodes.predict(row).tolist() == [1]
    strict = KModes(2, init="cao", handle_unknown="error").fit(melons)
    with pytest.raises(ValueError, match=r"unknown value '\?' in column 'Color'"):
        strict.predict(row)


def test_values_outside_the_categories_are_neutral_in_fit():
    table = [["a", "x"], ["a", "?"], ["b", "y"], ["b", "y"], ["?", "y"], ["a", "x"]]
    categories = [["a", "b", "never"], ["x", "y"]]
    for mode in ("frequency", "median"):
        kmodes = KModes(2, init="cao", categories=categories, mode=mode).fit(table)
        assert kmodes.labels_[1] == kmodes.labels_[0] != kmodes.labels_[2] == kmodes.labels_[4]
        assert {tuple(mode) for mode in kmodes.cluster_centers_} == {("a", "x"), ("b", "y")}


@pytest.mark.parametrize("init", ["huang", "cao", "random", "given"])
def test_fewer_distinct_rows_than_clusters(init):
    table = [["b", "x"], ["a", "x"], ["b", "x"], ["a", "y"]]
    start = [["a", "x"]] * 5 if init == "given" else init
    with pytest.warns(ConvergenceWarning, match="3 distinct rows but 5 clusters"):
        kmodes = KModes(5, init=start, distance=ahmad).fit(table)
    assert kmodes.labels_.tolist() == [0, 1, 0, 2]
    assert kmodes.cost_ == 0
    modes = [["b", "x"], ["a", "x"], ["a", "y"], ["b", "x"], ["a", "x"]]
    assert kmodes.cluster_centers_.tolist() == modes
    exactly = KModes(3, init="cao").fit(table)  # no warning
    assert exactly.labels_.tolist() == [0, 1, 0, 2]


def test_every_cluster_has_rows():
    table, _ = latent_classes(60, 2, 4, 3, seed=0)
    for seed in range(10):
        kmodes = KModes(12, init="random", n_init=1, random_state=seed).fit(table)
        assert set(kmodes.labels_) == set(range(12))
    twice = [list(table.iloc[0])] * 3
    assert set(KModes(3, init=twice, random_state=0).fit(table).labels_) == {0, 1, 2}


def test_max_iter():
    table, _ = latent_classes(300, 4, 6, 4, seed=2, purity=0.4)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 assignments; raise it"):
        kmodes = KModes(4, init=table.iloc[:4], max_iter=1).fit(table)
    assert kmodes.n_iter_ == 1
    np.testing.assert_array_equal(kmodes.cluster_centers_, table.iloc[:4].to_numpy())


def test_a_distance_is_learned_from_the_values_as_they_are_merged(melons):
    kmodes = KModes(2, distance=ahmad, random_state=0, max_categories=2).fit(melons)
    assert [table.shape for table in kmodes.distances_] == [(2, 2)] * 3
    plain = KModes(2, distance=ahmad, random_state=0).fit(melons)
    expected = ahmad(count_table(melons).counts)
    for found, wanted in zip(plain.distances_, expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_given_modes_by_name(melons):
    start = melons.iloc[[1, 3]]
    message = r"init has the columns \('Root', .*, but the table has \('Texture', "
    for frame in (start, pl.from_pandas(start)):
        with pytest.raises(ValueError, match=message):
            KModes(2, init=frame[["Root", "Color", "Texture"]]).fit(melons)
    expected = KModes(2, init=start).fit(melons).labels_
    for same in (start.to_numpy(), start.to_numpy().tolist(), pl.from_pandas(start)):
        np.testing.assert_array_equal(KModes(2, init=same).fit(melons).labels_, expected)
    np.testing.assert_array_equal(KModes(2, init=start).fit(melons.to_numpy()).labels_, expected)


@pytest.mark.parametrize("distance", DISTANCES.values())
def test_score_is_minus_the_cost(distance):
    table, _ = load("zoo")
    weights = np.arange(len(table)) % 3
    kmodes = KModes(4, distance=distance, random_state=0).fit(table, sample_weight=weights)
    assert kmodes.score(table, sample_weight=weights) == pytest.approx(-kmodes.cost_)


def test_a_search_goes_by_the_score():
    table, _ = load("zoo")
    search = GridSearchCV(KModes(random_state=0, n_init=3), {"n_clusters": [1, 5]}, cv=2)
    assert search.fit(table).best_params_ == {"n_clusters": 5}


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_clusters": 0}, ValueError, "n_clusters must be a positive integer, got 0"),
        ({"n_clusters": 2.5}, ValueError, "n_clusters must be a positive integer, got 2.5"),
        ({"n_init": 0}, ValueError, "n_init must be a positive integer, got 0"),
        ({"max_iter": 0}, ValueError, "max_iter must be a positive integer, got 0"),
        (
            {"mode": "mean"},
            ValueError,
            r"mode must be one of \['frequency', 'median'\], got 'mean'",
        ),
        ({"init": "k-means++"}, ValueError, r"init must be one of \['huang', 'cao', 'random'\]"),
        ({"init": [["clear", "white"]]}, ValueError, r"pass a table of shape \(2, 3\)"),
        (
            {"init": [["clear", "red", "curled"]] * 2},
            ValueError,
            "init has the value 'red' in column 'Color'",
        ),
        ({"distance": "Ahmad"}, ValueError, "distance must be None, which counts mismatches, or a"),
        ({"distance": KModes}, ValueError, "distance must be None, which counts mismatches, or a"),
        ({"distance": lambda counts: [np.eye(2)]}, ValueError, r"of the shapes \[\(2, 2\)\]; for"),
        (
            {"distance": lambda counts: [np.full((n, n), np.inf) for n in counts.sizes]},
            ValueError,
            "numbers that are not finite",
        ),
        ({"handle_unknown": "drop"}, ValueError, "handle_unknown must be one of"),
        ({"min_frequency": 0}, ValueError, "min_frequency"),
    ],
)
def test_bad_parameters(melons, parameters, error, message):
    with pytest.raises(error, match=message):
        KModes(**{"n_clusters": 2, **parameters}).fit(melons)


def test_a_failed_fit_changes_nothing(melons):
    kmodes = fit_toy(melons, [1, 3])
    labels = kmodes.predict(melons)
    with pytest.raises(ValueError, match="init"):
        kmodes.set_params(init="?").fit(melons[["Color"]])
    np.testing.assert_array_equal(kmodes.predict(melons), labels)


def test_not_fitted(melons):
    uses = (
        lambda k: k.predict(melons),
        lambda k: k.score(melons),
        lambda k: k.modes(),
        lambda k: k.inertia_,
    )
    for use in uses:
        with pytest.raises(NotFittedError):
            use(KModes())
