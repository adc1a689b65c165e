"""Bad parameters are named, before anything is learned."""

import re

import pytest

from untie_paper.baselines import VAE, BiGAN
from untie_paper.baselines._deep.settings import check_settings

TABLE = [["a", "x"], ["b", "y"]]

BAD = [
    ("n_components", 0),
    ("n_components", 1.5),
    ("n_components", "many"),
    ("n_components", True),
    ("hidden", ()),
    ("hidden", 64),
    ("hidden", "64"),
    ("hidden", (64, 0)),
    ("hidden", (64, 2.5)),
    ("max_cross", -1),
    ("learning_rate", 0),
    ("learning_rate", float("nan")),
    ("batch_size", 0),
    ("max_epochs", 0),
    ("l2", -1e-3),
    ("patience", 0),
    ("tol", -1),
    ("verbose", -1),
    ("verbose", "loud"),
    ("callback", "print"),
    ("device", None),
    ("device", "tpu"),
    ("random_state", "seed"),
]


@pytest.mark.parametrize(("name", "value"), BAD)
@pytest.mark.parametrize("method", [VAE, BiGAN])
def test_bad_parameters(method, name, value):
    pytest.importorskip("torch")
    encoder = method(**{name: value})
    shown = value[-1] if isinstance(value, tuple) and value else value
    message = rf"{name} .*{re.escape(repr(shown))}|'seed' cannot be used to seed"
    with pytest.raises(ValueError, match=message):
        encoder.fit(TABLE)
    assert not hasattr(encoder, "vocabulary_")


@pytest.mark.parametrize(("name", "value"), [("layer", "first"), ("temperature", 0)])
def test_bad_parameters_of_bigan(name, value):
    with pytest.raises(ValueError, match=name):
        BiGAN(**{name: value}).fit(TABLE)


@pytest.mark.parametrize(("n_attributes", "expected"), [(1, 2), (2, 2), (9, 9), (16, 16), (60, 16)])
def test_automatic_number_of_components(n_attributes, expected):
    assert check_settings(VAE(), n_attributes).n_components == expected


def test_defaults_are_the_designs():
    vae, bigan = VAE(), BiGAN()
    assert (vae.hidden, vae.max_cross, vae.batch_size) == ((64, 32), 2000, 64)
    assert (vae.learning_rate, vae.max_epochs, vae.l2) == (1e-3, 200, 1e-5)
    assert (bigan.hidden, bigan.max_cross, bigan.batch_size) == ((64, 32), 2000, 64)
    assert (bigan.learning_rate, bigan.max_epochs, bigan.l2) == (2e-4, 300, 2.5e-5)
    assert (bigan.temperature, bigan.layer) == (0.67, "output")
