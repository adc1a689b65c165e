"""All that a fitted encoder knows, in one place: what is used, shown, saved and loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from untie.core.counts import CountedTable, Counts
from untie.core.eigen import leading
from untie.core.grouping import Grouping
from untie.core.learn import Model
from untie.core.spectrum import centre, reduced_gram
from untie.core.tally import Tally
from untie.core.vectors import LookUp, compact_lookup, component_lookup, full_lookup
from untie.core.weights import Solution


@dataclass(frozen=True, eq=False)
class Fitted:
    """The state of a fitted encoder.

    Parameters
    ----------
    grouping : Grouping
        All values seen, and which of them are taken together.
    counts : Counts
        Counts of the values that the model sees.
    ungrouped : CountedTable or None
        Counts of all values seen, where they were kept: what `partial_fit` adds to.
    labels : tuple of (coupling, kernel)
        Names of the kernel spaces.
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
    """

    grouping: Grouping
    counts: Counts
    ungrouped: CountedTable | None
    labels: tuple[tuple[str, str], ...]
    solution: Solution
    n_clusters: int
    vectors: LookUp
    lookup: LookUp
    gains: Mapping[str, float]


def finish(counted: Tally, model: Model, output: str, n_components: int | None) -> Fitted:
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
        counts,
        counted.ungrouped,
        model.spaces.labels,
        model.solution,
        model.n_clusters,
        vectors,
        lookup,
        model.gains,
    )


def _components(counted: Tally, model: Model, n_components: int) -> LookUp:
    counts = counted.counts
    n_values = sum(counts.sizes)
    if n_components > n_values and not counted.is_growing:
        raise ValueError(f"n_components={n_components} is more than the table's {n_values} values.")
    space = leading(reduced_gram(counts, centre(model.roots, counts)), min(n_components, n_values))
    return component_lookup(model.roots, counts, space, n_components)
