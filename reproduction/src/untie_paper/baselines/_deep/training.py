"""The loop over epochs and batches, on one device, from one seed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from untie_paper.arrays import Codes, FloatArray
from untie_paper.baselines._deep.features import Features
from untie_paper.baselines._deep.network import Network
from untie_paper.baselines._deep.progress import EarlyStopping, Progress, report
from untie_paper.baselines._deep.settings import TrainingSettings

EPOCH_ROWS = 2**20
"""An epoch draws at most this many rows, unless more are distinct."""

GPU_BATCH = 256
"""With smaller batches a GPU mostly waits for the next step; one core is as fast."""


class Trainable(Protocol):
    """Networks that learn together."""

    name: str
    is_adversarial: bool
    """Whether its losses come to rest in the end, instead of falling to the end."""

    def step(self, x: Tensor) -> dict[str, Tensor]:
        """Learn from a batch of one-hot rows; return "loss", and the parts to be reported."""

    def export(self) -> Network:
        """Return the encoder."""


def train(
    model: Trainable, rows: OneHotRows, weights: FloatArray, settings: TrainingSettings, seed: int
) -> dict[str, list[float]]:
    """Run epochs until one of the reasons to stop; return the mean terms of each epoch.

    Parameters
    ----------
    model : Trainable
        What learns.
    rows : OneHotRows
        Distinct rows.
    weights : array of shape (n_rows,)
        How often each counts.
    settings : TrainingSettings
        The encoder's parameters.
    seed : int
        Of the order of the rows.
    """
    rng = np.random.default_rng(seed)
    stopping = EarlyStopping(settings.patience, settings.tol, model.is_adversarial)
    curves: dict[str, list[float]] = {}
    for epoch in range(1, settings.max_epochs + 1):
        terms = _one_epoch(model, rows, draw_batches(weights, settings.batch_size, rng))
        _check_finite(model.name, epoch, terms)
        for name, value in terms.items():
            curves.setdefault(name, []).append(value)
        loss = terms.pop("loss")
        is_last = stopping(curves) or epoch == settings.max_epochs
        progress = Progress(model.name, epoch, settings.max_epochs, loss, terms, is_last)
        if report(progress, settings.verbose, settings.callback) or is_last:
            break
    return curves


def draw_batches(
    weights: FloatArray, batch_size: int, rng: np.random.Generator
) -> list[NDArray[np.intp]]:
    """Return the rows of an epoch in batches of nearly equal size.

    Each row comes as often as its weight says; if that is not whole, the number below or above,
    at random.
    """
    total = float(weights.sum())
    # Weights that are shares must not make an epoch of one row.
    n_draws = max(len(weights), min(round(total), EPOCH_ROWS))
    marks = (np.arange(n_draws) + rng.random()) * (total / n_draws)
    drawn = np.searchsorted(np.cumsum(weights), marks, side="right")
    drawn = rng.permutation(np.minimum(drawn, len(weights) - 1))
    return np.array_split(drawn, -(-n_draws // batch_size))


class OneHotRows:
    """Coded rows on a device, made one-hot when they are asked for."""

    def __init__(self, features: Features, codes: Codes, device: torch.device) -> None:
        positions = features.positions(codes)
        self._positions = torch.as_tensor(positions, device=device)
        self._n_values = features.n_values
        self._unknown: Tensor | None = None
        if (positions >= features.n_values).any():
            blocks = features.unknown_blocks.astype(np.float32)
            self._unknown = torch.as_tensor(blocks, device=device)

    def __getitem__(self, index: NDArray[np.intp]) -> Tensor:
        positions = self._positions[torch.as_tensor(index, device=self._positions.device)]
        n_columns = self._n_values + positions.shape[1]
        wider = torch.zeros(len(index), n_columns, device=positions.device)
        wider.scatter_(1, positions, 1.0)
        known = wider[:, : self._n_values]
        return (
            known if self._unknown is None else known + wider[:, self._n_values :] @ self._unknown
        )


def adam(
    networks: list[nn.Module],
    settings: TrainingSettings,
    betas: tuple[float, float],
    wide_only: bool,
) -> torch.optim.Adam:
    """Return Adam over networks, with L2 on all matrices or on those of the wide parts."""
    named = [pair for network in networks for pair in network.named_parameters()]
    is_shrunk = [name == "wide" if wide_only else parameter.ndim == 2 for name, parameter in named]
    groups = [
        {
            "params": [p for (_, p), s in zip(named, is_shrunk, strict=True) if s is shrunk],
            "weight_decay": settings.l2 if shrunk else 0.0,
        }
        for shrunk in (True, False)
    ]
    # The fused step is one call instead of several for each of many small arrays.
    return torch.optim.Adam(groups, lr=settings.learning_rate, betas=betas, fused=True)


def choose_device(name: str, batch_size: int) -> torch.device:
    """Return the device of a name, or say why it can't be."""
    if name == "auto":
        pays = batch_size >= GPU_BATCH and torch.cuda.is_available()
        return torch.device("cuda" if pays else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in ("cpu", "cuda"):
        raise ValueError(f"device must be 'auto', 'cpu' or 'cuda', got {name!r}.")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ValueError(
            f"device is {name!r}, but PyTorch finds {torch.cuda.device_count()} GPUs; pass "
            "device='cpu', or install a build of PyTorch for your GPU."
        )
    return device


_one_at_a_time = RLock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep PyTorch on one thread, then give it back what it had.

    For networks of this size more threads cost more than they save, and sums that are split
    among them would depend on the number of cores. Part of that number belongs to the whole
    process, so fits in threads of the user's take turns.
    """
    with _one_at_a_time:
        n_threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(n_threads)


def _one_epoch(
    model: Trainable, rows: OneHotRows, batches: list[NDArray[np.intp]]
) -> dict[str, float]:
    totals: dict[str, Tensor] = {}
    for batch in batches:
        for name, value in model.step(rows[batch]).items():
            totals[name] = totals.get(name, 0.0) + value.detach() * len(batch)
    n_rows = sum(map(len, batches))
    return {name: float(total) / n_rows for name, total in totals.items()}


def _check_finite(name: str, epoch: int, terms: dict[str, float]) -> None:
    if not all(map(math.isfinite, terms.values())):
        raise ValueError(f"{name} diverged in epoch {epoch}: {terms}. Pass a lower learning_rate.")
