"""Counts (and rows, for the solvers that draw them) -> a learned model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from untie.core.counts import Counts
from untie.core.couplings import Coupling
from untie.core.kernels import Kernel, Normalization
from untie.core.spaces import KernelSpaces, build_spaces, identity_spaces
from untie.core.spectrum import TINY, choose_n_clusters, energies, roots
from untie.core.tally import Tally
from untie.core.threads import one_thread
from untie.core.types import FloatArray
from untie.core.warn import warn_user
from untie.core.weights import SOLVERS, Problem, Settings

LARGEST_AUTO = 20
"""``n_clusters="auto"`` looks no further."""


@dataclass(frozen=True)
class Recipe:
    """What to learn with."""

    couplings: Mapping[str, Coupling]
    kernels: Mapping[str, Kernel]
    normalize: Normalization
    solver: str
    n_clusters: int | None
    settings: Settings

    @property
    def n_spaces(self) -> int:
        """Number of kernel spaces of an attribute."""
        return len(self.couplings) * len(self.kernels)


@dataclass(frozen=True, eq=False)
class Model:
    """What was learned.

    Parameters
    ----------
    spaces : KernelSpaces
        The kernel spaces in use.
    omega : array of shape (n_coordinates,)
        The weights.
    roots : list of arrays of shape (n_values, n_values)
        The value vectors of each attribute.
    n_clusters : int
        The number of clusters the weights were learned for.
    loss_curve : list of float
        The solver's objective, step by step.
    """

    spaces: KernelSpaces
    omega: FloatArray
    roots: list[FloatArray]
    n_clusters: int
    loss_curve: list[float]


def learn(counted: Tally, recipe: Recipe) -> Model:
    """Walk from counts to weights and value vectors."""
    with one_thread(sum(counted.counts.sizes)):
        return _learn(counted, recipe)


def _learn(counted: Tally, recipe: Recipe) -> Model:
    counts = counted.counts
    if recipe.n_clusters is not None and recipe.n_clusters > max(counts.n_rows, counts.n):
        raise ValueError(
            f"n_clusters={recipe.n_clusters} is more than the table's rows "
            f"(n_samples={counts.n_rows}); ask for fewer clusters or 'auto'."
        )
    spaces = build_spaces(counts, recipe.couplings, recipe.kernels, recipe.normalize)
    reason = _why_degenerate(spaces, counts)
    if reason:
        warn_user(
            f"{reason} The values are kept apart by coordinates of their own instead, as in "
            "one-hot encoding.",
        )
        spaces = identity_spaces(counts)
    n_clusters = recipe.n_clusters or choose_n_clusters(counts, min(LARGEST_AUTO, counts.n_rows))
    if not energies(spaces, counts).sum() > 0:  # one distinct row: there is nothing to learn
        omega, curve = np.ones(spaces.n_coordinates), [0.0]
    else:
        problem = Problem(spaces, counts, n_clusters, counted.rows)
        # Where no coupling tells anything, no weight can be better than another.
        omega, curve = _solve(problem, recipe, "uniform" if reason else recipe.solver)
    return Model(spaces, omega, roots(spaces, omega), n_clusters, curve)


def _why_degenerate(spaces: KernelSpaces, counts: Counts) -> str | None:
    informative = sum(
        np.count_nonzero(counts.frequencies[counts.span(a)]) > 1 for a in range(len(counts.sizes))
    )
    if informative == 0:
        return "Every column has a single value, so all rows are alike."
    if informative == 1 and {coupling for coupling, _ in spaces.labels} & {"inter", "joint"}:
        return "Only one column has more than one value, so it is coupled with no other."
    centred, total = energies(spaces, counts), energies(spaces, counts, centred=False)
    if centred.sum() <= TINY * total.sum():
        return (
            "The couplings tell no two values apart: all values of a column are equally "
            "frequent and no column depends on another."
        )
    return None


def _solve(problem: Problem, recipe: Recipe, solver: str) -> tuple[FloatArray, list[float]]:
    solution = SOLVERS[solver](problem, recipe.settings)
    if not solution.converged:
        warn_user(
            f"solver={solver!r} stopped after {recipe.settings.max_iter} steps with its "
            "loss still changing; raise max_iter or tol, or take solver='exact'.",
            ConvergenceWarning,
        )
    omega = solution.omega
    weighted = omega @ energies(problem.spaces, problem.counts)
    if not weighted > 0:
        warn_user(
            f"solver={solver!r} drove every weight to 0, the only minimum of the printed "
            "objective; omega = 1 is used. Take fewer steps or solver='exact'.",
        )
        omega = np.ones_like(omega)
    return omega, solution.loss_curve
