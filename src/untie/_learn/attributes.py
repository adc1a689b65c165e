"""Counts -> how much each attribute should count: relevance and redundancy.

Both come from the symmetric uncertainty of pairs of attributes, less what chance alone gives.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from untie._count.counts import Counts
from untie._learn.dependence import symmetric_uncertainty
from untie._util.types import FloatArray

COPY = 0.7
"""From this symmetric uncertainty on, two attributes are copies of each other."""

NO_RELEVANCE = 1e-3
"""What an attribute counts that has nothing in common with any other, so that it counts at all."""


def votes(counts: Counts) -> FloatArray:
    """Return 1 / (number of copies, itself included); shape (n_attributes,).

    However many copies of an attribute a table has, they have one vote together. Attributes that
    merely depend on each other keep their own: what they share is what clusters are made of.

    Examples
    --------
    >>> from untie import count_table
    >>> table = [["a", "a", "x"], ["a", "a", "y"], ["b", "b", "x"], ["b", "b", "y"]] * 20
    >>> votes(count_table(table).counts)
    array([0.5, 0.5, 1. ])
    """
    result: FloatArray = 1.0 / (_uncertainty(counts) >= COPY).sum(axis=1)
    return result


def relevance(counts: Counts) -> FloatArray:
    """Return how much each attribute has in common with others, copies left out.

    The sum over the others of u (1 - u)^2, u being the symmetric uncertainty: it rises with
    dependence, and falls to 0 again where one attribute repeats the other.
    """
    uncertainty = _uncertainty(counts)
    result: FloatArray = (uncertainty * (1.0 - uncertainty) ** 2).sum(axis=1)
    return result


_known: WeakKeyDictionary[Counts, FloatArray] = WeakKeyDictionary()
"""Every weighting of a table asks for the same matrix, and so does the choice among them."""


def _uncertainty(counts: Counts) -> FloatArray:
    """Return the uncertainty of pairs, 1 on the diagonal; computed once for a table."""
    found = _known.get(counts)
    if found is None:
        found = symmetric_uncertainty(counts, less_chance=True)
        np.fill_diagonal(found, 1.0)
        found.flags.writeable = False  # it is shared
        _known[counts] = found
    return found
