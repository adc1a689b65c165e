"""A counted table -> all that a fitted encoder knows, the number of clusters included.

`Fitted` is what is used, shown, saved and loaded. Supplementary columns are left out of learning
and join the model when it is made.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from untie._count.counts import CountedTable, Counts
from untie._count.grouping import Grouping
from untie._count.row_sample import RowSample, in_canonical_order
from untie._count.tally import Places, Tally, select_tally
from untie._learn.clustering.lloyd import count_distinct, sample_vectors
from untie._learn.clustering.points import PointsOf, of_axes
from untie._learn.columns.attributes import (
    Attributes,
    ColumnView,
    column_factors,
    find_exact_copies,
)
from untie._learn.learning import Model, Recipe, learner
from untie._learn.linalg.eigen import leading_axes
from untie._learn.linalg.spectrum import center, reduced_gram
from untie._learn.memory import check_vectors
from untie._learn.selection.choose_k import AUTO_KS, AUTO_SEED, N_SPLITS, choose_number
from untie._learn.selection.k_choice import KChoice
from untie._learn.spaces.order_space import CoarseView
from untie._learn.spaces.value_space import ValueSpace
from untie._learn.vectors import LookUp, component_lookup, full_lookup, look_up_tables
from untie._learn.weights.weightings import Solution
from untie._table import frames
from untie._table.column_codes import whole_characters
from untie._table.orders import ORDER, Orders
from untie._table.vocabulary import Vocabulary, number_repeats
from untie._util.checks import draws_of
from untie._util.threads import one_thread
from untie._util.types import BoolArray, FloatArray, LongArray


@dataclass(frozen=True, eq=False)
class Fitted:
    """The state of a fitted encoder.

    Parameters
    ----------
    grouping : Grouping
        All values seen, and which of them are merged.
    columns : ColumnView
        The columns as the model sees them: counts of their values, orders, and what their weights
        were multiplied by; 0 is supplementary.
    ungrouped : CountedTable or None
        Counts of all values seen, where they were kept: what `partial_fit` adds to.
    labels : tuple of (coupling, kernel)
        Names of the kernel spaces.
    widths : tuple of tuples of int
        For each attribute, the number of coordinates of each kernel space.
    solution : Solution
        The weights and how they were found.
    n_clusters : int
        Number of clusters in use.
    vectors : LookUp
        The compact value vectors: similarities come from them.
    lookup : LookUp
        What `transform` returns.
    gains : mapping from names to numbers
        How well each alternative describes the table, if there was a choice.
    errors : mapping from attributes to arrays of shape (n_spaces,)
        For attributes whose kernels are taken through landmarks, how much of each is missing.
    k_choice : KChoice or None
        How the number of clusters was chosen, if it was.
    """

    grouping: Grouping
    columns: ColumnView
    ungrouped: CountedTable | None
    labels: tuple[tuple[str, str], ...]
    widths: tuple[tuple[int, ...], ...]
    solution: Solution
    n_clusters: int
    vectors: LookUp
    lookup: LookUp
    gains: Mapping[str, float]
    errors: Mapping[int, FloatArray]
    k_choice: KChoice | None = None

    @property
    def counts(self) -> Counts:
        """Counts of the values that the model sees."""
        return self.columns.counts

    @property
    def orders(self) -> Orders:
        """Where the values of attributes with an order are in it."""
        return self.columns.orders

    @property
    def factors(self) -> FloatArray:
        """What the weights of the columns were multiplied by; shape (n_attributes,)."""
        factors = self.columns.factors
        return np.ones(len(self.counts.sizes)) if factors is None else factors

    @property
    def coarse(self) -> CoarseView:
        """The table with neighboring values of columns with an order merged."""
        return self.columns.coarse

    @property
    def attributes(self) -> Attributes:
        """How much each attribute counts."""
        return self.columns.attributes

    @property
    def passive(self) -> BoolArray:
        """Which attributes are supplementary; shape (n_attributes,)."""
        return self.factors == 0

    @property
    def unlearned(self) -> BoolArray:
        """Which attributes have no vectors: supplementary ones, and copies of others."""
        return np.array([width == 0 for width in self.vectors.widths])

    @cached_property
    def sampled_votes(self) -> FloatArray:
        """How much each attribute counts in a sample of rows; shape (n_attributes,).

        The cells of a copy are unknown there, so the first of the copies has the weight of all.
        """
        votes = self.attributes.votes
        if not (self.unlearned & ~self.passive).any():
            return votes
        firsts = find_exact_copies(self.counts, self.columns.factors, self.columns.orders)
        return np.where(self.unlearned, 0.0, np.bincount(firsts, votes, minlength=len(votes)))

    @cached_property
    def space(self) -> ValueSpace:
        """The space of the values: distances and means of rows without making their vectors."""
        return ValueSpace(self.vectors.tables)

    def points_on_axes(self, codes: LongArray, n_most: int) -> PointsOf:
        """Return what places coded rows on axes, for at most so many clusters; see `of_axes`."""
        view = self.coarse
        return of_axes(view.cells(codes), view.counts.sizes, self.sampled_votes, n_most)

    def axes(self) -> tuple[dict[int, int], bool]:
        """Return how many axes the values of large attributes share, and if they have others."""
        own = self.vectors.is_sparse
        return {
            attribute: self.vectors.widths[attribute] - own * self.counts.sizes[attribute]
            for attribute in self.errors
        }, own


def finish(
    counted: Tally, model: Model, output: str = "compact", n_components: int | None = None
) -> Fitted:
    """Turn what was learned into tables to look up."""
    counts = counted.counts
    vectors = look_up_tables(model.roots, counts)
    if n_components is not None:
        lookup = _components(counted, model, n_components)
    elif output == "full":
        lookup = full_lookup(model.spaces, model.solution.omega, counts)
    else:
        lookup = vectors
    return Fitted(
        counted.grouping,
        model.columns,
        counted.ungrouped,
        model.spaces.labels,
        model.spaces.widths,
        model.solution,
        model.n_clusters,
        vectors,
        lookup,
        model.gains,
        model.spaces.errors,
    )


def _components(counted: Tally, model: Model, n_components: int) -> LookUp:
    counts = counted.counts
    n_values = sum(counts.sizes)
    if n_components > n_values and not counted.is_growing:
        raise ValueError(f"n_components={n_components} is more than the table's {n_values} values.")
    check_vectors(counts.sizes, n_components)
    gram = reduced_gram(counts, center(model.roots, counts))
    space = leading_axes(gram, min(n_components, n_values))
    return component_lookup(model.roots, counts, space, n_components)


def weights_frame(
    backend: str,
    vocabulary: Vocabulary,
    labels: Sequence[tuple[str, str]],
    widths: Sequence[Sequence[int]],
    omega: FloatArray,
) -> Any:
    """Return attribute, coupling, kernel, value, omega, beta and alpha."""
    columns: dict[str, list[Any]] = {name: [] for name in ("column", "coupling", "kernel", "value")}
    spaces = []
    start = 0
    for attribute, of_spaces in enumerate(widths):
        values = vocabulary.labels(attribute)
        for (coupling, kernel), width in zip(labels, of_spaces, strict=True):
            columns["column"] += [whole_characters(vocabulary.columns[attribute])] * width
            columns["coupling"] += [coupling] * width
            columns["kernel"] += [kernel] * width
            is_own = width == len(values) and coupling != ORDER
            columns["value"] += values if is_own else axis_names(width)
            spaces.append(omega[start : start + width])
            start += width
    means = [space.mean() if len(space) else 0.0 for space in spaces]  # a column may lack a space
    beta = np.repeat(means, [len(space) for space in spaces])
    alpha = np.sqrt(np.divide(omega, beta, out=np.zeros_like(omega), where=beta > 0))
    return frames.make_frame(backend, {**columns, "omega": omega, "beta": beta, "alpha": alpha})


def errors_frame(
    backend: str,
    vocabulary: Vocabulary,
    labels: Sequence[tuple[str, str]],
    widths: Sequence[Sequence[int]],
    found: Mapping[int, FloatArray],
) -> Any:
    """Return attribute, coupling, kernel, number of axes and error."""
    columns: dict[str, list[Any]] = {
        name: [] for name in ("column", "coupling", "kernel", "axes", "error")
    }
    for attribute, of_spaces in found.items():
        columns["column"] += [whole_characters(vocabulary.columns[attribute])] * len(labels)
        columns["coupling"] += [coupling for coupling, _ in labels]
        columns["kernel"] += [kernel for _, kernel in labels]
        columns["axes"] += list(widths[attribute])
        columns["error"] += of_spaces.tolist()
    return frames.make_frame(backend, columns)


def axis_names(n_axes: int) -> list[str]:
    """Return names for what the values of a large attribute share."""
    return [f"axis {number}" for number in range(1, n_axes + 1)]


def compact_names(vocabulary: Vocabulary, n_axes: Mapping[int, int], own: bool) -> list[str]:
    """Return a name for every column of X: one per value, and the axes that values share.

    Parameters
    ----------
    vocabulary : Vocabulary
        The values.
    n_axes : mapping from attributes to int
        The attributes whose values share axes, and how many.
    own : bool
        Whether the values of these have columns of their own as well.
    """
    if not n_axes:
        return vocabulary.feature_names()
    names = []
    for attribute, column in enumerate(vocabulary.columns):
        name = whole_characters(column)
        if own or attribute not in n_axes:
            names += [f"{name}={value}" for value in vocabulary.labels(attribute)]
        names += [f"{name}|{axis}" for axis in axis_names(n_axes.get(attribute, 0))]
    return number_repeats(names)


def full_names(
    vocabulary: Vocabulary, labels: Sequence[tuple[str, str]], widths: Sequence[Sequence[int]]
) -> list[str]:
    """Return a name for every kernel column, or axis of a large attribute's kernel."""
    names = []
    for attribute, (column, of_spaces) in enumerate(zip(vocabulary.columns, widths, strict=True)):
        name, values = whole_characters(column), vocabulary.labels(attribute)
        for (coupling, kernel), width in zip(labels, of_spaces, strict=True):
            marks = (
                [f"={value}" for value in values]
                if width == len(values)
                else [f"|{axis}" for axis in axis_names(width)]
            )
            names += [f"{name}{mark}|{coupling}|{kernel}" for mark in marks]
    return number_repeats(names)


