"""Products in strips against plain ones, with the same bits for any number of threads."""

import numpy as np
import pytest
from joblib import parallel_config
from scipy import sparse

from untie._util import arrays
from untie._util.arrays import symmetric_product


@pytest.fixture(autouse=True)
def small_strips(monkeypatch):
    monkeypatch.setattr(arrays, "STRIP", 16)
    monkeypatch.setattr(arrays, "LARGE", 0)


@pytest.fixture
def matrix():
    half = np.random.default_rng(0).random((50, 50))
    return half + half.T


@pytest.mark.parametrize("shape", [(50,), (50, 1), (50, 7)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_it_is_the_product(matrix, form, shape):
    array = np.random.default_rng(1).random(shape)
    found = symmetric_product(form(matrix), array)
    assert found.shape == shape
    np.testing.assert_allclose(found, matrix @ array, rtol=1e-12)


def test_threads_change_no_bit(matrix):
    array = np.random.default_rng(1).random((50, 3))
    with parallel_config(n_jobs=1):
        one = symmetric_product(matrix, array)
    with parallel_config(n_jobs=3):
        np.testing.assert_array_equal(symmetric_product(matrix, array), one)
