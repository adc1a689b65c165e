"""Counts (and rows, for the solvers that draw them) -> a learned model."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial, reduce
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from untie._count.counts import Counts
from untie._count.tally import Tally
from untie._learn import memory
from untie._learn.clustering.points import AXES, VECTORS
from untie._learn.columns.attributes import ColumnView, ColumnWeights
from untie._learn.linalg.spectrum import TINY, roots
from untie._learn.selection.cluster_gain import Descriptions
from untie._learn.selection.spectrum_number import choose_n_clusters
from untie._learn.spaces.couplings import Coupling, matching
from untie._learn.spaces.kernel_spaces import VALUES, KernelSpaces, build_spaces, identity_spaces
from untie._learn.spaces.kernels import Kernel, Normalization
from untie._learn.spaces.order_space import is_mixed, order_spaces
from untie._learn.spaces.value_tables import Columns
from untie._learn.spaces.value_tree import LABELS, tree_spaces
from untie._learn.weights.search import ROW_SOLVERS, SOLVERS
from untie._learn.weights.weightings import (
    ALTERNATIVES,
    OF_MIXED,
    WEIGHTINGS,
    Problem,
    Settings,
    Solution,
    solution_at,
)
from untie._table.orders import Orders, find_orders
from untie._util.checks import draws_of
from untie._util.messages import Parameter, message, warn_user
from untie._util.types import FloatArray, IntArray

LARGEST_NUMBER = 20
"""``n_clusters=None`` chooses at most this many clusters."""


@dataclass(frozen=True, eq=False)
class Model:
    """What was learned.

    Parameters
    ----------
    spaces : KernelSpaces
        The kernel spaces in use.
    columns : ColumnView
        The table's columns.
    solution : Solution
        The weights and how they were found.
    roots : list of arrays of shape (n_values, n_dimensions)
        The value vectors of each attribute.
    n_clusters : int
        The number of clusters the weights were learned for.
    gains : mapping from names to numbers
        How well the clusters of each choice of weights describe the table, if there was a choice;
        the best comes first and is the one learned.
    """

    spaces: KernelSpaces
    columns: ColumnView
    solution: Solution
    roots: list[Columns]
    n_clusters: int
    gains: Mapping[str, float] = field(default_factory=dict)


Finder = Callable[[Problem], Model]
"""Finds the weights of a table for some number of clusters."""


@dataclass(frozen=True)
class Recipe(ABC):
    """What to learn with: one subclass per method.

    Parameters
    ----------
    n_clusters : int or None
        Number of clusters to learn for; None reads it off the spectrum of the counts.
    chooses_k : bool
        Whether the number is chosen by the clusters of some rows; see `fitting`.
    """

    n_clusters: int | None
    chooses_k: bool

    merges_copies: ClassVar[bool] = False
    """Whether exact copies of a column are left out."""

    methods: ClassVar[tuple[str, ...]] = (VECTORS,)
    """What clusters may be made of where their number is chosen."""

    @property
    @abstractmethod
    def needs_sample(self) -> bool:
        """Whether some rows are needed besides the counts."""

    @property
    @abstractmethod
    def needs_rows(self) -> bool:
        """Whether all rows are needed."""

    @property
    @abstractmethod
    def n_spaces(self) -> int:
        """Number of kernel spaces per attribute, of as many columns as there are values."""

    @property
    def first(self) -> str | None:
        """The name of what is learned where there are no rows to compare with, if that is so."""
        return None

    @property
    def factors(self) -> ColumnWeights:
        """Factors on the weights of columns; see `fitting` for those of 0."""
        return {}

    def orders(self, counted: Tally, firsts: IntArray) -> Orders:
        """Return where the values of columns with an order stand in it.

        Columns with the content of another, `firsts`, count once; see `find_orders`.
        """
        return (None,) * len(counted.grouping.vocabulary.columns)

    def check(self, counted: Tally) -> None:  # noqa: B027  # most tables are fine
        """Refuse a table that is too large for the spaces."""

    @abstractmethod
    def spaces(self, counts: Counts, orders: Orders) -> KernelSpaces:
        """Build the spaces of a table."""

    @abstractmethod
    def finder(self, problem: Problem, counted: Tally) -> Finder:
        """Return what finds the weights for any number of clusters of one table.

        What does not depend on the number is made once.
        """


@dataclass(frozen=True)
class ChoiceRecipe(Recipe):
    """Learn with several weightings and keep the best: `TableEncoder`.

    The best one's clusters describe the table best.

    Parameters
    ----------
    ordered : "auto", False, sequence of names or mapping from names to values
        Which columns have an order; see `find_orders`.
    column_weights : mapping from columns to numbers
        Factors on the weights of columns.
    random_state : int, RandomState or None
        For the starts of the clusters that are compared.
    """

    ordered: Any = False
    column_weights: ColumnWeights = field(default_factory=dict)
    random_state: Any = None

    merges_copies: ClassVar[bool] = True

    methods: ClassVar[tuple[str, ...]] = (VECTORS, AXES)

    @property
    def needs_sample(self) -> bool:
        """Some rows judge the weightings."""
        return True

    @property
    def needs_rows(self) -> bool:
        """The counts are enough."""
        return False

    @property
    def n_spaces(self) -> int:
        """Those of the trees and that of the values themselves."""
        return 2 * len(LABELS) + 1

    @property
    def first(self) -> str:
        """The first weighting."""
        return next(iter(ALTERNATIVES))

    @property
    def factors(self) -> ColumnWeights:
        """The user's own."""
        return self.column_weights

    def orders(self, counted: Tally, firsts: IntArray) -> Orders:
        """Return where the values of columns with an order stand in it."""
        vocabulary = counted.grouping.vocabulary
        return find_orders(vocabulary, self.ordered, counted.declared, firsts)

    def spaces(self, counts: Counts, orders: Orders) -> KernelSpaces:
        """Build the spaces of a table; where many columns have an order, no trees."""
        parts = [identity_spaces(counts)]
        if any(positions is not None for positions in orders):
            parts.append(order_spaces(counts, orders))
        if not is_mixed(orders):
            parts.append(tree_spaces(counts))
        return reduce(KernelSpaces.beside, parts)

    def finder(self, problem: Problem, counted: Tally) -> Finder:
        """Keep the weights whose clusters describe the table best.

        Where there is nothing to compare, or no rows to compare it with, the first are kept.
        """
        ways = OF_MIXED if is_mixed(problem.orders) else ALTERNATIVES
        sample = counted.sample

        @cache
        def weighted(name: str) -> tuple[FloatArray, list[Columns]]:
            omega = ways[name](problem)
            return omega, roots(problem.spaces, omega)

        @cache
        def described() -> Descriptions:
            assert sample is not None
            vectors = {name: weighted(name)[1] for name in ways}
            cells = problem.columns.coarse.cells(sample.codes)
            return Descriptions(vectors, sample, problem.attributes, problem.counts, cells)

        def find(posed: Problem) -> Model:
            n_rows = 0 if sample is None or len(ways) == 1 else len(sample.weights)
            if not 1 < posed.n_clusters < n_rows:
                return _model_at(posed, *weighted(next(iter(ways))))
            gains = described().gains(posed.n_clusters, draws_of(self.random_state))
            names = _best_first(gains)
            model = _model_at(posed, *weighted(names[0]))
            return replace(model, gains={name: gains[name] for name in names})

        return find


