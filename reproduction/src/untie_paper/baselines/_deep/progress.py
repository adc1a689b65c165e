"""What is told about learning while it goes on, and when it stops."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True)
class Progress:
    """Where learning stands after an epoch.

    Parameters
    ----------
    method : str
        Name of what learns.
    epoch, max_epochs : int
        Epochs done, and the largest number of them.
    loss : float
        What is minimised; the sum of both sides' losses if there are adversaries.
    terms : dict of str to float
        The parts of the method's losses.
    is_last : bool
        Whether learning stops here.

    Examples
    --------
    >>> print(Progress("VAE", 20, 200, 3.25, {"reconstruction": 2.5, "divergence": 0.75}, False))
    VAE epoch 20 of 200: loss 3.2500, reconstruction 2.5000, divergence 0.7500
    """

    method: str
    epoch: int
    max_epochs: int
    loss: float
    terms: dict[str, float]
    is_last: bool

    def __str__(self) -> str:
        numbers = {"loss": self.loss, **self.terms}
        text = ", ".join(f"{name} {value:.4f}" for name, value in numbers.items())
        return f"{self.method} epoch {self.epoch} of {self.max_epochs}: {text}"


class EarlyStopping:
    """Decide from the curves of the losses whether to stop.

    The mean of the last `patience` epochs is compared with that of as many before: a single epoch
    of a small table has few rows and much noise.

    Parameters
    ----------
    patience : int or None
        Number of epochs; None never stops.
    tol : float
        Stop if the mean has fallen by less; in nats.
    is_adversarial : bool
        If so, a loss may as well rise, as the adversary gains: stop if no part has moved by more.

    Examples
    --------
    >>> stop = EarlyStopping(patience=2, tol=0.1)
    >>> stop({"loss": [5.0, 4.0, 3.0, 2.0]}), stop({"loss": [5.0, 4.0, 3.0, 2.0, 2.5, 2.5]})
    (False, True)
    """

    def __init__(self, patience: int | None, tol: float, is_adversarial: bool = False) -> None:
        self._patience = patience
        self._tol = tol
        self._is_adversarial = is_adversarial

    def __call__(self, curves: dict[str, list[float]]) -> bool:
        if self._patience is None or len(curves["loss"]) < 2 * self._patience:
            return False
        falls = {name: self._fall(curve, self._patience) for name, curve in curves.items()}
        loss = falls.pop("loss")
        if self._is_adversarial:
            return all(abs(fall) < self._tol for fall in falls.values())
        return loss < self._tol

    @staticmethod
    def _fall(curve: list[float], n_epochs: int) -> float:
        return fmean(curve[-2 * n_epochs : -n_epochs]) - fmean(curve[-n_epochs:])


def report(progress: Progress, verbose: int, callback: Callable[[Progress], object] | None) -> bool:
    """Print a line every `verbose` epochs, call the user; tell whether the user wants to stop."""
    if verbose and (progress.epoch % verbose == 0 or progress.is_last):
        print(progress, file=sys.stderr)
    return callback is not None and callback(progress) is True
