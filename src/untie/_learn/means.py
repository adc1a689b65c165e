"""K-means of rows that are looked up, and not made.

For tables of any length: distances are sums over the attributes and means come from counts, so a
pass over the rows takes neither the memory nor the time of their vectors. The first means are those
of `untie._util.k_means` on a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils.extmath import randomized_svd

from untie._count.packed_rows import PackedRows
from untie._count.row_sample import RowSample
from untie._learn.choose import shortened
from untie._learn.value_space import ValueSpace, count_members
from untie._learn.vectors import LookUp
from untie._util.k_means import TIE, best_labels
from untie._util.same_vectors import distinct_vectors
from untie._util.types import Codes, FloatArray

MOST_DIMENSIONS, PRINCIPAL = 256, 64
"""Sampled rows with more than `MOST_DIMENSIONS` dimensions keep their `PRINCIPAL` first principal
ones."""

SAME = 9
"""Rows that agree in this many decimals, relative to the largest number, are equal."""

Centres = list[FloatArray]
"""One array of shape (n_clusters, width) per attribute."""


@dataclass(frozen=True, eq=False)
class Pass:
    """What a pass over rows finds; ``+`` adds those of two pieces.

    Parameters
    ----------
    counts : list of arrays of shape (n_clusters, n_codes)
        Weight of the rows of each cluster with each code, one per attribute.
    inertia : float
        Weighted sum of squared distances to the nearest mean.
    """

    counts: list[FloatArray]
    inertia: float

    def __add__(self, other: Pass) -> Pass:
        counts = [a + b for a, b in zip(self.counts, other.counts, strict=True)]
        return Pass(counts, self.inertia + other.inertia)

    @property
    def sizes(self) -> FloatArray:
        """Weight of each cluster; shape (n_clusters,)."""
        return self.counts[0].sum(axis=1)

    def is_like(self, other: Pass) -> bool:
        """Tell whether the clusters have the same values, and so the same means."""
        return all(
            np.allclose(a, b, rtol=1e-12, atol=0.0)
            for a, b in zip(self.counts, other.counts, strict=True)
        )


def sample_vectors(lookup: LookUp, sample: RowSample) -> FloatArray:
    """Return vectors of sampled rows that have the same distances, in few dimensions.

    Of more than `MOST_DIMENSIONS`, the first principal ones are kept, which have nearly all that
    k-means finds: the time of many runs must not depend on the number of values.
    """
    rows = lookup.rows(list(sample.codes.T), np.float64)
    rows -= sample.weights @ rows / sample.weights.sum()
    if count_distinct(rows) == 1:
        return np.zeros((len(rows), 1))
    if min(rows.shape) <= MOST_DIMENSIONS:
        return shortened(rows)
    # Transposed, it draws one number per row and none per column, whose order is the table's.
    *_, lengths, right = randomized_svd(
        rows.T, PRINCIPAL, n_iter=4, transpose=False, random_state=0
    )
    return np.asarray(right.T * lengths, dtype=np.float64)


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
    space: ValueSpace, centres: Centres, walk: Callable[[Centres], Pass], max_passes: int
) -> tuple[Centres, Pass, int, bool]:
    """Move the means to those of their rows until nothing changes.

    Parameters
    ----------
    space : ValueSpace
        The value vectors.
    centres : list of arrays
        The first means.
    walk : callable
        Takes means and returns what a pass over all rows finds.
    max_passes : int
        At most this many passes over the rows; at least one.

    Returns
    -------
    centres, found, n_iter, settled
        The means, the last pass over the rows (with the means before the last move), the number of
        passes and whether nothing changed in the last.
    """
    found = walk(centres)
    centres = _moved(space, centres, found)
    for n_iter in range(2, max_passes + 1):
        latest = walk(centres)
        if latest.is_like(found):
            return centres, latest, n_iter, True
        found = latest
        centres = _moved(space, centres, found)
    return centres, found, max_passes, False


def walk_rows(
    space: ValueSpace, rows: PackedRows, weights: FloatArray | None, centres: Centres
) -> Pass:
    """Return what one pass over some rows finds."""
    k = len(centres[0])
    labels, distances = nearest(space, rows, centres)
    counts = [np.asarray(joint, dtype=float) for joint in rows.count(labels, k, weights)]
    return Pass(counts, float(distances.sum() if weights is None else weights @ distances))


def nearest(
    space: ValueSpace, rows: PackedRows, centres: Centres
) -> tuple[NDArray[np.intp], FloatArray]:
    """Return each row's nearest mean, the first of equally near ones, and its squared distance."""
    tables = space.distances_to_points(centres)
    # Rounding depends on the order of the columns, so a later mean must be nearer by more.
    tie = TIE * sum(float(table.max(initial=0.0)) for table in tables)
    tables[0] = tables[0] + tie * np.arange(len(centres[0]))
    labels, distances = rows.nearest(tables, _all_columns(centres))
    return labels, distances - tie * labels


def all_distances(space: ValueSpace, rows: PackedRows, centres: Centres) -> FloatArray:
    """Return the distance of each row to each mean; shape (n_rows, n_clusters)."""
    return np.sqrt(rows.distances(space.distances_to_points(centres), _all_columns(centres)))


def largest_first(
    space: ValueSpace, centres: Centres, sizes: FloatArray, sample: RowSample
) -> Centres:
    """Return the means in the order of their clusters' sizes.

    Of equally large clusters, the one with the first of the sampled rows comes first.
    """
    n_clusters = len(sizes)
    labels, _ = nearest(space, pack(list(sample.codes.T), space), centres)
    members, places = np.unique(labels, return_index=True)
    firsts = np.full(n_clusters, len(labels))
    firsts[members] = places
    # Sums of weights are rounded, relative to the largest.
    order = np.lexsort((firsts, -np.round(sizes / sizes.max(), 9)))
    return [part[order] for part in centres]


def split_columns(array: FloatArray, lookup: LookUp) -> Centres:
    """Cut vectors into one array per attribute."""
    return np.split(array, np.cumsum(lookup.widths)[:-1], axis=1)


def pack(codes: Codes, space: ValueSpace) -> PackedRows:
    """Return rows that can be compared with means."""
    return PackedRows(codes, space.n_codes)


def _moved(space: ValueSpace, centres: Centres, found: Pass) -> Centres:
    """Return the means of the clusters' rows; that of an empty cluster stays."""
    full = found.sizes > 0
    means = space.centres([joint[full] for joint in found.counts])
    result = [part.copy() for part in centres]
    for part, mean in zip(result, means, strict=True):
        part[full] = mean
    return result


def _all_columns(centres: Sequence[Any]) -> NDArray[np.intp]:
    """Return which column of each attribute's table belongs to which mean: all have the same."""
    return np.repeat(np.arange(len(centres[0]))[:, None], len(centres), axis=1)