SAME_GAIN = 0.04
"""Gains that differ by less are equal, as they change by as much with the starts of k-means."""


def _best_first(gains: Mapping[str, float]) -> list[str]:
    """Return the names by their gains; the first of those equal to the highest is first."""
    highest = max(gains.values())
    best = next(name for name, gain in gains.items() if gain >= highest - SAME_GAIN)
    return sorted(gains, key=lambda name: (name != best, -gains[name]))


@dataclass(frozen=True)
class KernelRecipe(Recipe):
    """Weigh the kernels of couplings with a solver: the paper's method, `UNTIE`.

    Parameters
    ----------
    couplings, kernels : mappings from names to functions
        Each pair of them makes a space per column.
    normalize : function or None
        Brings kernel matrices to one scale.
    solver : str
        Finds the weights; see `SOLVERS`.
    settings : Settings
        The solver's.
    """

    couplings: Mapping[str, Coupling]
    kernels: Mapping[str, Kernel]
    normalize: Normalization
    solver: str
    settings: Settings

    @property
    def needs_sample(self) -> bool:
        """Some rows choose the number of clusters."""
        return self.chooses_k

    @property
    def needs_rows(self) -> bool:
        """Some solvers draw rows."""
        return self.solver in ROW_SOLVERS

    @property
    def n_spaces(self) -> int:
        """One of each coupling with each kernel."""
        return len(self.couplings) * len(self.kernels)

    def check(self, counted: Tally) -> None:
        """Refuse a column of many values where each is to have kernels of its own."""
        if matching not in self.couplings.values():
            return
        for column, size in zip(counted.grouping.raw.columns, counted.counts.sizes, strict=True):
            if size > memory.LARGE:
                raise ValueError(
                    f"Column {column!r} has {size:,} values; 'matching' among couplings is for "
                    f"columns with at most {memory.LARGE}, as it needs a column for each value and "
                    "kernel. Merge rare values with min_frequency, or leave 'matching' out."
                )

    def spaces(self, counts: Counts, orders: Orders) -> KernelSpaces:
        """Build the kernels of a table's couplings."""
        return build_spaces(counts, self.couplings, self.kernels, self.normalize)

    def finder(self, problem: Problem, counted: Tally) -> Finder:
        """Weigh the kernels, and warn of what has no influence."""
        _warn_of_mute_columns(problem, counted)
        return self._find

    def _find(self, problem: Problem) -> Model:
        if self.solver in WEIGHTINGS:
            omega = WEIGHTINGS[self.solver](problem)
            return _model_at(problem, omega, roots(problem.spaces, omega))
        solution = SOLVERS[self.solver](problem, self.settings)
        solution = _checked(solution, problem, self.solver)
        vectors = roots(problem.spaces, solution.omega)
        return Model(problem.spaces, problem.columns, solution, vectors, problem.n_clusters)


