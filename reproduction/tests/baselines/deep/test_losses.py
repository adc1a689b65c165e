"""The losses against values known beforehand and against plain loops."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from untie_paper.baselines._deep.losses import divergence, judging, reconstruction  # noqa: E402


def test_divergence_of_the_worked_example():
    mean, variance = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 2.0]])
    assert float(divergence(mean, variance.log())) == pytest.approx(0.653426, abs=1e-6)


def test_divergence_of_the_prior_is_0():
    assert float(divergence(torch.zeros(3, 2), torch.zeros(3, 2))) == 0


def test_divergence_is_that_of_pytorch():
    rng = np.random.default_rng(0)
    mean, log_variance = torch.tensor(rng.normal(size=(2, 5, 3)))
    code = torch.distributions.Normal(mean, (0.5 * log_variance).exp())
    prior = torch.distributions.Normal(0.0, 1.0)
    expected = torch.distributions.kl_divergence(code, prior).sum(dim=1).mean()
    assert float(divergence(mean, log_variance)) == pytest.approx(float(expected), rel=1e-12)


def test_reconstruction_as_defined():
    rng = np.random.default_rng(0)
    log_probabilities = np.log(rng.random((4, 5)))
    values = [(0, 2), (1, 4), (0, 3), (0, 2)]
    one_hot = np.zeros((4, 5))
    for row, columns in enumerate(values):
        one_hot[row, list(columns)] = 1
    expected = -sum(log_probabilities[row, v] for row in range(4) for v in values[row]) / 4
    found = reconstruction(torch.tensor(log_probabilities), torch.tensor(one_hot))
    assert float(found) == pytest.approx(expected, rel=1e-12)


def test_judging_of_zero_logits_is_ln_2_for_each_term():
    zero, sure = torch.zeros(4, 1), torch.full((4, 1), 100.0)
    assert float(judging(zero, -sure)) == pytest.approx(math.log(2), abs=1e-6)
    assert float(judging(sure, zero)) == pytest.approx(math.log(2), abs=1e-6)
    assert float(judging(zero, zero)) == pytest.approx(2 * math.log(2), abs=1e-6)


def test_judging_as_defined():
    real, made = np.random.default_rng(0).normal(size=(2, 6, 1))

    def probability(logit):
        return 1 / (1 + math.exp(-logit))

    expected = sum(-math.log(probability(r)) for r in real[:, 0]) / 6
    expected += sum(-math.log(1 - probability(m)) for m in made[:, 0]) / 6
    found = judging(torch.tensor(real), torch.tensor(made))
    assert float(found) == pytest.approx(expected, rel=1e-12)
