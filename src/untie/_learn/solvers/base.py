"""What every solver takes and gives."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from untie._count.counts import Counts
from untie._learn.attributes import Attributes, ColumnView
from untie._learn.spaces import KernelSpaces
from untie._learn.spectrum import energies
from untie._table.orders import Orders
from untie._table.rows import Rows
from untie._util.types import FloatArray


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, as a solver sees it.

    Parameters
    ----------
    spaces : KernelSpaces
        The kernel columns.
    counts : Counts
        Counts of all pairs of values.
    n_clusters : int
        Number of clusters that the weights should separate.
    rows : Rows, optional
        The rows, for solvers that draw them.
    orders : tuple of integer arrays or None, optional
        Where the values of attributes with an order stand in it.
    factors : array of shape (n_attributes,), optional
        How much the user wants each attribute to count; 1 is as without.
    """

    spaces: KernelSpaces
    counts: Counts
    n_clusters: int
    rows: Rows | None = None
    orders: Orders = ()
    factors: FloatArray | None = None

    def with_clusters(self, n_clusters: int) -> Self:
        """Return the same table with another number of clusters; what is known of it is kept."""
        other = copy(self)
        other.__dict__.update(n_clusters=n_clusters, columns=self.columns)
        return other

    @cached_property
    def columns(self) -> ColumnView:
        """What does not depend on the number of clusters."""
        return ColumnView(self.counts, self.orders, self.factors)

    @property
    def attributes(self) -> Attributes:
        """How much each attribute should count."""
        return self.columns.attributes

    @property
    def wanted(self) -> FloatArray:
        """The factor of every coordinate's attribute; shape (n_coordinates,)."""
        widths = [columns.shape[1] for columns in self.spaces.columns]
        factors = np.ones(len(widths)) if self.factors is None else self.factors
        return np.repeat(factors, widths)

    @cached_property
    def energies(self) -> FloatArray:
        """||u_d||^2 of every centred coordinate d over all rows; shape (n_coordinates,)."""
        return energies(self.spaces, self.counts)

    @cached_property
    def uncentred_energies(self) -> FloatArray:
        """The same of the coordinates as they are."""
        return energies(self.spaces, self.counts, centred=False)


@dataclass(frozen=True)
class Settings:
    """The knobs of all solvers; each uses its own."""

    tau: float
    learning_rate: float
    batch_size: int
    max_iter: int
    tol: float
    random_state: Any


@dataclass(frozen=True, eq=False)
class Solution:
    """The weights and how they were found.

    Parameters
    ----------
    omega : array of shape (n_coordinates,)
        The weights, none negative.
    loss_curve : list of float
        The solver's own objective, step by step.
    n_iter : int
        Number of steps.
    converged : bool
        Whether it came to rest before the steps ran out.
    """

    omega: FloatArray
    loss_curve: list[float]
    n_iter: int
    converged: bool = True


Solver = Callable[[Problem, Settings], Solution]
