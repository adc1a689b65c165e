"""Ranges of ranks: all ranks have one, and it is the same counted from the other end."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from untie._util.arrays import ranges_of


def slow_range(rank, n_ranges):
    """The definition, in exact numbers."""
    for number in range(n_ranges):
        low, high = Fraction(number, n_ranges), Fraction(number + 1, n_ranges)
        is_lower = 2 * low <= 1  # what lies on the border of two ranges goes to the outer one
        above = rank > low if is_lower and number else rank >= low
        below = rank <= high if 2 * high <= 1 or number == n_ranges - 1 else rank < high
        if above and below:
            return number
    raise AssertionError


@given(st.integers(1, 12), st.lists(st.fractions(0, 1, max_denominator=60), min_size=1))
def test_the_definition(n_ranges, ranks):
    expected = [slow_range(rank, n_ranges) for rank in ranks]
    assert ranges_of(np.array(ranks, dtype=float), n_ranges).tolist() == expected


@given(
    st.integers(0, 20).map(lambda half: 2 * half + 1),
    st.lists(st.fractions(0, 1, max_denominator=90), min_size=1),
)
def test_odd_numbers_of_ranges_are_the_same_from_the_other_end(n_ranges, ranks):
    found = ranges_of(np.array(ranks, dtype=float), n_ranges)
    turned = ranges_of(1 - np.array(ranks, dtype=float), n_ranges)
    assert (n_ranges - 1 - turned).tolist() == found.tolist()


def test_rounding_does_not_cross_a_border():
    on_it = np.array([0.2, 0.8])
    for hair in (-1e-12, 0, 1e-12):
        assert ranges_of(on_it + hair, 5).tolist() == [0, 4]
    assert ranges_of(np.array([-1e-12, 1 + 1e-12]), 5).tolist() == [0, 4]
