"""Scores that must not fall: what the networks learn from small tables."""

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from tables import latent_classes
from untie_paper.baselines import VAE, BiGAN
from untie_paper.datasets import load

pytest.importorskip("torch")
pytestmark = pytest.mark.integration


def summed_entropies(table):
    return sum(entropy(table[column].value_counts(dropna=False)) for column in table)


def mean_of_last(curve, n_epochs):
    return float(np.mean(curve[-n_epochs:]))


def agreement(table, classes, encoder):
    """Return the adjusted Rand index of k-means on the vectors; 0 is chance."""
    model = KMeans(len(set(classes)), n_init=10, random_state=0)
    return adjusted_rand_score(classes, model.fit_predict(encoder.fit_transform(table)))


def test_the_entropies_of_the_melons(melons):
    assert summed_entropies(melons) == pytest.approx(3.121421, abs=1e-6)


def test_vae_uses_its_code_on_the_melons(melons):
    # A decoder that ignores the code can't get below the summed entropies.
    encoder = VAE(max_epochs=1000, patience=None, random_state=0).fit(melons)
    assert mean_of_last(encoder.curves_["reconstruction"], 100) < 0.5 * 3.121421
    # No code can get the loss below the entropy of the six different rows.
    assert mean_of_last(encoder.loss_curve_, 100) > np.log(6)


@pytest.mark.parametrize("seed", [0, 1])
def test_vae_uses_its_code_on_the_melons_by_default(melons, seed):
    encoder = VAE(random_state=seed).fit(melons)
    assert mean_of_last(encoder.curves_["reconstruction"], 10) < 3.121421


def test_vae_uses_its_code_on_zoo():
    table, classes = load("zoo")
    encoder = VAE(random_state=0)
    assert agreement(table, classes, encoder) > 0.7
    assert mean_of_last(encoder.curves_["reconstruction"], 10) < 0.6 * summed_entropies(table)
    assert mean_of_last(encoder.loss_curve_, 10) < 0.8 * summed_entropies(table)


def test_vae_separates_two_clusters():
    table, classes = latent_classes(200, 2, 6, 4, seed=0, purity=0.85)
    for seed in range(3):
        assert agreement(table, classes, VAE(max_epochs=60, random_state=seed)) > 0.95


@pytest.mark.parametrize("layer", ["output", "hidden"])
def test_bigan_separates_two_clusters(layer):
    table, classes = latent_classes(200, 2, 6, 4, seed=0, purity=0.85)
    encoders = [BiGAN(max_epochs=60, layer=layer, random_state=seed) for seed in range(3)]
    scores = [agreement(table, classes, encoder) for encoder in encoders]
    assert min(scores) > 0.6
    assert np.mean(scores) > 0.75


def test_bigans_adversaries_learn():
    table, _ = latent_classes(200, 2, 6, 4, seed=0, purity=0.85)
    encoder = BiGAN(max_epochs=100, random_state=0).fit(table)
    judge = encoder.curves_["discriminator"]
    # It starts by guessing (2 ln 2), and then tells real rows from made ones.
    assert judge[0] == pytest.approx(2 * np.log(2), abs=0.15)
    assert mean_of_last(judge, 20) < 1.3
    assert np.abs(encoder.transform(table)).max() < 1
