"""The order of sampled rows is the same for every naming of a table."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import small_tables
from untie import count_table
from untie._count import canonical
from untie._count.canonical import canonical_order, in_canonical_order


def pattern(codes, weights):
    """Return a table in canonical order without names: values by where they stand first."""
    order = canonical_order(codes, weights)
    columns = sorted(tuple(pd.factorize(column)[0].tolist()) for column in codes[order].T)
    return columns, np.asarray(weights)[order].tolist()


def renamed(codes, rng):
    columns = [rng.permutation(codes.max() + 3)[column] for column in codes.T]
    return np.stack([columns[place] for place in rng.permutation(len(columns))], axis=1)


def distinct(table):
    sample = count_table(table).sample
    return sample.codes, sample.weights


@given(table=small_tables(min_rows=2, max_rows=20), seed=st.integers(0, 2**16))
def test_a_table_has_one_pattern(table, seed):
    codes, weights = distinct(table)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(codes))
    assert pattern(renamed(codes, rng)[rows], weights[rows]) == pattern(codes, weights)


@pytest.mark.parametrize(
    "codes",
    [
        np.array(list(product(range(3), repeat=4))),  # all combinations
        np.array([row for row in product(range(3), repeat=4) if sum(row) % 3 == 0]),  # a design
        np.array([[i % 2, i % 3, i % 5] for i in range(30)]),
        np.array([[i, i // 2, i // 4] for i in range(16)]),  # a tree
        np.array([[i, (i + 1) % 12] for i in range(12)]),  # a ring
        np.array([[i, (i + 1) % 6 + 6 * (i // 6)] for i in range(12)]),
        np.array([[i, 0] for i in range(40)]),  # ids
        np.zeros((4, 2), dtype=int),
    ],
)
def test_symmetric_tables_have_one_pattern(codes):
    weights = np.ones(len(codes))
    expected = pattern(codes, weights)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        assert pattern(rng.permutation(renamed(codes, rng)), weights) == expected


@given(table=small_tables(min_rows=2), factor=st.floats(1e-3, 1e3))
def test_neither_scale_nor_rounding_of_weights_matters(table, factor):
    codes, weights = distinct(table)
    order = canonical_order(codes, weights)
    scaled = weights * factor * (1 + 1e-14 * np.arange(len(weights)))
    np.testing.assert_array_equal(canonical_order(codes, scaled), order)


def test_weights_tell_rows_apart():
    codes = np.array([[0], [1], [2]])
    heaviest = {
        int(np.argmax(np.array(weights)[canonical_order(codes, np.array(weights))]))
        for weights in ([3.0, 1.0, 2.0], [1.0, 3.0, 2.0], [2.0, 1.0, 3.0])
    }
    assert len(heaviest) == 1


def test_it_is_an_order_of_the_rows_that_came():
    sample = count_table([["a", "x"], ["b", "x"], ["b", "y"], ["b", "y"]]).sample
    found = in_canonical_order(sample)
    assert sorted(found.numbers) == sorted(sample.numbers)
    by_number = dict(zip(sample.numbers, sample.codes, strict=True))
    for number, row in zip(found.numbers, found.codes, strict=True):
        np.testing.assert_array_equal(row, by_number[number])


@pytest.mark.parametrize("shape", [(0, 2), (1, 2), (3, 0)])
def test_nothing_to_order(shape):
    order = canonical_order(np.zeros(shape, dtype=int), np.ones(shape[0]))
    assert order.tolist() == list(range(shape[0]))


def test_work_is_limited(monkeypatch):
    calls = []
    refine = canonical._Graph.refine
    monkeypatch.setattr(canonical._Graph, "refine", lambda *args: calls.append(1) or refine(*args))
    codes = np.array(list(product(range(2), repeat=10)))
    canonical_order(codes, np.ones(len(codes)))
    assert 1 < len(calls) <= 1 + canonical.MOST_CELLS // codes.size + canonical.MOST_SINGLED
