"""Numbers that differ by rounding alone -> the same number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from untie._util.types import FloatArray

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


def distinct_lines(lines: FloatArray, n_digits: int) -> tuple[FloatArray, NDArray[np.intp]]:
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
