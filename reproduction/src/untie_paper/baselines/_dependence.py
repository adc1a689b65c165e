"""Counts -> how much the attributes say about each other, from entropies in bits."""

from __future__ import annotations

import numpy as np

from untie import Counts
from untie_paper.arrays import FloatArray


def symmetric_uncertainty(counts: Counts) -> FloatArray:
    """Return twice the mutual information, divided by the sum of the entropies; shape (m, m).

    It is between 0 (independent) and 1 (each attribute determines the other). Two constant
    attributes have 0.

    Examples
    --------
    >>> from untie import count_table
    >>> table = [["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]]
    >>> symmetric_uncertainty(count_table(table).counts)
    array([[1., 1.],
           [1., 1.]])
    """
    starts = counts.offsets[:-1]
    matrix = counts.dense()
    margins, joint = np.empty((2, len(starts), len(starts)))
    for attribute in range(len(starts)):
        together = matrix[counts.span(attribute)]
        of_pairs = np.add.reduceat(together, starts, axis=1)
        totals = _positive(of_pairs.sum(axis=0))
        shares = together / np.repeat(totals, counts.sizes)
        margins[attribute] = _surprise(of_pairs / totals).sum(axis=0)
        joint[attribute] = np.add.reduceat(_surprise(shares).sum(axis=0), starts)
    both = margins + margins.T
    shared = 2.0 * (both - joint)
    return np.clip(np.divide(shared, both, out=np.zeros_like(both), where=both > 0), 0.0, 1.0)


def _surprise(shares: FloatArray) -> FloatArray:
    # Shares, not weights: the one value of a constant attribute then gives 0 exactly.
    return -shares * np.log2(_positive(shares))


def _positive(weights: FloatArray) -> FloatArray:
    """Put 1 in the place of 0, for divisors and logarithms that must not matter."""
    return np.where(weights > 0, weights, 1.0)
