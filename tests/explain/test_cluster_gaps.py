"""Gaps between clusters that are apart, and none in a continuum that k-means cuts."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tables import latent_classes
from untie import TableClusterer, TableEncoder
from untie.explain import cluster_gaps, cluster_stability, verdict

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]


def along_a_trait(seed, n_rows=1000, n_columns=12):
    """Return answers that all depend on one number, which has no gap."""
    rng = np.random.default_rng(seed)
    trait = rng.normal(size=n_rows)
    columns = {}
    for column in range(n_columns):
        answers = rng.uniform(0.7, 2) * trait + rng.logistic(size=n_rows)
        columns[f"c{column}"] = pd.cut(answers, 4, labels=list("abcd")).astype(str)
    return pd.DataFrame(columns)


def slow_between(vectors, one, other):
    """Follow the definition row by row."""
    line = vectors[other].mean(axis=0) - vectors[one].mean(axis=0)
    places = [sorted(float(row @ line) for row in vectors[members]) for members in (one, other)]
    low, high = (own[(len(own) - 1) // 2] for own in places)
    halfway, first, second = (
        sum(
            sum(abs((place - low) / (high - low) - middle) <= 0.15 + 1e-9 for place in own)
            / len(own)
            for own in places
        )
        for middle in (0.5, 0.0, 1.0)
    )
    return halfway / min(first, second)


def test_the_share_is_that_of_the_definition():
    table, classes = latent_classes(400, 3, 8, 4, seed=0, purity=0.6)
    encoder = TableEncoder(3, preparer=None).fit(table)
    found = cluster_gaps(encoder, table, labels=classes)
    vectors = np.asarray(encoder.transform(table), dtype=float)
    for line in found.itertuples():
        expected = slow_between(vectors, classes == line.cluster, classes == line.other)
        assert line.between == pytest.approx(expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_classes_are_apart(seed):
    table, _ = latent_classes(600, 3, 10, 4, seed=seed, purity=0.7)
    clusterer = TableClusterer(preparer=None).fit(table)
    assert set(cluster_gaps(clusterer, table).verdict) == {"gap"}
    assert "continuum" not in str(verdict(clusterer, table))


@pytest.mark.parametrize("share", [0.3, 0.1, 0.05])
def test_a_small_class_is_apart_from_a_large_one(share):
    shares = [1 - share, share]
    table, classes = latent_classes(1500, 2, 10, 4, seed=0, purity=0.5, shares=shares)
    found = cluster_gaps(TableEncoder(2, preparer=None).fit(table), table, labels=classes)
    assert found.verdict.tolist() == ["gap"]


@pytest.mark.parametrize("n_rows", [300, 2500])
def test_the_order_of_the_rows_does_not_count(n_rows):
    table, classes = latent_classes(n_rows, 3, 8, 4, seed=0, purity=0.5)
    encoder = TableEncoder(3, preparer=None).fit(table)
    places = np.random.default_rng(0).permutation(n_rows)
    for question in (cluster_gaps, cluster_stability):
        expected = question(encoder, table, labels=classes)
        found = question(encoder, table.iloc[places], labels=classes[places])
        pd.testing.assert_frame_equal(found, expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_halves_of_a_continuum_are_not(seed):
    table = along_a_trait(seed)
    clusterer = TableClusterer(preparer=None).fit(table)
    found = cluster_gaps(clusterer, table)
    assert set(found.verdict) == {"continuum"}
    said = verdict(clusterer, table)
    assert f"{said.n_groups} stable groups of similar rows along a continuum, " in said.headline
    assert "The groups divide a continuum: " in str(said)


def test_only_neighbors_are_compared():
    """Three levels of one scale: the middle one is between the others."""
    rng = np.random.default_rng(0)
    level = np.repeat([0, 1, 2], 100)
    table = pd.DataFrame(
        {f"c{c}": level + (rng.random(300) < 0.1) * rng.integers(-1, 2, 300) for c in range(8)}
    )
    encoder = TableEncoder(3, ordered=list(table)).fit(table)
    found = cluster_gaps(encoder, table, labels=level)
    assert list(zip(found.cluster, found.other, strict=True)) == [(0, 1), (1, 2)]


def test_few_rows_are_unclear():
    table, classes = latent_classes(10, 2, 8, 4, seed=0, purity=0.6)
    found = cluster_gaps(TableEncoder(2, preparer=None).fit(table), table, labels=classes)
    assert found.verdict.tolist() == ["unclear"]


def test_weights_are_repetitions_and_libraries_are_kept():
    table, classes = latent_classes(200, 2, 6, 4, seed=0, purity=0.6)
    weights = np.random.default_rng(0).integers(1, 3, 200)
    again = np.repeat(np.arange(200), weights)
    repeated = table.iloc[again].reset_index(drop=True)
    encoder = TableEncoder(2, preparer=None).fit(repeated)
    found = cluster_gaps(encoder, table, labels=classes, sample_weight=weights)
    expected = cluster_gaps(encoder, repeated, labels=classes[again])
    assert found.between[0] == pytest.approx(expected.between[0])
    assert found.verdict[0] == expected.verdict[0]
    frame = pl.from_pandas(table)
    assert isinstance(cluster_gaps(TableClusterer(2).fit(frame), frame), pl.DataFrame)


def test_a_single_cluster_has_no_neighbors():
    table, _ = latent_classes(50, 2, 5, 3, seed=0)
    found = cluster_gaps(TableClusterer(1).fit(table), table)
    assert found.columns.tolist() == ["cluster", "other", "between", "verdict"]
    assert len(found) == 0