def learner(
    counted: Tally, recipe: Recipe, orders: Orders, factors: FloatArray | None = None
) -> Callable[[int | None], Model]:
    """Return what walks from counts to weights and value vectors for a number of clusters.

    None is the number that the spectrum of the counts shows. Spaces and attributes, which do not
    depend on the number, are made once.

    Parameters
    ----------
    counted : Tally
        The table.
    recipe : Recipe
        What to learn with.
    orders : tuple of integer arrays or None
        Where the values of columns with an order stand in it.
    factors : array of shape (n_attributes,), optional
        What the weights of columns are multiplied by, all above 0.
    """
    number_of = cache(partial(_number_of_clusters, counted, recipe))
    n_clusters = number_of(recipe.n_clusters)
    recipe.check(counted)
    spaces = recipe.spaces(counted.counts, orders)
    missing = counted.grouping.vocabulary.missing
    problem = Problem(spaces, counted.counts, n_clusters, counted.rows, orders, factors, missing)
    reason = _why_degenerate(problem)
    find = _apart(problem, reason) if reason else recipe.finder(problem, counted)
    return lambda wanted: find(problem.with_clusters(number_of(wanted)))


def _model_at(problem: Problem, omega: FloatArray, vectors: list[Columns]) -> Model:
    """Return the model of given weights and the value vectors that they make."""
    solution = solution_at(problem, omega, vectors)
    return Model(problem.spaces, problem.columns, solution, vectors, problem.n_clusters)


