"""Some of the rows -> the points that k-means makes clusters of: learned vectors, or axes.

The axes are those of multiple correspondence analysis. They serve where the learned vectors show no
clusters: a group that differs from all others in many rare values is far from them on an axis of
its own, while in the vectors it is one of very many differences.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from scipy import sparse

from untie._count.counting import sparse_one_hot
from untie._learn.linalg.eigen import end_of_equals, leading_axes
from untie._util.types import FloatArray, IntArray, LongArray

VECTORS, AXES = "vectors", "axes"
"""What clusters may be made of."""

Points: TypeAlias = "Callable[[int], FloatArray]"
"""A number of clusters -> one point for each row, which k-means makes as many clusters of."""

PointsOf: TypeAlias = "Callable[[IntArray, FloatArray], Points]"
"""Takes the places and the weights of some rows, and returns their points."""


def of_vectors(vectors: FloatArray) -> PointsOf:
    """Return the rows' own vectors, whichever are asked for and for whatever number."""
    return lambda places, weights: lambda n_clusters: vectors[places]


def of_axes(cells: LongArray, sizes: Sequence[int], votes: FloatArray, n_most: int) -> PointsOf:
    """Return coordinates by multiple correspondence analysis of the rows that are asked for.

    There is one axis fewer than clusters, as many as their means span, and those that are as long
    as the last of them.

    Parameters
    ----------
    cells : integer array of shape (n_rows, n_attributes)
        The rows; a code equal to the attribute's size is unknown, and stands in the middle.
    sizes : sequence of int
        Number of values of each attribute.
    votes : array of shape (n_attributes,)
        How much each attribute counts.
    n_most : int
        The largest number of clusters that points are wanted for.

    Examples
    --------
    >>> cells = np.repeat([[0, 0], [0, 1], [1, 2]], 2, axis=0)
    >>> points = of_axes(cells, (2, 3), np.ones(2), 3)(np.arange(6), np.ones(6))
    >>> points(2).shape, points(3).shape
    ((6, 1), (6, 2))
    """

    def points_of(places: IntArray, weights: FloatArray) -> Points:
        if not len(places):
            return lambda n_clusters: np.zeros((0, 1))
        coordinates, lengths = _coordinates(cells[places], sizes, weights, votes, n_most - 1)
        if not len(lengths):
            return lambda n_clusters: np.zeros((len(places), 1))

        def points(n_clusters: int) -> FloatArray:
            n_axes = end_of_equals(lengths, min(n_clusters - 1, len(lengths)))
            return coordinates[:, :n_axes]

        return points

    return points_of


def _coordinates(
    cells: LongArray,
    sizes: Sequence[int],
    weights: FloatArray,
    votes: FloatArray,
    n_axes: int,
) -> tuple[FloatArray, FloatArray]:
    """Return the rows' coordinates on the longest axes, and how long these are."""
    one_hot = sparse_one_hot(list(cells.T), sizes)
    known = (cells < np.asarray(sizes)).astype(float)
    attribute = np.repeat(np.arange(len(sizes)), sizes)
    totals = np.maximum(weights @ known, np.finfo(float).tiny)
    shares = (one_hot.T @ weights) / totals[attribute]
    scales = np.sqrt(votes[attribute] / np.where(shares > 0, shares, 1.0))
    scaled = one_hot @ sparse.diags_array(scales)
    roots = np.sqrt(weights / weights.sum())[:, None]
    if len(shares) <= len(cells):
        rows = scaled.toarray() - known[:, attribute] * (shares * scales)
        weighted = roots * rows
        space = leading_axes(weighted.T @ weighted, n_axes, is_exact=True)
        return rows @ space.vectors, np.sqrt(space.values)
    products = (scaled @ scaled.T).toarray() - (known * votes) @ known.T
    space = leading_axes(roots * products * roots.T, n_axes, is_exact=True)
    lengths = np.sqrt(space.values)
    return space.vectors * lengths / roots, lengths
