"""Precision at k: how many of an object's nearest neighbours are of its class."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie_paper.arrays import FloatArray
from untie_paper.evaluation._blocks import PairBlocks, Vectors, distance_blocks
from untie_paper.evaluation._labels import read_labels

SAMPLE = 1000
"""About this many of a query's distances are looked at to guess what is near."""

Neighbours = tuple[int, NDArray[np.intp], FloatArray, float]
"""A query, the objects nearest to it with their distances, and the width of a tie."""


def precision_at_k(
    X: Any, y: Any, k: Any = 10, *, distance: Any = "euclidean", tie_tolerance: float = 1e-9
) -> Any:
    """Return the mean share of same-class objects among the k nearest to each object.

    Every object is a query once and is left out of its own neighbours. Objects at the same
    distance are in no order: the result is the expectation over all orders, that is, groups
    of ties count as a whole as long as they fit, and the group that does not fit gives its
    same-class share of the places that are left.

    The time grows with the square of the number of objects. Memory does not: distances are made
    in blocks of rows of 128 MiB.

    Parameters
    ----------
    X : array of shape (n_objects, n_dimensions), table or square matrix
        Vectors; or whatever `distance` takes; or the distances themselves.
    y : array-like of shape (n_objects,)
        The class of each object.
    k : int or sequence of ints, default=10
        How many neighbours, usually 1 to 50; each at most n_objects - 1. Several cost little more
        than the largest.
    distance : "euclidean", "precomputed", object or callable, default="euclidean"
        An object has a method ``pairwise(A, B)``, such as a fitted value distance; a callable
        takes (A, B) and returns an array of shape (n_rows of A, n_rows of B). It may be
        asymmetric (rows are queries), and an object's distance to itself is not used.
    tie_tolerance : float, default=1e-9
        Rounding must not tell equal distances apart: two are a tie when they differ by at most
        this times the query's median distance (to about a thousand of the objects), or its
        distance to the last neighbour if that is larger. Raise it for single precision.

    Returns
    -------
    float or array of shape (n_k,)
        In [0, 1]; an array if `k` is a sequence.

    See Also
    --------
    goodness_curve : By how much an object's class is more similar to it than the others.

    Examples
    --------
    >>> precision_at_k([[0.0], [0.1], [1.0], [1.1]], ["a", "a", "b", "b"], k=[1, 2, 3])
    array([1.        , 0.5       , 0.33333333])
    """
    if not tie_tolerance >= 0:
        raise ValueError(f"tie_tolerance must be 0 or more, got {tie_tolerance!r}.")
    is_euclidean = isinstance(distance, str) and distance == "euclidean"
    source = Vectors(X) if is_euclidean else distance_blocks(X, distance)
    classes = read_labels(y, "y", source.n_objects)
    ks = _check_k(k, source.n_objects)
    total = np.zeros(len(ks))
    for query, others, distances, width in _nearest(source, int(ks.max()), tie_tolerance):
        total += expected_precision(distances, classes[others] == classes[query], ks, width)
    result = total / source.n_objects
    return float(result[0]) if np.ndim(k) == 0 else result


def expected_precision(
    distances: FloatArray, is_hit: NDArray[np.bool_], ks: NDArray[np.intp], width: float
) -> FloatArray:
    """Return the precision of one query at each k, expected over the order of ties.

    Parameters
    ----------
    distances : array of shape (n_objects,)
        Distances of the objects, among which all of the nearest must be.
    is_hit : boolean array of shape (n_objects,)
        Whether they are of the query's class.
    ks : integer array
        Numbers of neighbours.
    width : float
        A gap of more than this ends a group of ties.

    Examples
    --------
    >>> distances, is_hit = np.array([1.0, 2.0, 2.0, 3.0]), np.array([True, True, False, True])
    >>> expected_precision(distances, is_hit, np.array([1, 2, 4]), 0.0)
    array([1.  , 0.75, 0.75])
    """
    last = int(ks.max()) - 1
    edge = np.partition(distances, last)[last]
    # The last group may be much larger than k; it need not be sorted.
    at_edge = np.abs(distances - edge) <= width
    inside = np.flatnonzero(distances < edge - width)
    inside = inside[np.argsort(distances[inside])]
    group = np.cumsum(np.diff(distances[inside], prepend=-np.inf) > width) - 1
    sizes = np.append(np.bincount(group), np.count_nonzero(at_edge))
    hits = np.append(np.bincount(group, is_hit[inside]), np.count_nonzero(is_hit & at_edge))
    ends = sizes.cumsum()
    which = np.searchsorted(ends, ks)
    hits_before = hits.cumsum()[which] - hits[which]
    places_left = ks - (ends[which] - sizes[which])
    return (hits_before + places_left * hits[which] / sizes[which]) / ks


def _nearest(
    source: PairBlocks | Vectors, n_nearest: int, tolerance: float
) -> Iterator[Neighbours]:
    """Yield for each object the objects that may be among its nearest."""
    if isinstance(source, Vectors):
        yield from _nearest_vectors(source, n_nearest, tolerance)
        return
    for start, block in source:
        for query, row in enumerate(block, start):
            row[query] = np.inf
            edge, middle = _edge_and_middle(row, n_nearest)
            width = tolerance * max(abs(edge), abs(middle))
            found = np.flatnonzero(row <= edge + width)
            yield query, found, row[found], width


def _nearest_vectors(vectors: Vectors, n_nearest: int, tolerance: float) -> Iterator[Neighbours]:
    """Yield the same for Euclidean distances: fast ones to find, exact ones to rank."""
    for start, block in PairBlocks(vectors.n_objects, vectors.squared_rows, "The distance"):
        for query, squared in enumerate(block, start):
            squared[query] = np.inf
            edge, middle = _edge_and_middle(squared, n_nearest)
            error = vectors.rounding_error(query)
            reach = math.sqrt(max(edge, 0.0) + error)
            width = tolerance * math.sqrt(max(edge, middle, 0.0) + error)
            # The factor is for the rounding of this very line.
            found = np.flatnonzero(squared <= (reach + width) ** 2 * (1 + 1e-12) + error)
            yield query, found, vectors.exact(query, found), width


def _edge_and_middle(row: FloatArray, n_nearest: int) -> tuple[float, float]:
    """Return the distance to the last of the nearest, and about the median distance.

    A sample tells which distances are certainly too large, so that few are left to partition.
    """
    step = max(1, len(row) // SAMPLE)
    sample = row[::step]
    guess = min(len(sample) - 1, 2 * n_nearest // step + 8)
    middle = (len(sample) - 1) // 2
    in_place = np.partition(sample, sorted({guess, middle}))
    near = row[row <= in_place[guess]]
    if len(near) < n_nearest:
        near = row
    return float(np.partition(near, n_nearest - 1)[n_nearest - 1]), float(in_place[middle])


def _check_k(k: Any, n_objects: int) -> NDArray[np.intp]:
    given = np.atleast_1d(np.asarray(k))
    if given.ndim != 1 or not given.size or given.dtype.kind not in "iu":
        raise ValueError(f"k must be a whole number or a list of them, got {k!r:.60}.")
    if given.min() < 1 or given.max() >= n_objects:
        raise ValueError(
            f"k must be from 1 to {n_objects - 1}, the number of other objects, got {k!r:.60}."
        )
    return given.astype(np.intp)
