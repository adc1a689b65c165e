"""Rare values count more, attributes that others depend on count more, copies count once."""

from __future__ import annotations

import numpy as np

from untie._learn.attributes import NO_RELEVANCE
from untie._learn.solvers.base import Problem
from untie._learn.solvers.fixed import of_values
from untie._util.types import FloatArray


def by_relevance(problem: Problem) -> FloatArray:
    """Return sqrt(relevance) * vote / sqrt(share of the rows), attribute by value.

    A value that is declared but never occurs counts as if half a row had it.
    """
    counts, attributes = problem.counts, problem.attributes
    of_attributes = attributes.votes * np.sqrt(attributes.relevance + NO_RELEVANCE)
    shares = np.maximum(counts.frequencies / counts.n, 0.5 / counts.n_draws)
    return of_values(problem, np.repeat(of_attributes, counts.sizes) / np.sqrt(shares))
