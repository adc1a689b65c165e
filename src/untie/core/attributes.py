"""Counts -> how much each attribute should count: relevance and redundancy.

Both come from the symmetric uncertainty of pairs of attributes, less what chance alone gives.
"""

from __future__ import annotations

from untie.core.counts import Counts
from untie.core.dependence import symmetric_uncertainty
from untie.core.types import FloatArray

REDUNDANCY_POWER = 4
"""High, so that copies are discounted and merely related attributes are not."""

COPY = 0.7
"""From this symmetric uncertainty on, two attributes are copies of each other."""

NO_RELEVANCE = 1e-3
"""What an attribute counts that has nothing in common with any other, so that it counts at all."""


def redundancy_discount(counts: Counts) -> FloatArray:
    """Return 1 / (number of attributes that say the same); shape (n_attributes,).

    An attribute adds 1 for itself, 1 for each copy and next to nothing for those that merely
    depend on it.

    Examples
    --------
    >>> from untie import count_table
    >>> table = [["a", "a", "x"], ["a", "a", "y"], ["b", "b", "x"], ["b", "b", "y"]] * 20
    >>> redundancy_discount(count_table(table).counts).round(2)
    array([0.51, 0.51, 1.  ])
    """
    discount: FloatArray = 1.0 / (_uncertainty(counts) ** REDUNDANCY_POWER).sum(axis=1)
    return discount


def votes(counts: Counts) -> FloatArray:
    """Return 1 / (number of copies, itself included); shape (n_attributes,).

    However many copies of an attribute a table has, they have one vote together. Unlike the
    discount, it leaves attributes that depend on each other their own votes: what they share is
    what clusters are made of.
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


def _uncertainty(counts: Counts) -> FloatArray:
    """Return the uncertainty of pairs, 1 on the diagonal."""
    uncertainty = symmetric_uncertainty(counts, less_chance=True)
    for attribute in range(len(uncertainty)):
        uncertainty[attribute, attribute] = 1.0
    return uncertainty