def _with_others(
    fitted: Fitted,
    counted: Tally,
    heard: Places,
    factors: FloatArray,
    firsts: Places,
    orders: Orders,
) -> Fitted:
    """Return a model of all columns of a table, learned from some of them.

    The values of the others have vectors without any dimension (of zeros, where vectors are added
    up), and no kernels. They are counted as the rest is.

    Parameters
    ----------
    fitted : Fitted
        Learned from the columns that count.
    counted : Tally
        All columns.
    heard : integer array
        The attributes that were learned from, ascending.
    factors : array of shape (n_attributes,)
        What the weights of all columns are multiplied by; 0 for supplementary ones.
    firsts : integer array of shape (n_attributes,)
        For a copy, the attribute that it is a copy of, with which it shares a weight; all others
        themselves.
    orders : tuple of integer arrays or None
        The orders of the values of all columns; those of supplementary ones are not used.
    """
    sizes = counted.counts.sizes
    votes = np.zeros(len(sizes))
    votes[heard] = fitted.attributes.votes
    votes = votes[firsts] / np.bincount(firsts, minlength=len(sizes))[firsts]
    vectors = _spread(fitted.vectors, sizes, heard)
    is_own = fitted.lookup is not fitted.vectors
    return replace(
        fitted,
        grouping=counted.grouping,
        columns=ColumnView(
            counted.counts,
            tuple(own if factor else None for own, factor in zip(orders, factors, strict=True)),
            factors,
            votes,
            counted.grouping.vocabulary.missing,
        ),
        ungrouped=counted.ungrouped,
        widths=_placed(fitted.widths, heard, [(0,) * len(fitted.labels)] * len(sizes)),
        vectors=vectors,
        lookup=_spread(fitted.lookup, sizes, heard) if is_own else vectors,
        errors={int(heard[place]): errors for place, errors in fitted.errors.items()},
    )


