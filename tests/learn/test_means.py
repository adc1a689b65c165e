"""K-means without vectors, against scikit-learn's on the vectors themselves."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from tables import latent_classes, small_tables
from untie import UNTIE, UNTIEClusterer
from untie._count.row_sample import RowSample, sample_rows
from untie._learn.means import (
    all_distances,
    count_distinct,
    first_centres,
    largest_first,
    nearest,
    pack,
    refine,
    sample_vectors,
    split_columns,
    walk_rows,
)
from untie._learn.value_space import ValueSpace


@pytest.fixture(scope="module")
def case():
    table, _ = latent_classes(300, 4, 6, 4, seed=0, purity=0.6)
    encoder = UNTIE(4, solver="uniform").fit(table)
    lookup = encoder.model_.vectors
    codes = encoder.codes(table)
    return lookup, codes, sample_rows(codes, encoder.vocabulary_, None)


@pytest.mark.parametrize("weighted", [False, True])
def test_lloyds_steps_are_those_of_scikit_learn(case, weighted):
    lookup, codes, _ = case
    rng = np.random.default_rng(0)
    rows = lookup.rows(codes, np.float64)
    weights = rng.integers(1, 9, len(rows)).astype(float) if weighted else None
    start = rows[rng.choice(len(rows), 4, replace=False)]
    space = ValueSpace(lookup.tables)
    packed = pack(codes, space)
    centres, found, _, settled = refine(
        space,
        split_columns(start, lookup),
        lambda means: walk_rows(space, packed, weights, means),
        100,
    )
    expected = KMeans(4, init=start, n_init=1, tol=0, algorithm="lloyd").fit(
        rows, sample_weight=weights
    )
    assert settled
    np.testing.assert_allclose(np.hstack(centres), expected.cluster_centers_, atol=1e-9)
    np.testing.assert_array_equal(nearest(space, packed, centres)[0], expected.labels_)
    assert found.inertia == pytest.approx(expected.inertia_)
    np.testing.assert_allclose(
        all_distances(space, packed, centres), expected.transform(rows), atol=1e-6
    )


def test_the_start_is_as_good_as_scikit_learns(case):
    lookup, codes, sample = case
    space = ValueSpace(lookup.tables)
    packed = pack(codes, space)
    centres = first_centres(lookup, sample, 4, 10, seed=0)
    found = refine(space, centres, lambda means: walk_rows(space, packed, None, means), 100)[1]
    rows = lookup.rows(codes, np.float64)
    assert found.inertia <= KMeans(4, n_init=10, random_state=0).fit(rows).inertia_ * 1.01


def test_pieces_add_up(case):
    lookup, codes, sample = case
    space = ValueSpace(lookup.tables)
    centres = first_centres(lookup, sample, 3, 2, seed=0)
    whole = walk_rows(space, pack(codes, space), None, centres)
    parts = (slice(0, 90), slice(0, 0), slice(90, 300))  # the second has no rows
    pieces = [[column[part] for column in codes] for part in parts]
    added = None
    for piece in pieces:
        one = walk_rows(space, pack(piece, space), None, centres)
        added = one if added is None else added + one
    assert added.is_like(whole)
    assert added.inertia == pytest.approx(whole.inertia)
    np.testing.assert_allclose(added.sizes, whole.sizes)


def test_an_empty_cluster_keeps_its_mean(case):
    lookup, codes, _ = case
    space = ValueSpace(lookup.tables)
    rows = lookup.rows(codes, np.float64)
    start = np.vstack([rows[:2], rows[:1] + 1e3])
    packed = pack(codes, space)
    centres, found, *_ = refine(
        space, split_columns(start, lookup), lambda m: walk_rows(space, packed, None, m), 50
    )
    assert found.sizes[2] == 0
    np.testing.assert_allclose(np.hstack(centres)[2], start[2])


def test_too_few_passes_are_told(case):
    lookup, codes, _ = case
    space = ValueSpace(lookup.tables)
    packed = pack(codes, space)
    start = split_columns(lookup.rows(codes, np.float64)[:4], lookup)
    *_, n_iter, settled = refine(space, start, lambda m: walk_rows(space, packed, None, m), 1)
    assert (n_iter, settled) == (1, False)


def test_largest_first():
    space = ValueSpace([np.array([[3.0], [1.0], [2.0], [0.0], [1.5]])])
    centres = [np.array([[3.0], [1.0], [2.0], [0.0]])]
    sample = RowSample(np.arange(3, dtype=np.uint64), np.array([[2], [1], [0]]), np.ones(3))
    ordered = largest_first(space, centres, np.array([5.0, 9.0, 5.0, 1.0]), sample)
    assert ordered[0].ravel().tolist() == [1, 2, 3, 0]  # equal sizes by their first row
    ordered = largest_first(space, centres, np.array([5.0, 9.0, 5.0, 5.0]), sample)
    assert ordered[0].ravel().tolist() == [1, 2, 3, 0]  # no sampled row is the last


@given(small_tables())
@pytest.mark.filterwarnings("ignore::UserWarning")  # random tables may be degenerate
def test_short_vectors_have_the_distances_of_the_long_ones(table):
    encoder = UNTIE(solver="uniform").fit(table)
    sample = sample_rows(encoder.codes(table), encoder.vocabulary_, None)
    short = sample_vectors(encoder.model_.vectors, sample)
    long = encoder.model_.vectors.rows(list(sample.codes.T), np.float64)
    assert short.shape[1] <= max(len(short), long.shape[1])
    for one in range(len(long)):
        expected = np.linalg.norm(long - long[one], axis=1)
        np.testing.assert_allclose(np.linalg.norm(short - short[one], axis=1), expected, atol=1e-4)


def test_count_distinct():
    assert count_distinct(np.zeros((3, 2))) == 1
    assert count_distinct(np.array([[1.0, 0], [1.0 + 1e-13, 0], [0, 1]])) == 2


def test_principal_dimensions_keep_the_clusters(monkeypatch):
    table, classes = latent_classes(400, 4, 8, 5, seed=0)
    expected = UNTIEClusterer().fit(table)
    monkeypatch.setattr("untie._learn.means.MOST_DIMENSIONS", 10)
    monkeypatch.setattr("untie._learn.means.PRINCIPAL", 8)
    found = UNTIEClusterer().fit(table)
    assert found.n_clusters_ == expected.n_clusters_ == 4
    assert (
        sample_vectors(
            found.encoder_.model_.vectors,
            sample_rows(found.encoder_.codes(table), found.encoder_.vocabulary_, None),
        ).shape[1]
        == 8
    )
    # Nearly all that k-means finds: a row between two clusters may fall to the other one.
    assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-3)
    assert np.count_nonzero(found.labels_ != expected.labels_) <= 2
    assert adjusted_rand_score(classes, found.labels_) > 0.9


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
        packed = pack([codes[place] for place in order], space)
        labels, squares = nearest(space, packed, [points[place] for place in order])
        np.testing.assert_array_equal(labels, expected)
        np.testing.assert_allclose(squares, distances.min(axis=1) / 100, atol=1e-12)
