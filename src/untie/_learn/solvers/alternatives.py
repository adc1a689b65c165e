"""The weightings that ``solver="auto"`` chooses from.

All have the same spaces before them: the values themselves, and the kernels of their couplings.
They differ in how the energy is shared out between the two, and in what counts among the values.
Where columns have an order, there is one weighting and nothing to choose.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from untie._learn.solvers.base import Problem
from untie._learn.solvers.discount import by_discount
from untie._learn.solvers.even import evenly
from untie._learn.solvers.fixed import Weighting
from untie._learn.solvers.relevance import by_relevance
from untie._learn.spaces import VALUES
from untie._learn.spectrum import TINY
from untie._util.types import FloatArray


def shared(values: Weighting, of_kernels: float) -> Weighting:
    """Return a weighting that leaves a share of the energy to the kernels.

    Parameters
    ----------
    values : Weighting
        Weights of the values themselves; in the kernels, copies of an attribute share a vote.
    of_kernels : float
        The kernels' share of the energy. Where they tell no values apart, the values have all
        of it, unless they had none.
    """

    def weighting(problem: Problem) -> FloatArray:
        is_value = _are_values(problem)
        energy = problem.energies
        omega = np.where(is_value, values(problem), by_discount(problem))
        own, theirs = (float(energy[part] @ omega[part]) for part in (is_value, ~is_value))
        uncentred = problem.uncentred_energies
        share = of_kernels
        if not theirs > TINY * float(uncentred[~is_value] @ omega[~is_value]):
            share, theirs = 0.0, 1.0
            own = own if of_kernels < 1 else np.inf  # there is nothing else to give it to
        factors = ((1.0 - share) / own if own > 0 else 0.0, share / theirs)
        return omega * np.where(is_value, *factors) * energy.sum()

    return weighting


ALTERNATIVES: dict[str, Weighting] = {
    "relevance": shared(by_relevance, 0.01),
    "values": shared(by_discount, 0.1),
    "kernels": shared(by_discount, 1.0),
}
"""By name, as `gains_` has them; the first is taken where nothing can decide."""

WITH_ORDER: dict[str, Weighting] = {"even": evenly}
"""The same for a table in which some columns have an order."""


def _are_values(problem: Problem) -> NDArray[np.bool_]:
    """Tell, for every kernel column, whether it is of the values themselves."""
    of_spaces = [coupling == VALUES for coupling, _ in problem.spaces.labels]
    return np.concatenate([np.repeat(of_spaces, widths) for widths in problem.spaces.widths])
