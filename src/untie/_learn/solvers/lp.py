"""The paper's linear programme, with the constraint that it needs."""

from __future__ import annotations

import numpy as np

from untie._learn.solvers.alternating import alternate
from untie._learn.solvers.base import Problem, Settings, Solution
from untie._util.types import FloatArray

LARGEST_WEIGHT = 2.0
"""No coordinate may count for more than twice what it counts for under omega = 1."""

DECIMALS = 9
"""Costs that agree in this many decimals are equal; symmetric tables have many such."""


def solve(problem: Problem, settings: Settings) -> Solution:
    """Alternate the best H with the linear programme for omega.

    For a given H, sum_d omega_d c_d over omega >= 0 alone is smallest at omega = 0 (and wherever
    only coordinates that H explains fully have weight), and with a fixed total energy alone at the
    single cheapest coordinate. The programme solved here is ::

        min sum_d omega_d c_d    subject to    sum_d omega_d t_d = sum_d t_d,
                                               0 <= omega_d <= 2,

    a fractional knapsack: the coordinates best explained by H, up to half of the energy, get
    the weight 2 and the rest 0.
    """

    def objective(omega: FloatArray, prior: FloatArray, unexplained: FloatArray) -> float:
        return float((prior * omega) @ unexplained)

    # Costs are rounded, and a step between vertices for less than that would be a coin toss.
    return alternate(problem, settings, objective, cheapest_weights, noise=10.0 ** (1 - DECIMALS))


def cheapest_weights(unexplained: FloatArray, energy: FloatArray) -> FloatArray:
    """Solve the programme for one H; coordinates of equal cost are treated alike.

    Parameters
    ----------
    unexplained : array of shape (n_coordinates,)
        Cost of a unit of each coordinate's energy.
    energy : array of shape (n_coordinates,)
        Energies at omega = 1.
    """
    levels, members = np.unique(np.round(unexplained, DECIMALS), return_inverse=True)
    supply = LARGEST_WEIGHT * np.bincount(members, energy, minlength=len(levels))
    before = np.concatenate([[0.0], np.cumsum(supply)[:-1]])
    taken = np.clip(energy.sum() - before, 0.0, supply)
    fractions = np.divide(taken, supply, out=np.zeros_like(supply), where=supply > 0)
    return np.where(energy > 0, LARGEST_WEIGHT * fractions[members], 0.0)
