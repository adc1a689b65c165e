"""The parameters that both networks have: validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from untie_paper.checks import check_integer, check_number


@dataclass(frozen=True)
class TrainingSettings:
    """Checked parameters; see `VAE` for what they mean."""

    n_components: int
    hidden: tuple[int, ...]
    max_cross: int
    learning_rate: float
    batch_size: int
    max_epochs: int
    l2: float
    patience: int | None
    tol: float
    device: str
    verbose: int
    callback: Callable[[Any], object] | None


def check_settings(encoder: Any, n_attributes: int) -> TrainingSettings:
    """Return the parameters of an encoder, or name the first that can't be."""
    n_components = encoder.n_components
    if isinstance(n_components, str) and n_components == "auto":
        n_components = max(2, min(16, n_attributes))
    check_integer("n_components", n_components, 1, "a positive integer or 'auto'")
    check_integer("max_cross", encoder.max_cross, 0)
    check_number("learning_rate", encoder.learning_rate)
    check_integer("batch_size", encoder.batch_size)
    check_integer("max_epochs", encoder.max_epochs)
    check_number("l2", encoder.l2, zero=True)
    if encoder.patience is not None:
        check_integer("patience", encoder.patience, 1, "a positive integer or None")
    check_number("tol", encoder.tol, zero=True)
    if not isinstance(encoder.verbose, Integral) or encoder.verbose < 0:
        raise ValueError(
            f"verbose must be True, False or a number of epochs, got {encoder.verbose!r}."
        )
    if encoder.callback is not None and not callable(encoder.callback):
        raise ValueError(f"callback must be a function or None, got {encoder.callback!r}.")
    if not isinstance(encoder.device, str):
        raise ValueError(f"device must be 'auto', 'cpu' or 'cuda', got {encoder.device!r}.")
    return TrainingSettings(
        int(n_components),
        _check_hidden(encoder.hidden),
        int(encoder.max_cross),
        float(encoder.learning_rate),
        int(encoder.batch_size),
        int(encoder.max_epochs),
        float(encoder.l2),
        encoder.patience,
        float(encoder.tol),
        encoder.device,
        int(encoder.verbose),
        encoder.callback,
    )


def _check_hidden(hidden: Any) -> tuple[int, ...]:
    if not isinstance(hidden, Sequence) or isinstance(hidden, str) or not len(hidden):
        raise ValueError(f"hidden must be the widths of at least one layer, got {hidden!r}.")
    for width in hidden:
        check_integer("hidden", width, 1, "positive integers, one per layer")
    return tuple(int(width) for width in hidden)
