"""What attributes tell of each other, against all ways to deal the rows out."""

import math
from collections import Counter
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untie import count_table
from untie._count.counts import count
from untie._learn.columns import explained_entropy
from untie._learn.columns.explained_entropy import Draws, explained_entropies, pair_entropies


def entropy(values):
    n = len(values)
    return -sum(k / n * math.log2(k / n) for k in Counter(values).values())


def left_open(j, k):
    """H(k | j), group by group."""
    groups = {value: [b for a, b in zip(j, k, strict=True) if a == value] for value in set(j)}
    return sum(len(group) / len(k) * entropy(group) for group in groups.values())


def told(j, k):
    """1 - H(k | j) / its mean over all orders of k, and that mean over all rows."""
    dealt = list(permutations(k))
    mean = sum(left_open(j, order) for order in dealt) / len(dealt)
    return (1 - left_open(j, k) / mean if mean > 1e-9 else 0.0), mean * len(k)


def found(*columns):
    counts = count_table([list(row) for row in zip(*columns, strict=True)]).counts
    return explained_entropies(counts, pair_entropies(counts))


columns = st.integers(2, 6).flatmap(
    lambda n: st.tuples(*[st.lists(st.sampled_from("abc"), min_size=n, max_size=n)] * 2)
)


@given(columns)
def test_as_defined(pair):
    result = found(*pair)
    for at, (j, k) in {(0, 1): pair, (1, 0): pair[::-1]}.items():
        raw = 1 - left_open(j, k) / entropy(k) if entropy(k) > 0 else 0.0
        if raw < explained_entropy.WORTH_CORRECTING - 1e-9:
            assert result.shares[at] == pytest.approx(raw, abs=1e-9)
            assert result.evidence[at] == 0
        elif raw > explained_entropy.WORTH_CORRECTING + 1e-9:
            share, evidence = told(j, k)
            assert result.shares[at] == pytest.approx(max(share, 0.0), abs=1e-7)
            assert result.evidence[at] == pytest.approx(evidence, abs=1e-7)


def slow_draw(frequencies, size):
    """Return the mean entropy of a draw: a sum over the ways to draw x rows with a value."""
    n, mean = sum(frequencies), 0.0
    for own in frequencies:
        for x in range(1, min(own, size) + 1):
            ways = math.comb(own, x) * math.comb(n - own, size - x)
            mean -= ways / math.comb(n, size) * x / size * math.log2(x / size)
    return mean


@given(st.lists(st.integers(0, 40), min_size=1, max_size=6).filter(any), st.data())
def test_entropy_of_draws(frequencies, data):
    n = min(sum(frequencies), explained_entropy.EVERY_SIZE)
    sizes = data.draw(st.lists(st.integers(1, n), min_size=1, max_size=4))
    expected = [slow_draw(frequencies, size) for size in sizes]
    result = Draws(np.array(frequencies)).entropies(np.array(sizes))
    np.testing.assert_allclose(result, expected, atol=1e-9)


def test_large_draws_are_interpolated():
    frequencies = [900, 60, 40, 500, 1, 1, 3]
    sizes = [65, 100, 333, 700, 1000, 1400, 1504, 1505]
    expected = [slow_draw(frequencies, size) for size in sizes]
    result = Draws(np.array(frequencies)).entropies(np.array(sizes))
    np.testing.assert_allclose(result, expected, atol=2e-4)


def test_draws_of_millions_of_rows_have_the_entropy_of_all():
    frequencies = np.array([5_000_000, 4_000_000, 1_000_000])
    shares = frequencies / 1e7
    whole = -(shares @ np.log2(shares))
    small, large = Draws(frequencies).entropies(np.array([1000, 9_000_000]))
    assert large == pytest.approx(whole, abs=1e-5)
    # A draw of 1,000 rows has less by (3 - 1) / 2 x 1,000 nats, to first order.
    assert whole - small == pytest.approx(2 / 2000 / math.log(2), rel=0.02)


def test_weights_of_any_scale():
    rng = np.random.default_rng(0)
    city = rng.integers(0, 40, 400)
    codes = [city, city % 7]
    plain = count(codes, (40, 7))
    expected = explained_entropies(plain, pair_entropies(plain))
    for scale in (1e-6, 0.3):
        scaled = count(codes, (40, 7), np.full(400, scale))
        result = explained_entropies(scaled, pair_entropies(scaled))
        np.testing.assert_allclose(result.shares, expected.shares, atol=1e-9)
        np.testing.assert_allclose(result.evidence, expected.evidence, rtol=1e-9)


def test_the_order_of_rows_and_values_does_not_matter():
    rng = np.random.default_rng(1)
    city = rng.integers(0, 60, 300)
    state = np.where(rng.random(300) < 0.03, rng.integers(0, 7, 300), city % 7)
    first = found(city, state)
    order = rng.permutation(300)
    other = found(rng.permutation(60)[city][order], state[order])
    np.testing.assert_allclose(first.shares, other.shares, atol=1e-9)


def test_pairs_are_judged_by_the_rows_in_which_both_are_known():
    known = [["a", "x"], ["b", "y"]] * 30
    table = known + [["a", "?"], ["?", "y"]] * 20
    with_unknown = count_table(table, categories=[["a", "b"], ["x", "y"]]).counts
    expected = count_table(known).counts
    for at in ((0, 1), (1, 0)):
        one, other = (explained_entropies(c, pair_entropies(c)) for c in (with_unknown, expected))
        assert one.shares[at] == pytest.approx(other.shares[at])


def test_sparse_counts_tell_the_same(monkeypatch):
    rng = np.random.default_rng(2)
    city = rng.integers(0, 90, 500)
    codes, sizes = [city, city % 11, rng.integers(0, 3, 500)], (90, 11, 3)
    dense = count(codes, sizes)
    monkeypatch.setattr("untie._count.memory.DENSE_VALUES", 10)
    monkeypatch.setattr("untie._count.memory.FULL_VALUES", 10)
    large = count(codes, sizes)
    assert large.is_sparse
    assert not dense.is_sparse
    one, other = (explained_entropies(c, pair_entropies(c)) for c in (dense, large))
    np.testing.assert_allclose(one.shares, other.shares, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-12, 1e9, 1e12, 1e25])
def test_weights_of_any_size(scale):
    cities = pd.DataFrame({"city": ["Rome", "Pisa", "Nice", "Lyon"] * 25})
    cities["country"] = cities["city"].map({"Rome": "Italy", "Pisa": "Italy"}).fillna("France")
    counts = count_table(cities, sample_weight=np.full(100, scale)).counts
    found = explained_entropies(counts, pair_entropies(counts))
    np.testing.assert_allclose(found.shares, [[1, 1], [0.5, 1]], atol=0.03)
