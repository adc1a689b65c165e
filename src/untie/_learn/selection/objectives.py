"""The objectives that choose a representation: clusters, or nearest neighbors.

A representation for clusters is kept if its clusters describe the table best; one for neighbors if
the nearest rows best predict the cells of a column that was hidden from the distance. No objective
knows labels, and gains are comparable within one objective alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from untie._count.counts import Counts
from untie._count.row_sample import RowSample
from untie._learn.columns.attributes import Attributes, hidden_together
from untie._learn.columns.explained_entropy import entropy
from untie._learn.selection.cluster_gain import NOISE, Descriptions
from untie._learn.spaces.couplings import PAPER_COUPLINGS, resolve_couplings
from untie._learn.spaces.kernel_spaces import KernelSpaces, build_spaces
from untie._learn.spaces.kernels import (
    PAPER_KERNELS,
    PAPER_NORMALIZATION,
    resolve_kernels,
    resolve_normalization,
)
from untie._learn.spaces.order_space import is_mixed
from untie._learn.spaces.value_tables import Columns
from untie._learn.spaces.value_tree import LABELS, tree_spaces
from untie._learn.weights.weightings import ALTERNATIVES, OF_MIXED, OF_NEIGHBORS, Problem, Weighting
from untie._util.arrays import squared_distances, squared_lengths
from untie._util.checks import draws_of
from untie._util.types import BoolArray, FloatArray, IntArray, LongArray

N_NEAREST = 20
"""Each row asks this many others: twice as many as people look at, as chance has its say in few."""

PRIOR = 10.0
"""The neighbors' shares are drawn toward those of all rows as by this many rows."""

BITS, FINE_BITS = 60, 30
"""Distances are whole numbers of so many bits, so that their sums are exact; and so many of the
last bits are rounding, in which equal distances may differ."""

WORK = 1e7
"""At most about this many distances without a column are looked at per candidate."""

LEAST_ASKING = 50
"""At least this many rows ask, however many columns there are."""

BLOCK_NUMBERS = 2**19
"""At most this many distances are held at a time."""

Distances = LongArray
Ranks = NDArray[np.int32]


def neighbor_gains(
    candidates: Mapping[str, Sequence[Columns]],
    sample: RowSample,
    attributes: Attributes,
    finer: Counts | None = None,
    cells: LongArray | None = None,
) -> dict[str, float]:
    """Return, for each candidate, how well the nearest of the sampled rows predict hidden cells.

    Parameters
    ----------
    candidates : mapping from names to lists of tables of shape (n_values, n_dimensions)
        The value vectors of each attribute.
    sample : RowSample
        Rows of the table, in an order that no name decides: of many columns, the first rows ask.
    attributes : Attributes
        Of the whole table: its counts, the weights of the columns, and which are redundant.
    finer : Counts, optional
        Counts of the values that have vectors, if those of `attributes` are of a coarser view.
    cells : integer array of shape (n_sampled, n_attributes), optional
        The rows in that view, where their cells are predicted.

    Returns
    -------
    dict
        The share of a hidden column's entropy that neighbors predict, summed over the columns with
        their weights: with 1, as much as one column wholly.
    """
    counts = attributes.counts if finer is None else finer
    asked = Asked.of(sample.codes if cells is None else cells, sample.weights, attributes)
    return {
        name: prediction_gain(whole_distances(tables, sample.codes, counts, asked.n_asking), asked)
        for name, tables in candidates.items()
    }


