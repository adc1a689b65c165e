"""Weights that a formula gives, and those that an objective chooses from.

A weighting is a function ``(Problem) -> omega``. "uniform" gives every coordinate the same weight;
"discount" lets redundant columns share one; "relevance" gives more to rare values and to columns
that others depend on. Where many columns have an order, every
column has the same weight, most of it for the order.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from untie._count.counts import Counts
from untie._learn.columns.attributes import NO_RELEVANCE, Attributes, ColumnView
from untie._learn.linalg.eigen import eigenvalues
from untie._learn.linalg.spectrum import TINY, energies, reduced_gram
from untie._learn.spaces.kernel_spaces import VALUES, KernelSpaces
from untie._learn.spaces.value_tables import Columns
from untie._table.orders import ORDER, Orders
from untie._table.rows import Rows
from untie._util.types import FloatArray, IntArray


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
    missing : tuple of int or None, optional
        The code of each attribute's missing value, if it has one.
    """

    spaces: KernelSpaces
    counts: Counts
    n_clusters: int
    rows: Rows | None = None
    orders: Orders = ()
    factors: FloatArray | None = None
    missing: tuple[int | None, ...] = ()

    def with_clusters(self, n_clusters: int) -> Self:
        """Return the same table with another number of clusters; what is known of it is kept."""
        other = copy(self)
        other.__dict__.update(n_clusters=n_clusters, columns=self.columns)
        return other

    @cached_property
    def columns(self) -> ColumnView:
        """What does not depend on the number of clusters."""
        return ColumnView(self.counts, self.orders, self.factors, missing=self.missing)

    @property
    def attributes(self) -> Attributes:
        """How much each attribute should count."""
        return self.columns.attributes

    @cached_property
    def energies(self) -> FloatArray:
        """||u_d||^2 of every centered coordinate d over all rows; shape (n_coordinates,)."""
        return energies(self.spaces, self.counts)

    @cached_property
    def uncentered_energies(self) -> FloatArray:
        """The same of the coordinates as they are."""
        return energies(self.spaces, self.counts, centered=False)


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


Weighting = Callable[[Problem], FloatArray]


def solution_at(problem: Problem, omega: FloatArray, vectors: Sequence[Columns]) -> Solution:
    """Return given weights with the paper's objective, Tr(S (I - HH')), by their value vectors."""
    top = eigenvalues(reduced_gram(problem.counts, vectors), problem.n_clusters)
    trace = problem.uncentered_energies @ omega
    return Solution(omega, [float(max(0.0, trace - top.sum()))], n_iter=1)


def of_values(problem: Problem, weights: FloatArray) -> FloatArray:
    """Return omega where every kernel column has the weight of its value (an axis, their mean).

    Scaled to the total energy of omega = 1, so that weights of any kind are comparable.

    Parameters
    ----------
    problem : Problem
        The kernel columns.
    weights : array of shape (n_values,)
        One weight for each value of all attributes.
    """
    counts = problem.counts
    parts = np.split(weights, counts.offsets[1:-1])
    return _to_total(problem, problem.spaces.of_values(parts, counts.parts))


def _to_total(problem: Problem, omega: FloatArray) -> FloatArray:
    """Scale weights to the total energy of omega = 1; without any energy, they are 1."""
    energy = problem.energies
    total = float(energy @ omega)
    return omega * (energy.sum() / total) if total > 0 else np.ones_like(omega)


def by_relevance(problem: Problem) -> FloatArray:
    """Return sqrt(relevance) * weight / sqrt(share of the rows), attribute by value.

    A value that is declared but never occurs counts as if half a row had it.
    """
    counts = problem.counts
    shares = np.maximum(counts.frequencies / counts.n, 0.5 / counts.n_draws)
    return of_values(problem, _relevance_of_values(problem) / np.sqrt(shares))


def _relevance_of_values(problem: Problem) -> FloatArray:
    attributes = problem.attributes
    weights = attributes.votes * np.sqrt(attributes.relevance + NO_RELEVANCE)
    return np.repeat(weights, problem.counts.sizes)


