"""K-means without vectors, against scikit-learn's on the vectors themselves."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, pairwise_distances

from tables import latent_classes, small_tables
from untie import UNTIE, TableClusterer
from untie._count.packed_rows import PackedRows
from untie._count.row_sample import RowSample, sample_rows
from untie._learn.clustering.lloyd import (
    PRINCIPAL,
    all_distances,
    cheapest,
    count_distinct,
    distance_costs,
    first_clusters,
    inertia_of,
    refine,
    sample_vectors,
    split_columns,
    walk_rows,
)
from untie._learn.spaces.value_space import ValueSpace
from untie._learn.vectors import LookUp


@pytest.fixture(scope="module")
def case():
    table, _ = latent_classes(300, 4, 6, 4, seed=0, purity=0.6)
    encoder = UNTIE(4, solver="uniform").fit(table)
    lookup = encoder._model.vectors
    codes = encoder._codes(table)
    return lookup, codes, sample_rows(codes, encoder.vocabulary_, None)


@pytest.mark.parametrize("weighted", [False, True])
def test_lloyds_steps_are_those_of_scikit_learn(case, weighted):
    lookup, codes, _ = case
    rng = np.random.default_rng(0)
    rows = lookup.rows(codes, np.float64)
    weights = rng.integers(1, 9, len(rows)).astype(float) if weighted else None
    start = rows[rng.choice(len(rows), 4, replace=False)]
    space = ValueSpace(lookup.tables)
    packed = PackedRows(codes, space.n_codes)
    centers, found, _, settled = refine(
        space,
        split_columns(start, lookup),
        partial(walk_rows, packed, weights),
        100,
    )
    expected = KMeans(4, init=start, n_init=1, tol=0, algorithm="lloyd").fit(
        rows, sample_weight=weights
    )
    assert settled
    np.testing.assert_allclose(np.hstack(centers), expected.cluster_centers_, atol=1e-9)
    np.testing.assert_array_equal(
        cheapest(packed, distance_costs(space, centers)), expected.labels_
    )
    assert inertia_of(space, centers, found) == pytest.approx(expected.inertia_)
    np.testing.assert_allclose(
        all_distances(space, packed, centers), expected.transform(rows), atol=1e-6
    )


def test_the_start_is_as_good_as_scikit_learns(case):
    lookup, codes, sample = case
    space = ValueSpace(lookup.tables)
    packed = PackedRows(codes, space.n_codes)
    points = sample_vectors(lookup, sample)
    begun = first_clusters(points, sample, space.n_codes, 4, 10, seed=0)
    centers = space.centers(begun.counts)
    centers, found, *_ = refine(space, centers, partial(walk_rows, packed, None), 100)
    rows = lookup.rows(codes, np.float64)
    expected = KMeans(4, n_init=10, random_state=0).fit(rows).inertia_
    assert inertia_of(space, centers, found) <= expected * 1.01


@pytest.mark.parametrize("n_dimensions", [270, 400])
def test_equally_long_axes_are_cut_alike_whatever_the_rounding(n_dimensions):
    """As many axes as values, a few of them longer; the 64th is one of hundreds of equals."""
    n_values, draws = 300, np.random.default_rng(0)
    basis = np.linalg.qr(draws.standard_normal((n_values, n_values)))[0][:, :n_dimensions]
    lengths = np.ones(basis.shape[1])
    lengths[:5] = [9.0, 7.0, 5.0, 4.0, 3.0]
    vectors = np.zeros((n_values + 1, n_dimensions))
    vectors[:n_values, : len(lengths)] = basis * lengths
    codes = np.arange(n_values)[:, None]
    sample = RowSample(np.arange(n_values, dtype=np.uint64), codes, np.ones(n_values))
    found = []
    for _ in range(3):
        turn = np.linalg.qr(draws.standard_normal((n_dimensions, n_dimensions)))[0]
        rows = sample_vectors(LookUp((vectors @ turn,)), sample)
        assert rows.shape == (n_values, PRINCIPAL)
        found.append(pairwise_distances(rows))
    np.testing.assert_allclose(found[1:], found[:1] * 2, atol=1e-9)


def test_an_empty_cluster_keeps_its_mean(case):
    lookup, codes, _ = case
    space = ValueSpace(lookup.tables)
    rows = lookup.rows(codes, np.float64)
    start = np.vstack([rows[:2], rows[:1] + 1e3])
    packed = PackedRows(codes, space.n_codes)
    centers, found, *_ = refine(
        space, split_columns(start, lookup), partial(walk_rows, packed, None), 50
    )
    assert found.sizes[2] == 0
    np.testing.assert_allclose(np.hstack(centers)[2], start[2])


def test_too_few_passes_are_told(case):
    lookup, codes, _ = case
    space = ValueSpace(lookup.tables)
    packed = PackedRows(codes, space.n_codes)
    start = split_columns(lookup.rows(codes, np.float64)[:4], lookup)
    *_, n_iter, settled = refine(space, start, partial(walk_rows, packed, None), 1)
    assert (n_iter, settled) == (1, False)


def test_sampled_vectors_have_the_dimensions_that_the_rows_span(case):
    lookup, _, sample = case
    rows = sample_vectors(lookup, sample)
    long = lookup.rows(list(sample.codes.T), np.float64)
    rank = np.linalg.matrix_rank(long - long.mean(axis=0))
    assert rows.shape[1] == rank < long.shape[1]
    np.testing.assert_allclose(pairwise_distances(rows), pairwise_distances(long), atol=1e-6)


@given(small_tables())
@pytest.mark.filterwarnings("ignore::UserWarning")  # random tables may be degenerate
def test_short_vectors_have_the_distances_of_the_long_ones(table):
    encoder = UNTIE(solver="uniform").fit(table)
    sample = sample_rows(encoder._codes(table), encoder.vocabulary_, None)
    short = sample_vectors(encoder._model.vectors, sample)
    long = encoder._model.vectors.rows(list(sample.codes.T), np.float64)
    assert short.shape[1] <= max(len(short), long.shape[1])
    for one in range(len(long)):
        expected = np.linalg.norm(long - long[one], axis=1)
        np.testing.assert_allclose(np.linalg.norm(short - short[one], axis=1), expected, atol=1e-4)


def test_count_distinct():
    assert count_distinct(np.zeros((3, 2))) == 1
    assert count_distinct(np.zeros((3, 0))) == 1
    assert count_distinct(np.array([[1.0, 0], [1.0 + 1e-13, 0], [0, 1]])) == 2
    rows = np.array([[0.1 + 0.2, -0.0], [0.3, 0.0], [5.0, 1.0], [0.3, 1e-12], [5.0, 1.1]])
    assert count_distinct(rows) == 3


def test_principal_dimensions_keep_the_clusters(monkeypatch):
    table, classes = latent_classes(400, 4, 8, 5, seed=0)
    clusterer = TableClusterer(encoder=UNTIE(solver="discount"), preparer=None)
    expected = clone(clusterer).fit(table)
    monkeypatch.setattr("untie._learn.clustering.lloyd.MOST_DIMENSIONS", 10)
    monkeypatch.setattr("untie._learn.clustering.lloyd.PRINCIPAL", 8)
    found = clusterer.fit(table)
    assert found.n_clusters_ == expected.n_clusters_ == 4
    assert (
        sample_vectors(
            found.encoder_._model.vectors,
            sample_rows(found.encoder_._codes(table), found.encoder_.vocabulary_, None),
        ).shape[1]
        == 8
    )
    # Nearly all that k-means finds: a row between two clusters may fall to the other one.
    assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-3)
    assert np.count_nonzero(found.labels_ != expected.labels_) <= 2
    assert adjusted_rand_score(classes, found.labels_) > 0.955


def test_ties_fall_by_the_order_of_the_means():
    # Sums of tenths are rounded in every order of the attributes in another way.
    rng = np.random.default_rng(0)
    tables = [rng.integers(0, 10, (4, 2)) / 10 for _ in range(7)]
    codes = [rng.integers(0, 4, 500) for _ in range(7)]
    points = [table[rng.integers(0, 4, 6)] for table in tables]
    distances = sum(
        np.round(100 * ((table[column][:, None] - part) ** 2).sum(axis=2)).astype(int)
        for table, column, part in zip(tables, codes, points, strict=True)
    )
    expected = distances.argmin(axis=1)  # of whole numbers
    assert ((distances == distances.min(axis=1, keepdims=True)).sum(axis=1) > 1).any()
    for order in (range(7), range(6, -1, -1), rng.permutation(7)):
        space = ValueSpace([tables[place] for place in order])
        packed = PackedRows([codes[place] for place in order], space.n_codes)
        costs = distance_costs(space, [points[place] for place in order])
        np.testing.assert_array_equal(cheapest(packed, costs), expected)
