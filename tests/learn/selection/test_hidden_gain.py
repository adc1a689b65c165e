"""The gain on hidden cells against explicit loops over rows, columns, clusters and values."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import RandomState

from untie._learn.selection.choose_k import (
    PRIOR,
    HalfFit,
    JudgedRows,
    all_labels,
    fit_half,
    halves,
    hidden_gains,
    sum_of_gains,
)
from untie._learn.spaces.value_space import ValueSpace


def judged_rows(seed):
    """Draw rows, their vectors, coarser cells, votes, and which columns are hidden together."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = rng.integers(1, 25), rng.integers(1, 6)
    fine = rng.integers(1, 5, n_columns)
    tables = [rng.normal(size=(size + 1, rng.integers(1, 4))) for size in fine]
    codes = np.stack([rng.integers(0, size + 1, n_rows) for size in fine], axis=1)
    coarse = [int(rng.integers(1, size + 1)) for size in fine]
    targets = [np.append(rng.integers(0, c, s), c) for c, s in zip(coarse, fine, strict=True)]
    cells = np.stack([t[column] for t, column in zip(targets, codes.T, strict=True)], axis=1)
    families = rng.integers(0, n_columns, n_columns)
    related = families[:, None] == families
    if rng.random() < 0.5:  # to say the same need not be transitive
        related[rng.integers(0, n_columns), rng.integers(0, n_columns)] = True
        related |= related.T
    weights = rng.integers(1, 5, n_rows) * rng.choice([1.0, 0.25, 1e6])
    draws = weights if rng.random() < 0.5 else np.ones(n_rows)
    votes = rng.random(n_columns)
    space = ValueSpace(tables)
    rows = JudgedRows(space, codes, cells, tuple(coarse), weights, draws, votes, related)
    train = weights * rng.choice([0, 0.5, 1], n_rows)
    return rows, train, rng.integers(0, rng.integers(1, 5), n_rows), rng.random(n_columns) < 0.3


SEEDS = st.integers(0, 10**9)


def fitted(rows, train, labels):
    drawn = np.flatnonzero(train > 0)
    return fit_half(rows, train, drawn, labels[drawn])


def slow_distance(rows, fit, row, cluster, columns):
    """Squared distance of a row to a cluster's mean over some columns, from the rows."""
    total = 0.0
    for column in columns:
        table = rows.space.tables[column]
        members = [
            r for r in range(len(rows.weights)) if fit.weights[r] and fit.labels[r] == cluster
        ]
        weight = sum(fit.weights[r] for r in members)
        mean = sum(fit.weights[r] * table[rows.codes[r, column]] for r in members) / weight
        total += float(((table[rows.codes[row, column]] - mean) ** 2).sum())
    return total


def slow_nearest(rows, fit, row, columns):
    distances = [slow_distance(rows, fit, row, c, columns) for c in range(fit.n_clusters)]
    return min(range(fit.n_clusters), key=lambda c: (round(distances[c], 9), c))


def slow_gains(rows, fit, test, refit, never):
    """The gain of each row and column, in nats, from its definition."""
    n_rows, n_columns = rows.codes.shape
    gains = np.zeros((n_rows, n_columns))
    if not fit.weights.any():
        return gains
    trained = [row for row in range(n_rows) if fit.weights[row] > 0]
    for column in range(n_columns):
        if never[column]:
            continue
        shown = [c for c in range(n_columns) if not never[c] and not rows.related[column, c]]
        near = [slow_nearest(rows, fit, row, shown) for row in range(n_rows)]
        member = near if refit else fit.labels
        known = [row for row in trained if rows.cells[row, column] < rows.sizes[column]]
        for row in range(n_rows):
            cell = rows.cells[row, column]
            alike = [r for r in known if rows.cells[r, column] == cell]
            if not test[row] or not alike or cell == rows.sizes[column]:
                continue
            share = sum(fit.weights[r] for r in alike) / sum(fit.weights[r] for r in known)
            joined = sum(fit.weights[r] for r in known if member[r] == near[row])
            with_it = sum(fit.weights[r] for r in alike if member[r] == near[row])
            within = (with_it + PRIOR * share) / (joined + PRIOR)
            gains[row, column] = rows.votes[column] * log(within / share)
    return gains


@pytest.mark.parametrize("refit", [False, True])
@pytest.mark.parametrize("is_all", [False, True])
@given(seed=SEEDS)
def test_gains_are_those_of_the_definition(seed, refit, is_all):
    rows, train, labels, never = judged_rows(seed)
    never = np.zeros_like(never) if is_all else never
    test = rows.weights - train
    fit = fitted(rows, train, labels)
    found = hidden_gains(rows, fit, test, refit=refit, never=None if is_all else never)
    expected = slow_gains(rows, fit, test, refit, never)
    close = {"rtol": 1e-9, "atol": 1e-9 * max(1.0, rows.weights.sum())}
    np.testing.assert_allclose(found.of_rows, test * expected.sum(axis=1), **close)
    np.testing.assert_allclose(found.of_attributes, test @ expected, **close)
    # Each independent draw has the gain of all its equal rows.
    squares = (test * rows.draws / rows.weights) @ np.square(
        expected * (rows.weights / rows.draws)[:, None]
    )
    np.testing.assert_allclose(found.squares, squares, rtol=1e-9, atol=1e-9 * squares.max() + 1e-9)


