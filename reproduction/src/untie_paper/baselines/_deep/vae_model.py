"""The variational autoencoder's networks and its step of learning."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from untie_paper.baselines._deep.features import Features
from untie_paper.baselines._deep.layers import Blocks, CodesWideDeep, Crosses, Noise, RowsWideDeep
from untie_paper.baselines._deep.losses import divergence, reconstruction
from untie_paper.baselines._deep.network import Network
from untie_paper.baselines._deep.settings import TrainingSettings
from untie_paper.baselines._deep.training import adam


class VAEModel:
    """An encoder to mean and log-variance of a normal code, and a decoder of its samples."""

    name = "VAE"
    is_adversarial = False

    def __init__(self, features: Features, settings: TrainingSettings, noise: Noise) -> None:
        self._n_codes = settings.n_components
        self._noise = noise
        self._blocks = Blocks(features, noise.device)
        self._crosses = Crosses(features, noise.device)
        self.encoder = RowsWideDeep(features, settings.hidden, 2 * self._n_codes, noise)
        self.decoder = CodesWideDeep(features, settings.hidden, self._n_codes, noise)
        networks: list[Any] = [self.encoder, self.decoder]
        self._optimizer = adam(networks, settings, (0.9, 0.999), wide_only=True)

    def step(self, x: Tensor) -> dict[str, Tensor]:
        """Learn from a batch."""
        terms = self.terms(x)
        loss = terms["reconstruction"] + terms["divergence"]
        self._optimizer.zero_grad()
        loss.backward()
        self._optimizer.step()
        return {"loss": loss, **terms}

    def terms(self, x: Tensor) -> dict[str, Tensor]:
        """Return the two parts of the loss of a batch, with one sample per row."""
        mean, log_variance = self.encoder(self._crosses(x)).split(self._n_codes, dim=1)
        sample = mean + (0.5 * log_variance).exp() * self._noise.normal(*mean.shape)
        log_probabilities = self._blocks.log_softmax(self.decoder(sample))
        return {
            "reconstruction": reconstruction(log_probabilities, x),
            "divergence": divergence(mean, log_variance),
        }

    def export(self) -> Network:
        """Return the encoder to the mean."""
        return self.encoder.export(self._n_codes)
