"""Many starts and several numbers of classes -> the best latent class model."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import RandomState

from untie._util.types import FloatArray
from untie.baselines._latent_em import Climb, Sample, climb, draw_start

PATIENCE = 2
"""The search for a number of classes ends after this many in a row that are no better."""

SHORT_CLIMB = 20
"""Steps after which the worse starts are given up."""

FINALISTS = 3
"""At most this many starts are followed to the end."""


@dataclass(frozen=True)
class Found:
    """The best climb, and the BIC of each number of classes that was tried."""

    best: Climb
    bic_curve: dict[int, float]


@dataclass(frozen=True)
class Search:
    """How the best model is looked for.

    Parameters
    ----------
    n_classes : int or None
        Number of classes; None for that with the lowest BIC.
    max_classes : int
        Largest number of classes that is tried where none is given.
    n_init : int
        Number of starts.
    max_iter : int
        Largest number of steps from a start.
    tol : float
        Gain per row below which a climb ends.
    smoothing : float
        Number of imaginary rows, spread as the table is.
    """

    n_classes: int | None
    max_classes: int
    n_init: int
    max_iter: int
    tol: float
    smoothing: float

    def run(self, sample: Sample, random_state: RandomState) -> Found:
        """Return the best climb on a sample."""
        n_distinct = len(sample.weights)
        if self.n_classes is None:
            return self._by_bic(sample, min(self.max_classes, n_distinct), random_state)
        if self.n_classes > n_distinct:
            raise ValueError(
                f"n_classes={self.n_classes}, but the table has {n_distinct} distinct rows "
                f"(n_samples={n_distinct}); ask for at most as many classes."
            )
        best = self._best_climb(sample, self.n_classes, random_state)
        return Found(best, {self.n_classes: bic(sample, best)})

    def _by_bic(self, sample: Sample, most: int, random_state: RandomState) -> Found:
        climbs: dict[int, Climb] = {}
        curve: dict[int, float] = {}
        for n_classes in range(1, most + 1):
            climbs[n_classes] = self._best_climb(sample, n_classes, random_state)
            curve[n_classes] = bic(sample, climbs[n_classes])
            best = min(curve, key=lambda number: curve[number])
            if n_classes - best >= PATIENCE:
                break
        return Found(climbs[best], curve)

    def _best_climb(self, sample: Sample, n_classes: int, random_state: RandomState) -> Climb:
        """Follow many starts for a few steps, then the best of them to the end."""
        n_starts = self.n_init if n_classes > 1 else 1  # one class has one answer
        short = min(SHORT_CLIMB, self.max_iter)
        climbs = []
        for _ in range(n_starts):
            start = draw_start(sample, n_classes, self.smoothing, random_state)
            climbs.append(climb(sample, start, self.smoothing, short, self.tol))
        climbs.sort(key=lambda one: -one.curve[-1])
        return max(
            (self._finish(sample, one) for one in climbs[:FINALISTS]),
            key=lambda one: one.curve[-1],
        )

    def _finish(self, sample: Sample, begun: Climb) -> Climb:
        left = self.max_iter - len(begun.curve)
        if begun.converged or left <= 0:
            return begun
        rest = climb(sample, begun.model, self.smoothing, left, self.tol)
        return replace(rest, curve=begun.curve + rest.curve)


def n_parameters(sample: Sample, n_classes: int) -> int:
    """Return the number of free probabilities; a value that never occurs has none."""
    occurs: FloatArray = (sample.shares > 0).astype(float)
    n_free = np.maximum(np.add.reduceat(occurs, sample.starts) - 1, 0).sum()
    return n_classes - 1 + n_classes * int(n_free)


def criterion(log_likelihood: float, n_free: int, price: float) -> float:
    """Return twice the negative log-likelihood and a price for every parameter."""
    return price * n_free - 2.0 * log_likelihood


def bic(sample: Sample, found: Climb) -> float:
    """Return the Bayesian information criterion of a climb."""
    n_free = n_parameters(sample, len(found.model.log_weights))
    return criterion(found.log_likelihood, n_free, float(np.log(sample.n)))
