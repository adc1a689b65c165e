"""A tall table does what the array does that it stands for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untie._learn.tall import Centred, Tall, from_left, join


def make(seed, has_own=True, n_values=7, n_basis=3, n_mixed=4):
    rng = np.random.default_rng(seed)
    diagonal = rng.random(n_values) if has_own else None
    basis, mix = rng.normal(size=(n_values, n_basis)), rng.normal(size=(n_basis, n_mixed))
    return Tall(diagonal, basis, mix)


def slow_array(table):
    parts = [] if table.diagonal is None else [np.diag(table.diagonal)]
    return np.hstack([*parts, table.basis @ table.mix])


tables = st.builds(make, st.integers(0, 1000), st.booleans())


@given(tables)
def test_it_is_the_array(table):
    dense = slow_array(table)
    assert table.shape == dense.shape
    assert len(table) == len(dense)
    np.testing.assert_allclose(table.toarray(), dense)
    np.testing.assert_allclose(table.tosparse().toarray(), dense)


@given(tables, st.sampled_from([None, 3]))
def test_products(table, n_columns):
    rng = np.random.default_rng(1)
    dense, mean = slow_array(table), rng.normal(size=table.shape[1])
    shapes = [(size,) if n_columns is None else (size, n_columns) for size in table.shape]
    left, right = rng.normal(size=shapes[0]), rng.normal(size=shapes[1])
    centred = Centred(table, mean)
    for factor, array in ((table, dense), (centred, dense - mean), (dense, dense)):
        assert factor.shape == array.shape
        np.testing.assert_allclose(factor @ right, array @ right)
        np.testing.assert_allclose(from_left(factor, left), array.T @ left)


@given(tables, st.booleans())
def test_energies_and_means(table, centred):
    frequencies = np.random.default_rng(2).integers(0, 5, len(table)).astype(float)
    frequencies[0] += 1
    rows = np.repeat(slow_array(table), frequencies.astype(int), axis=0)
    np.testing.assert_allclose(table.mean(frequencies), rows.mean(axis=0))
    deviations = rows - rows.mean(axis=0) if centred else rows
    found = table.energies(frequencies, centred)
    np.testing.assert_allclose(found, np.square(deviations).sum(axis=0), atol=1e-12)


@given(tables)
def test_scaling_and_the_root(table):
    factors = np.random.default_rng(3).random(table.shape[1])
    scaled = table.scaled(factors)
    np.testing.assert_allclose(slow_array(scaled), slow_array(table) * factors)
    root = scaled.root()
    expected = slow_array(scaled) @ slow_array(scaled).T
    np.testing.assert_allclose(slow_array(root) @ slow_array(root).T, expected, atol=1e-12)
    assert root.mix.shape[1] <= table.basis.shape[1]


@given(tables)
def test_some_rows(table):
    codes = np.array([3, 0, 3])
    own, shared = table.rows(codes)
    np.testing.assert_allclose(shared, (table.basis @ table.mix)[codes])
    expected = np.zeros(3) if table.diagonal is None else table.diagonal[codes]
    np.testing.assert_array_equal(own, expected)


def test_side_by_side():
    first, second = make(0), make(1, has_own=False, n_basis=2)
    both = join(first, second)
    expected = np.hstack([slow_array(first), slow_array(second)])
    np.testing.assert_allclose(slow_array(both), expected)
    with pytest.raises(AssertionError):
        join(second, first)


def test_nothing_shared():
    table = Tall(np.array([1.0, 2.0]), np.empty((2, 0)), np.empty((0, 0)))
    np.testing.assert_array_equal(table.toarray(), np.diag([1.0, 2.0]))
    np.testing.assert_array_equal(table.root().toarray(), np.diag([1.0, 2.0]))
    np.testing.assert_array_equal(table @ np.ones(2), [1.0, 2.0])
    np.testing.assert_array_equal(table.energies(np.array([1.0, 3.0]), True), [0.75, 3.0])