@dataclass(frozen=True, eq=False)
class Asked:
    """What the rows' neighbors are asked.

    Parameters
    ----------
    cells : integer array of shape (n_rows, n_attributes)
        What is predicted; a code equal to the attribute's size is unknown and is not.
    weights : array of shape (n_rows,)
        How many equal rows each stands for.
    shares : sequence of arrays of shape (n_values,)
        Shares of each attribute's values in the whole table.
    votes : array of shape (n_attributes,)
        How much each attribute counts.
    related : boolean array of shape (n_attributes, n_attributes)
        Which attributes are hidden together with each; all with itself.
    """

    cells: LongArray
    weights: FloatArray
    shares: Sequence[FloatArray]
    votes: FloatArray
    related: BoolArray

    @classmethod
    def of(cls, cells: LongArray, weights: FloatArray, attributes: Attributes) -> Asked:
        """Return what is asked of some rows of a table."""
        counts = attributes.counts
        weights = weights * (counts.n_draws / counts.n)
        shares = [own / max(own.sum(), np.finfo(float).tiny) for own in counts.parts]
        return cls(cells, weights, shares, attributes.votes, attributes.related)

    @cached_property
    def groups(self) -> list[tuple[IntArray, IntArray]]:
        """Attributes that are hidden with the same others: (hidden ones, predicted ones)."""
        return hidden_together(self.related)

    @cached_property
    def scales(self) -> FloatArray:
        """What a nat of each attribute counts: its weight over its entropy, 0 if it is constant."""
        entropies = np.array([entropy(shares) for shares in self.shares]) * np.log(2.0)
        return np.divide(self.votes, entropies, out=np.zeros(len(entropies)), where=entropies > 0)

    @property
    def n_asking(self) -> int:
        """Number of rows that ask: all, or the first of them if there are many columns."""
        n_rows = len(self.weights)
        able = WORK / (n_rows * len(self.groups))
        return int(min(n_rows, max(LEAST_ASKING, able)))

    @cached_property
    def n_least(self) -> int:
        """So many rows are always enough neighbors, however little weight they have."""
        lightest = np.cumsum(np.sort(self.weights))
        return min(int(np.searchsorted(lightest, N_NEAREST)) + 1, len(lightest) - 1)


@dataclass(frozen=True, eq=False)
class ValueDistances:
    """Squared distances between the values of an attribute that some rows have.

    Parameters
    ----------
    table : integer array of shape (n_values of rows that ask, n_values of all rows)
        The distances, in units that are the same for all attributes.
    asking : integer array of shape (n_asking,)
        Where the value of each row that asks stands in it, in the first dimension.
    others : integer array of shape (n_rows,)
        Where the value of each row stands, in the second.
    """

    table: Distances
    asking: IntArray
    others: IntArray

    def between(self, rows: slice) -> Distances:
        """Return the distances of some rows that ask to all; shape (n_some, n_rows)."""
        return self.table.take(self.asking[rows], axis=0).take(self.others, axis=1)


def whole_distances(
    tables: Sequence[Columns], codes: LongArray, counts: Counts, n_asking: int
) -> list[ValueDistances]:
    """Return the attributes' squared distances between values, as shares of the largest of rows.

    Parameters
    ----------
    tables : sequence of tables of shape (n_values, n_dimensions)
        The value vectors of each attribute; an unknown value stands at their mean.
    codes : integer array of shape (n_rows, n_attributes)
        The rows; the first of them ask.
    counts : Counts
        Of the values that have vectors.
    n_asking : int
        Number of rows that ask.
    """
    found = []
    for table, column, own in zip(tables, codes.T, counts.parts, strict=True):
        values, others = np.unique(column, return_inverse=True)
        centered, which = table.centered(values, own)
        vectors = centered[which]
        places, asking = np.unique(others.ravel()[:n_asking], return_inverse=True)
        found.append((_distances_to_all(vectors, places), asking.ravel(), others.ravel()))
    largest = fsum(distances.max(initial=0.0) for distances, _, _ in found)
    rounding = NOISE**2 * sum(table.largest() ** 2 for table in tables)
    unit = 2**BITS / largest if largest > rounding else 0.0
    return [
        ValueDistances(np.rint(distances * unit).astype(np.int64), asking, others)
        for distances, asking, others in found
    ]


