"""The weightings that `TableEncoder` chooses from where vectors are for retrieval.

Columns that others depend on count more, as they do for clusters, in the kernels, too. But values
count alike: a row with a rare value has hardly a neighbour that shares it, and the common values of
that row say more about who is like it.
"""

from __future__ import annotations

import numpy as np

from untie._learn.attributes import NO_RELEVANCE
from untie._learn.solvers.alternatives import shared
from untie._learn.solvers.base import Problem
from untie._learn.solvers.fixed import Weighting, of_values
from untie._util.types import FloatArray


def by_column(problem: Problem) -> FloatArray:
    """Return sqrt(relevance) * vote, the same for all coordinates of an attribute."""
    attributes, sizes = problem.attributes, problem.counts.sizes
    weights = attributes.votes * np.sqrt(attributes.relevance + NO_RELEVANCE)
    return of_values(problem, np.repeat(weights, sizes))


OF_NEIGHBORS: dict[str, Weighting] = {
    "halves": shared(by_column, 0.5, by_column),
    "values": shared(by_column, 0.1, by_column),
    "kernels": shared(by_column, 0.99, by_column),
}
"""By name, as `gains_` has them; the first is taken where nothing can decide. The last leaves a
hundredth to the values, so that they have all of it where kernels tell nothing."""
