"""Every column counts the same, and one with an order mostly by it.

For tables in which many columns have an order. Relevance and kernels are no help there: on real
mixed tables they let a few dependent columns have nearly all the energy, and no yardstick without
labels tells when (`benchmarks/mixed.py`).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from untie._learn.solvers.base import Problem
from untie._learn.spaces import VALUES
from untie._learn.spectrum import TINY
from untie._table.orders import ORDER
from untie._util.types import FloatArray

OF_ORDER = 0.8
"""The order's share of the energy of a column that has one; the values themselves have the rest."""


def evenly(problem: Problem) -> FloatArray:
    """Return weights that give every column the energy of its vote.

    Copies share a vote. A column with a single value has no energy to give.
    """
    energy, is_value = problem.energies, problem.spaces.are(VALUES)
    omega = np.zeros_like(energy)
    for vote, part in zip(problem.attributes.votes, _parts(problem), strict=True):
        own = part[is_value[part]]
        amount = _varying(problem, own)
        omega[own] = vote / amount if amount > 0 else 0.0
    total = float(energy @ omega)
    omega = omega * (energy.sum() / total) if total > 0 else np.ones_like(omega)
    return give_to_orders(problem, omega)


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


def _parts(problem: Problem) -> list[NDArray[np.intp]]:
    """Return the coordinates of each attribute."""
    ends = np.cumsum([columns.shape[1] for columns in problem.spaces.columns]).tolist()
    return [np.arange(start, end) for start, end in pairwise([0, *ends])]


def _varying(problem: Problem, part: NDArray[np.intp]) -> float:
    """Return the energy of some coordinates; 0 if it is but rounding."""
    energy = float(problem.energies[part].sum())
    return energy if energy > TINY * float(problem.uncentred_energies[part].sum()) else 0.0