def prediction_gain(distances: Sequence[ValueDistances], asked: Asked) -> float:
    """Return how much better neighbors predict hidden cells than the table's shares do.

    Parameters
    ----------
    distances : sequence of ValueDistances
        One per attribute.
    asked : Asked
        The rows, and what their neighbors are asked.

    Examples
    --------
    >>> cells = np.array([[0, 0], [1, 1], [0, 1]])
    >>> apart = np.array([[0, 1], [1, 0]], dtype=np.int64) << FINE_BITS
    >>> distances = [ValueDistances(apart, column, column) for column in cells.T]
    >>> shares, votes, related = [np.array([0.5, 0.5])] * 2, np.ones(2), np.eye(2, dtype=bool)
    >>> alike, mixed = np.array([50.0, 50.0, 0.0]), np.array([50.0, 25.0, 25.0])
    >>> for weights in (alike, mixed):
    ...     round(prediction_gain(distances, Asked(cells, weights, shares, votes, related)), 2)
    1.47
    0.59
    """
    weights = asked.weights[: asked.n_asking]
    total = 0.0
    for rows, predicted, remaining in _hidden_in_turns(distances, asked):
        near = _nearest(remaining, rows, asked)
        for attribute in predicted.tolist():
            gains = _log_ratios(attribute, rows, near, asked)
            total += float(asked.scales[attribute] * (gains @ weights[rows]))
    # Equal gains tie, in whatever order they are added up.
    return round(total / float(weights.sum()), 9)


def _distances_to_all(vectors: FloatArray, chosen: IntArray) -> FloatArray:
    """Return squared distances of some vectors to all; shape (n_chosen, n_vectors)."""
    lengths = squared_lengths(vectors)
    result = squared_distances(vectors[chosen] @ vectors.T, lengths[chosen], lengths)
    result[np.arange(len(chosen)), chosen] = 0.0  # a value has no distance to itself
    return result


