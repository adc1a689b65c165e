"""All that a fitted encoder knows, in one place: what is used, shown, saved and loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._count.counts import CountedTable, Counts
from untie._count.grouping import Grouping
from untie._count.tally import Tally
from untie._learn.attributes import Attributes, ColumnView
from untie._learn.eigen import leading_axes
from untie._learn.k_choice import KChoice
from untie._learn.learning import Model
from untie._learn.memory import check_vectors
from untie._learn.order_space import CoarseView
from untie._learn.solvers import Solution
from untie._learn.spectrum import centre, reduced_gram
from untie._learn.value_space import ValueSpace
from untie._learn.vectors import LookUp, compact_lookup, component_lookup, full_lookup
from untie._table import frames
from untie._table.orders import ORDER, Orders
from untie._table.plain_values import whole_characters
from untie._table.vocabulary import Vocabulary, number_repeats
from untie._util.types import FloatArray


@dataclass(frozen=True, eq=False)
class Fitted:
    """The state of a fitted encoder.

    Parameters
    ----------
    grouping : Grouping
        All values seen, and which of them are merged.
    columns : ColumnView
        The columns as the model sees them: counts of their values, orders, and what their votes
        were multiplied by; 0 is passive.
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
        """What the votes of the columns were multiplied by; shape (n_attributes,)."""
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
    def passive(self) -> NDArray[np.bool_]:
        """Which attributes are not learned from; shape (n_attributes,)."""
        return self.factors == 0

    @cached_property
    def space(self) -> ValueSpace:
        """The space of the values: distances and means of rows without making their vectors."""
        return ValueSpace(self.vectors.tables)

    def axes(self) -> tuple[dict[int, int], bool]:
        """Return how many axes the values of large attributes share, and if they have others."""
        own = self.vectors.is_sparse
        return {
            attribute: self.vectors.widths[attribute] - own * self.counts.sizes[attribute]
            for attribute in self.errors
        }, own


def finish(
    counted: Tally,
    model: Model,
    output: str = "compact",
    n_components: int | None = None,
) -> Fitted:
    """Turn what was learned into tables to look up."""
    counts = counted.counts
    vectors = compact_lookup(model.roots, counts)
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
    gram = reduced_gram(counts, centre(model.roots, counts))
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
