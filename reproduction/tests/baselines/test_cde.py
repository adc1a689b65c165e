"""CDE against its definition in plain loops, and against the oracle of the toy table."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from sklearn.metrics import normalized_mutual_info_score

from tables import latent_classes, small_tables
from untie import count_table
from untie_paper.baselines import CDE
from untie_paper.baselines._cde import co_occurrence, occurrence
from untie_paper.baselines._k_means import best_partition, squared_distances
from untie_paper.baselines._value_clusters import cluster_indicators, principal_components
from untie_paper.datasets import load

NAMES = ["clear", "blurry", "white", "yellow", "green", "black", "straight", "curled", "slightly"]
VALUES = [NAMES[:2], NAMES[2:6], NAMES[6:]]
h, t, u = 1 / 2, 1 / 3, 2 / 3
CO_OCCURRENCE = [
    (1, 0, t, 0, t, t, t, 0, u),
    (0, 1, 0, u, t, 0, t, u, 0),
    (1, 0, 1, 0, 0, 0, 1, 0, 0),
    (0, 1, 0, 1, 0, 0, h, h, 0),
    (h, h, 0, 0, 1, 0, 0, h, h),
    (1, 0, 0, 0, 0, 1, 0, 0, 1),
    (h, h, h, h, 0, 0, 1, 0, 0),
    (0, 1, 0, h, h, 0, 0, 1, 0),
    (1, 0, 0, 0, h, h, 0, 0, 1),
]
PLAIN = {
    "clear-blurry": 1,
    "clear-white": 1.370663,
    "clear-yellow": 0.685331,
    "clear-straight": 0.773706,
    "white-clear": 0.152296,
    "white-yellow": 0.5,
    "white-straight": 0.262126,
    "yellow-white": 2,
    "yellow-straight": 0.524252,
    "straight-clear": 0.343869,
    "straight-white": 1.048505,
}
REFERENCE = {
    "clear-yellow": 1.5,
    "clear-curled": 1.5,
    "blurry-white": 3,
    "white-blurry": 1 / 3,
    "yellow-clear": 2 / 3,
    "green-straight": 1,
}
# matrix, number of clusters, inertia, clusters (of the values' numbers) without the last, dropped
PARTITIONS = [
    ("co-occurrence", 2, 6.130556, ["clear white black slightly"], 0),
    ("co-occurrence", 3, 2.976852, ["clear green black slightly", "blurry yellow curled"], 0),
    ("co-occurrence", 4, 1.611111, ["clear black slightly", "blurry yellow curled", "green"], 1),
    (
        "co-occurrence",
        5,
        1.111111,
        ["clear black slightly", "blurry yellow curled", "white", "green"],
        3,
    ),
    ("plain", 2, 4.026267, ["yellow green"], 0),
    ("plain", 3, 1.528929, ["white black", "yellow green"], 0),
    ("plain", 4, 0.0, ["clear blurry", "white black", "yellow green"], 0),
    ("reference", 2, 7.947365, ["blurry"], 2),
]
DISTANCES = {
    "reference": [15, 20, 12, 18, 12, 5, 19, 9, 23, 20, 4, 24, 16, 4, 20],
    "plain": [21, 26, 18, 24, 12, 5, 19, 9, 29, 20, 4, 30, 16, 10, 26],
}


@pytest.fixture
def table(melons):
    return melons.replace("slightly curled", "slightly")


@pytest.fixture
def matrices(table):
    counts = count_table(table, categories=VALUES).counts
    return {
        "co-occurrence": co_occurrence(counts),
        "plain": occurrence(counts, "plain"),
        "reference": occurrence(counts, "reference"),
    }


def indicators_of(encoder):
    return np.hstack(encoder.clusterings_)


def all_indicators(matrix, *settings):
    return np.hstack([np.zeros((len(matrix), 0)), *cluster_indicators(matrix, *settings)])


def entry(matrix, pair):
    first, second = pair.split("-")
    return matrix[NAMES.index(first), NAMES.index(second)]


class TestMatrices:
    def test_of_the_toy_table(self, matrices):
        np.testing.assert_allclose(matrices["co-occurrence"], CO_OCCURRENCE)
        for pair, expected in PLAIN.items():
            assert entry(matrices["plain"], pair) == pytest.approx(expected, abs=1e-6), pair
        for pair, expected in REFERENCE.items():
            assert entry(matrices["reference"], pair) == pytest.approx(expected, abs=1e-6), pair

    def test_the_variants_differ_only_where_values_never_meet(self, matrices):
        differ = ~np.isclose(matrices["plain"], matrices["reference"])
        assert not differ[np.array(CO_OCCURRENCE) > 0].any()
        assert differ.any()

    @given(table=small_tables())
    def test_equal_the_definition(self, table):
        rows = table.to_numpy().tolist()
        values = [(j, v) for j in range(len(rows[0])) for v in sorted({r[j] for r in rows})]
        n = len(rows)

        def p(*pairs):
            return sum(all(row[j] == v for j, v in pairs) for row in rows) / n

        def rho(j, k):
            first, second = [row[j] for row in rows], [row[k] for row in rows]
            if len(set(first)) == 1 or len(set(second)) == 1:
                return 0.0  # scikit-learn says 1 for two constants
            return normalized_mutual_info_score(first, second)

        counts = count_table(table).counts
        together, plain = co_occurrence(counts), occurrence(counts, "plain")
        reference = occurrence(counts, "reference")
        for a, first in enumerate(values):
            for b, second in enumerate(values):
                same = first[0] == second[0]
                meet = p(first, second)
                dependence = 1.0 if same else rho(first[0], second[0])
                assert together[a, b] == pytest.approx(meet / p(first))
                assert plain[a, b] == pytest.approx(dependence * p(first) / p(second), abs=1e-9)
                dependence = dependence if meet else 1.0
                assert reference[a, b] == pytest.approx(dependence * p(first) / p(second), abs=1e-9)


class TestClusters:
    @pytest.mark.parametrize(("name", "n_clusters", "inertia", "clusters", "dropped"), PARTITIONS)
    def test_reach_the_best_partition(self, matrices, name, n_clusters, inertia, clusters, dropped):
        rows, counts = np.unique(matrices[name].round(10), axis=0, return_counts=True)
        weights = counts.astype(float)
        random_state = np.random.RandomState(0)
        _, reached = best_partition(squared_distances(rows), weights, n_clusters, 100, random_state)
        assert reached == pytest.approx(inertia, abs=1e-6)

        indicators = all_indicators(matrices[name], 10, 100, random_state)
        first = sum(k - lost for _, k, _, _, lost in self.earlier(name, n_clusters))
        columns = indicators[:, first : first + n_clusters - dropped]
        found = {frozenset(np.array(NAMES)[column == 1]) for column in columns.T}
        expected = {frozenset(names.split()) for names in clusters}
        expected.add(frozenset(NAMES) - frozenset().union(*expected))
        kept = {names for names in expected if 1 < len(names) < len(NAMES) - 1}
        assert found == kept
        assert n_clusters - len(kept) == dropped

    @staticmethod
    def earlier(name, n_clusters):
        return [case for case in PARTITIONS if case[0] == name and case[1] < n_clusters]

    @pytest.mark.parametrize(("name", "last"), [("co-occurrence", 5), ("plain", 4)])
    def test_stop_where_too_many_are_dropped_or_rows_are_equal(self, matrices, name, last):
        indicators = all_indicators(matrices[name], 10, 100, np.random.RandomState(0))
        lost = sum(case[-1] for case in PARTITIONS if case[0] == name)
        assert indicators.shape[1] == sum(range(2, last + 1)) - lost

    @given(table=small_tables(), seed=st.integers(0, 100))
    def test_equal_rows_are_in_equal_clusters_and_none_is_trivial(self, table, seed):
        matrix = occurrence(count_table(table).counts, "plain")
        indicators = all_indicators(matrix, 10, 2, np.random.RandomState(seed))
        sizes = indicators.sum(axis=0)
        assert ((sizes > 1) & (sizes < len(matrix) - 1)).all()
        for a, b in zip(*np.nonzero(squared_distances(matrix) < 1e-18), strict=True):
            np.testing.assert_array_equal(indicators[a], indicators[b])

    def test_a_larger_alpha_stops_no_later(self):
        matrix = co_occurrence(count_table(load("zoo")[0]).counts)
        widths = [
            all_indicators(matrix, alpha, 5, np.random.RandomState(0)).shape[1]
            for alpha in (1.5, 3, 10)
        ]
        assert widths == sorted(widths, reverse=True)
        assert widths[0] > widths[-1]


class TestComponents:
    @given(seed=st.integers(0, 2**32 - 1))
    def test_keep_all_distances(self, seed):
        rng = np.random.default_rng(seed)
        n_values, n_columns = rng.integers(1, 12), rng.integers(0, 20)
        indicators = rng.integers(0, 2, (n_values, n_columns)).astype(float)
        components = principal_components(indicators, 1e-10)
        assert components.shape[1] <= max(1, min(indicators.shape))
        np.testing.assert_allclose(
            pdist(components, "sqeuclidean"),
            pdist(indicators, "sqeuclidean") if n_columns else 0.0,
            atol=1e-9,
        )

    def test_large_beta_drops_small_components(self):
        indicators = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 1.0]])
        ranges = np.ptp(principal_components(indicators, 0.0), axis=0)
        kept = principal_components(indicators, float(ranges[1]) + 1e-9)
        assert kept.shape[1] == 1
        np.testing.assert_array_equal(principal_components(indicators, 99.0), np.zeros((4, 1)))


class TestEncoder:
    @pytest.mark.parametrize("variant", DISTANCES)
    @pytest.mark.parametrize("seed", range(5))
    def test_distances_of_the_toy_table(self, table, variant, seed):
        # Of the starts for two clusters only one in ten leads to the best.
        X = CDE(variant=variant, n_init=100, random_state=seed).fit_transform(table)
        np.testing.assert_allclose(pdist(X, "sqeuclidean"), DISTANCES[variant])

    def test_sizes_and_eigenvalues_of_the_toy_table(self, table):
        encoder = CDE(n_init=100, random_state=0).fit(table)
        assert indicators_of(encoder).shape == (9, 10)
        assert encoder.transform(table).shape == (6, 12)
        expected = [1.533405, 0.656967, 0.236824, 0.045026]
        np.testing.assert_allclose(encoder.explained_variance_, expected, atol=1e-6)
        plain = CDE(variant="plain", n_init=100, random_state=0).fit(table)
        assert indicators_of(plain).shape == (9, 19)
        assert plain.explained_variance_.shape == (7,)

    def test_a_row_has_its_values_vectors_side_by_side(self, table):
        encoder = CDE(random_state=0).fit(table)
        distances = pdist(encoder.transform(table), "sqeuclidean")
        names = [value for values in encoder.vocabulary_.values for value in values]
        positions = [[names.index(value) for value in row] for row in table.to_numpy()]
        rows = [indicators_of(encoder)[position].ravel() for position in positions]
        np.testing.assert_allclose(distances, pdist(rows, "sqeuclidean"))

    def test_the_same_seed_gives_the_same_vectors(self):
        X = load("zoo")[0]
        first, second = (CDE(random_state=3).fit_transform(X) for _ in range(2))
        np.testing.assert_array_equal(first, second)

    @pytest.mark.parametrize("variant", DISTANCES)
    def test_names_and_the_order_of_columns_change_nothing(self, variant):
        table, _ = latent_classes(300, 3, 5, 4, seed=0)
        names = {"v0": "z", "v1": "k", "v2": "b", "v3": "q"}
        renamed = table[table.columns[::-1]].map(names.get)
        for seed in range(5):
            first, second = (
                CDE(variant=variant, n_init=1, random_state=seed).fit_transform(t)
                for t in (table, renamed)
            )
            np.testing.assert_allclose(pdist(second), pdist(first), atol=1e-9)

    @pytest.mark.parametrize(
        "rows",
        [[["a"]], [["a", "x"]], [["a"], ["a"]], [["a", "x"], ["a", "x"]], [["a"], ["b"]]],
    )
    @pytest.mark.parametrize("variant", DISTANCES)
    def test_tables_that_say_nothing_give_finite_vectors(self, rows, variant):
        X = CDE(variant=variant, random_state=0).fit_transform(rows)
        assert X.shape[1] >= len(rows[0])
        assert np.isfinite(X).all()

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"alpha": 0}, "alpha must be a number above 0, got 0"),
            ({"alpha": "ten"}, "alpha"),
            ({"beta": -1}, "beta must be a number at least 0"),
            ({"beta": math.nan}, "beta"),
            ({"variant": "printed"}, r"variant must be one of \['reference', 'plain'\]"),
            ({"n_init": 0}, "n_init must be a positive integer, got 0"),
            ({"random_state": "x"}, "seed"),
        ],
    )
    def test_wrong_parameters_are_named(self, table, parameters, message):
        encoder = CDE(**parameters)
        with pytest.raises(ValueError, match=message):
            encoder.fit(table)
        assert not hasattr(encoder, "clusterings_")


@pytest.mark.parametrize("name", ["zoo", "dermatology", "krvskp"])
def test_real_tables_fit_without_warnings(name):
    X, _ = load(name)
    encoder = CDE(n_init=2, random_state=0).fit(X)
    values = encoder._tables
    vectors = np.vstack([table[:-1] for table in values])
    np.testing.assert_allclose(
        pdist(vectors, "sqeuclidean"), pdist(indicators_of(encoder), "sqeuclidean"), atol=1e-8
    )
