"""k-means over all rows: the cost of each value in each cluster, assignment, means, and radii.

A row costs the sum of what its values cost in a cluster and goes where it costs least. The radius
of a cluster is the distance from its mean that most of its rows keep within.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import RandomState

from untie._count.packed_rows import PackedRows
from untie._count.row_sample import RowSample
from untie._learn.linalg.eigen import leading_axes, start_of_equals
from untie._learn.selection.cluster_gain import number_of_starts, shortened
from untie._learn.spaces.value_space import ValueSpace, count_members
from untie._learn.vectors import LookUp
from untie._util.k_means import TIE, best_labels
from untie._util.types import Codes, FloatArray, IntArray

Costs = list[FloatArray]
"""One array of shape (n_codes, n_clusters) per attribute; the last code is an unknown value's."""


@dataclass(frozen=True, eq=False)
class Pass:
    """What a pass over rows finds; ``+`` adds those of two pieces.

    Parameters
    ----------
    counts : list of arrays of shape (n_clusters, n_codes)
        Weight of the rows of each cluster with each code, one per attribute.
    """

    counts: list[FloatArray]

    def __add__(self, other: Pass) -> Pass:
        return Pass([a + b for a, b in zip(self.counts, other.counts, strict=True)])

    @property
    def sizes(self) -> FloatArray:
        """Weight of each cluster; shape (n_clusters,)."""
        return self.counts[0].sum(axis=1)

    def is_like(self, other: Pass) -> bool:
        """Tell whether the clusters have the same values, and so the same means."""
        pairs = zip(self.counts, other.counts, strict=True)
        return all(np.allclose(a, b, rtol=1e-12, atol=0.0) for a, b in pairs)

    def cost(self, costs: Costs) -> float:
        """Return what all cells cost together, each in its own cluster."""
        pairs = zip(self.counts, costs, strict=True)
        return float(sum(np.einsum("ij,ji->", joint, table) for joint, table in pairs))


Walk = Callable[[Costs], Pass]
"""Takes costs and returns what a pass over all rows finds."""


def ties_apart(tables: Sequence[FloatArray]) -> Costs:
    """Return costs by which the first of equally cheap clusters is the cheapest.

    Rounding depends on the order of the columns, so a later cluster must be cheaper by more. Once
    apart, ties fall the same way if the clusters are put into another order.

    Examples
    --------
    >>> ties_apart([np.array([[1.0, 1.0], [2.0, 0.0]])])[0].argmin(axis=1)
    array([0, 1])
    """
    tie = TIE * sum(float(np.abs(table).max(initial=0.0)) for table in tables)
    first, *others = tables
    return [first + tie * np.arange(first.shape[1]), *others]


def pack(codes: Codes, costs: Costs) -> PackedRows:
    """Return rows that can be looked up in costs."""
    return PackedRows(codes, [len(table) for table in costs])


def cheapest(rows: PackedRows, costs: Costs) -> IntArray:
    """Return the cluster in which each row costs least."""
    return rows.nearest(costs, all_clusters(costs))[0]


def walk_rows(rows: PackedRows, weights: FloatArray | None, costs: Costs) -> Pass:
    """Return what one pass over some rows finds."""
    counts = rows.count(cheapest(rows, costs), costs[0].shape[1], weights)
    return Pass([np.asarray(joint, dtype=float) for joint in counts])


def largest_first(costs: Costs, sizes: FloatArray, sample: RowSample) -> IntArray:
    """Return the clusters in the order of their sizes.

    Of equally large clusters, the one with the first of the sampled rows comes first.
    """
    labels = cheapest(pack(list(sample.codes.T), costs), costs)
    members, places = np.unique(labels, return_index=True)
    firsts = np.full(len(sizes), len(labels))
    firsts[members] = places
    # Sums of weights are rounded, relative to the largest.
    return np.lexsort((firsts, -np.round(sizes / sizes.max(), 9)))


def all_clusters(costs: Costs) -> IntArray:
    """Return which column of each attribute's table belongs to which cluster: the same of all."""
    return np.repeat(np.arange(costs[0].shape[1])[:, None], len(costs), axis=1)


MOST_DIMENSIONS, PRINCIPAL = 256, 64
"""Sampled rows with more than `MOST_DIMENSIONS` dimensions keep their `PRINCIPAL` first principal
ones."""

UNUSED = 1e-13
"""Axes with at most this share of the squared length of the longest are not used by any row."""

