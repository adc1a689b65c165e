"""Signs that the scores themselves decide."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from untie_paper.baselines._signs import orient


@given(seed=st.integers(0, 2**32 - 1))
def test_opposite_scores_have_opposite_signs_in_any_order(seed):
    rng = np.random.default_rng(seed)
    scores, weights = rng.standard_normal((7, 3)), rng.random(7)
    signs = orient(scores, weights)
    np.testing.assert_array_equal(orient(-scores, weights), -signs)
    order = rng.permutation(7)
    np.testing.assert_array_equal(orient(scores[order], weights[order]), signs)
    assert (weights @ (scores * signs) ** 3 > 0).all()


def test_symmetric_scores_have_the_sign_of_the_first_large_one():
    scores = np.array([[1e-17, 0.0], [-1.0, 0.0], [1.0, 0.0]])
    np.testing.assert_array_equal(orient(scores, np.ones(3)), [-1.0, 1.0])
    np.testing.assert_array_equal(orient(-scores, np.ones(3)), [1.0, 1.0])
