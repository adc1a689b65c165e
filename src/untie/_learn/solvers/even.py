"""Every column counts the same, and one with an order mostly by it.

For tables in which some columns have an order. Relevance and kernels are no help there: on real
mixed tables they let a few dependent columns have nearly all the energy, and no yardstick without
labels tells when (`benchmarks/mixed.py`).
"""

from __future__ import annotations

import numpy as np

from untie._learn.order_space import ORDER
from untie._learn.solvers.base import Problem
from untie._learn.spaces import VALUES
from untie._util.types import FloatArray

OF_ORDER = 0.8
"""The order's share of the energy of a column that has one; the values themselves have the rest."""


def evenly(problem: Problem) -> FloatArray:
    """Return weights that give every column the energy of its vote.

    Copies share a vote. A column with a single value has no energy to give.
    """
    spaces, energy = problem.spaces, problem.energies
    omega = np.zeros_like(energy)
    start = 0
    for vote, widths in zip(problem.attributes.votes, spaces.widths, strict=True):
        shares = _shares([coupling for coupling, _ in spaces.labels], widths)
        for share, width in zip(shares, widths, strict=True):
            part = slice(start, start + width)
            own = float(energy[part].sum())
            omega[part] = vote * share / own if own > 0 else 0.0
            start += width
    total = float(energy @ omega)
    return omega * (energy.sum() / total) if total > 0 else np.ones_like(omega)


def _shares(couplings: list[str], widths: tuple[int, ...]) -> list[float]:
    """Return the share of each of an attribute's spaces in its energy."""
    has_order = any(c == ORDER and width for c, width in zip(couplings, widths, strict=True))
    of_order = OF_ORDER if has_order else 0.0
    by_coupling = {ORDER: of_order, VALUES: 1.0 - of_order}
    return [by_coupling.get(coupling, 0.0) for coupling in couplings]
