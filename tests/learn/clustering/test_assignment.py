"""A pass over rows against one row after another."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untie._count.row_sample import RowSample
from untie._learn.clustering.lloyd import Pass, cheapest, largest_first, pack, ties_apart, walk_rows


def slow_walk(codes, weights, costs):
    """Put one row after another where it costs least, and count."""
    n_clusters = costs[0].shape[1]
    counts = [np.zeros((n_clusters, len(table))) for table in costs]
    labels, total = [], 0.0
    for row, weight in zip(zip(*codes, strict=True), weights, strict=True):
        prices = [
            sum(table[code, c] for table, code in zip(costs, row, strict=True))
            for c in range(n_clusters)
        ]
        labels.append(prices.index(min(prices)))
        total += weight * min(prices)
        for table, code in zip(counts, row, strict=True):
            table[labels[-1], code] += weight
    return labels, counts, total


@st.composite
def priced_rows(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    n_rows, n_columns = draw(st.integers(0, 30)), draw(st.integers(1, 5))
    n_codes = [draw(st.integers(1, 5)) for _ in range(n_columns)]
    codes = [rng.integers(0, size, n_rows) for size in n_codes]
    costs = [rng.normal(size=(size, 3)) for size in n_codes]
    return codes, costs, rng.integers(1, 5, n_rows).astype(float)


@given(priced_rows())
def test_a_pass_is_a_walk_from_row_to_row(case):
    codes, costs, weights = case
    labels, counts, total = slow_walk(codes, weights, costs)
    packed = pack(codes, costs)
    np.testing.assert_array_equal(cheapest(packed, costs), labels)
    found = walk_rows(packed, weights, costs)
    for joint, expected in zip(found.counts, counts, strict=True):
        np.testing.assert_allclose(joint, expected)
    assert found.cost(costs) == pytest.approx(total)
    np.testing.assert_allclose(found.sizes, np.bincount(labels, weights, minlength=3))


@given(priced_rows(), st.integers(0, 30))
def test_pieces_add_up(case, cut):
    codes, costs, weights = case
    whole = walk_rows(pack(codes, costs), weights, costs)
    parts = [
        walk_rows(pack([column[part] for column in codes], costs), weights[part], costs)
        for part in (slice(None, cut), slice(0, 0), slice(cut, None))
    ]
    assert (parts[0] + parts[1] + parts[2]).is_like(whole)


def test_passes_with_other_counts_are_not_alike():
    one, other = Pass([np.array([[1.0, 2.0]])]), Pass([np.array([[1.0, 2.0 + 1e-6]])])
    assert one.is_like(one)
    assert not one.is_like(other)


def test_the_first_of_equally_cheap_clusters_is_taken_in_any_order_of_columns():
    rng = np.random.default_rng(0)
    whole = [rng.integers(-5, 5, (4, 6)) for _ in range(7)]
    tables = [table / 10 for table in whole]  # sums of tenths are rounded
    codes = [rng.integers(0, 4, 500) for _ in range(7)]
    prices = sum(table[column] for table, column in zip(whole, codes, strict=True))
    assert ((prices == prices.min(axis=1, keepdims=True)).sum(axis=1) > 1).any()
    for order in (range(7), range(6, -1, -1), rng.permutation(7)):
        costs = ties_apart([tables[place] for place in order])
        packed = pack([codes[place] for place in order], costs)
        np.testing.assert_array_equal(cheapest(packed, costs), prices.argmin(axis=1))
        turned = cheapest(packed, [table[:, ::-1] for table in costs])
        np.testing.assert_array_equal(5 - turned, prices.argmin(axis=1))


def test_largest_first():
    costs = ties_apart([1.0 - np.eye(5)[:, [0, 1, 2, 3]]])
    sample = RowSample(np.arange(3, dtype=np.uint64), np.array([[2], [1], [0]]), np.ones(3))
    order = largest_first(costs, np.array([5.0, 9.0, 5.0, 1.0]), sample)
    assert order.tolist() == [1, 2, 0, 3]  # equal sizes by their first row
    order = largest_first(costs, np.array([5.0, 9.0, 5.0, 5.0]), sample)
    assert order.tolist() == [1, 2, 0, 3]  # no sampled row is the last
