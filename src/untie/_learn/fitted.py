"""All that a fitted encoder knows, in one place: what is used, shown, saved and loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from untie._count.counts import CountedTable, Counts
from untie._count.grouping import Grouping
from untie._count.memory import check_vectors
from untie._count.tally import Tally
from untie._learn.attributes import Attributes, ColumnView
from untie._learn.eigen import leading_axes
from untie._learn.k_choice import KChoice
from untie._learn.learning import Model
from untie._learn.order_space import CoarseView
from untie._learn.solvers import Solution
from untie._learn.spectrum import centre, reduced_gram
from untie._learn.value_space import ValueSpace
from untie._learn.vectors import LookUp, compact_lookup, component_lookup, full_lookup
from untie._table.orders import Orders
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
