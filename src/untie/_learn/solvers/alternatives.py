"""The weightings that `TableEncoder` chooses from.

All have the same spaces before them: the values themselves, and those of their couplings: trees of
values, or the paper's kernels. They differ in how the energy is shared out between the two, and in
what counts among the values.
A column with an order leaves most of its energy to it. Where many columns have one, there is one
weighting and nothing to choose.
"""

from __future__ import annotations

import numpy as np

from untie._learn.solvers.base import Problem
from untie._learn.solvers.discount import by_discount
from untie._learn.solvers.even import evenly, give_to_orders
from untie._learn.solvers.fixed import Weighting
from untie._learn.solvers.relevance import by_relevance
from untie._learn.spaces import VALUES
from untie._learn.spectrum import TINY
from untie._table.orders import ORDER
from untie._util.types import FloatArray


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
        Weights of the couplings; by default, copies of an attribute share a vote, and no more.
    """

    def weighting(problem: Problem) -> FloatArray:
        is_value, is_order = problem.spaces.are(VALUES), problem.spaces.are(ORDER)
        is_coupling = ~(is_value | is_order)
        energy = problem.energies
        omega = np.where(is_value, values(problem), couplings(problem))
        own, theirs = (float(energy[part] @ omega[part]) for part in (is_value, is_coupling))
        uncentred = problem.uncentred_energies
        share = of_couplings
        if not theirs > TINY * float(uncentred[is_coupling] @ omega[is_coupling]):
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
