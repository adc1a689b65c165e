import numpy as np
import pytest
from scipy import sparse

from untie.core import landmarks, memory
from untie.core.kernels import (
    NORMALIZATIONS,
    Gaussian,
    Pairs,
    Polynomial,
    by_diagonal,
    resolve_kernels,
    unscaled,
)
from untie.core.landmarks import choose_landmarks, kernel_axes

SHARES = np.random.default_rng(9).dirichlet(np.ones(60))


def coupling(n_values=60, n_dimensions=5, seed=0):
    return np.random.default_rng(seed).random((n_values, n_dimensions))


def space(axes, number):
    start = sum(axes.widths[:number])
    return axes.table.toarray()[:, start : start + axes.widths[number]]


@pytest.mark.parametrize("name", NORMALIZATIONS)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_with_all_values_as_landmarks_nothing_is_lost(name, form, monkeypatch):
    monkeypatch.setattr(memory, "MOST_AXES", 60)
    monkeypatch.setattr(landmarks, "LEFT_OUT", 1e-12)
    vectors = coupling()
    kernels = resolve_kernels([Gaussian(0.5), Gaussian(32.0), Polynomial(1), Polynomial(3)])
    axes = kernel_axes(form(vectors), kernels, NORMALIZATIONS[name], SHARES)
    for number, kernel in enumerate(kernels.values()):
        exact = NORMALIZATIONS[name](kernel(Pairs(vectors)), SHARES)
        found = space(axes, number)
        np.testing.assert_allclose(found @ found.T, exact @ exact.T, rtol=1e-5, atol=1e-6)
    assert (axes.errors < 1e-6).all()


def test_the_stated_error_is_the_true_one(monkeypatch):
    monkeypatch.setattr(memory, "MOST_LANDMARKS", 12)
    monkeypatch.setattr(memory, "MOST_AXES", 60)
    monkeypatch.setattr(landmarks, "LEFT_OUT", 0.0)
    vectors = coupling()
    kernels = resolve_kernels([Gaussian(1.0), Gaussian(8.0), Polynomial(2)])
    axes = kernel_axes(vectors, kernels, unscaled, SHARES)
    for number, kernel in enumerate(kernels.values()):
        exact = kernel(Pairs(vectors))
        found = space(axes, number)
        values, directions = np.linalg.eigh(found @ found.T)
        stand_in = (directions * np.sqrt(np.maximum(values, 0))) @ directions.T
        missing = np.trace(exact - stand_in)
        of_landmarks = choose_landmarks(vectors, 12)
        inverse = np.linalg.pinv(exact[np.ix_(of_landmarks, of_landmarks)])
        expected = exact[:, of_landmarks] @ inverse @ exact[of_landmarks]
        np.testing.assert_allclose(stand_in, expected, atol=1e-5)
        spread = np.trace(exact) - expected.sum() / len(exact)
        assert axes.errors[number] == pytest.approx(missing / spread, abs=1e-5)
        largest = (exact - stand_in).diagonal().max()
        assert np.abs(exact - stand_in).max() <= largest + 1e-6


def test_more_landmarks_less_error(monkeypatch):
    vectors = coupling(300, 8)
    shares = np.full(300, 1 / 300)
    errors = []
    for number in (8, 32, 128):
        monkeypatch.setattr(memory, "MOST_LANDMARKS", number)
        errors.append(kernel_axes(vectors, resolve_kernels("paper"), by_diagonal, shares).errors)
    assert (errors[0] >= errors[1] - 1e-12).all()
    assert (errors[1] >= errors[2] - 1e-12).all()
    assert errors[2][:5].max() < 0.05  # the wide ones; narrow ones tell all values apart
    assert errors[2][-3:].max() < 1e-12  # of no more than 8, 36 and 120 dimensions


def test_landmarks_are_far_from_each_other():
    vectors = np.repeat(coupling(5, 3), 4, axis=0)
    chosen = choose_landmarks(vectors, 10)
    assert len(chosen) == 5  # the others are copies
    assert sorted(chosen // 4) == [0, 1, 2, 3, 4]
    sparse_chosen = choose_landmarks(sparse.csr_array(vectors), 10)
    np.testing.assert_array_equal(sparse_chosen, chosen)


def test_work_is_bounded(monkeypatch):
    assert landmarks._n_landmarks(100_000, 200) == 100
    assert landmarks._n_landmarks(1_000, 200) == memory.MOST_LANDMARKS
    assert landmarks._n_landmarks(1_000, 1) == landmarks.LANDMARKS_A_DIMENSION


def whole_matrix(pairs):
    return pairs.vectors @ pairs.vectors.T


def not_finite(pairs):
    return np.full_like(pairs.products, np.nan)


def test_kernels_that_cannot_be_asked_for_columns():
    with pytest.raises(ValueError, match=r"kernel 'whole_matrix' returned shape \(60, 60\) where"):
        kernel_axes(coupling(), {"whole_matrix": whole_matrix}, by_diagonal, SHARES)
    with pytest.raises(ValueError, match="kernel 'not_finite' returned numbers that are not"):
        kernel_axes(coupling(), {"not_finite": not_finite}, by_diagonal, SHARES)
    with pytest.raises(ValueError, match="normalization is a function of whole kernel matrices"):
        kernel_axes(coupling(), resolve_kernels("F4"), lambda kernel, shares: kernel, SHARES)


def test_a_constant_kernel_has_no_error():
    vectors = np.zeros((60, 2))
    axes = kernel_axes(vectors, resolve_kernels([Gaussian(1.0)]), by_diagonal, SHARES)
    found = axes.table.toarray()
    np.testing.assert_allclose(found @ found.T, np.full((60, 60), 60 / 60), atol=1e-12)
    assert axes.errors[0] == 0