SAME = 9
"""Rows that agree in this many decimals, relative to the largest number, are equal."""

Centers = list[FloatArray]
"""One array of shape (n_clusters, width) per attribute."""


def sample_vectors(lookup: LookUp, sample: RowSample) -> FloatArray:
    """Return vectors of sampled rows that have the same distances, in few dimensions.

    Of more than `MOST_DIMENSIONS`, the first principal ones are kept, which have nearly all that
    k-means finds: the time of many runs must not depend on the number of values.

    Parameters
    ----------
    lookup : LookUp
        The vectors of the values.
    sample : RowSample
        Rows of the table.

    Returns
    -------
    array of shape (n_sampled, n_dimensions)
        Centered vectors.
    """
    rows = lookup.rows(list(sample.codes.T), np.float64)
    rows -= sample.weights @ rows / sample.weights.sum()
    if count_distinct(rows) == 1:
        return np.zeros((len(rows), 1))
    if min(rows.shape) <= MOST_DIMENSIONS:
        return _within_rank(shortened(rows))
    return _principal(rows)


def _within_rank(rows: FloatArray) -> FloatArray:
    """Turn rows into the dimensions that they differ in; a column has one less than values."""
    lengths, axes = np.linalg.eigh(rows.T @ rows)
    is_used = lengths > UNUSED * lengths[-1]
    return rows if is_used.all() else rows @ axes[:, is_used]


def _principal(rows: FloatArray) -> FloatArray:
    """Return where rows are on their first `PRINCIPAL` principal axes.

    The last of these may be some of many equally long axes. None of those is better than another,
    and rounding decides which a solver returns. Random directions in the space of all of them, the
    same on every processor, are then taken instead.
    """
    is_wide = rows.shape[1] > len(rows)
    gram = rows @ rows.T if is_wide else rows.T @ rows
    space = leading_axes(gram, PRINCIPAL, is_exact=True)
    lengths = np.sqrt(space.values)
    places = space.vectors * lengths if is_wide else rows @ space.vectors
    if len(lengths) <= PRINCIPAL:
        return np.asarray(places, dtype=np.float64)
    n_before = start_of_equals(lengths, PRINCIPAL)
    before, equals = places[:, :n_before], places[:, n_before:]
    # Drawn per row: the order of the dimensions is that of the table's columns.
    drawn = RandomState(0).normal(size=(len(rows), PRINCIPAL - n_before))
    directions = np.linalg.qr(equals.T @ drawn)[0]
    return np.hstack([before, equals @ directions])


def count_distinct(rows: FloatArray) -> int:
    """Count the vectors that differ by more than rounding.

    Examples
    --------
    >>> count_distinct(np.array([[2.0], [1.0], [2.0 + 1e-15]]))
    2
    """
    largest = np.abs(rows).max(initial=0.0)
    if largest == 0:
        return min(len(rows), 1)
    # Bytes are faster to compare than numbers; 0 is added so that -0 becomes 0.
    rounded = np.ascontiguousarray(np.round(rows / largest, SAME) + 0.0)
    as_bytes = rounded.view(np.dtype((np.void, rounded.itemsize * rounded.shape[1]))).ravel()
    return len(np.unique(as_bytes))


def first_clusters(
    points: FloatArray,
    sample: RowSample,
    n_codes: Sequence[int],
    k: int,
    n_starts: int | None,
    seed: int,
) -> Pass:
    """Return the best of several runs of k-means on points of sampled rows."""
    n_starts = number_of_starts(points, k) if n_starts is None else n_starts
    labels = best_labels(points, sample.weights, k, n_starts, RandomState(seed))
    _, labels = np.unique(labels, return_inverse=True)  # some clusters may be empty
    n_found = int(labels.max()) + 1
    return Pass(count_members(list(sample.codes.T), n_codes, labels, n_found, sample.weights))


def refine(
    space: ValueSpace, centers: Centers, walk: Walk, max_passes: int
) -> tuple[Centers, Pass, int, bool]:
    """Move the means to those of their rows until nothing changes.

    Parameters
    ----------
    space : ValueSpace
        The value vectors.
    centers : list of arrays
        The first means.
    walk : callable
        Takes costs and returns what a pass over all rows finds.
    max_passes : int
        At most this many passes over the rows; at least one.

    Returns
    -------
    centers, found, n_iter, settled
        The means, the last pass over the rows (with the means before the last move), the number of
        passes and whether nothing changed in the last.
    """
    found = walk(distance_costs(space, centers))
    centers = _moved(space, centers, found)
    for n_iter in range(2, max_passes + 1):
        latest = walk(distance_costs(space, centers))
        if latest.is_like(found):
            return centers, latest, n_iter, True
        found = latest
        centers = _moved(space, centers, found)
    return centers, found, max_passes, False


