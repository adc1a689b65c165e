"""Counts -> how much each attribute should count: relevance and redundancy.

Both come from the symmetric uncertainty of pairs of attributes, less what chance alone gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from untie._count.counts import Counts
from untie._learn.dependence import symmetric_uncertainty
from untie._util.types import FloatArray

COPY = 0.7
"""From this symmetric uncertainty on, two attributes are copies of each other."""

NO_RELEVANCE = 1e-3
"""This is added to every relevance, so that an attribute unlike all others counts a little."""


@dataclass(frozen=True, eq=False)
class Attributes:
    """How much each attribute of a table should count.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.

    Examples
    --------
    >>> from untie import count_table
    >>> table = [["a", "a", "x"], ["a", "a", "y"], ["b", "b", "x"], ["b", "b", "y"]] * 20
    >>> Attributes(count_table(table).counts).votes
    array([0.5, 0.5, 1. ])
    """

    counts: Counts

    @cached_property
    def votes(self) -> FloatArray:
        """1 / (number of copies, itself included); shape (n_attributes,).

        However many copies of an attribute a table has, they have one vote together. Attributes
        that merely depend on each other keep their own: what they share is what clusters are made
        of.
        """
        result: FloatArray = 1.0 / (self._uncertainty >= COPY).sum(axis=1)
        return result

    @cached_property
    def related(self) -> NDArray[np.bool_]:
        """Which attributes say the same as which; each does as itself."""
        return self._uncertainty >= COPY

    @cached_property
    def relevance(self) -> FloatArray:
        """How much each attribute has in common with others, copies left out.

        The sum over the others of u (1 - u)^2, u being the symmetric uncertainty: it rises with
        dependence, and falls to 0 again where one attribute repeats the other.
        """
        result: FloatArray = (self._uncertainty * (1.0 - self._uncertainty) ** 2).sum(axis=1)
        return result

    @cached_property
    def _uncertainty(self) -> FloatArray:
        """The uncertainty of pairs, 1 on the diagonal."""
        found = symmetric_uncertainty(self.counts, less_chance=True)
        np.fill_diagonal(found, 1.0)
        return found
