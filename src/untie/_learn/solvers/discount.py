"""Attributes that say the same share one vote."""

from __future__ import annotations

import numpy as np

from untie._learn.solvers.base import Problem
from untie._learn.solvers.fixed import of_values
from untie._util.types import FloatArray


def by_discount(problem: Problem) -> FloatArray:
    """Return, for every kernel column, the vote of its attribute."""
    counts = problem.counts
    return of_values(problem, np.repeat(problem.attributes.votes, counts.sizes))
