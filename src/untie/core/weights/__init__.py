"""Kernel spaces and counts -> omega. One file a solver, one line here.

A solver is a function that takes a `Problem` and `Settings` and returns a `Solution`.
"""

from untie.core.weights.adagrad import adagrad
from untie.core.weights.adam import adam
from untie.core.weights.base import Problem, Settings, Solution, Solver
from untie.core.weights.discount import discount
from untie.core.weights.exact import exact
from untie.core.weights.lp import lp
from untie.core.weights.relevance import by_relevance
from untie.core.weights.uniform import uniform

SOLVERS: dict[str, Solver] = {
    "exact": exact,
    "adam": adam,
    "adagrad": adagrad,
    "lp": lp,
    "uniform": uniform,
    "relevance": by_relevance,
    "discount": discount,
}

ROW_SOLVERS = ("adam", "adagrad")
"""Solvers that draw rows; the others need the counts alone."""

__all__ = ["ROW_SOLVERS", "SOLVERS", "Problem", "Settings", "Solution", "Solver"]