@given(SEEDS)
def test_all_labels_are_the_nearest_clusters(seed):
    rows, train, labels, _ = judged_rows(seed)
    fit = fitted(rows, train, labels)
    columns = range(len(rows.sizes))
    expected = [0] * len(labels)
    if train.any():
        expected = [slow_nearest(rows, fit, row, columns) for row in range(len(labels))]
    assert all_labels(rows, fit).tolist() == expected


def two_columns(n_rows=8, related=False):
    """Rows of two equal columns, and one that tells nothing."""
    codes = np.stack([np.arange(n_rows) % 2] * 2 + [np.zeros(n_rows, dtype=int)], axis=1)
    table = np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])
    space = ValueSpace([table, table, np.array([[0.1], [0.1]])])
    together = np.eye(3, dtype=bool)
    together[0, 1] = together[1, 0] = related
    return JudgedRows(
        space, codes, codes, (2, 2, 1), np.ones(n_rows), np.ones(n_rows), np.ones(3), together
    )


def test_columns_that_tell_each_other():
    rows = two_columns()
    train, test = np.tile([1.0, 1.0, 0.0, 0.0], 2), np.tile([0.0, 0.0, 1.0, 1.0], 2)
    gains = hidden_gains(rows, fitted(rows, train, rows.codes[:, 0]), test)
    within = (2 + PRIOR / 2) / (2 + PRIOR)
    np.testing.assert_allclose(gains.of_attributes, [4 * log(2 * within)] * 2 + [0])
    np.testing.assert_allclose(sum_of_gains([gains, gains], 2).of_rows, gains.of_rows)
    np.testing.assert_allclose(sum_of_gains([gains, gains]).squares, 2 * gains.squares)


@pytest.mark.parametrize("refit", [False, True])
def test_copies_that_are_hidden_together_tell_nothing(refit):
    """What is left of the distances is rounding, and must not tell rows apart."""
    rows = two_columns(related=True)
    rng = np.random.default_rng(0)
    rows.space.tables[2][:] += rng.normal(size=(2, 1)) * 1e-17
    train = np.tile([1.0, 1.0, 0.0, 0.0], 2)
    gains = hidden_gains(rows, fitted(rows, train, rows.codes[:, 0]), 1 - train, refit=refit)
    if refit:
        np.testing.assert_allclose(gains.of_attributes, 0, atol=1e-12)
    else:  # every row joins the first cluster, which half of them do not belong to
        assert (gains.of_attributes[:2] < 0).all()


def test_noise_of_rounding_does_not_choose_clusters():
    """Distances less those of hidden columns have rounding of the size of the hidden ones."""
    codes = np.array([[0, 0], [1, 0], [0, 0], [1, 0]])
    space = ValueSpace([np.array([[0.0], [1e3], [5e2]]), np.array([[0.3], [0.3]])])
    related = np.eye(2, dtype=bool)
    rows = JudgedRows(space, codes, codes, (2, 1), np.ones(4), np.ones(4), np.ones(2), related)
    distances = [np.array([[0.0, 1e6], [1e6, 0.0], [1.0, 1.0]]), np.array([[1e-12, 0.0]] * 2)]
    fit = HalfFit(np.array([1.0, 1.0, 0, 0]), np.array([0, 1, 0, 0]), distances)
    gains = hidden_gains(rows, fit, np.array([0, 0, 1.0, 1.0]), refit=True)
    np.testing.assert_allclose(gains.of_attributes, 0, atol=1e-12)


@given(st.lists(st.floats(0.001, 1e25), min_size=1, max_size=20), st.integers(0, 2**31 - 1))
def test_halves_are_parts_of_the_weights(weights, seed):
    weights = np.array(weights)
    one, other = halves(weights, RandomState(seed))
    np.testing.assert_allclose(one + other, weights)
    assert (one >= 0).all()
    assert (other >= 0).all()
    small = weights < 1
    assert ((one[small] == 0) | (other[small] == 0)).all()


def test_single_rows_go_to_one_half_and_many_equal_ones_to_both():
    weights = np.append(np.ones(1000), 1e6)
    one, _ = halves(weights, RandomState(0))
    assert set(one[:-1]) == {0.0, 1.0}
    assert 400 < one[:-1].sum() < 600
    assert 0.499 < one[-1] / 1e6 < 0.501


def test_equal_rows_may_stay_together():
    weights = np.array([3.0, 0.5, 1e25] * 100)
    one, other = halves(weights, RandomState(0), whole_rows=True)
    assert ((one == 0) | (other == 0)).all()
    np.testing.assert_array_equal(one + other, weights)
    assert 100 < np.count_nonzero(one) < 200


def test_a_half_without_rows_tells_nothing():
    rows = two_columns(4)
    nothing = np.zeros(4)
    fit = fitted(rows, nothing, rows.codes[:, 0])
    assert fit.n_clusters == 1
    gains = hidden_gains(rows, fit, np.ones(4))
    assert not gains.of_rows.any()
    assert not gains.of_attributes.any()
    full = fitted(rows, np.ones(4), rows.codes[:, 0])
    assert not hidden_gains(rows, full, nothing).of_rows.any()


def test_numbers_of_clusters_that_are_not_used():
    rows = two_columns()
    fit = fit_half(rows, rows.weights, np.arange(8), np.array([0, 5] * 4))
    assert fit.n_clusters == 2
    assert fit.labels.tolist() == [0, 1] * 4
