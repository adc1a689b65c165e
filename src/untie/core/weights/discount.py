"""Attributes that say the same share one vote."""

from __future__ import annotations

import numpy as np

from untie.core.attributes import redundancy_discount
from untie.core.weights.base import Problem, Settings, Solution
from untie.core.weights.fixed import fixed, of_values


def discount(problem: Problem, settings: Settings) -> Solution:
    """Return, for every kernel column, the discount of its attribute."""
    counts = problem.counts
    return fixed(problem, of_values(problem, np.repeat(redundancy_discount(counts), counts.sizes)))
