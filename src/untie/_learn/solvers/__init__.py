"""Kernel spaces and counts -> omega. One file per solver, and one line here.

A solver is a function that takes a `Problem` and `Settings` and returns a `Solution`. Weights that
need no search are a function of the `Problem` alone.
"""

from untie._learn.solvers import adagrad, adam, exact, lp
from untie._learn.solvers.alternatives import ALTERNATIVES, OF_MIXED
from untie._learn.solvers.base import Problem, Settings, Solution, Solver
from untie._learn.solvers.discount import by_discount
from untie._learn.solvers.fixed import Weighting, as_solver, solution_at
from untie._learn.solvers.neighbors import OF_NEIGHBORS
from untie._learn.solvers.relevance import by_relevance
from untie._learn.solvers.uniform import all_equal

WEIGHTINGS: dict[str, Weighting] = {
    "uniform": all_equal,
    "relevance": by_relevance,
    "discount": by_discount,
}
"""Weights given by a formula; each is a solver, too."""

SOLVERS: dict[str, Solver] = {
    "exact": exact.solve,
    "adam": adam.solve,
    "adagrad": adagrad.solve,
    "lp": lp.solve,
    **{name: as_solver(weighting) for name, weighting in WEIGHTINGS.items()},
}

ROW_SOLVERS = ("adam", "adagrad")
"""Solvers that draw rows; the others need the counts alone."""

__all__ = [
    "ALTERNATIVES",
    "OF_MIXED",
    "OF_NEIGHBORS",
    "ROW_SOLVERS",
    "SOLVERS",
    "WEIGHTINGS",
    "Problem",
    "Settings",
    "Solution",
    "Solver",
    "Weighting",
    "solution_at",
]
