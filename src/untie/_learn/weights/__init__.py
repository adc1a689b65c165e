"""Kernel spaces and counts -> omega, by a formula or by a search.

A solver is a function that takes a `Problem` and `Settings` and returns a `Solution`. Weights that
need no search are a function of the `Problem` alone.
"""

from untie._learn.weights import search
from untie._learn.weights.weightings import (
    ALTERNATIVES,
    OF_MIXED,
    OF_NEIGHBORS,
    Problem,
    Settings,
    Solution,
    Solver,
    Weighting,
    all_equal,
    as_solver,
    by_discount,
    by_relevance,
    solution_at,
)

WEIGHTINGS: dict[str, Weighting] = {
    "uniform": all_equal,
    "relevance": by_relevance,
    "discount": by_discount,
}
"""Weights given by a formula; each is a solver, too."""

SOLVERS: dict[str, Solver] = {
    "exact": search.solve_exact,
    "adam": search.solve_adam,
    "adagrad": search.solve_adagrad,
    "lp": search.solve_lp,
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
