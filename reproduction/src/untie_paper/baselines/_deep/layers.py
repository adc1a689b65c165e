"""Wide-and-deep layers in PyTorch, over one-hot blocks and over codes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from untie_paper.arrays import FloatArray
from untie_paper.baselines._deep.features import Features
from untie_paper.baselines._deep.network import Network


class Noise:
    """Random numbers from a seed, the same on every device; no global state is touched."""

    def __init__(self, seed: int, device: torch.device) -> None:
        self._generator = torch.Generator().manual_seed(seed)
        self.device = device

    def uniform(self, low: float, high: float, *shape: int) -> Tensor:
        """Return numbers between two bounds."""
        numbers = torch.rand(shape, generator=self._generator)
        return (low + (high - low) * numbers).to(self.device)

    def normal(self, *shape: int) -> Tensor:
        """Return standard normal numbers."""
        return torch.randn(shape, generator=self._generator).to(self.device)


class Blocks:
    """Softmax within each attribute's block of columns.

    Sums over blocks are products with a matrix: unlike sums at indices, they are
    the same in every run on a GPU as well.
    """

    def __init__(self, features: Features, device: torch.device) -> None:
        self._attribute_of = torch.as_tensor(features.attribute_of, device=device)
        is_of = features.attribute_of[:, None] == np.arange(len(features.sizes))
        self._members = torch.as_tensor(is_of, dtype=torch.float32, device=device)

    def log_softmax(self, logits: Tensor) -> Tensor:
        """Return the log-probabilities of each attribute's values."""
        shifted = logits - self._maxima(logits)
        return shifted - self._spread(self._sums(shifted.exp()).log())

    def hard_sample(self, logits: Tensor, temperature: float, noise: Noise) -> Tensor:
        """Draw a value of each attribute: exact one-hot blocks, with a soft sample's gradient."""
        uniform = noise.uniform(0.0, 1.0, *logits.shape).clamp(1e-10, 1.0 - 1e-7)
        drawn = (logits - (-uniform.log()).log()) / temperature
        soft = self.log_softmax(drawn).exp()
        hard = (drawn.detach() == self._maxima(drawn)).to(soft.dtype)
        hard = hard / self._spread(self._sums(hard))  # should two numbers ever be equal
        return hard + (soft - soft.detach())

    def _maxima(self, logits: Tensor) -> Tensor:
        logits = logits.detach()
        index = self._attribute_of.expand(len(logits), -1)
        lowest = logits.new_full((len(logits), self._members.shape[1]), -math.inf)
        return lowest.scatter_reduce(1, index, logits, "amax").index_select(1, self._attribute_of)

    def _sums(self, values: Tensor) -> Tensor:
        return values @ self._members

    def _spread(self, of_attributes: Tensor) -> Tensor:
        return of_attributes @ self._members.T


class Crosses:
    """Append the conjunctions to one-hot blocks, soft ones as well."""

    def __init__(self, features: Features, device: torch.device) -> None:
        self._left = torch.as_tensor(features.left, device=device)
        self._right = torch.as_tensor(features.right, device=device)

    def __call__(self, x: Tensor) -> Tensor:
        crosses = x.index_select(1, self._left) * x.index_select(1, self._right)
        return torch.cat([x, crosses], dim=1)


class Layers(nn.Module):
    """ReLU layers, one after another."""

    def __init__(self, widths: Sequence[int], noise: Noise) -> None:
        super().__init__()
        pairs = list(pairwise(widths))
        # He's bounds, which keep the size of the signal through ReLU layers.
        bounds = [math.sqrt(6.0 / n_inputs) for n_inputs, _ in pairs]
        self.weights = nn.ParameterList(
            noise.uniform(-bound, bound, *pair) for pair, bound in zip(pairs, bounds, strict=True)
        )
        self.biases = nn.ParameterList(
            torch.zeros(n_outputs, device=noise.device) for _, n_outputs in pairs
        )

    def forward(self, x: Tensor) -> Tensor:
        for weights, bias in zip(self.weights, self.biases, strict=True):
            x = torch.relu(torch.addmm(bias, x, weights))
        return x


