"""The figures worked out by hand and by brute force for the paper's toy table."""

import numpy as np
import pytest

from oracle import costs, full_features, leading_vectors
from untie import UNTIE
from untie._learn.spaces.couplings import inter, intra


@pytest.fixture
def uniform(melons):
    return UNTIE(n_clusters=2, solver="uniform").fit(melons)


def test_frequencies_of_colors(uniform):
    np.testing.assert_allclose(intra(uniform.counts_, 1).ravel(), [1 / 6, 1 / 3, 1 / 6, 1 / 3])


def test_conditional_probabilities_of_colors(uniform):
    third, half = 1 / 3, 1 / 2
    expected = [
        [0, third, 0, half, 0],
        [third, third, half, half, 0],
        [0, third, 0, 0, half],
        [2 * third, 0, half, 0, half],
    ]
    np.testing.assert_allclose(inter(uniform.counts_, 1), expected)


def test_linear_kernel_of_yellow_with_itself(uniform):
    yellow = inter(uniform.counts_, 1)[3]
    assert yellow @ yellow == pytest.approx(17 / 18)


def test_similarities_of_the_toy_table(melons, uniform):
    S = uniform.similarity(melons)
    diagonal = [59.603678, 62.692760, 62.026279, 64.067977, 61.154703, 60.360162]
    np.testing.assert_allclose(np.diag(S), diagonal, atol=1e-6)
    assert S[0, 1] == pytest.approx(52.674834, abs=1e-6)
    assert np.trace(S) == pytest.approx(369.905559, abs=1e-6)
    top = np.linalg.eigvalsh(S)[::-1][:2]
    np.testing.assert_allclose(top, [331.437940, 24.246312], atol=1e-6)


def test_loss_and_number_of_coordinates_of_the_toy_table(uniform):
    assert uniform.loss_curve_ == [pytest.approx(14.221306, abs=1e-6)]
    assert len(uniform.omega_) == 252


def test_brute_force_gives_the_same_toy_figures(melons):
    X = full_features(melons.to_numpy().tolist())
    assert X.shape == (6, 252)
    energy, left = costs(X, np.ones(252), 2)
    assert energy.sum() == pytest.approx(369.905559, abs=1e-6)
    assert left.sum() == pytest.approx(14.221306, abs=1e-6)
    assert leading_vectors(X @ X.T, 2).shape == (6, 2)


def test_full_output_is_the_paper_s_vector(melons):
    X = UNTIE(n_clusters=2, solver="uniform", output="full").fit_transform(melons)
    np.testing.assert_allclose(X, full_features(melons.to_numpy().tolist()), atol=1e-12)
