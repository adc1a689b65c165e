"""AdaGrad on batches of rows: the paper's other suggestion."""

from __future__ import annotations

import numpy as np

from untie.core.types import FloatArray
from untie.core.weights.base import Problem, Settings, Solution
from untie.core.weights.stochastic import descend

FLOOR = 1e-8
"""Keeps the first step finite where the gradient is 0."""


def adagrad(problem: Problem, settings: Settings) -> Solution:
    """Minimise the printed objective with AdaGrad."""
    squares = np.zeros(problem.spaces.n_coordinates)

    def step(gradient: FloatArray, number: int) -> FloatArray:
        squares[:] += np.square(gradient)
        return settings.learning_rate * gradient / (np.sqrt(squares) + FLOOR)

    return descend(problem, settings, step)
