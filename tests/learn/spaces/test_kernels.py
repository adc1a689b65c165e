import numpy as np
import pytest
from sklearn.metrics.pairwise import laplacian_kernel

from untie import UNTIE, Gaussian, Pairs, Polynomial
from untie._learn.spaces.kernels import (
    KERNEL_SETS,
    NORMALIZATIONS,
    resolve_kernels,
    resolve_normalization,
)

VECTORS = np.array([[0.0, 2 / 3, 0.5], [1 / 3, 0.0, 0.5], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
SHARES = np.array([0.1, 0.2, 0.3, 0.4])


@pytest.mark.parametrize("width", [2.0**-5, 1.0, 2.0**5])
def test_gaussian_from_its_definition(width):
    expected = [[np.exp(-width * np.sum((x - y) ** 2)) for y in VECTORS] for x in VECTORS]
    np.testing.assert_allclose(Gaussian(width)(Pairs(VECTORS)), expected, atol=1e-14)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_polynomial_from_its_definition(order):
    expected = [[sum(x * y) ** order for y in VECTORS] for x in VECTORS]
    np.testing.assert_allclose(Polynomial(order)(Pairs(VECTORS)), expected, atol=1e-14)


def test_vectors_of_no_dimension_are_all_alike():
    nothing = Pairs(np.empty((3, 0)))
    np.testing.assert_array_equal(Gaussian(1.0)(nothing), np.ones((3, 3)))
    np.testing.assert_array_equal(Polynomial(1)(nothing), np.zeros((3, 3)))


def test_named_sets_are_those_of_the_paper():
    widths = {
        name: [k.width for k in ks if isinstance(k, Gaussian)] for name, ks in KERNEL_SETS.items()
    }
    orders = {
        name: [k.order for k in ks if isinstance(k, Polynomial)] for name, ks in KERNEL_SETS.items()
    }
    narrow, wide = [2.0**e for e in range(-3, 4)], [2.0**e for e in range(-5, 6)]
    assert widths == {
        "paper": wide,
        "F1": narrow,
        "F2": wide,
        "F3": [],
        "F4": [],
        "F5": narrow,
        "F6": wide,
    }
    assert orders == {
        "paper": [1, 2, 3],
        "F1": [],
        "F2": [],
        "F3": [1, 2],
        "F4": [1, 2, 3],
        "F5": [1, 2],
        "F6": [1, 2, 3],
    }


@pytest.mark.parametrize("name", ["F1", "F2", "F3", "F4", "F5", "F6", "paper"])
def test_every_named_set_can_be_learned_with(melons, name):
    encoder = UNTIE(2, kernels=name).fit(melons)
    assert set(encoder.weights()["kernel"]) == {str(k) for k in KERNEL_SETS[name]}


def test_a_function_of_the_user_is_a_kernel(melons):
    def laplace(pairs):
        return laplacian_kernel(pairs.vectors, gamma=1.0)

    encoder = UNTIE(2, kernels=[laplace, Gaussian(1.0)]).fit(melons)
    assert set(encoder.weights()["kernel"]) == {"laplace", "gaussian(1)"}


def test_a_kernel_of_the_wrong_shape_is_named(melons):
    with pytest.raises(ValueError, match=r"kernel .* returned shape \(2, 3\)"):
        UNTIE(2, kernels=[lambda pairs: np.ones((len(pairs.vectors), 3))]).fit(melons)


@pytest.mark.parametrize("wrong", ["rbf", [], None, 3, ["gaussian"], [Gaussian(1), Gaussian(1)]])
def test_wrong_kernels_are_named(wrong):
    with pytest.raises(ValueError, match="kernel"):
        resolve_kernels(wrong)


def test_scales():
    kernel = Polynomial(1)(Pairs(VECTORS))
    diagonal = NORMALIZATIONS["diagonal"](kernel, SHARES)
    assert np.sum(np.diag(diagonal) ** 2) == pytest.approx(1.0)
    cosine = NORMALIZATIONS["cosine"](kernel, SHARES)
    np.testing.assert_allclose(np.diag(cosine), [1, 1, 0, 1])  # the third vector is 0
    assert NORMALIZATIONS[None](kernel, SHARES) is kernel


def test_variance_scale_gives_unit_variance_over_rows():
    rows = NORMALIZATIONS["variance"](Polynomial(1)(Pairs(VECTORS)), SHARES)[
        np.repeat(range(4), [1, 2, 3, 4])
    ]
    assert rows.var(axis=0).sum() == pytest.approx(1.0)


def test_a_constant_kernel_has_no_variance_to_scale():
    assert not NORMALIZATIONS["variance"](np.ones((4, 4)), SHARES).any()


def test_a_zero_kernel_stays_zero():
    for normalize in NORMALIZATIONS.values():
        np.testing.assert_array_equal(normalize(np.zeros((4, 4)), SHARES), 0)


@pytest.mark.parametrize("normalization", ["diagonal", "cosine", "variance", None])
def test_every_scale_can_be_learned_with(melons, normalization):
    X = UNTIE(2, normalization=normalization).fit_transform(melons)
    assert np.isfinite(X).all()
    assert np.ptp(X, axis=0).any()


def test_a_function_of_the_user_is_a_scale(melons):
    X = UNTIE(2, normalization=lambda kernel, shares: kernel / kernel.max()).fit_transform(melons)
    assert np.isfinite(X).all()


def test_wrong_scale_is_named():
    with pytest.raises(ValueError, match="normalization must be one of"):
        resolve_normalization("trace")