def by_discount(problem: Problem) -> FloatArray:
    """Return, for every kernel column, the weight of its attribute."""
    return of_values(problem, np.repeat(problem.attributes.votes, problem.counts.sizes))


def all_equal(problem: Problem) -> FloatArray:
    """Return weights 1, times what the user wants of each attribute."""
    widths = [columns.shape[1] for columns in problem.spaces.columns]
    factors = np.ones(len(widths)) if problem.factors is None else problem.factors
    return np.repeat(factors, widths)


WEIGHTINGS: dict[str, Weighting] = {
    "uniform": all_equal,
    "relevance": by_relevance,
    "discount": by_discount,
}
"""By name, as the parameter `solver` has them."""

OF_ORDER = 0.8
"""The order's share of the energy of a column that has one; the values themselves have the rest."""


def evenly(problem: Problem) -> FloatArray:
    """Return weights that give every column the energy of its own weight.

    Copies share a weight. A column with a single value has no energy to give.
    """
    is_value = problem.spaces.are(VALUES)
    omega = np.zeros(len(is_value))
    for vote, part in zip(problem.attributes.votes, _parts(problem), strict=True):
        own = part[is_value[part]]
        amount = _varying(problem, own)
        omega[own] = vote / amount if amount > 0 else 0.0
    return give_to_orders(problem, _to_total(problem, omega))


def give_to_orders(problem: Problem, omega: FloatArray) -> FloatArray:
    """Give the orders of columns their share of the columns' energy.

    The order of a column whose values with a place have all the same place has no energy, and the
    values keep it all.

    Parameters
    ----------
    problem : Problem
        The coordinates.
    omega : array of shape (n_coordinates,)
        Weights that leave nothing to the orders.
    """
    is_order = problem.spaces.are(ORDER)
    result = omega.copy()
    for part in _parts(problem):
        order, others = part[is_order[part]], part[~is_order[part]]
        amount = _varying(problem, order)
        if amount > 0:
            total = float(problem.energies[others] @ omega[others])
            result[others] *= 1.0 - OF_ORDER
            result[order] = OF_ORDER * total / amount
    return result


def _parts(problem: Problem) -> list[IntArray]:
    """Return the coordinates of each attribute."""
    return problem.spaces.split(np.arange(problem.spaces.n_coordinates))


def _varying(problem: Problem, part: IntArray) -> float:
    """Return the energy of some coordinates; 0 if it is but rounding."""
    energy = float(problem.energies[part].sum())
    return energy if energy > TINY * float(problem.uncentered_energies[part].sum()) else 0.0


def shared(values: Weighting, of_couplings: float, couplings: Weighting = by_discount) -> Weighting:
    """Return a weighting that leaves a share of the energy to the couplings.

    Parameters
    ----------
    values : Weighting
        Weights of the values themselves.
    of_couplings : float
        The couplings' share of the energy. Where they tell no values apart, the values have all
        of it.
    couplings : Weighting
        Weights of the couplings; by default, copies of an attribute share a weight, and no more.
    """

    def weighting(problem: Problem) -> FloatArray:
        is_value, is_order = problem.spaces.are(VALUES), problem.spaces.are(ORDER)
        is_coupling = ~(is_value | is_order)
        energy = problem.energies
        omega = np.where(is_value, values(problem), couplings(problem))
        own, theirs = (float(energy[part] @ omega[part]) for part in (is_value, is_coupling))
        uncentered = problem.uncentered_energies
        share = of_couplings
        if not theirs > TINY * float(uncentered[is_coupling] @ omega[is_coupling]):
            share, theirs = 0.0, 1.0
        factors = ((1.0 - share) / own if own > 0 else 0.0, share / theirs)
        omega *= np.where(is_value, *factors) * energy.sum()
        omega[is_order] = 0.0
        return give_to_orders(problem, omega)

    return weighting


ALTERNATIVES: dict[str, Weighting] = {
    "couplings": shared(by_discount, 0.7),
    "relevance": shared(by_relevance, 0.0),
}
"""By name, as `gains_` has them; the first is taken where nothing can decide."""

OF_MIXED: dict[str, Weighting] = {"even": evenly}
"""The same for a table in which many columns have an order."""
