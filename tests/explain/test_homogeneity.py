"""Tests of two tables, against scipy and against simulated tables without a difference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, fisher_exact

from untie.explain._drift import (
    add_up,
    cells_of_pairs,
    pool,
    same_coupling,
    same_shares,
    share_p_values,
    total_variation,
)

counts = st.lists(st.integers(0, 60), min_size=2, max_size=6)


@given(counts, counts)
def test_shares_against_pearson(first, second):
    size = min(len(first), len(second))
    a, b = (np.array(part[:size], dtype=float) for part in (first, second))
    if not a.sum() or not b.sum():
        return
    cells = pool(a, b)
    table = np.array([add_up(a, cells), add_up(b, cells)])
    table = table[:, table.sum(axis=0) > 0]
    expected = chi2_contingency(table, correction=False).pvalue if table.shape[1] > 1 else 1.0
    assert same_shares(a, b) == pytest.approx(expected)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(30, 60), st.integers(30, 60))
def test_one_value_against_fisher(a, b, n_a, n_b):
    found = share_p_values(np.array([a]), n_a, np.array([b]), n_b)[0]
    square = [[a, n_a - a], [b, n_b - b]]
    tails = [fisher_exact(square, alternative=side).pvalue for side in ("less", "greater")]
    assert found == pytest.approx(min(1.0, 2 * min(tails)))


def test_total_variation_by_hand():
    assert total_variation(np.array([1.0, 3.0]), np.array([10.0, 10.0])) == pytest.approx(0.25)
    assert total_variation(np.array([1.0, 0.0]), np.array([0.0, 2.0])) == 1
    assert total_variation(np.zeros(2), np.ones(2)) == 0


def test_rare_values_share_a_cell():
    both = np.array([40.0, 1.0, 30.0, 2.0, 20.0])
    assert pool(both, both).tolist() == [0, 3, 1, 3, 2]
    assert pool(both, both, most=2).tolist() == [0, 1, 1, 1, 1]
    assert cells_of_pairs(10, 10**6) == 2
    assert cells_of_pairs(10**6, 10**6) == 30


def random_joint(rng, size):
    return rng.dirichlet(np.ones(size), size) * 0.8 + 0.2 / size


def draw(rng, margins, conditional, n):
    joint = margins[:, None] * conditional
    return rng.multinomial(n, joint.ravel() / joint.sum()).reshape(joint.shape).astype(float)


@pytest.mark.parametrize(("n", "n_new", "size"), [(400, 400, 3), (3000, 800, 5)])
def test_shifted_margins_do_not_break_a_coupling(n, n_new, size):
    """The same conditional shares, other margins: p-values as chance has them."""
    rng = np.random.default_rng(0)
    p_values = []
    for _ in range(300):
        conditional = random_joint(rng, size)
        margins = rng.dirichlet(np.full(size, 5.0), 2)
        first, second = (
            draw(rng, *pair)
            for pair in ((margins[0], conditional, n), (margins[1], conditional, n_new))
        )
        p_values.append(same_coupling(first, second)[1])
    assert np.mean(np.array(p_values) < 0.05) < 0.09
    assert np.mean(np.array(p_values) < 0.5) == pytest.approx(0.5, abs=0.1)


def test_odds_ratios_of_two_by_two_tables():
    """Raked to the same margins, tables of equal odds ratios are equal."""
    first = np.array([[40.0, 10.0], [10.0, 40.0]])  # odds ratio 16
    second = np.array([[160.0, 10.0], [40.0, 40.0]])  # odds ratio 16
    effect, p_value = same_coupling(first * 1e4, second * 1e4)
    assert effect == pytest.approx(0, abs=1e-4)
    assert p_value > 0.99
    effect, p_value = same_coupling(first, first[:, ::-1])  # turned round, margins the same
    assert effect == pytest.approx(0.6, abs=0.02)
    assert p_value < 1e-6


def test_values_that_one_table_lacks_are_left_out():
    first = np.array([[20.0, 5.0, 0.0], [5.0, 20.0, 0.0]])
    second = np.array([[20.0, 5.0, 30.0], [5.0, 20.0, 0.0]])
    effect, p_value = same_coupling(first, second)
    assert effect == pytest.approx(0, abs=0.02)
    assert p_value > 0.99
    assert same_coupling(first[:1], second[:1]) == (0.0, 1.0)


def test_merged_values_share_the_cell_of_the_rare_ones():
    first, second = np.array([40.0, 6.0, 30.0, 5.0]), np.array([40.0, 1.0, 39.0, 1.0])
    assert pool(first, second, others=2).tolist() == [0, 1, 1, 1]
    assert same_shares(first, second, others=2) == 1
