"""Counts -> how much each attribute should count: relevance and redundancy.

Both come from entropies of pairs of attributes, less what chance alone gives: relevance from
the symmetric uncertainty; redundancy from this and from who tells whom (`families`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from untie._count.counts import Counts
from untie._learn.dependence import Entropies, pair_entropies, uncertainty_of
from untie._learn.families import COPY, Member, Relation, find_families, shared_votes, who_tells
from untie._learn.order_space import CoarseView, coarse_view
from untie._learn.telling import Telling, telling_of
from untie._table.orders import Orders
from untie._util.types import FloatArray

NO_RELEVANCE = 1e-3
"""This is added to every relevance, so that an attribute unlike all others counts a little."""


@dataclass(frozen=True, eq=False)
class Attributes:
    """How much each attribute of a table should count.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.
    factors : array of shape (n_attributes,), optional
        What the user multiplies the votes by, none negative. An attribute of 0 is passive: it has
        no vote, and the others are as if it were not there.

    Examples
    --------
    >>> from untie import count_table
    >>> table = [["a", "a", "x"], ["a", "a", "y"], ["b", "b", "x"], ["b", "b", "y"]] * 20
    >>> Attributes(count_table(table).counts).votes
    array([0.5, 0.5, 1. ])
    """

    counts: Counts
    factors: FloatArray | None = None

    @cached_property
    def votes(self) -> FloatArray:
        """How much each attribute counts, in votes; shape (n_attributes,).

        However many copies of an attribute a table has, they have one vote together, and so has
        a hierarchy, such as City > State > Region; see `families.shared_votes`. Attributes that
        merely depend on each other keep their own: what they share is what clusters are made of.
        """
        return self.shares if self.factors is None else self.shares * self.factors

    @cached_property
    def shares(self) -> FloatArray:
        """The votes before the user's factors."""
        return shared_votes(self.copies, self.tells)

    @cached_property
    def related(self) -> NDArray[np.bool_]:
        """Which attributes say the same, in part or in whole; each does as itself."""
        alike = (self.uncertainty >= COPY) & self._together
        return self.copies | self.tells | self.tells.T | alike

    @cached_property
    def relevance(self) -> FloatArray:
        """How much each attribute has in common with others, copies left out.

        The sum over the others of u (1 - u)^2, u being the symmetric uncertainty: it rises with
        dependence, and falls to 0 again where one attribute repeats the other.
        """
        shared = self.uncertainty * (1.0 - self.uncertainty) ** 2
        result: FloatArray = (shared * self._together).sum(axis=1)
        return result

    @cached_property
    def families(self) -> list[list[Member]]:
        """The groups of attributes that are tied by copies and hierarchies."""
        entropies = np.diag(self._entropies.margins)
        return find_families(self.copies, self.tells, self.telling.shares, entropies)

    @cached_property
    def copies(self) -> Relation:
        """Who is a copy of whom: they have much in common, and none tells more than the other.

        Attributes that tell each other are copies, too. Where they have many values, the
        uncertainty may not show it: what it leaves out as chance is then too much.
        """
        both = self._tells & self._tells.T
        alike = (self.uncertainty >= COPY) & (self._tells == self._tells.T)
        found = (both | alike) & self._together
        return found | np.eye(len(found), dtype=bool)

    @cached_property
    def tells(self) -> Relation:
        """[j, k]: k follows from j, but not j from k."""
        return self._tells & ~self._tells.T

    @cached_property
    def _tells(self) -> Relation:
        return who_tells(self.counts, self.telling) & self._together

    @cached_property
    def _together(self) -> Relation:
        """The pairs of attributes of which none is passive."""
        heard = np.ones(len(self.counts.sizes)) if self.factors is None else self.factors
        return np.logical_and.outer(heard > 0, heard > 0)

    @cached_property
    def telling(self) -> Telling:
        """How much each attribute tells of each other one."""
        return telling_of(self.counts, self._entropies)

    @cached_property
    def uncertainty(self) -> FloatArray:
        """The symmetric uncertainty of pairs, 1 on the diagonal."""
        found = uncertainty_of(self._entropies, self.counts)
        np.fill_diagonal(found, 1.0)
        return found

    @cached_property
    def _entropies(self) -> Entropies:
        return pair_entropies(self.counts)


@dataclass(frozen=True, eq=False)
class ColumnView:
    """The columns of a table as every number of clusters sees them, found once.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.
    orders : tuple of integer arrays or None, optional
        Where the values of attributes with an order are in it; empty if no attribute has one.
    factors : array of shape (n_attributes,), optional
        What the user multiplies the votes by; see `Attributes`.
    """

    counts: Counts
    orders: Orders = ()
    factors: FloatArray | None = None

    @cached_property
    def coarse(self) -> CoarseView:
        """The table with neighboring values of columns with an order merged."""
        return coarse_view(self.counts, self.orders) if self.orders else CoarseView(self.counts)

    @cached_property
    def attributes(self) -> Attributes:
        """How much each attribute counts."""
        return Attributes(self.coarse.counts, self.factors)
