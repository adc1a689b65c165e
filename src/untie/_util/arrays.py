"""Small functions of arrays: rounding, equal rows, products, ranges of ranks, mixed numbers."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from untie._util.threads import in_threads
from untie._util.types import FloatArray, IntArray

ROUNDING = 1e-9
"""Numbers that differ by less than this share of the largest are equal, as are nats and bits that
differ by less: more digits agree in whatever order they were added up, on whatever processor."""


def leading_digits(numbers: FloatArray, n_digits: int) -> FloatArray:
    """Round numbers to some leading digits each, whatever their size.

    Examples
    --------
    >>> leading_digits(np.array([0.1 + 0.2, 123.456, 0.0]), 4)
    array([  0.3, 123.5,   0. ])
    """
    with np.errstate(divide="ignore"):
        powers = 10.0 ** (n_digits - 1 - np.floor(np.log10(np.abs(numbers))))
    powers = np.where(np.isfinite(powers), powers, 1.0)
    return np.asarray(np.round(numbers * powers) / powers)


def distinct_lines(lines: FloatArray, n_digits: int) -> tuple[FloatArray, IntArray]:
    """Return lines of which no two agree in some leading digits, and which of them each line is.

    Rounding alone does not tell: of two numbers that differ in the last bit, one may be rounded up
    and the other down. So lines that are still different are compared, if they are nearly equal.

    Parameters
    ----------
    lines : array of shape (n_lines, n_columns)
        Numbers of at least 0.
    n_digits : int
        Numbers that agree in this many digits are equal.

    Examples
    --------
    >>> lines = np.array([[0.25], [0.12355], [0.12355 * (1 - 1e-15)], [0.3]])
    >>> len(np.unique(leading_digits(lines, 4)))
    4
    >>> distinct_lines(lines, 4)[1]
    array([1, 0, 0, 2])
    """
    found, which = np.unique(leading_digits(lines, n_digits), axis=0, return_inverse=True)
    # Sums with arbitrary weights are nearly equal where lines are, and hardly ever elsewhere.
    sums = found @ np.random.default_rng(0).uniform(0.5, 1.5, found.shape[1])
    order, same = np.argsort(sums), 2.0 * 10.0 ** (1 - n_digits)
    firsts, seconds = [], []
    for step in range(1, len(found)):
        larger = sums[order[step:]]
        near = np.flatnonzero(larger - sums[order[:-step]] <= same * larger)
        if not len(near):
            break
        left, right = order[near], order[near + step]
        apart = np.abs(found[left] - found[right])
        is_same = (apart <= same * np.maximum(found[left], found[right])).all(axis=1)
        firsts.append(left[is_same])
        seconds.append(right[is_same])
    if not any(map(len, firsts)):
        return found, which.ravel()
    edges = np.concatenate(firsts), np.concatenate(seconds)
    graph = sparse.csr_array((np.ones(len(edges[0])), edges), shape=(len(found),) * 2)
    _, groups = connected_components(graph, directed=False)
    _, first, groups = np.unique(groups, return_index=True, return_inverse=True)
    return found[first], groups[which.ravel()]


STRIP, N_EVEN = 1300, 4
"""At most `STRIP` columns are multiplied at a time, in a multiple of `N_EVEN` strips of one width,
which two or four threads share evenly. The number of threads changes none of it."""

LARGE = 2**23
"""A matrix with fewer numbers is multiplied faster than threads are started."""


def symmetric_product(matrix: Any, array: FloatArray) -> FloatArray:
    """Multiply a symmetric matrix, dense or sparse, by an array.

    A dense one from the other side, which is the same: it is read line by line, where a product
    with a few vectors would copy it first.

    Examples
    --------
    >>> symmetric_product(np.array([[1.0, 2.0], [2.0, 0.0]]), np.array([1.0, 1.0]))
    array([3., 2.])
    """
    if not isinstance(matrix, np.ndarray):
        return np.asarray(matrix @ array)
    n_strips = N_EVEN * -(-len(matrix) // (N_EVEN * STRIP))
    ends = np.linspace(0, len(matrix), n_strips + 1).astype(int)
    strips = [slice(start, end) for start, end in pairwise(ends)]
    lines = array.T
    parts = in_threads(lambda strip: lines @ matrix[:, strip], strips, matrix.size >= LARGE)
    return np.concatenate(parts, axis=-1).T


def squared_lengths(vectors: Any) -> FloatArray:
    """Return the squared lengths of vectors, dense or sparse; shape (n_vectors,)."""
    if sparse.issparse(vectors):
        return np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", vectors, vectors)


def squared_distances(products: FloatArray, lengths: FloatArray, others: FloatArray) -> FloatArray:
    """Return squared Euclidean distances from what may be at hand already; shape (n, n_others).

    Rounding leaves about 1e-16 of the squared lengths where vectors are equal.

    Parameters
    ----------
    products : array of shape (n, n_others)
        Inner products.
    lengths, others : arrays of shape (n,) and (n_others,)
        Squared lengths.

    Examples
    --------
    >>> vectors = np.array([[0.0], [2.0]])
    >>> lengths = squared_lengths(vectors)
    >>> squared_distances(vectors @ vectors.T, lengths, lengths)
    array([[0., 4.],
           [4., 0.]])
    """
    return np.maximum(lengths[:, None] + others - 2.0 * products, 0.0)


def ranges_of(ranks: FloatArray, n_ranges: int) -> IntArray:
    """Return the range of each rank, from 0 on.

    A rank on the border of two ranges goes to the outer one, from whichever end we count; the
    border in the middle of an even number of ranges belongs to the lower one.

    Parameters
    ----------
    ranks : array
        From 0 to 1.
    n_ranges : int
        Number of ranges.

    Examples
    --------
    >>> ranges_of(np.array([0.1, 0.2, 0.5, 0.8, 0.9]), 5)
    array([0, 0, 2, 4, 4])
    """
    places = np.asarray(ranks) * n_ranges
    border = np.round(places)
    outer = np.where(2 * border <= n_ranges, border - 1, border)
    # Ranks this near to a border are on it, however their sums were rounded.
    found = np.where(np.abs(places - border) < ROUNDING * n_ranges, outer, np.floor(places))
    return np.clip(found, 0, n_ranges - 1).astype(np.intp)


Numbers = NDArray[np.uint64]

STEP = np.uint64(0x9E3779B97F4A7C15)


def mixed(numbers: Numbers) -> Numbers:
    """Return numbers that are as good as random, equal where the given ones are (splitmix64).

    Examples
    --------
    >>> numbers = np.arange(1000, dtype=np.uint64)
    >>> float(np.mean(mixed(numbers) < 2**63)).__round__(1)
    0.5
    """
    with np.errstate(over="ignore"):
        result = numbers + STEP
        result = (result ^ (result >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        result = (result ^ (result >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return result ^ (result >> np.uint64(31))