def _apart(problem: Problem, reason: str) -> Finder:
    """Give every value a direction of its own, as no coupling tells anything."""
    warn_user(
        f"{reason} The values are kept apart by coordinates of their own instead, as in "
        "one-hot encoding."
    )
    apart = replace(problem, spaces=identity_spaces(problem.counts))
    omega = WEIGHTINGS["uniform"](apart)  # no weight can be better than another
    vectors = roots(apart.spaces, omega)
    return lambda posed: _model_at(apart.with_clusters(posed.n_clusters), omega, vectors)


def _number_of_clusters(counted: Tally, recipe: Recipe, wanted: int | None) -> int:
    """Return the number of clusters to learn for."""
    counts = counted.counts
    if wanted is None:
        return choose_n_clusters(counts, min(LARGEST_NUMBER, counts.n_rows))
    n_most = int(max(counts.n_rows, counts.n))
    if wanted <= n_most or counted.is_growing:  # more rows may come
        return min(wanted, n_most)
    raise ValueError(
        message(
            "{given} is more than the table's rows ({n_rows}); ask for fewer, or leave "
            "{n_clusters} out.",
            given=Parameter("n_clusters", wanted),
            n_rows=counts.n_rows,
        )
    )


def _why_degenerate(problem: Problem) -> str | None:
    informative = sum(map(_varies, problem.counts.parts))
    if informative == 0:
        return "Every column has a single value, so all rows are alike."
    couplings = {coupling for coupling, _ in problem.spaces.labels}
    if informative == 1 and VALUES not in couplings and couplings & {"inter", "joint"}:
        return "Only one column has more than one value, so it is coupled with no other."
    if not any(_energy_shares(problem)):
        return (
            "The couplings tell no two values apart: all values of a column are equally "
            "frequent and no column depends on another."
        )
    return None


def _warn_of_mute_columns(problem: Problem, counted: Tally) -> None:
    columns, parts = counted.grouping.raw.columns, counted.counts.parts
    for column, own, share in zip(columns, parts, _energy_shares(problem), strict=True):
        if not share and _varies(own):
            warn_user(
                f"The couplings tell no two values of column {column!r} apart (such as values "
                "equally frequent and independent of every other column), so it has no influence. "
                "Add 'matching' to couplings to keep its values apart, or drop it."
            )


def _varies(frequencies: FloatArray) -> bool:
    return int(np.count_nonzero(frequencies)) > 1


def _energy_shares(problem: Problem) -> list[float]:
    """Return, for each attribute, the share of its energy that varies; 0 if it is noise."""
    split = problem.spaces.split
    parts = zip(split(problem.energies), split(problem.uncentered_energies), strict=True)
    sums = [(varying.sum(), total.sum()) for varying, total in parts]
    return [varying / total if varying > TINY * total else 0.0 for varying, total in sums]


def _checked(solution: Solution, problem: Problem, solver: str) -> Solution:
    """Warn of a solution that did not come to rest or lost all weight."""
    if not solution.converged and solver in ROW_SOLVERS:
        warn_user(
            f"solver={solver!r} took all its {solution.n_iter} steps. The printed objective is "
            "smallest, 0, at omega = 0 and at every omega that leaves at most n_clusters "
            "dimensions, so max_iter and learning_rate decide where it ends and are part of the "
            "method; solver='exact' has an objective with a scale of its own.",
            ConvergenceWarning,
        )
    elif not solution.converged:
        warn_user(
            f"solver={solver!r} stopped after {solution.n_iter} steps with its loss still "
            "changing; raise max_iter or tol.",
            ConvergenceWarning,
        )
    energy = problem.energies
    if energy.any() and not solution.omega @ energy > 0:
        warn_user(
            f"solver={solver!r} drove every weight to 0, one of the minima of the printed "
            "objective; omega = 1 is used. Take fewer or shorter steps, or solver='exact'."
        )
        return replace(solution, omega=np.ones_like(solution.omega))
    return solution
