"""K-means of rows that are looked up, and not made.

For tables of any length: distances are sums over the attributes and means come from counts, so a
pass over the rows takes neither the memory nor the time of their vectors. The first means are those
of `untie._util.k_means` on a sample.
"""

from __future__ import annotations

import numpy as np
from numpy.random import RandomState

from untie._count.packed_rows import PackedRows
from untie._count.row_sample import RowSample
from untie._learn.choose import shortened
from untie._learn.costs import Costs, Pass, Walk, all_clusters, ties_apart
from untie._learn.eigen import leading_axes, start_of_equals
from untie._learn.value_space import ValueSpace, count_members
from untie._learn.vectors import LookUp
from untie._util.k_means import best_labels
from untie._util.same_vectors import distinct_vectors
from untie._util.types import FloatArray

MOST_DIMENSIONS, PRINCIPAL = 256, 64
"""Sampled rows with more than `MOST_DIMENSIONS` dimensions keep their `PRINCIPAL` first principal
ones."""

SAME = 9
"""Rows that agree in this many decimals, relative to the largest number, are equal."""

Centres = list[FloatArray]
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
        Centred vectors.
    """
    rows = lookup.rows(list(sample.codes.T), np.float64)
    rows -= sample.weights @ rows / sample.weights.sum()
    if count_distinct(rows) == 1:
        return np.zeros((len(rows), 1))
    if min(rows.shape) <= MOST_DIMENSIONS:
        return shortened(rows)
    return _principal(rows)


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
    """Count the vectors that differ by more than rounding."""
    return len(distinct_vectors(rows, SAME)[0])


def first_centres(lookup: LookUp, sample: RowSample, k: int, n_starts: int, seed: int) -> Centres:
    """Return the means of the best of several runs of k-means on sampled rows."""
    rows = sample_vectors(lookup, sample)
    labels = best_labels(rows, sample.weights, k, n_starts, RandomState(seed))
    space = ValueSpace(lookup.tables)
    _, labels = np.unique(labels, return_inverse=True)  # some clusters may be empty
    n_found = int(labels.max()) + 1
    codes = list(sample.codes.T)
    return space.centres(count_members(codes, space.n_codes, labels, n_found, sample.weights))


def refine(
    space: ValueSpace, centres: Centres, walk: Walk, max_passes: int
) -> tuple[Centres, Pass, int, bool]:
    """Move the means to those of their rows until nothing changes.

    Parameters
    ----------
    space : ValueSpace
        The value vectors.
    centres : list of arrays
        The first means.
    walk : callable
        Takes costs and returns what a pass over all rows finds.
    max_passes : int
        At most this many passes over the rows; at least one.

    Returns
    -------
    centres, found, n_iter, settled
        The means, the last pass over the rows (with the means before the last move), the number of
        passes and whether nothing changed in the last.
    """
    found = walk(distance_costs(space, centres))
    centres = _moved(space, centres, found)
    for n_iter in range(2, max_passes + 1):
        latest = walk(distance_costs(space, centres))
        if latest.is_like(found):
            return centres, latest, n_iter, True
        found = latest
        centres = _moved(space, centres, found)
    return centres, found, max_passes, False


def distance_costs(space: ValueSpace, centres: Centres) -> Costs:
    """Return the squared distance of each value to its part of each mean."""
    return ties_apart(space.distances_to_points(centres))


def all_distances(space: ValueSpace, rows: PackedRows, centres: Centres) -> FloatArray:
    """Return the distance of each row to each mean; shape (n_rows, n_clusters)."""
    tables = space.distances_to_points(centres)
    return np.sqrt(rows.distances(tables, all_clusters(tables)))


def inertia_of(space: ValueSpace, centres: Centres, found: Pass) -> float:
    """Return the weighted sum of squared distances of the rows to their clusters' means."""
    return found.cost(space.distances_to_points(centres))


def split_columns(array: FloatArray, lookup: LookUp) -> Centres:
    """Cut vectors into one array per attribute."""
    return np.split(array, np.cumsum(lookup.widths)[:-1], axis=1)


def _moved(space: ValueSpace, centres: Centres, found: Pass) -> Centres:
    """Return the means of the clusters' rows; that of an empty cluster stays."""
    full = found.sizes > 0
    means = space.centres([joint[full] for joint in found.counts])
    result = [part.copy() for part in centres]
    for part, mean in zip(result, means, strict=True):
        part[full] = mean
    return result
