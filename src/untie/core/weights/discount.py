"""Attributes that say the same share one vote."""

from __future__ import annotations

import numpy as np

from untie.core.attributes import votes
from untie.core.types import FloatArray
from untie.core.weights.base import Problem
from untie.core.weights.fixed import of_values


def discount(problem: Problem) -> FloatArray:
    """Return, for every kernel column, the vote of its attribute."""
    counts = problem.counts
    return of_values(problem, np.repeat(votes(counts), counts.sizes))
