"""Two tables of counts -> whether, and by how much, they differ.

Values with few rows are merged before Pearson's chi-square tests, which are approximations
that hold for counts of five or so and more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, hypergeom

from untie._util.types import FloatArray

LEAST_EXPECTED = 5.0
"""Rows that a value must have in both tables, if they were alike, to be a cell of its own."""

MOST_CELLS = 30
"""A test of pairs tells at most this many values of an attribute apart."""

STEPS, TOLERANCE = 200, 1e-9
"""Iterative proportional fitting ends after this many steps, or below this change."""


def share_p_values(first: FloatArray, n_first: float, second: FloatArray, n_second: float) -> Any:
    """Return, for each value, the chance of shares this different (Fisher, twice the smaller tail).

    Parameters
    ----------
    first, second : arrays of shape (n_values,)
        Rows with each value.
    n_first, n_second : float
        All rows.
    """
    a, b = np.rint(first), np.rint(second)
    # Rounded weights may be out of step by one row.
    n_a, n_b = max(np.rint(n_first), a.max(initial=0.0)), max(np.rint(n_second), b.max(initial=0.0))
    below = hypergeom.cdf(b, n_a + n_b, a + b, n_b)
    above = hypergeom.sf(b - 1, n_a + n_b, a + b, n_b)
    return np.clip(2.0 * np.minimum(below, above), 0.0, 1.0)


def total_variation(first: FloatArray, second: FloatArray) -> float:
    """Return half the sum of the differences of two distributions: the share that moved."""
    totals = first.sum(), second.sum()
    if not all(totals):
        return 0.0
    return float(np.abs(first / totals[0] - second / totals[1]).sum() / 2.0)


def same_shares(first: FloatArray, second: FloatArray) -> float:
    """Return the p-value of the hypothesis that two samples have the same distribution."""
    pooled = pool(first, second)
    table = np.array([add_up(first, pooled), add_up(second, pooled)])
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    return _p_value(table, expected, table.shape[1] - 1)


def pool(first: FloatArray, second: FloatArray, most: int | None = None) -> NDArray[np.intp]:
    """Return the cell of each value: its own or, for rare ones, that of all the others.

    Parameters
    ----------
    first, second : arrays of shape (n_values,)
        Rows with each value.
    most : int, optional
        Largest number of cells.

    Examples
    --------
    >>> pool(np.array([90.0, 1.0, 50.0, 2.0]), np.array([80.0, 0.0, 60.0, 1.0]))
    array([0, 2, 1, 2])
    """
    both = first + second
    smaller = min(first.sum(), second.sum()) / both.sum()
    alone = both * smaller >= LEAST_EXPECTED
    if most is not None and np.count_nonzero(alone) >= most:
        frequent = np.argsort(-both, kind="stable")[: most - 1]
        alone &= np.isin(np.arange(len(both)), frequent)
    cells = np.where(alone, np.cumsum(alone) - 1, np.count_nonzero(alone))
    return cells.astype(np.intp)


def add_up(counts: FloatArray, cells: NDArray[np.intp]) -> FloatArray:
    """Add up the counts of values in the same cell."""
    return np.bincount(cells, counts, minlength=int(cells.max()) + 1).astype(float)


def cells_of_pairs(n_first: float, n_second: float) -> int:
    """Return how many values of each attribute a test of pairs may tell apart."""
    return int(np.clip(np.sqrt(min(n_first, n_second) / LEAST_EXPECTED), 2, MOST_CELLS))


def same_coupling(first: FloatArray, second: FloatArray) -> tuple[float, float]:
    """Tell whether two attributes depend on each other in two tables alike.

    Parameters
    ----------
    first, second : arrays of shape (n_values, n_other_values)
        Rows with each pair of values, in either table.

    Returns
    -------
    effect : float
        The share of the second table's rows that would have to have another combination for the
        odds of all pairs of values to be those of the first, with the shares of the
        values as they are: total variation from the first table, raked to the second's margins.
    p_value : float
        Of the hypothesis that the odds ratios are the same (no interaction of three), whatever
        the shares of the values.
    """
    kept = [(first.sum(axis=a) > 0) & (second.sum(axis=a) > 0) for a in (1, 0)]
    first, second = (counts[np.ix_(*kept)] for counts in (first, second))
    if min(first.shape, default=0) < 2 or not first.sum() or not second.sum():
        return 0.0, 1.0
    # One row more, as independent attributes have it, so that no combination is impossible.
    start = first + np.outer(first.sum(axis=1), first.sum(axis=0)) / first.sum() ** 2
    raked = _rake(start, second)
    effect = total_variation(raked.ravel(), second.ravel())
    return effect, _no_interaction(first, second)


def _rake(table: FloatArray, target: FloatArray) -> FloatArray:
    """Bring a table to the margins of another, its odds ratios unchanged."""
    for _ in range(STEPS):
        table = table * (target.sum(axis=1) / table.sum(axis=1))[:, None]
        factors = target.sum(axis=0) / table.sum(axis=0)
        table = table * factors
        if np.abs(factors - 1.0).max() < TOLERANCE:
            break
    return table


def _no_interaction(first: FloatArray, second: FloatArray) -> float:
    """Test two tables for equal odds ratios: the log-linear model with all pairs, no triple."""
    observed = np.stack([first, second])
    fitted = np.ones_like(observed)
    for _ in range(STEPS):
        largest = 0.0
        for axis in range(3):
            wanted, found = observed.sum(axis=axis), fitted.sum(axis=axis)
            factors = np.divide(wanted, found, out=np.zeros_like(found), where=found > 0)
            fitted = fitted * np.expand_dims(factors, axis)
            largest = max(largest, float(np.abs(factors[wanted > 0] - 1.0).max(initial=0.0)))
        if largest < TOLERANCE:
            break
    n_free = (first.shape[0] - 1) * (first.shape[1] - 1)
    # A pair that neither table has is fitted exactly and tests nothing.
    n_free -= int(np.count_nonzero(observed.sum(axis=0) == 0))
    return _p_value(observed, fitted, n_free)


def _p_value(observed: FloatArray, expected: FloatArray, n_free: int) -> float:
    """Return that of Pearson's chi-square statistic."""
    if n_free < 1:
        return 1.0
    there = expected > 0
    squares = np.square(observed[there] - expected[there]) / expected[there]
    return float(chi2.sf(squares.sum(), n_free))
