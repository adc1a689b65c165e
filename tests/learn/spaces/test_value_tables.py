"""Tall and dense tables do what the array does that they stand for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import pdist

from untie._learn import memory
from untie._learn.spaces.value_tables import Dense, Tall, own_directions


def make(seed, has_own=True, n_values=7, n_basis=3, n_mixed=4):
    rng = np.random.default_rng(seed)
    diagonal = rng.random(n_values) if has_own else None
    basis, mix = rng.normal(size=(n_values, n_basis)), rng.normal(size=(n_basis, n_mixed))
    return Tall(diagonal, basis, mix)


def slow_array(table):
    if isinstance(table, Dense):
        return table.array
    parts = [] if table.diagonal is None else [np.diag(table.diagonal)]
    return np.hstack([*parts, table.basis @ table.mix])


tables = st.builds(make, st.integers(0, 1000), st.booleans())
both_kinds = st.one_of(tables, tables.map(lambda table: Dense(table.toarray())))


@given(both_kinds)
def test_it_is_the_array(table):
    dense = slow_array(table)
    assert table.shape == dense.shape
    assert len(table) == len(dense)
    np.testing.assert_allclose(table.toarray(), dense)


@given(tables)
def test_it_is_the_sparse_array(table):
    np.testing.assert_allclose(table.tosparse().toarray(), slow_array(table))


@given(both_kinds, st.sampled_from([None, 3]))
def test_products(table, n_columns):
    rng = np.random.default_rng(1)
    frequencies = rng.integers(0, 3, len(table)) + 0.5
    dense = slow_array(table)
    mean = frequencies @ dense / frequencies.sum()
    shapes = [(size,) if n_columns is None else (size, n_columns) for size in table.shape]
    left, right = rng.normal(size=shapes[0]), rng.normal(size=shapes[1])
    for factor, array in ((table, dense), (table.less_mean(frequencies), dense - mean)):
        assert factor.shape == array.shape
        assert len(factor) == len(array)
        np.testing.assert_allclose(factor.toarray(), array, atol=1e-12)
        np.testing.assert_allclose(factor @ right, array @ right, atol=1e-12)
        np.testing.assert_allclose(factor.from_left(left), array.T @ left, atol=1e-12)


@given(both_kinds, st.booleans())
def test_energies_and_means(table, centered):
    frequencies = np.random.default_rng(2).integers(0, 5, len(table)).astype(float)
    frequencies[0] += 1
    rows = np.repeat(slow_array(table), frequencies.astype(int), axis=0)
    np.testing.assert_allclose(table.mean(frequencies), rows.mean(axis=0))
    deviations = rows - rows.mean(axis=0) if centered else rows
    found = table.energies(frequencies, centered)
    np.testing.assert_allclose(found, np.square(deviations).sum(axis=0), atol=1e-12)


@given(both_kinds)
def test_where_no_value_occurs_the_mean_is_that_of_all(table):
    never = np.zeros(len(table))
    expected = slow_array(table).mean(axis=0)
    np.testing.assert_allclose(table.mean(never), expected, atol=1e-12)
    with_mean = table.with_mean(never)
    with_mean = with_mean.toarray() if sparse.issparse(with_mean) else with_mean
    np.testing.assert_allclose(with_mean, np.vstack([slow_array(table), expected]), atol=1e-12)


@given(both_kinds)
def test_scaling_and_the_root(table):
    weights = np.random.default_rng(3).random(table.shape[1])
    scaled = table.scaled(np.sqrt(weights))
    np.testing.assert_allclose(slow_array(scaled), slow_array(table) * np.sqrt(weights))
    twice = type(table).weighted_roots([table, table], [weights, 4.0 * weights])
    expected = slow_array(scaled) @ slow_array(scaled).T
    for root, times in zip(twice, (1.0, 4.0), strict=True):
        found = slow_array(root) @ slow_array(root).T
        np.testing.assert_allclose(found, times * expected, atol=1e-10)


@given(tables)
def test_a_root_has_as_few_columns_as_may_be(table):
    assert table.root().mix.shape[1] <= table.basis.shape[1]


@given(both_kinds)
def test_centered_rows_keep_all_distances(table):
    frequencies = np.random.default_rng(4).random(len(table))
    codes = np.array([3, 0, 3, len(table)])  # the last is unknown
    vectors, places = table.centered(codes, frequencies)
    centered = slow_array(table) - frequencies @ slow_array(table) / frequencies.sum()
    expected = np.vstack([centered, np.zeros(table.shape[1])])[codes]
    np.testing.assert_allclose(pdist(vectors[places]), pdist(expected), atol=1e-6)


def test_side_by_side():
    first, second = make(0), make(1, has_own=False, n_basis=2)
    expected = np.hstack([slow_array(first), slow_array(second)])
    np.testing.assert_allclose(slow_array(first.beside(second)), expected)
    arrays = Dense(slow_array(first)).beside(Dense(slow_array(second)))
    np.testing.assert_allclose(arrays.array, expected)
    with pytest.raises(AssertionError):
        second.beside(first)


@pytest.mark.parametrize("limit", [1, 5])
def test_nothing_shared(limit, monkeypatch):
    monkeypatch.setattr(memory, "LARGE", limit)
    table = own_directions(np.array([1.0, 2.0]))
    assert type(table) is (Tall if limit < 2 else Dense)
    np.testing.assert_array_equal(table.toarray(), np.diag([1.0, 2.0]))
    (root,) = type(table).weighted_roots([table], [np.ones(2)])
    np.testing.assert_array_equal(root.toarray(), np.diag([1.0, 2.0]))
    np.testing.assert_array_equal(table @ np.ones(2), [1.0, 2.0])
    np.testing.assert_array_equal(table.energies(np.array([1.0, 3.0]), True), [0.75, 3.0])
    assert table.largest() == 2.0
