"""Numbers -> ranges with about the same weight each, and names for them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from untie._prepare.numbers import NUMBER, write
from untie._util.rank_ranges import ranges_of
from untie._util.types import FloatArray


def quantile_edges(numbers: FloatArray, weights: FloatArray, bins: int) -> FloatArray:
    """Return the upper borders of all ranges but the last, ascending; each belongs to its range.

    A number's range is that of its mean rank, so nothing but the order of the numbers counts, and
    counting from the other end cuts at the same places. There are at most `bins` ranges; fewer
    where a number is so frequent that it fills more than one.

    Parameters
    ----------
    numbers : array of shape (n_numbers,)
        Distinct and finite; at least two.
    weights : array of shape (n_numbers,)
        How often each occurs.
    bins : int
        Number of ranges, at least two.

    Examples
    --------
    >>> quantile_edges(np.arange(10.0), np.ones(10), 5)
    array([1., 3., 5., 7.])
    >>> quantile_edges(np.arange(10.0), np.array([91.0] + [1.0] * 9), 5)  # mostly zero
    array([0.])
    """
    order = np.argsort(numbers)
    ordered, own = numbers[order], weights[order]
    ranges = ranges_of((np.cumsum(own) - own / 2) / own.sum(), bins)
    edges = ordered[:-1][np.diff(ranges) > 0]
    # The largest number may have so much weight that it fills two ranges: the others are one.
    return edges if len(edges) else ordered[-2:-1]


def round_edges(edges: FloatArray, numbers: FloatArray) -> FloatArray:
    """Round borders to as few digits as leave every number in its range.

    Whole numbers below 10,000 stay as they are: they may be years.

    Parameters
    ----------
    edges : array of shape (n_edges,)
        Upper borders, ascending; each is one of the numbers.
    numbers : array of shape (n_numbers,)
        Distinct.

    Examples
    --------
    >>> round_edges(np.array([1.23456, 4.56789]), np.array([1.23456, 3.0, 4.56789, 5.0]))
    array([2. , 4.6])
    """
    if (edges == np.round(edges)).all() and np.abs(edges).max() < 10_000:
        return edges
    ordered = np.sort(numbers)
    above = ordered[np.searchsorted(ordered, edges, side="right")]
    pairs = zip(edges.tolist(), above.tolist(), strict=True)
    return np.array([_shortest(low, high) for low, high in pairs])


def _shortest(low: float, high: float) -> float:
    """Return the number with the fewest digits from `low` on and below `high`."""
    for digits in range(1, 17):
        for end in (low, (low + high) / 2):
            rounded = float(f"{end:.{digits}g}")
            if low <= rounded < high:
                return rounded
    return low


def range_labels(edges: FloatArray, unit: str, whole: bool) -> list[str]:
    """Return the names of the ranges between borders, one more than there are borders.

    Parameters
    ----------
    edges : array of shape (n_edges,)
        Upper borders, ascending.
    unit : str
        What the numbers are of.
    whole : bool
        Whether there are only whole numbers, so that ranges can be named without overlap.

    Examples
    --------
    >>> range_labels(np.array([25.0, 40.0, 41.0]), "number", True)
    ['up to 25', '26 to 40', '41', 'over 41']
    >>> range_labels(np.array([-3.0, 4.5]), "number", False)
    ['up to -3', '-3 to 4.5', 'over 4.5']
    """
    first, last = "up to", "over"
    if unit != NUMBER:
        first, last = "until", "after"
    names = [write(edge, unit) for edge in edges]
    labels = [f"{first} {names[0]}"]
    for low, high in pairwise(edges.tolist()):
        start, end = write(low + 1 if whole else low, unit), write(high, unit)
        labels.append(end if start == end else f"{start} to {end}")
    return [*labels, f"{last} {names[-1]}"]