def _spread(lookup: LookUp, sizes: tuple[int, ...], heard: Places) -> LookUp:
    width = lookup.n_columns if lookup.summed else 0
    empty = [np.zeros((size + 1, width)) for size in sizes]
    return LookUp(_placed(lookup.tables, heard, empty), lookup.summed)


def _placed(found: Sequence[Any], places: Places, empty: list[Any]) -> tuple[Any, ...]:
    """Put what was found for some columns where it belongs among all of them."""
    for place, own in zip(places, found, strict=False):  # there may be no orders at all
        empty[place] = own
    return tuple(empty)


def fit_counted(
    counted: Tally, recipe: Recipe, output: str = "compact", n_components: int | None = None
) -> tuple[Fitted, RowSample | None]:
    """Learn from a counted table.

    Where the number of clusters is to be chosen, a first model, for the number that the spectrum
    shows, makes the clusters that are compared, and a second one is learned for the number chosen:
    the one that naming this number gives. Supplementary columns, and exact copies of a column where
    the recipe says so, are left out of all this, and join the model when it is made.

    Returns
    -------
    fitted : Fitted
        The model.
    sample : RowSample or None
        Distinct rows as the model sees them, in canonical order; cells of supplementary columns are
        unknown. None where no sample was kept, where values are merged, as rows that were distinct
        when they were sampled may be equal to the model, and where columns are supplementary and
        there are more distinct rows than a sample holds.
    """
    counted = _with_draws(counted)
    factors = column_factors(recipe.factors, counted.grouping.raw.columns)
    firsts, orders = _copied(factors, counted, recipe)
    heard = np.flatnonzero((factors > 0) & (firsts == np.arange(len(firsts))))
    if len(heard) == len(factors):
        fitted, sample = _fit(counted, recipe, orders, factors, output, n_components)
        return fitted, sample if counted.grouping.is_trivial else None
    kept, own = select_tally(counted, heard), tuple(orders[place] for place in heard)
    fitted, sample = _fit(kept, recipe, own, factors[heard], output, n_components)
    is_same = counted.grouping.is_trivial and counted.sample is not None and counted.sample.is_whole
    sample = sample.spread(heard, counted.counts.sizes) if sample and is_same else None
    return _with_others(fitted, counted, heard, factors, firsts, orders), sample


