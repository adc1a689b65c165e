"""Equal numbers are told from different ones, wherever they lie between the digits."""

import numpy as np
import pytest

from untie._util.arrays import distinct_lines, leading_digits

BORDER = 0.1234567890125
"""Twelve digits of it are rounded up or down by its last bit."""


@pytest.mark.parametrize("n_lines", [2, 3, 40])
def test_lines_that_differ_by_rounding_are_one(n_lines):
    rng = np.random.default_rng(n_lines)
    lines = np.tile([BORDER, 0.0, 3.0, 700.0], (n_lines, 1))
    lines *= 1 + rng.uniform(-1e-15, 1e-15, lines.shape)
    lines[:2, 0] = BORDER * (1 - 1e-15), BORDER * (1 + 1e-15)
    assert len(np.unique(leading_digits(lines, 12), axis=0)) > 1
    found, which = distinct_lines(lines, 12)
    assert found.shape == (1, 4)
    assert (which == 0).all()


def test_lines_with_equal_sums_are_different():
    lines = np.array([[1.0, 2.0], [2.0, 1.0], [1.0 + 1e-9, 2.0], [1.0, 2.0]])
    found, which = distinct_lines(lines, 12)
    np.testing.assert_allclose(found[which], lines, rtol=1e-12)
    assert len(found) == 3


def test_others_are_those_of_rounding():
    lines = np.random.default_rng(0).integers(0, 3, (200, 4)) / 3.0
    found, which = distinct_lines(lines, 12)
    expected, same = np.unique(leading_digits(lines, 12), axis=0, return_inverse=True)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(which, same.ravel())
