"""Adam on batches of rows: the paper's own choice."""

from __future__ import annotations

import numpy as np

from untie._learn.solvers.base import Problem, Settings, Solution
from untie._learn.solvers.stochastic import descend
from untie._util.types import FloatArray

DECAY, SQUARE_DECAY, FLOOR = 0.9, 0.999, 1e-8
"""The usual constants of Adam."""


def solve(problem: Problem, settings: Settings) -> Solution:
    """Minimise the printed objective with Adam."""
    mean = np.zeros(problem.spaces.n_coordinates)
    square = np.zeros(problem.spaces.n_coordinates)

    def step(gradient: FloatArray, number: int) -> FloatArray:
        mean[:] = DECAY * mean + (1 - DECAY) * gradient
        square[:] = SQUARE_DECAY * square + (1 - SQUARE_DECAY) * np.square(gradient)
        unbiased = mean / (1 - DECAY**number)
        scale = np.sqrt(square / (1 - SQUARE_DECAY**number)) + FLOOR
        return settings.learning_rate * unbiased / scale

    return descend(problem, settings, step)
