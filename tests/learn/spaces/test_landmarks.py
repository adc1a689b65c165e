import numpy as np
import pytest
from scipy import sparse

from untie._learn import memory
from untie._learn.spaces import kernel_spaces
from untie._learn.spaces.kernel_spaces import choose_landmarks, kernel_axes
from untie._learn.spaces.kernels import (
    NORMALIZATIONS,
    ByDiagonal,
    Gaussian,
    Pairs,
    Polynomial,
    Scale,
    resolve_kernels,
)

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
    monkeypatch.setattr(kernel_spaces, "LEFT_OUT", 1e-12)
    vectors = coupling()
    kernels = resolve_kernels([Gaussian(0.5), Gaussian(32.0), Polynomial(1), Polynomial(3)])
    axes = kernel_axes(form(vectors), kernels, NORMALIZATIONS[name], SHARES)
    for number, kernel in enumerate(kernels.values()):
        exact = NORMALIZATIONS[name](kernel(Pairs(vectors)), SHARES)
        found = space(axes, number)
        np.testing.assert_allclose(found @ found.T, exact @ exact.T, rtol=1e-5, atol=1e-6)
    assert (axes.errors < 1e-6).all()


@pytest.mark.parametrize("n_axes", [3, 12])
def test_the_stated_error_is_the_true_one(n_axes, monkeypatch):
    monkeypatch.setattr(memory, "MOST_LANDMARKS", 12)
    monkeypatch.setattr(memory, "MOST_AXES", n_axes)
    monkeypatch.setattr(kernel_spaces, "LEFT_OUT", 1e-14)
    vectors = coupling()
    kernels = resolve_kernels([Gaussian(1.0), Gaussian(8.0), Polynomial(2)])
    axes = kernel_axes(vectors, kernels, Scale(), SHARES)
    chosen = choose_landmarks(vectors, 12)
    for number, kernel in enumerate(kernels.values()):
        exact = kernel(Pairs(vectors))
        inverse = np.linalg.pinv(exact[np.ix_(chosen, chosen)])
        through = exact[:, chosen] @ inverse @ exact[chosen]
        values, directions = np.linalg.eigh(through)
        kept = (directions[:, -n_axes:] * values[-n_axes:]) @ directions[:, -n_axes:].T
        found = space(axes, number)
        np.testing.assert_allclose(found @ found.T, kept @ kept.T, atol=1e-4)
        varying = np.trace(exact) - through.sum() / len(exact)
        expected = np.trace(exact - kept) / varying
        assert axes.errors[number] == pytest.approx(expected, rel=1e-4, abs=1e-6)


def test_more_landmarks_less_error(monkeypatch):
    monkeypatch.setattr(memory, "MOST_AXES", 300)
    vectors = coupling(300, 8)
    shares = np.full(300, 1 / 300)
    errors = []
    for number in (8, 32, 128):
        monkeypatch.setattr(memory, "MOST_LANDMARKS", number)
        errors.append(kernel_axes(vectors, resolve_kernels("paper"), ByDiagonal(), shares).errors)
    assert (errors[0] >= errors[1] - 1e-12).all()
    assert (errors[1] >= errors[2] - 1e-12).all()
    assert errors[2][:5].max() < 0.05  # the wide ones; narrow ones tell all values apart
    assert errors[2][-3:-1].max() < 1e-12  # of no more than 8 and 36 dimensions


def test_landmarks_are_far_from_each_other():
    vectors = np.repeat(coupling(5, 3), 4, axis=0)
    chosen = choose_landmarks(vectors, 10)
    assert len(chosen) == 5  # the others are copies
    assert sorted(chosen // 4) == [0, 1, 2, 3, 4]
    sparse_chosen = choose_landmarks(sparse.csr_array(vectors), 10)
    np.testing.assert_array_equal(sparse_chosen, chosen)


def test_work_is_bounded(monkeypatch):
    assert kernel_spaces._n_landmarks(100_000, 200) == 100
    assert kernel_spaces._n_landmarks(1_000, 200) == memory.MOST_LANDMARKS
    assert kernel_spaces._n_landmarks(1_000, 1) == kernel_spaces.LANDMARKS_A_DIMENSION


def whole_matrix(pairs):
    return pairs.vectors @ pairs.vectors.T


def not_finite(pairs):
    return np.full_like(pairs.products, np.nan)


def test_kernels_that_cannot_be_asked_for_columns():
    with pytest.raises(ValueError, match=r"kernel 'whole_matrix' returned shape \(60, 60\) where"):
        kernel_axes(coupling(), {"whole_matrix": whole_matrix}, ByDiagonal(), SHARES)
    with pytest.raises(ValueError, match="kernel 'not_finite' returned numbers that are not"):
        kernel_axes(coupling(), {"not_finite": not_finite}, ByDiagonal(), SHARES)
    with pytest.raises(ValueError, match="normalization is a function of whole kernel matrices"):
        kernel_axes(coupling(), resolve_kernels("F4"), lambda kernel, shares: kernel, SHARES)


def not_semi_definite(pairs):
    return -pairs.squared_distances


def test_a_kernel_that_is_not_semi_definite_is_refused_by_name():
    with pytest.raises(ValueError, match="'not_semi_definite': a kernel is not positive semi-def"):
        kernel_axes(coupling(), {"not_semi_definite": not_semi_definite}, ByDiagonal(), SHARES)


def test_a_kernel_of_nothing_is_0():
    axes = kernel_axes(np.zeros((60, 2)), resolve_kernels("paper"), ByDiagonal(), SHARES)
    assert axes.widths == (1,) * 14
    assert (space(axes, 13) == 0).all()
    assert (axes.errors == 0).all()


def test_a_constant_kernel_has_no_error():
    vectors = np.zeros((60, 2))
    axes = kernel_axes(vectors, resolve_kernels([Gaussian(1.0)]), ByDiagonal(), SHARES)
    found = axes.table.toarray()
    np.testing.assert_allclose(found @ found.T, np.full((60, 60), 60 / 60), atol=1e-12)
    assert axes.errors[0] == 0


def rounded_otherwise(vectors, seed):
    """Return vectors as another processor might: off by rounding."""
    return vectors * (1.0 + 2e-16 * np.random.default_rng(seed).choice([-1, 0, 1], vectors.shape))


def test_rounding_chooses_no_landmark():
    # Every value is as far from all others, and has a neighbor on the other side of the origin.
    vectors = np.vstack([np.eye(30), -np.eye(30)]) + 1.0
    expected = choose_landmarks(vectors, 20)
    for seed in range(20):
        np.testing.assert_array_equal(
            choose_landmarks(rounded_otherwise(vectors, seed), 20), expected
        )


def test_rounding_changes_axes_by_rounding():
    vectors = np.vstack([np.eye(30), -np.eye(30)]) / 50 + 1.0
    kernels = resolve_kernels("paper")
    expected = kernel_axes(vectors, kernels, ByDiagonal(), SHARES)
    for seed in range(5):
        found = kernel_axes(rounded_otherwise(vectors, seed), kernels, ByDiagonal(), SHARES)
        assert found.widths == expected.widths
        np.testing.assert_allclose(found.table.toarray(), expected.table.toarray(), atol=1e-9)
        np.testing.assert_allclose(
            found.table.root().toarray(), expected.table.root().toarray(), atol=1e-9
        )
