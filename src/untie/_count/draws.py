"""Weights of distinct rows -> how many independent draws they stand for.

A constant factor in all weights carries no information, and neither does repeating a whole table.
So weights are divided by their largest common divisor, the unit: the quotients are numbers of rows,
if the weights are numbers of rows at all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from untie._count.row_sample import RowSample
from untie._util.digits import ROUNDING
from untie._util.types import FloatArray

MOST_EXACT = 2.0**53
"""Whole numbers up to this one are exact as floats."""

MOST_UNITS = 1e6
"""Weights with fractions are multiples of a unit only if none is more than this many units: any
numbers are multiples of a small enough one."""

FEWEST = 8
"""Weights of fewer distinct rows than this have no unit. Too often they have a common divisor by
chance: those of four rows in 8% of tables, those of eight in 0.4%."""

MANY_ROWS = 100
"""Among this many distinct rows or more, some occur only once if weights are numbers of rows."""

SINGLE = 0.2
"""At least this share of distinct rows occur once where more could occur than do. In real tables it
is 0.44 or more."""

FILLED = 0.5
"""Distinct rows are a table of counts if they are at least this share of those that can occur."""


def are_whole(weights: FloatArray) -> bool:
    """Tell whether all weights are whole numbers, which stand for rows written out."""
    return bool((weights == np.rint(weights)).all() and weights.max(initial=0.0) <= MOST_EXACT)


def common_unit(weights: FloatArray) -> float | None:
    """Return the largest number that all weights are multiples of, None if there is none.

    Examples
    --------
    >>> common_unit(np.array([200.0, 300.0])), common_unit(np.array([0.5, 0.5]))
    (100.0, 0.5)
    >>> common_unit(np.sqrt([2.0, 3.0])) is None
    True
    """
    if are_whole(weights):
        return float(np.gcd.reduce(weights.astype(np.int64)))
    shares = weights / weights.max()
    unit = 1.0
    for share in np.unique(shares)[::-1].tolist():
        unit = _divisor(unit, share)
        if unit * MOST_UNITS < 1.0:
            return None
    units = np.rint(shares / unit)
    unit = shares.sum() / units.sum()  # Euclid's remainders have the errors of all steps
    if np.abs(shares - units * unit).max() > ROUNDING:
        return None
    return float(weights.sum() / units.sum())


def _divisor(first: float, second: float) -> float:
    """Return the largest common divisor of two shares, by Euclid's algorithm."""
    while second > 0.1 / MOST_UNITS:  # less is the error of the steps before
        first, second = second, abs(first - second * round(first / second))
    return first


def may_be_counts(units: FloatArray, codes: NDArray[np.integer]) -> bool:
    """Tell whether numbers of equal rows are such as independent draws have.

    Either nearly all rows that can occur do, as in a table of counts, or some occur once: where
    many possible rows are missing, some of those that are there must be rare. Survey weights and
    rows that were repeated have no such tail.

    Parameters
    ----------
    units : array of shape (n_sampled,)
        The weights of distinct rows, in units.
    codes : integer array of shape (n_sampled, n_attributes)
        These rows.
    """
    return fill_their_cells(codes) or bool(np.mean(units < 1.5) >= SINGLE)


def fill_their_cells(codes: NDArray[np.integer], related: NDArray[np.bool_] | None = None) -> bool:
    """Tell whether few distinct rows are most of those that can occur.

    Parameters
    ----------
    codes : integer array of shape (n_distinct, n_attributes)
        The distinct rows.
    related : boolean array of shape (n_attributes, n_attributes), optional
        Which attributes say the same; what they say can occur as far as it does.
    """
    if len(codes) >= MANY_ROWS:
        return False
    groups = np.arange(codes.shape[1])
    if related is not None:
        groups = connected_components(related, directed=False)[1]
    possible = 1.0
    for group in np.unique(groups):
        possible *= len(np.unique(codes[:, groups == group], axis=0))
    return len(codes) >= FILLED * possible


def _is_design(codes: NDArray[np.integer]) -> bool:
    """Tell whether rows occur equally often because they were made so, and not repeated as a whole.

    So do the cells of a planned experiment, and the ranges of one number that the other columns
    follow from.
    """
    most = max(len(np.unique(column)) for column in codes.T)
    return fill_their_cells(codes) or len(codes) == most < MANY_ROWS


def number_of_draws(sample: RowSample, n: float, n_rows: int) -> float:
    """Return how many independent draws a table seems to be, whatever the unit of its weights.

    Whole weights are rows written out. Others may be counts in another unit; if they are not, there
    are no more draws than rows.

    Parameters
    ----------
    sample : RowSample
        Distinct rows and their weights.
    n : float
        Weight of all rows.
    n_rows : int
        Number of rows with a positive weight.
    """
    weights = sample.weights
    if len(weights) < FEWEST:
        return float(max(n, n_rows))
    unit = common_unit(weights)
    if unit is None:
        return float(n_rows)
    if weights.max() < 1.5 * unit and _is_design(sample.codes):
        return float(n_rows)
    found = n / unit
    nearest = float(np.rint(found))
    found = nearest if abs(found - nearest) <= ROUNDING * found else found
    is_count = are_whole(weights) or may_be_counts(weights / unit, sample.codes)
    return found if is_count else min(found, float(n_rows))
