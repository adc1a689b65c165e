"""All that a fitted encoder knows, in one place: what is used, shown, saved and loaded."""

from __future__ import annotations

from dataclasses import dataclass

from untie.core.counts import CountedTable, Counts
from untie.core.grouping import Grouping
from untie.core.learn import Model
from untie.core.spectrum import leading, reduced_gram
from untie.core.tally import Tally
from untie.core.types import FloatArray
from untie.core.vectors import LookUp, compact_lookup, component_lookup, full_lookup


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
    omega : array of shape (n_coordinates,)
        The weights.
    n_clusters : int
        Number of clusters in use.
    loss_curve : list of float
        The solver's objective, step by step.
    vectors : LookUp
        The compact value vectors: similarities come from them.
    lookup : LookUp
        What `transform` returns.
    """

    grouping: Grouping
    counts: Counts
    ungrouped: CountedTable | None
    labels: tuple[tuple[str, str], ...]
    omega: FloatArray
    n_clusters: int
    loss_curve: list[float]
    vectors: LookUp
    lookup: LookUp


def finish(counted: Tally, model: Model, output: str, n_components: int | None) -> Fitted:
    """Turn what was learned into tables to look up."""
    counts = counted.counts
    vectors = compact_lookup(model.roots, counts)
    if n_components is not None:
        lookup = _components(counts, model, n_components)
    elif output == "full":
        lookup = full_lookup(model.spaces, model.omega, counts)
    else:
        lookup = vectors
    return Fitted(
        counted.grouping,
        counts,
        counted.ungrouped,
        model.spaces.labels,
        model.omega,
        model.n_clusters,
        model.loss_curve,
        vectors,
        lookup,
    )


def _components(counts: Counts, model: Model, n_components: int) -> LookUp:
    n_values = sum(counts.sizes)
    if n_components > n_values:
        raise ValueError(f"n_components={n_components} is more than the table's {n_values} values.")
    space = leading(reduced_gram(counts, model.roots), n_components)
    return component_lookup(model.roots, counts, space, n_components)