class _Sum(nn.Module):
    """The sum of a linear part on wide features and one on the last hidden layer."""

    def __init__(self, n_wide: int, n_deep: int, n_outputs: int, noise: Noise) -> None:
        super().__init__()
        bound = 1.0 / math.sqrt(n_deep)
        # The wide part starts at 0, as a linear model does: the deep part breaks the symmetry.
        self.wide = nn.Parameter(torch.zeros(n_wide, n_outputs, device=noise.device))
        self.deep = nn.Parameter(noise.uniform(-bound, bound, n_deep, n_outputs))
        self.bias = nn.Parameter(torch.zeros(n_outputs, device=noise.device))

    def add_up(self, wide: Tensor, hidden: Tensor) -> Tensor:
        return torch.addmm(self.bias, wide, self.wide) + hidden @ self.deep


class RowsWideDeep(_Sum):
    """WD of rows: wide on values and conjunctions, deep on an embedding of each attribute.

    The rows come with their conjunctions, which several networks share. `n_codes` further
    inputs, a discriminator's second argument, enter both parts.
    """

    def __init__(
        self,
        features: Features,
        hidden: Sequence[int],
        n_outputs: int,
        noise: Noise,
        n_codes: int = 0,
    ) -> None:
        super().__init__(features.n_columns + n_codes, hidden[-1], n_outputs, noise)
        n_values, n_dimensions = features.embedding_mask.shape
        self._features = features
        self._mask = torch.as_tensor(features.embedding_mask, device=noise.device)
        self.embedding = nn.Parameter(noise.uniform(-1.0, 1.0, n_values, n_dimensions))
        self.layers = Layers([n_dimensions + n_codes, *hidden], noise)

    def forward(self, rows: Tensor, codes: Tensor | None = None) -> Tensor:
        embedded = rows[:, : self._features.n_values] @ (self.embedding * self._mask)
        if codes is not None:
            embedded, rows = torch.cat([embedded, codes], dim=1), torch.cat([rows, codes], dim=1)
        return self.add_up(rows, self.layers(embedded))

    def export(self, n_outputs: int, bounded: bool = False) -> Network:
        """Return the first outputs as a network of plain arrays."""
        weights, biases = map(_arrays, (self.layers.weights, self.layers.biases))
        embedding, deep, wide, bias = _arrays([self.embedding, self.deep, self.wide, self.bias])
        return Network(
            self._features,
            embedding * self._features.embedding_mask,
            tuple(zip(weights, biases, strict=True)),
            deep[:, :n_outputs],
            wide[:, :n_outputs],
            bias[:n_outputs],
            bounded,
        )


class CodesWideDeep(_Sum):
    """WD of codes to logits of all values: wide linear, deep with the hidden layers reversed.

    It starts at the values' shares, so that learning starts from the attributes' entropies.
    """

    def __init__(
        self, features: Features, hidden: Sequence[int], n_codes: int, noise: Noise
    ) -> None:
        super().__init__(n_codes, hidden[0], features.n_values, noise)
        self.layers = Layers([n_codes, *reversed(hidden)], noise)
        self.bias = nn.Parameter(torch.as_tensor(_log_shares(features)).to(noise.device))

    def forward(self, codes: Tensor) -> Tensor:
        return self.add_up(codes, self.layers(codes))


def _log_shares(features: Features) -> NDArray[np.float32]:
    # A value of the user's categories that no row has still needs a finite logit.
    return np.log(np.maximum(features.shares, 1e-6)).astype(np.float32)


def _arrays(tensors: Sequence[Tensor]) -> list[FloatArray]:
    return [tensor.detach().cpu().double().numpy() for tensor in tensors]
