"""The alternation that the exact and the linear solver share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from untie._learn.eigen import leading
from untie._learn.solvers.base import Problem, Settings, Solution
from untie._learn.spectrum import TINY, centre, explained, reduced_gram, roots
from untie._util.types import FloatArray

Objective = Callable[[FloatArray, FloatArray, FloatArray], float]
"""(omega, energies as shares of their total, unexplained shares) -> loss."""

BestWeights = Callable[[FloatArray, FloatArray], FloatArray]
"""(unexplained shares, energies as shares of their total) -> omega."""


def alternate(
    problem: Problem,
    settings: Settings,
    objective: Objective,
    best_weights: BestWeights,
    noise: float,
) -> Solution:
    """Take the best H for omega and the best omega for H in turn, from omega = 1.

    Both steps minimise the same objective, so it never rises. A coordinate that is constant
    over the rows says nothing and has the weight 0.

    Parameters
    ----------
    problem, settings
        What to solve, and how long.
    objective : function
        The loss, a share of 1.
    best_weights : function
        The weights with the lowest loss for given costs.
    noise : float
        A loss or a gain below this is made of rounding; a step for it is not taken.
    """
    energy = _moving_energies(problem)
    prior = energy / energy.sum()
    omega = np.where(energy > 0, 1.0, 0.0)
    before = omega
    losses: list[float] = []
    while True:
        unexplained = _unexplained_shares(problem, omega, energy)
        loss = objective(omega, prior, unexplained)
        n_steps = len(losses)
        gain = losses[-1] - loss if losses else np.inf
        if gain <= noise:  # at rest but for rounding: the last step is not taken
            return Solution(before, losses, n_steps)
        losses.append(loss)
        if gain <= settings.tol * loss or loss <= noise:
            return Solution(omega, losses, max(1, n_steps))
        if n_steps == settings.max_iter:
            return Solution(omega, losses, n_steps, converged=False)
        before, omega = omega, best_weights(unexplained, prior)


def _unexplained_shares(problem: Problem, omega: FloatArray, energy: FloatArray) -> FloatArray:
    """Return c_d / t_d: the share of each coordinate that the best H for `omega` leaves over.

    Centred, with ``n_clusters - 1`` eigenvectors: the mean, which k-means does not see, would
    otherwise take the first place. 1 for a coordinate that is constant over the rows.
    """
    factors = centre(roots(problem.spaces, omega), problem.counts)
    space = leading(reduced_gram(problem.counts, factors), max(1, problem.n_clusters - 1))
    found = explained(problem.spaces, problem.counts, factors, space)
    moving = energy > 0
    shares = np.ones_like(energy)
    shares[moving] = 1.0 - found[moving] / energy[moving]
    return np.clip(shares, 0.0, 1.0)


def _moving_energies(problem: Problem) -> FloatArray:
    moves = problem.energies > TINY * problem.uncentred_energies
    return np.where(moves, problem.energies, 0.0)
