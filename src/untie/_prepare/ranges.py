"""Numbers -> ranges with about the same weight each, and names for them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from untie._prepare.numbers import NUMBER, write
from untie._util.types import FloatArray


def quantile_edges(numbers: FloatArray, weights: FloatArray, bins: int) -> FloatArray:
    """Return the upper borders of all ranges but the last, ascending; each belongs to its range.

    There are `bins` ranges, or fewer where a number is so frequent that it fills more than one.

    Parameters
    ----------
    numbers : array of shape (n_numbers,)
        Distinct and finite; at least two.
    weights : array of shape (n_numbers,)
        How often each occurs.
    bins : int
        Number of ranges.

    Examples
    --------
    >>> quantile_edges(np.arange(10.0), np.ones(10), 5)
    array([1., 3., 5., 7.])
    >>> quantile_edges(np.arange(10.0), np.array([91.0] + [1.0] * 9), 5)  # mostly zero
    array([0.])
    """
    order = np.argsort(numbers)
    ordered, total = numbers[order], np.cumsum(weights[order])
    # A hair less, so that sums of fractions do not cross a border.
    shares = np.arange(1, bins) / bins * total[-1] * (1 - 1e-12)
    edges = np.unique(ordered[np.searchsorted(total, shares)])
    edges = edges[edges < ordered[-1]]
    if not len(edges):  # the largest number fills all ranges: the others are one
        edges = ordered[-2:-1]
    return edges


def round_edges(edges: FloatArray, numbers: FloatArray) -> FloatArray:
    """Round borders to as few digits as leave every range a number.

    Whole numbers below 10,000 stay as they are: they may be years.

    Examples
    --------
    >>> round_edges(np.array([1.23456, 4.56789]), np.array([1.0, 3.0, 5.0]))
    array([1.23, 4.57])
    """
    if (edges == np.round(edges)).all() and np.abs(edges).max() < 10_000:
        return edges
    for digits in range(3, 17):
        rounded = np.array([float(f"{edge:.{digits}g}") for edge in edges])
        filled = np.bincount(np.searchsorted(rounded, numbers), minlength=len(edges) + 1)
        if len(np.unique(rounded)) == len(edges) and filled.all():
            return rounded
    return edges


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
