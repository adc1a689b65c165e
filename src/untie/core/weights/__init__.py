"""Kernel spaces and counts -> omega. One file a solver, one line here.

A solver is a function that takes a `Problem` and `Settings` and returns a `Solution`. Weights that
need no search are a function of the `Problem` alone.
"""

from untie.core.weights.adagrad import adagrad
from untie.core.weights.adam import adam
from untie.core.weights.alternatives import ALTERNATIVES
from untie.core.weights.base import Problem, Settings, Solution, Solver
from untie.core.weights.discount import discount
from untie.core.weights.exact import exact
from untie.core.weights.fixed import Weighting, fixed
from untie.core.weights.lp import lp
from untie.core.weights.relevance import by_relevance
from untie.core.weights.uniform import uniform

WEIGHTINGS: dict[str, Weighting] = {
    "uniform": uniform,
    "relevance": by_relevance,
    "discount": discount,
}
"""Weights given by a formula; each is a solver, too."""

SOLVERS: dict[str, Solver] = {
    "exact": exact,
    "adam": adam,
    "adagrad": adagrad,
    "lp": lp,
    **{name: fixed(weighting) for name, weighting in WEIGHTINGS.items()},
}

ROW_SOLVERS = ("adam", "adagrad")
"""Solvers that draw rows; the others need the counts alone."""

__all__ = [
    "ALTERNATIVES",
    "ROW_SOLVERS",
    "SOLVERS",
    "Problem",
    "Settings",
    "Solution",
    "Solver",
    "fixed",
]
