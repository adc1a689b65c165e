"""k-means from distances against scikit-learn's and against all partitions."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from untie_paper.baselines._k_means import best_partition, draw_seeds, run_from, squared_distances


def random_rows(seed, n_rows=30, n_columns=5):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n_rows, n_columns)), rng.integers(1, 4, n_rows).astype(float)


def inertia(rows, weights, labels):
    total = 0.0
    for label in set(labels):
        inside = np.asarray(labels) == label
        centre = np.average(rows[inside], axis=0, weights=weights[inside])
        total += weights[inside] @ np.square(rows[inside] - centre).sum(axis=1)
    return total


def test_squared_distances():
    rows, _ = random_rows(0)
    expected = [[np.sum((a - b) ** 2) for b in rows] for a in rows]
    np.testing.assert_allclose(squared_distances(rows + 1e6), expected, atol=1e-8)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("n_clusters", [2, 5, 11])
def test_a_run_equals_scikit_learns_from_the_same_start(seed, n_clusters):
    rows, weights = random_rows(seed)
    seeds = np.random.default_rng(seed).choice(len(rows), n_clusters, replace=False)
    labels, reached = run_from(squared_distances(rows), weights, seeds)
    theirs = KMeans(n_clusters, init=rows[seeds], n_init=1, tol=0.0)
    theirs.fit(rows, sample_weight=weights)
    np.testing.assert_array_equal(labels, theirs.labels_)
    assert reached == pytest.approx(theirs.inertia_)


@given(seed=st.integers(0, 2**32 - 1), n_clusters=st.integers(2, 4))
def test_the_inertia_is_that_of_the_labels(seed, n_clusters):
    rows, weights = random_rows(seed, n_rows=9)
    labels, reached = run_from(squared_distances(rows), weights, np.arange(n_clusters))
    assert reached == pytest.approx(inertia(rows, weights, labels))


def test_many_starts_find_the_best_of_all_partitions():
    rows, weights = random_rows(3, n_rows=8, n_columns=2)
    best = min(inertia(rows, weights, labels) for labels in product(range(3), repeat=8))
    found = best_partition(squared_distances(rows), weights, 3, 20, np.random.RandomState(0))
    assert found[1] == pytest.approx(best)


def test_every_row_is_a_cluster_where_there_are_as_many():
    rows, weights = random_rows(0, n_rows=4)
    found = best_partition(squared_distances(rows), weights, 4, 1, np.random.RandomState(0))
    assert (found[0].tolist(), found[1]) == ([0, 1, 2, 3], 0.0)


def test_an_empty_cluster_takes_the_row_farthest_from_its_centre():
    rows = np.array([[0.0], [4.0], [6.0], [10.0], [100.0]])
    seeds = np.array([1, 1, 4])  # two equal seeds: the second cluster starts empty
    labels, reached = run_from(squared_distances(rows), np.ones(5), seeds)
    assert labels.tolist() == [0, 0, 0, 1, 2]
    assert reached == pytest.approx(56 / 3)


def test_seeds_are_distinct_and_far_from_each_other():
    rows = np.repeat([[0.0], [100.0], [200.0]], 5, axis=0) + np.arange(15)[:, None] / 100
    for seed in range(20):
        seeds = draw_seeds(squared_distances(rows), np.ones(15), 3, np.random.RandomState(seed))
        assert sorted(seeds // 5) == [0, 1, 2]
