"""k-means from many starts against all partitions and scikit-learn."""

from itertools import product

import numpy as np
import pytest
from sklearn.cluster import KMeans

from untie._util import k_means
from untie._util.k_means import best_labels


def inertia(rows, weights, labels):
    total = 0.0
    for cluster in np.unique(labels):
        part, share = rows[labels == cluster], weights[labels == cluster]
        total += share @ ((part - np.average(part, axis=0, weights=share)) ** 2).sum(axis=1)
    return total


@pytest.mark.parametrize("n_clusters", [1, 2, 3])
def test_no_partition_is_better(n_clusters):
    rng = np.random.RandomState(n_clusters)
    rows, weights = rng.normal(size=(7, 2)), rng.randint(1, 4, 7).astype(float)
    labels = best_labels(rows, weights, n_clusters, 30, rng)
    best = min(
        inertia(rows, weights, np.array(choice)) for choice in product(range(n_clusters), repeat=7)
    )
    assert inertia(rows, weights, labels) == pytest.approx(best)


def test_it_finds_what_scikit_learn_finds():
    rng = np.random.RandomState(0)
    centers = rng.normal(size=(5, 8))
    rows = centers[rng.randint(5, size=300)] + 0.3 * rng.normal(size=(300, 8)) + 100.0
    weights = rng.random_sample(300) + 0.5
    labels = best_labels(rows, weights, 5, 20, rng)
    peer = KMeans(5, n_init=20, random_state=0).fit(rows, sample_weight=weights)
    assert inertia(rows, weights, labels) == pytest.approx(peer.inertia_, rel=1e-9)


@pytest.mark.parametrize("n_clusters", [2, 6, 12])
def test_every_row_is_nearest_to_the_mean_of_its_own_cluster(n_clusters):
    """Sums that are only corrected for rows that move are those of all rows."""
    rng = np.random.RandomState(n_clusters)
    rows, weights = rng.normal(size=(400, 5)), 10.0 ** rng.uniform(-3, 3, 400)
    labels = best_labels(rows, weights, n_clusters, 8, rng)
    means = [
        np.average(rows[labels == c], axis=0, weights=weights[labels == c])
        for c in range(n_clusters)
    ]
    distances = np.linalg.norm(rows[:, None] - np.array(means), axis=2)
    np.testing.assert_array_equal(distances.argmin(axis=1), labels)


def test_batches_of_starts_do_not_matter(monkeypatch):
    rng = np.random.RandomState(0)
    rows = np.repeat(10 * np.eye(4), 15, axis=0) + rng.normal(size=(60, 4))
    weights = np.ones(60)
    whole = best_labels(rows, weights, 4, 40, np.random.RandomState(1))
    monkeypatch.setattr(k_means, "BATCH_NUMBERS", 60 * 4 * 3)
    parts = best_labels(rows, weights, 4, 40, np.random.RandomState(1))
    assert inertia(rows, weights, parts) == pytest.approx(inertia(rows, weights, whole))


def test_fewer_distinct_rows_than_clusters():
    rows = np.repeat([[0.0, 1.0], [2.0, 3.0]], 3, axis=0)
    labels = best_labels(rows, np.ones(6), 4, 5, np.random.RandomState(0))
    assert len(np.unique(labels)) == 2
    assert inertia(rows, np.ones(6), labels) == pytest.approx(0.0)


def test_rows_that_are_all_alike():
    labels = best_labels(np.ones((5, 2)), np.ones(5), 2, 3, np.random.RandomState(0))
    assert len(np.unique(labels)) == 1


@pytest.mark.parametrize("n_clusters", [2, 3, 5])
def test_ties_fall_by_the_order_of_the_rows(n_clusters):
    # The corners of a cube: nearly all distances are equal to others.
    rng = np.random.RandomState(0)
    rows = rng.permutation(np.array(list(product([0.0, 1.0], repeat=6))))
    weights = np.ones(len(rows))
    expected = best_labels(rows, weights, n_clusters, 10, np.random.RandomState(1))
    for seed in range(5):
        turn = np.linalg.qr(np.random.RandomState(seed).normal(size=(6, 6)))[0]
        found = best_labels(rows @ turn, weights, n_clusters, 10, np.random.RandomState(1))
        np.testing.assert_array_equal(found, expected)
