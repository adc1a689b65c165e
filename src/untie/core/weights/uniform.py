"""omega = 1: every kernel column counts the same."""

from __future__ import annotations

import numpy as np

from untie.core.weights.base import Problem, Settings, Solution
from untie.core.weights.fixed import fixed


def uniform(problem: Problem, settings: Settings) -> Solution:
    """Return weights 1."""
    return fixed(problem, np.ones(problem.spaces.n_coordinates))
