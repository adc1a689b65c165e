"""The networks of the bidirectional adversarial model and its step of learning."""

from __future__ import annotations

import torch
from torch import Tensor

from untie_paper.baselines._deep.features import Features
from untie_paper.baselines._deep.layers import Blocks, CodesWideDeep, Crosses, Noise, RowsWideDeep
from untie_paper.baselines._deep.losses import judging
from untie_paper.baselines._deep.network import Network
from untie_paper.baselines._deep.settings import TrainingSettings
from untie_paper.baselines._deep.training import adam

BETAS = (0.5, 0.999)


class BiGANModel:
    """An encoder, a generator, and a discriminator of their pairs of row and code."""

    name = "BiGAN"
    is_adversarial = True

    def __init__(
        self, features: Features, settings: TrainingSettings, noise: Noise, temperature: float
    ) -> None:
        self._n_codes = settings.n_components
        self._temperature = temperature
        self._noise = noise
        self._blocks = Blocks(features, noise.device)
        self._crosses = Crosses(features, noise.device)
        self.encoder = RowsWideDeep(features, settings.hidden, self._n_codes, noise)
        self.generator = CodesWideDeep(features, settings.hidden, self._n_codes, noise)
        self.discriminator = RowsWideDeep(features, settings.hidden, 1, noise, self._n_codes)
        both = [self.encoder, self.generator]
        self._optimizer = adam(both, settings, BETAS, wide_only=False)
        self._judge_optimizer = adam([self.discriminator], settings, BETAS, wide_only=False)

    def step(self, x: Tensor) -> dict[str, Tensor]:
        """Learn from a batch: a step of the discriminator, then one of the two others."""
        real = self._crosses(x)
        code = self.encoder(real).tanh()
        drawn = self._noise.uniform(-1.0, 1.0, len(x), self._n_codes)
        made = self._blocks.hard_sample(self.generator(drawn), self._temperature, self._noise)
        rows, codes = torch.cat([real, self._crosses(made)]), torch.cat([code, drawn])

        of_real, of_made = self.discriminator(rows.detach(), codes.detach()).split(len(x))
        judged = judging(of_real, of_made)
        _descend(self._judge_optimizer, judged)

        self.discriminator.requires_grad_(False)
        of_real, of_made = self.discriminator(rows, codes).split(len(x))
        deceived = judging(of_made, of_real)
        _descend(self._optimizer, deceived)
        self.discriminator.requires_grad_(True)
        return {
            "loss": judged + deceived,
            "discriminator": judged,
            "encoder_generator": deceived,
        }

    def export(self) -> Network:
        """Return the encoder."""
        return self.encoder.export(self._n_codes, bounded=True)


def _descend(optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
