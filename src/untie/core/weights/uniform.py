"""omega = 1: every kernel column counts the same."""

from __future__ import annotations

import numpy as np

from untie.core.eigen import eigenvalues
from untie.core.spectrum import energies, reduced_gram, roots
from untie.core.weights.base import Problem, Settings, Solution


def uniform(problem: Problem, settings: Settings) -> Solution:
    """Return weights 1 and, as the loss, the paper's objective Tr(S (I - HH')) at them."""
    omega = np.ones(problem.spaces.n_coordinates)
    factors = roots(problem.spaces, omega)
    top = eigenvalues(reduced_gram(problem.counts, factors), problem.n_clusters)
    trace = energies(problem.spaces, problem.counts, centred=False).sum()
    return Solution(omega, [float(max(0.0, trace - top.sum()))], n_iter=1)
