"""The full-data solution from counts, made well-posed."""

from __future__ import annotations

import numpy as np

from untie._learn.solvers.alternating import alternate
from untie._learn.solvers.base import Problem, Settings, Solution
from untie._util.types import FloatArray


def solve(problem: Problem, settings: Settings) -> Solution:
    """Minimise the unexplained energy at a fixed total, with a price for leaving omega = 1.

    With t_d a coordinate's centred energy, c_d the part of it that H leaves over and
    p_d = omega_d t_d / sum t its share of the total, the objective over H and omega is ::

        sum_d p_d (c_d / t_d) + tau * sum_d p_d log(p_d / p0_d),    sum_d p_d = 1,

    where p0 are the shares under omega = 1. For fixed omega the best H are the leading
    eigenvectors; for fixed H the best omega_d is proportional to exp(-(c_d / t_d) / tau).
    """

    def objective(omega: FloatArray, prior: FloatArray, unexplained: FloatArray) -> float:
        used = prior * omega > 0
        share = (prior * omega)[used]
        return float(share @ unexplained[used] + settings.tau * (share @ np.log(omega[used])))

    def best_weights(unexplained: FloatArray, prior: FloatArray) -> FloatArray:
        moving = prior > 0
        gain = (unexplained[moving].min() - unexplained) / settings.tau
        omega = np.where(moving, np.exp(np.minimum(gain, 0.0)), 0.0)
        return omega / (prior @ omega)

    return alternate(problem, settings, objective, best_weights, noise=1e-14)
