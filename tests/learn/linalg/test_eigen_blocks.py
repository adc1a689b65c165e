"""Leading eigenvectors of operators too large for other ways."""

import numpy as np
import pytest
from scipy.sparse.linalg import aslinearoperator

from untie._learn.linalg import eigen


@pytest.fixture(autouse=True)
def blocks_for_all(monkeypatch):
    monkeypatch.setattr(eigen, "LANCZOS_SIZE", 10)


def matrix(eigenvalues, size=200, seed=0):
    directions = np.linalg.qr(np.random.default_rng(seed).normal(size=(size, len(eigenvalues))))[0]
    return (directions * eigenvalues) @ directions.T


@pytest.mark.parametrize(
    "eigenvalues",
    [
        [9.0, 4.0, 2.0],
        [10.0] * 12,
        [5.0],
        [3.0, 1.0, *np.linspace(0.5, 0.4, 150)],
        np.geomspace(100, 1e-9, 200),
    ],
    ids=["rank 3", "equal", "rank 1", "noise", "all"],
)
@pytest.mark.parametrize("n_vectors", [1, 3, 6])
def test_they_are_those_of_the_whole_matrix(eigenvalues, n_vectors):
    square = matrix(eigenvalues)
    every = np.maximum(np.linalg.eigvalsh(square)[::-1], 0.0)
    expected = every[:n_vectors]
    found = eigen.eigenvalues(aslinearoperator(square), n_vectors)
    np.testing.assert_allclose(found, expected, rtol=1e-2, atol=1e-6)
    above = expected > 1.5 * every[1 : n_vectors + 1]  # those that stand out
    np.testing.assert_allclose(found[above], expected[above], rtol=1e-6, atol=1e-9)
    space = eigen.leading(aslinearoperator(square), n_vectors)
    vectors = space.vectors
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(vectors.shape[1]), atol=1e-8)
    explained = np.trace(vectors.T @ square @ (vectors * space.shares))
    assert explained == pytest.approx(expected[expected > 1e-8].sum(), rel=1e-2)


def test_nothing_at_all():
    assert (eigen.eigenvalues(aslinearoperator(np.zeros((50, 50))), 3) == 0).all()
    assert eigen.leading(aslinearoperator(np.zeros((50, 50))), 3).vectors.shape == (50, 0)


def test_the_same_each_time():
    square = aslinearoperator(matrix(np.linspace(1.0, 2.0, 100)))
    first, second = (eigen.leading(square, 4).vectors for _ in range(2))
    np.testing.assert_array_equal(first, second)