def _hidden_in_turns(
    distances: Sequence[ValueDistances], asked: Asked
) -> Iterator[tuple[slice, IntArray, Ranks]]:
    """Yield rows that ask, some at a time, columns, and the distances without these columns."""
    n_rows = len(asked.weights)
    step = max(1, BLOCK_NUMBERS // n_rows)
    for start in range(0, asked.n_asking, step):
        rows = slice(start, min(start + step, asked.n_asking))
        total = np.full((rows.stop - start, n_rows), 2 ** (FINE_BITS - 1), dtype=np.int64)
        for attribute in distances:
            total += attribute.between(rows)
        for hidden, predicted in asked.groups:
            remaining = total
            for place in hidden.tolist():
                remaining = remaining - distances[place].between(rows)
            yield rows, predicted, (remaining >> FINE_BITS).astype(np.int32)


class _Near(NamedTuple):
    """Neighbors of rows that ask: pairs of both, with the weight of each pair."""

    asking: IntArray
    others: IntArray
    weights: FloatArray


def _nearest(distances: Ranks, rows: slice, asked: Asked) -> _Near:
    """Return the nearest rows of each one that asks, of `N_NEAREST` rows' weight together.

    A row is not its own neighbor, but the rows equal to it are. Where the last places are for
    several equally near rows, each has its share of them.
    """
    limits = np.partition(distances, asked.n_least, axis=1)[:, asked.n_least]
    asking, others = np.nonzero(distances <= limits[:, None])
    weights = asked.weights[others]
    own = others == asking + rows.start
    weights[own] = np.maximum(weights[own] - 1.0, 0.0)
    # One number tells both who asks and how far the other is, so that equal ones are tied.
    keys = asking * 2**31 + distances[asking, others]
    order = np.argsort(keys, kind="stable")
    asking, others, weights, keys = asking[order], others[order], weights[order], keys[order]
    is_first = np.diff(keys, prepend=-1) != 0
    tie = np.cumsum(is_first) - 1
    of_ties = np.bincount(tie, weights)
    enough = np.minimum(of_ties, N_NEAREST)  # sums of huge weights would be rounded
    before = np.cumsum(enough) - enough
    who = asking[is_first]
    before -= before[np.searchsorted(who, who)]
    places = np.clip(N_NEAREST - before, 0.0, of_ties)
    shares = np.divide(places, of_ties, out=np.zeros_like(places), where=of_ties > 0)
    return _Near(asking, others, weights * shares[tie])


def _log_ratios(attribute: int, rows: slice, near: _Near, asked: Asked) -> FloatArray:
    """Return ln(share among the neighbors / share in the table) of each row's own cell."""
    cells, shares = asked.cells[:, attribute], asked.shares[attribute]
    own, theirs = cells[rows], cells[near.others]
    n_rows, is_known = len(own), own < len(shares)
    agree = theirs == own[near.asking]
    hits = np.bincount(near.asking, near.weights * agree, minlength=n_rows)
    known = np.bincount(near.asking, near.weights * (theirs < len(shares)), minlength=n_rows)
    usual = shares[own[is_known]]
    result = np.zeros(n_rows)
    found = (hits[is_known] + PRIOR * usual) / (known[is_known] + PRIOR)
    result[is_known] = np.log(found / usual)
    return result


CLUSTERS, NEIGHBORS = "clusters", "neighbors"

Vectors = Mapping[str, Sequence[Columns]]
"""The value vectors of each attribute, by the name of the weighting."""

Judge = Callable[[int, Any], dict[str, float]]
"""A number of clusters and a random state -> the gain of each weighting."""

Criterion = Callable[[Vectors, Problem, RowSample], Judge]
"""Vectors, the table and some of its rows -> what compares weightings."""


@dataclass(frozen=True)
class Objective:
    """How weights are chosen for a purpose.

    Parameters
    ----------
    alternatives : mapping from names to weightings
        What there is to choose from; the first is taken where nothing can decide.
    judge : callable
        The criterion.
    same_gain : float
        Gains that differ by less than this are equal, and the first of them is taken.
    needs_clusters : bool
        Whether the criterion depends on the number of clusters.
    spaces : callable
        Makes the spaces of couplings that are weighted: trees of values, or kernels.
    n_spaces : int
        Number of these spaces per attribute, of as many columns as there are values.
    """

    alternatives: Mapping[str, Weighting]
    judge: Criterion
    same_gain: float
    needs_clusters: bool
    spaces: Callable[[Counts], KernelSpaces]
    n_spaces: int

    @property
    def first(self) -> str:
        """The name of what is taken where nothing can decide."""
        return next(iter(self.alternatives))

    def ways(self, problem: Problem) -> Mapping[str, Weighting]:
        """Return the weightings of a table; where many columns have an order, there is one."""
        return OF_MIXED if is_mixed(problem.orders) else self.alternatives

    def can_judge(self, problem: Problem, sample: RowSample) -> bool:
        """Tell whether there are rows enough to compare weightings."""
        n_parts = problem.n_clusters if self.needs_clusters else 2
        return 1 < n_parts < len(sample.weights)

    def best_first(self, gains: Mapping[str, float]) -> list[str]:
        """Return the names by their gains; the first of those equal to the highest is first."""
        highest = max(gains.values())
        best = next(name for name, gain in gains.items() if gain >= highest - self.same_gain)
        return sorted(gains, key=lambda name: (name != best, -gains[name]))


def _of_clusters(vectors: Vectors, problem: Problem, sample: RowSample) -> Judge:
    cells = problem.columns.coarse.cells(sample.codes)
    described = Descriptions(vectors, sample, problem.attributes, problem.counts, cells)
    return lambda n_clusters, random_state: described.gains(n_clusters, draws_of(random_state))


def _of_neighbors(vectors: Vectors, problem: Problem, sample: RowSample) -> Judge:
    cells = problem.columns.coarse.cells(sample.codes)
    gains = neighbor_gains(vectors, sample, problem.attributes, problem.counts, cells)
    return lambda n_clusters, random_state: gains


def _kernel_spaces(counts: Counts) -> KernelSpaces:
    """Build the paper's kernels of the paper's couplings."""
    couplings, kernels = resolve_couplings(PAPER_COUPLINGS), resolve_kernels(PAPER_KERNELS)
    return build_spaces(counts, couplings, kernels, resolve_normalization(PAPER_NORMALIZATION))


OBJECTIVES = {
    CLUSTERS: Objective(
        ALTERNATIVES,
        _of_clusters,
        same_gain=0.04,  # gains change by as much with the starts of k-means alone
        needs_clusters=True,
        spaces=tree_spaces,
        n_spaces=2 * len(LABELS),
    ),
    NEIGHBORS: Objective(
        OF_NEIGHBORS,
        _of_neighbors,
        same_gain=0.02,
        needs_clusters=False,
        spaces=_kernel_spaces,
        n_spaces=len(PAPER_COUPLINGS) * len(resolve_kernels(PAPER_KERNELS)),
    ),
}
"""By name, as the parameter `purpose` has them."""
