"""AdaGrad on batches of rows: the paper's other suggestion."""

from __future__ import annotations

import numpy as np

from untie._learn.solvers.base import Problem, Settings, Solution
from untie._learn.solvers.stochastic import descend
from untie._util.types import FloatArray

FLOOR = 1e-8
"""Keeps the first step finite where the gradient is 0."""


def solve(problem: Problem, settings: Settings) -> Solution:
    """Minimise the printed objective with AdaGrad."""
    squares = np.zeros(problem.spaces.n_coordinates)

    def step(gradient: FloatArray, number: int) -> FloatArray:
        squares[:] += np.square(gradient)
        return settings.learning_rate * gradient / (np.sqrt(squares) + FLOOR)

    return descend(problem, settings, step)