def distance_costs(space: ValueSpace, centers: Centers) -> Costs:
    """Return the squared distance of each value to its part of each mean."""
    return ties_apart(space.distances_to_points(centers))


def all_distances(space: ValueSpace, rows: PackedRows, centers: Centers) -> FloatArray:
    """Return the distance of each row to each mean; shape (n_rows, n_clusters)."""
    tables = space.distances_to_points(centers)
    return np.sqrt(rows.distances(tables, all_clusters(tables)))


def inertia_of(space: ValueSpace, centers: Centers, found: Pass) -> float:
    """Return the weighted sum of squared distances of the rows to their clusters' means."""
    return found.cost(space.distances_to_points(centers))


def split_columns(array: FloatArray, lookup: LookUp) -> Centers:
    """Cut vectors into one array per attribute."""
    return np.split(array, np.cumsum(lookup.widths)[:-1], axis=1)


def _moved(space: ValueSpace, centers: Centers, found: Pass) -> Centers:
    """Return the means of the clusters' rows; that of an empty cluster stays."""
    full = found.sizes > 0
    means = space.centers([joint[full] for joint in found.counts])
    result = [part.copy() for part in centers]
    for part, mean in zip(result, means, strict=True):
        part[full] = mean
    return result


NEARLY_ALL = 0.99
"""This share of a cluster's rows is within its reach."""

ENOUGH_ROWS = 100
"""Fewer rows than this can't tell what one row in a hundred is; the rows of all clusters help."""


@dataclass(frozen=True, eq=False)
class ClusterRadius:
    """How far the rows of clusters are from the means.

    Parameters
    ----------
    farthest : array of shape (n_clusters,)
        The distance to the mean that 99 % of a cluster's rows keep within; of a cluster with fewer
        than 100 rows, at least the distance that 99 % of all rows keep to theirs.
    usual : array of shape (n_clusters, n_attributes)
        The mean squared distance of the rows to the mean, column by column.
    """

    farthest: FloatArray
    usual: FloatArray


def find_cluster_radius(
    space: ValueSpace,
    centers: Centers,
    counts: Sequence[FloatArray],
    costs: Costs,
    sample: RowSample,
) -> ClusterRadius:
    """Return how far the rows of each cluster are from its mean.

    Parameters
    ----------
    space : ValueSpace
        The value vectors.
    centers : list of arrays
        The means.
    counts : sequence of arrays of shape (n_clusters, n_codes)
        Weight of the rows of each cluster with each code, one per attribute.
    costs : Costs
        What puts rows into clusters.
    sample : RowSample
        Rows with their weights; all of them, if there are few.
    """
    codes = list(sample.codes.T)
    labels = cheapest(pack(codes, costs), costs)
    tables = space.distances_to_points(centers)
    squares = PackedRows(codes, space.n_codes).distances(tables, all_clusters(tables))
    own = np.sqrt(squares[np.arange(len(labels)), labels])
    sizes = counts[0].sum(axis=1)
    of_all = weighted_quantile(own, sample.weights, NEARLY_ALL)
    farthest = np.full(len(sizes), of_all)
    for number, size in enumerate(sizes):
        members = labels == number
        if members.any():
            found = weighted_quantile(own[members], sample.weights[members], NEARLY_ALL)
            farthest[number] = found if size >= ENOUGH_ROWS else max(found, of_all)
    whole = np.maximum(sizes, np.finfo(float).tiny)  # a cluster may have lost its rows
    pairs = zip(counts, tables, strict=True)
    usual = [np.einsum("ij,ji->i", joint, table) / whole for joint, table in pairs]
    return ClusterRadius(farthest, np.column_stack(usual))


def weighted_quantile(numbers: FloatArray, weights: FloatArray, share: float) -> float:
    """Return the smallest of the numbers that at least a share of the weight does not exceed.

    Examples
    --------
    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 8.0]), 0.9)
    2.0
    """
    order = np.argsort(numbers, kind="stable")
    below = np.cumsum(weights[order])
    place = int(np.searchsorted(below, share * below[-1] * (1 - 1e-12)))
    return float(numbers[order[min(place, len(order) - 1)]])
