"""Stability of clusters that are there, and of clusters that are not."""

import numpy as np
import polars as pl
import pytest

from tables import latent_classes
from untie import TableClusterer, TableEncoder
from untie._learn.clustering.points import of_vectors
from untie.explain import cluster_stability
from untie.explain._cluster_stability import _jaccards, _Sample


@pytest.fixture(scope="module")
def clear():
    return latent_classes(300, 3, 8, 4, seed=0, purity=0.9)


def test_clear_clusters_come_back(clear):
    table, classes = clear
    found = cluster_stability(TableEncoder(3).fit(table), table, labels=classes)
    assert found.cluster.tolist() == [0, 1, 2]
    assert (found.verdict == "stable").all()
    assert found.share.sum() == pytest.approx(1)
    np.testing.assert_allclose(found.share, np.bincount(classes) / 300)
    assert (found.lowest <= found.stability).all()


def test_halves_of_a_cluster_do_not(clear):
    table, classes = clear
    halves = np.where(classes == 0, 3 * (np.arange(300) % 2), classes)  # 0 is cut by chance
    found = cluster_stability(TableEncoder(3).fit(table), table, labels=halves).set_index("cluster")
    assert found.stability[[1, 2]].min() > 0.9
    assert found.stability[[0, 3]].max() < 0.6


def test_no_structure_is_not_stable():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 3, (300, 6))
    clusterer = TableClusterer(5, random_state=0).fit(table)
    found = cluster_stability(clusterer, table)
    assert found.stability.mean() < 0.45
    assert "dissolves" in set(found.verdict)


def test_the_jaccard_index_by_hand():
    """Two points far apart, one cluster cut in two labels: each has half of what comes back."""
    points_of = of_vectors(np.array([[0.0], [0.0], [9.0]]))
    drawn = _Sample(np.array([1.0, 1.0, 2.0]), np.array([0, 1, 2]), 4.0, points_of)
    found = _jaccards(drawn, 3, 5, 1_000, np.random.RandomState(0))
    np.testing.assert_allclose(found[:, 2], 1)
    np.testing.assert_allclose(found[:, :2].mean(axis=0), 0.5, atol=0.05)


def test_weights_seeds_libraries_and_large_tables(clear, monkeypatch):
    table, classes = clear
    encoder = TableEncoder(3).fit(table)
    first = cluster_stability(encoder, table, labels=classes, n_resamples=3)
    again = cluster_stability(encoder, table, labels=classes, n_resamples=3)
    assert first.equals(again)
    weights = np.where(classes == 2, 0.0, 1.0)
    found = cluster_stability(encoder, table, labels=classes, sample_weight=weights)
    assert found.verdict[2] == "not sampled"
    assert np.isnan(found.stability[2])
    frame = pl.DataFrame(table.to_dict("list"))
    assert isinstance(
        cluster_stability(TableEncoder(3).fit(frame), frame, labels=classes), pl.DataFrame
    )
    monkeypatch.setattr("untie.explain._cluster_stability.MOST_ROWS", 60)
    assert cluster_stability(encoder, table, labels=classes).stability.min() > 0.98


def test_a_constant_weight_changes_nothing(clear):
    table, classes = clear
    encoder = TableEncoder(3).fit(table)
    expected = cluster_stability(encoder, table, labels=classes, n_resamples=3)
    for weight in (0.01, 7, 1e6):
        weights = np.full(len(table), weight)
        found = cluster_stability(
            encoder, table, labels=classes, n_resamples=3, sample_weight=weights
        )
        np.testing.assert_allclose(found.stability, expected.stability)


def test_bad_input(clear):
    table, classes = clear
    encoder = TableEncoder(3).fit(table)
    with pytest.raises(ValueError, match="n_resamples"):
        cluster_stability(encoder, table, labels=classes, n_resamples=0)
    with pytest.raises(ValueError, match="Every sample weight is zero"):
        cluster_stability(encoder, table, labels=classes, sample_weight=np.zeros(300))
