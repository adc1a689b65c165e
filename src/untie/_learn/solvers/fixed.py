"""Weights that are given by a formula, not searched for.

A weighting is a function ``(Problem) -> omega``; `as_solver` makes a solver of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from untie._learn.eigen import eigenvalues
from untie._learn.solvers.base import Problem, Settings, Solution, Solver
from untie._learn.spectrum import reduced_gram, roots
from untie._learn.tall import Columns
from untie._util.types import FloatArray

Weighting = Callable[[Problem], FloatArray]


def as_solver(weighting: Weighting) -> Solver:
    """Return a solver whose loss is the paper's objective Tr(S (I - HH')) at given weights."""

    def solver(problem: Problem, settings: Settings) -> Solution:
        omega = weighting(problem)
        return solution_at(problem, omega, roots(problem.spaces, omega))

    return solver


def solution_at(problem: Problem, omega: FloatArray, vectors: Sequence[Columns]) -> Solution:
    """Return given weights with their loss, from the value vectors that they make."""
    top = eigenvalues(reduced_gram(problem.counts, vectors), problem.n_clusters)
    trace = problem.uncentred_energies @ omega
    return Solution(omega, [float(max(0.0, trace - top.sum()))], n_iter=1)


def of_values(problem: Problem, weights: FloatArray) -> FloatArray:
    """Return omega where every kernel column has the weight of its value (an axis, their mean).

    Scaled to the total energy of omega = 1, so that weights of any kind are comparable.

    Parameters
    ----------
    problem : Problem
        The kernel columns.
    weights : array of shape (n_values,)
        One weight for each value of all attributes.
    """
    cuts = problem.counts.offsets[1:-1]
    omega = problem.spaces.of_values(
        np.split(weights, cuts), np.split(problem.counts.frequencies, cuts)
    )
    energy = problem.energies
    total = float(energy @ omega)
    return omega * (energy.sum() / total) if total > 0 else np.ones_like(omega)