def _copied(factors: FloatArray, counted: Tally, recipe: Recipe) -> tuple[Places, Orders]:
    """Return, for each column, the one that it is an exact copy of or itself; and all orders.

    A table with a column twice is then learned from as if the column were there once. No column is
    a copy where a single one would be left.
    """
    every = np.arange(len(factors))
    if not recipe.merges_copies:
        return every, recipe.orders(counted, every)
    orders = recipe.orders(counted, find_exact_copies(counted.counts))
    firsts = find_exact_copies(counted.counts, factors, orders)
    is_enough = np.count_nonzero(factors[firsts == every]) > 1
    return firsts if is_enough else every, orders


def _with_draws(counted: Tally) -> Tally:
    """Return the tally with counts that know how many independent draws they are of."""
    kept = counted.ungrouped
    if kept is None:
        return replace(counted, counts=counted.counts.with_draws(counted.sample))
    raw = kept.counts.with_draws(kept.sample)
    # Where no value is merged, both are one object, which a file holds once.
    is_same = counted.counts is kept.counts
    counts = raw if is_same else replace(counted.counts, draws=raw.draws)
    return replace(counted, counts=counts, ungrouped=replace(kept, counts=raw))


def _fit(
    counted: Tally,
    recipe: Recipe,
    orders: Orders,
    factors: FloatArray,
    output: str,
    n_components: int | None,
) -> tuple[Fitted, RowSample | None]:
    if counted.sample is not None:
        ordered = in_canonical_order(counted.sample, orders)
        counted = replace(counted, sample=ordered)
    with one_thread():
        learn = learner(counted, recipe, orders, factors)
        model, choice = learn(recipe.n_clusters), None
        if recipe.chooses_k:
            choice, number = _choose(finish(counted, model), counted, recipe.methods)
            model = learn(number)
        del learn  # with what was not chosen
        fitted = finish(counted, model, output, n_components)
        return replace(fitted, k_choice=choice), counted.sample


def _choose(first: Fitted, counted: Tally, methods: Sequence[str]) -> tuple[KChoice | None, int]:
    sample = counted.sample
    if sample is None:
        raise ValueError(
            "n_clusters='auto' compares the clusters of some rows, but no sample of the rows was "
            "kept; name the number of clusters, leave n_clusters=None, or start anew from rows or "
            "from what untie.count_table gives."
        )
    n_distinct = count_distinct(sample_vectors(first.vectors, sample))
    if n_distinct <= AUTO_KS[0]:
        return None, n_distinct
    draws = draws_of(AUTO_SEED)
    given = (first.vectors, first.coarse, first.attributes, sample, first.grouping.raw.columns)
    choice = choose_number(*given, None, N_SPLITS, draws, methods)
    return choice, choice.k
