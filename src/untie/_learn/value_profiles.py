"""Counts -> what values of all attributes can be compared by: whom they meet, how often they occur.

These are the two couplings of coupled data embedding (Jian et al., IJCAI 2017); `value_tree` makes
a tree of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from untie._count.counts import Counts
from untie._learn.dependence import symmetric_uncertainty
from untie._util.types import FloatArray


def co_occurrence(counts: Counts, values: NDArray[np.intp] | None = None) -> FloatArray:
    """Return P(j | i), the share of the rows with value i that have value j.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.
    values : integer array of shape (n_chosen,), optional
        Values to compare, all if not given.

    Examples
    --------
    >>> from untie import count_table
    >>> co_occurrence(count_table([["a", "x"], ["b", "x"]]).counts)
    array([[1. , 0. , 1. ],
           [0. , 1. , 1. ],
           [0.5, 0.5, 1. ]])
    """
    pairs = _pairs(counts, values)
    return pairs / _positive(pairs.diagonal())[:, None]


def occurrence(counts: Counts, values: NDArray[np.intp] | None = None) -> FloatArray:
    """Return rho(i, j) p(i) / p(j), with rho how much their attributes depend on each other.

    rho is 1 within an attribute, and between any two values that never meet.
    """
    pairs = _pairs(counts, values)
    uncertainty = symmetric_uncertainty(counts)
    np.fill_diagonal(uncertainty, 1.0)
    attribute = np.repeat(np.arange(len(counts.sizes)), counts.sizes)
    of_chosen = attribute if values is None else attribute[values]
    dependence = uncertainty[np.ix_(of_chosen, of_chosen)]
    dependence[pairs == 0] = 1.0
    frequencies = pairs.diagonal()
    return np.asarray(dependence * (frequencies[:, None] / _positive(frequencies)))


def _pairs(counts: Counts, values: NDArray[np.intp] | None) -> FloatArray:
    if values is None:
        return counts.dense()
    chosen = counts.matrix[values][:, values]
    return np.asarray(chosen.toarray() if counts.is_sparse else chosen, dtype=float)


def _positive(frequencies: FloatArray) -> FloatArray:
    """Replace 0 by 1: what never occurs is left out later."""
    return np.where(frequencies > 0, frequencies, 1.0)
