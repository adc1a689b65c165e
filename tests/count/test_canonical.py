"""The order of sampled rows is the same for every naming of a table."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import latent_classes, small_tables
from untie import count_table
from untie._count import row_sample
from untie._count.row_sample import canonical_order, in_canonical_order


def pattern(codes, weights):
    """Return a table in canonical order without names: values by where they stand first."""
    order = canonical_order(codes, weights)
    columns = sorted(tuple(pd.factorize(column)[0].tolist()) for column in codes[order].T)
    return columns, np.asarray(weights)[order].tolist()


def renamed(codes, rng):
    columns = [rng.permutation(codes.max() + 3)[column] for column in codes.T]
    return np.stack([columns[place] for place in rng.permutation(len(columns))], axis=1)


def ordered_pattern(codes, weights, orders):
    """Return a table in canonical order without names, and with orders from either end."""
    rows = codes[canonical_order(codes, weights, orders)]
    columns = []
    for column, order in zip(rows.T, orders, strict=True):
        ranks = pd.factorize(column)[0] if order is None else order[column]
        ways = [ranks] if order is None else [ranks, np.where(ranks < 0, -1, ranks.max() - ranks)]
        columns.append((order is None, min(tuple(way.tolist()) for way in ways)))
    return sorted(columns)


def renamed_with_orders(codes, orders, rng):
    """Give values other codes, put columns into another order and turn some orders round."""
    columns, others = [], []
    for column, order in zip(codes.T, orders, strict=True):
        new = rng.permutation(codes.max() + 1)
        columns.append(new[column])
        if order is not None:
            turned = np.where(order < 0, -1, order.max() - order) if rng.random() < 0.5 else order
            order = turned[np.argsort(new)]
        others.append(order)
    places = rng.permutation(len(columns))
    return np.stack([columns[p] for p in places], axis=1), [others[p] for p in places]


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


@given(data=st.data(), seed=st.integers(0, 2**16))
def test_a_table_with_orders_has_one_pattern(data, seed):
    codes, _ = distinct(data.draw(small_tables(min_rows=2, max_rows=12, max_columns=3)))
    rng = np.random.default_rng(seed)
    orders = [
        np.maximum(rng.permutation(codes.max() + 1) - data.draw(st.integers(0, 1)), -1)
        if data.draw(st.booleans())
        else None
        for _ in codes.T
    ]
    weights = np.ones(len(codes))
    other, turned = renamed_with_orders(codes, orders, rng)
    rows = rng.permutation(len(codes))
    expected = ordered_pattern(codes, weights, orders)
    assert ordered_pattern(other[rows], weights, turned) == expected


@pytest.mark.parametrize("seed", range(5))
def test_an_order_tells_apart_what_is_otherwise_alike(seed):
    # The seven values of the second column differ by their places alone.
    codes = np.array([[i % 2, i // 2] for i in range(14)])
    orders = [None, np.arange(7)]
    expected = ordered_pattern(codes, np.ones(14), orders)
    rng = np.random.default_rng(seed)
    other, turned = renamed_with_orders(codes, orders, rng)
    assert ordered_pattern(rng.permutation(other), np.ones(14), turned) == expected


def test_orders_change_nothing_where_all_rows_differ():
    table, _ = latent_classes(60, 2, 6, 3, seed=0)
    codes, weights = distinct(table)
    orders = [np.arange(3)] * 6
    order = canonical_order(codes, weights)
    np.testing.assert_array_equal(canonical_order(codes, weights, orders), order)
    np.testing.assert_array_equal(canonical_order(codes, weights, [None] * 6), order)


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
    refine = row_sample._Graph.refine
    monkeypatch.setattr(row_sample._Graph, "refine", lambda *args: calls.append(1) or refine(*args))
    codes = np.array(list(product(range(2), repeat=10)))
    canonical_order(codes, np.ones(len(codes)))
    assert 1 < len(calls) <= 1 + row_sample.MOST_CELLS // codes.size + row_sample.MOST_SINGLED
