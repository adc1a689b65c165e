"""Block Lanczos iterations against the full solver."""

import numpy as np
import pytest
from scipy.sparse.linalg import aslinearoperator

from untie._learn.linalg.eigen import Krylov, beyond


def matrix(eigenvalues, seed=0):
    size = len(eigenvalues)
    turn = np.linalg.qr(np.random.default_rng(seed).standard_normal((size, size)))[0]
    return (turn * eigenvalues) @ turn.T


SPECTRA = {
    "even": np.linspace(9, 0, 150),
    "equal": np.array([5.0] * 6 + [1.0] * 144),
    "noise": np.append([4.0, 3.0], np.random.default_rng(0).random(148)),
    "rank 3": np.append([3.0, 2.0, 1.0], np.zeros(147)),
}


@pytest.mark.parametrize("most_blocks", [4, 20])
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_eigenpairs_are_those_of_the_full_solver(spectrum, most_blocks):
    eigenvalues = np.sort(SPECTRA[spectrum])[::-1]
    gram = matrix(eigenvalues)
    search = Krylov(aslinearoperator(gram), 7, most_blocks)
    for _ in range(200):
        if search.is_complete or search.errors[:3].max() < 1e-9:
            break
        search.grow()
    np.testing.assert_allclose(search.values[:3], eigenvalues[:3], rtol=1e-9)
    vectors = search.vectors(3)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(gram @ vectors, vectors * search.values[:3], atol=1e-8)


@pytest.mark.parametrize("most_blocks", [4, 20])
def test_errors_are_the_lengths_of_what_is_left(most_blocks):
    gram = matrix(np.geomspace(10.0, 0.1, 120))
    search = Krylov(gram, 5, most_blocks)
    for _ in range(9):  # with few blocks, the basis is cut on the way
        search.grow()
        vectors = search.vectors(10)
        left = np.linalg.norm(gram @ vectors - vectors * search.values[:10], axis=0)
        np.testing.assert_allclose(search.errors[:10], left, atol=1e-9)


def test_no_value_is_above_the_true_one():
    eigenvalues = np.sort(SPECTRA["noise"])[::-1]
    search = Krylov(matrix(eigenvalues), 4)
    for _ in range(5):
        search.grow()
        n_found = len(search.values)
        assert (search.values <= eigenvalues[:n_found] + 1e-12).all()


def test_nothing_is_left_of_vectors_within_the_span():
    basis = np.eye(5)[:, :3]
    assert beyond(basis @ np.arange(6.0).reshape(3, 2), basis).shape == (5, 0)
    found = beyond(np.ones((5, 2)), basis)
    np.testing.assert_allclose(np.abs(found), [[0.0]] * 3 + [[0.5**0.5]] * 2, atol=1e-12)


def test_all_that_is_wanted_is_found_though_the_basis_is_cut():
    """A quarter of the blocks are fewer vectors than are wanted: the last would never come."""
    eigenvalues = np.linspace(2.0, 1.0, 400)
    search = Krylov(matrix(eigenvalues), 8, most_blocks=23, n_wanted=60)
    for _ in range(100):
        if search.errors[:60].max() < 1e-9:
            break
        search.grow()
    assert search.n_products < 4 * len(eigenvalues)
    np.testing.assert_allclose(search.values[:60], eigenvalues[:60], rtol=1e-9)
