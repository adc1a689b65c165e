"""omega = 1: every kernel column counts the same."""

from __future__ import annotations

import numpy as np

from untie.core.types import FloatArray
from untie.core.weights.base import Problem


def uniform(problem: Problem) -> FloatArray:
    """Return weights 1."""
    return np.ones(problem.spaces.n_coordinates)
