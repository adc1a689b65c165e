"""Holm's correction, against its definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from untie.explain._cluster_profile import holm


def slow_holm(p_values):
    """Reject hypotheses one after another; the corrected p-value is the level of rejection."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    result, highest = [0.0] * len(p_values), 0.0
    for done, i in enumerate(order):
        highest = max(highest, min(1.0, p_values[i] * (len(p_values) - done)))
        result[i] = highest
    return result


@given(st.lists(st.floats(0, 1), max_size=12))
def test_against_the_definition(p_values):
    np.testing.assert_allclose(holm(np.array(p_values, dtype=float)), slow_holm(p_values))
