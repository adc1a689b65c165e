"""Every column counts the same, and one with an order mostly by it.

For tables in which some columns have an order. Relevance and kernels are no help there: on real
mixed tables they let a few dependent columns have nearly all the energy, and no yardstick without
labels tells when (`benchmarks/mixed.py`).
"""

from __future__ import annotations

import numpy as np

from untie._learn.solvers.base import Problem
from untie._learn.spaces import VALUES
from untie._learn.spectrum import TINY
from untie._table.orders import ORDER
from untie._util.types import FloatArray

OF_ORDER = 0.8
"""The order's share of the energy of a column that has one; the values themselves have the rest."""


def evenly(problem: Problem) -> FloatArray:
    """Return weights that give every column the energy of its vote.

    Copies share a vote. A column with a single value has no energy to give; one whose values with a
    place have all the same place has no energy of its order, and the values have it all.
    """
    spaces, energy = problem.spaces, problem.energies
    couplings = [coupling for coupling, _ in spaces.labels]
    omega = np.zeros_like(energy)
    start = 0
    for vote, widths in zip(problem.attributes.votes, spaces.widths, strict=True):
        ends = start + np.cumsum(widths)
        parts = [slice(end - width, end) for end, width in zip(ends, widths, strict=True)]
        own = [_varying(problem, part) for part in parts]
        for part, amount, share in zip(parts, own, _shares(couplings, own), strict=True):
            omega[part] = vote * share / amount if amount > 0 else 0.0
        start = int(ends[-1])
    total = float(energy @ omega)
    return omega * (energy.sum() / total) if total > 0 else np.ones_like(omega)


def _varying(problem: Problem, part: slice) -> float:
    """Return the energy of some coordinates; 0 if it is but rounding."""
    energy = float(problem.energies[part].sum())
    return energy if energy > TINY * float(problem.uncentred_energies[part].sum()) else 0.0


def _shares(couplings: list[str], energies: list[float]) -> list[float]:
    """Return the share of each of an attribute's spaces in its energy."""
    has_order = any(c == ORDER and own > 0 for c, own in zip(couplings, energies, strict=True))
    of_order = OF_ORDER if has_order else 0.0
    by_coupling = {ORDER: of_order, VALUES: 1.0 - of_order}
    return [by_coupling.get(coupling, 0.0) for coupling in couplings]
