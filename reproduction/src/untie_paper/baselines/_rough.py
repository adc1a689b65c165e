"""Rough: equal values are the closer, the rarer they are."""

from __future__ import annotations

import numpy as np

from untie import Counts
from untie_paper.arrays import FloatArray
from untie_paper.baselines._distances import ValueDistance


class Rough(ValueDistance):
    """Distance 1 for different values, 1 - 1/a for equal ones that a rows have.

    1/a is the rough membership of one row in the set of all rows with its value: to share a
    rare value counts more. A row's distance to itself is therefore above 0 unless it has no value
    in common with others; leave the query out of its own neighbours.

    Notes
    -----
    The method uses numbers of rows, not shares: a weight is the number of times that a row
    counts. A value that at most one row has is at distance 0 from itself.

    References
    ----------
    F. Cao, J. Liang, D. Li, L. Bai and C. Dang, A dissimilarity measure for the k-modes clustering
    algorithm, Knowledge-Based Systems 26, 120-127, 2012.

    Examples
    --------
    >>> from untie_paper.baselines import Rough
    >>> table = [["red", "wine"], ["white", "wine"], ["red", "wine"], ["brown", "beer"]]
    >>> Rough().fit(table).value_distance("x0")
           brown  red  white
    brown    0.0  1.0    1.0
    red      1.0  0.5    1.0
    white    1.0  1.0    0.0
    """

    def _value_distances(self, counts: Counts) -> list[FloatArray]:
        memberships = 1.0 / np.maximum(counts.frequencies, 1.0)
        return [np.diag(-memberships[counts.span(a)]) + 1.0 for a in range(len(counts.sizes))]
