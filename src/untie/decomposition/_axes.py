"""Counts of values and standardized numbers -> principal axes -> coordinates of rows.

A table becomes standard columns: each number less its mean, in standard deviations; and for each
value a of share p, ``(1[a] - p) / sqrt(p)``. Eigenvectors of their covariances are the axes of
factor analysis of mixed data, and of multiple correspondence analysis where there are no numbers.
A cell that is unknown is 0, the mean, in its columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from untie._count.counts import Counts
from untie._learn.linalg.eigen import leading_axes, settling
from untie._learn.vectors import LookUp
from untie._util.types import Codes, FloatArray

VANISHING = 1e-12
"""A variance below is rounding noise: those of standard columns are about 1."""


@dataclass(frozen=True, eq=False)
class PrincipalAxes:
    """Principal axes of standard columns; axes beyond the rank are 0.

    Parameters
    ----------
    eigenvalues : array of shape (n_axes,)
        Variance of the rows on each axis, largest first.
    vectors : array of shape (n_columns, n_axes)
        Unit vectors: what a row has on an axis is the product with its standard columns.
    """

    eigenvalues: FloatArray
    vectors: FloatArray

    @property
    def per_variance(self) -> FloatArray:
        """1 / eigenvalue, 0 for an axis beyond the rank."""
        is_axis = self.eigenvalues > 0
        return np.divide(1.0, self.eigenvalues, out=np.zeros(len(is_axis)), where=is_axis)


def shares_of(counts: Counts) -> FloatArray:
    """Return each value's share among the known cells of its column; shape (n_values,)."""
    if not counts.sizes:
        return np.empty(0)
    totals = np.add.reduceat(counts.frequencies, counts.offsets[:-1])
    return counts.frequencies / np.repeat(np.where(totals > 0, totals, 1.0), counts.sizes)


def known_shares(counts: Counts) -> FloatArray:
    """Return the share of the rows that have a known cell in each column; 1 where none has."""
    if not counts.sizes:
        return np.empty(0)
    shares = np.add.reduceat(counts.frequencies, counts.offsets[:-1]) / counts.n
    return np.where(shares > 0, shares, 1.0)


def bytes_of_axes(sizes: Sequence[int]) -> int:
    """Return how many bytes finding the axes of columns with so many values takes, besides counts.

    Examples
    --------
    >>> bytes_of_axes([600, 400])
    16000000
    """
    return 2 * 8 * sum(sizes) ** 2  # the covariances, and what a solver makes of them


def roots_of(shares: FloatArray) -> FloatArray:
    """Return the root of each share; 1 for a value that never occurs, whose column is 0."""
    return np.sqrt(np.where(shares > 0, shares, 1.0))


def value_gram(counts: Counts) -> FloatArray:
    """Return the covariances of the values' standard columns; shape (n_values, n_values).

    For values a and b of complete columns they are ``(p_ab - p_a p_b) / sqrt(p_a p_b)``.
    """
    gram = counts.dense() / counts.n
    shares, sizes = shares_of(counts), np.array(counts.sizes)
    roots = roots_of(shares)
    # How often a column is known with each value, and with each other column.
    known = np.add.reduceat(gram, counts.offsets[:-1], axis=0)
    both = np.add.reduceat(known, counts.offsets[:-1], axis=1)
    for column in range(len(sizes)):
        span = counts.span(column)
        own = shares[span, None]
        gram[span] -= own * (known[column] - shares * np.repeat(both[column], sizes))
        gram[span] -= shares * np.repeat(known[:, span].T, sizes, axis=1)
        gram[span] /= roots[span, None] * roots
    return gram


def mixed_gram(
    numbers: FloatArray, codes: Codes, weights: FloatArray, counts: Counts
) -> FloatArray:
    """Return the covariances of all standard columns: those of numbers, then those of values.

    Parameters
    ----------
    numbers : array of shape (n_rows, n_numeric)
        Standardized; 0 for a missing one.
    codes : list of integer arrays of shape (n_rows,)
        The values of the rows; a code beyond the last value is unknown.
    weights : array of shape (n_rows,)
        How often each row counts.
    counts : Counts
        Those of the values.
    """
    n_numeric, n_values = numbers.shape[1], sum(counts.sizes)
    gram = np.empty((n_numeric + n_values, n_numeric + n_values))
    weighted = numbers * weights[:, None]
    gram[:n_numeric, :n_numeric] = weighted.T @ numbers / counts.n
    if n_values:
        gram[n_numeric:, n_numeric:] = value_gram(counts)
        shares = shares_of(counts)
        for column, size in enumerate(counts.sizes):
            span = counts.span(column)
            sums = np.empty((n_numeric, size))
            for number, own in enumerate(weighted.T):
                sums[number] = np.bincount(codes[column], own, minlength=size)[:size]
            sums -= sums.sum(axis=1, keepdims=True) * shares[span]
            place = slice(n_numeric + span.start, n_numeric + span.stop)
            gram[:n_numeric, place] = sums / (counts.n * roots_of(shares[span]))
            gram[place, :n_numeric] = gram[:n_numeric, place].T
    return gram


def principal_axes(gram: FloatArray, masses: FloatArray, n_axes: int | None) -> PrincipalAxes:
    """Return the leading axes, or all that vary, and one at least, if `n_axes` is None.

    Their signs are those of `settling`, which depend neither on orders nor on names.

    Parameters
    ----------
    gram : array of shape (n_columns, n_columns)
        Covariances of standard columns.
    masses : array of shape (n_columns,)
        Share of each value; 1 for a number.
    n_axes : int or None
        Number of axes.
    """
    n_columns = len(gram)
    n_wanted = n_columns if n_axes is None else min(n_axes, n_columns)
    values, vectors = np.zeros(0), np.zeros((n_columns, 0))
    if n_wanted and np.trace(gram) > VANISHING:
        space = leading_axes(gram, n_wanted)
        values, vectors = space.values, space.vectors
        kept = values > VANISHING
        values, vectors = values[kept], vectors[:, kept]
    points = vectors / roots_of(masses)[:, None]
    vectors = vectors @ settling(points, np.sqrt(values), masses, n_wanted)
    n_found = vectors.shape[1]
    width = max(1, n_found) if n_axes is None else n_axes
    more = width - n_found
    return PrincipalAxes(np.pad(values[:n_found], (0, more)), np.pad(vectors, ((0, 0), (0, more))))


@dataclass(frozen=True, eq=False)
class RowMap:
    """Rows -> where they are on the axes, and how far they are from the middle of all.

    Parameters
    ----------
    lookup : LookUp
        What each value adds to the coordinates of a row.
    loadings : array of shape (n_numeric, n_axes)
        What a standardized number is multiplied by.
    distances : tuple of arrays of shape (n_values + 1,)
        What each value adds to a row's squared distance, the last one for an unknown value.
    """

    lookup: LookUp
    loadings: FloatArray
    distances: tuple[FloatArray, ...]

    def coordinates(self, codes: Codes, numbers: FloatArray) -> FloatArray:
        """Return the principal coordinates of rows; shape (n_rows, n_axes)."""
        result = np.zeros((len(numbers), self.loadings.shape[1]))
        for number, loadings in zip(numbers.T, self.loadings, strict=True):
            result += number[:, None] * loadings  # each row alone, to the last bit
        return result + self.lookup.rows(codes, np.float64) if codes else result

    def squared_distances(self, codes: Codes, numbers: FloatArray) -> FloatArray:
        """Return the squared distance of rows from the middle; shape (n_rows,)."""
        result: FloatArray = np.square(numbers).sum(axis=1)
        for table, column in zip(self.distances, codes, strict=True):
            result += table[column]
        return result


def row_map(
    axes: PrincipalAxes, shares: FloatArray, sizes: Sequence[int], scale: float = 1.0
) -> RowMap:
    """Return where rows are, for axes of standard columns that are multiplied by `scale`.

    Parameters
    ----------
    axes : PrincipalAxes
        The axes.
    shares : array of shape (n_values,)
        Share of each value.
    sizes : sequence of int
        Number of values of each column.
    scale : float
        1 / sqrt(number of columns) for multiple correspondence analysis.
    """
    n_numeric = len(axes.vectors) - len(shares)
    vectors = scale * axes.vectors[n_numeric:] / roots_of(shares)[:, None]
    far = scale**2 * np.where(shares > 0, 1.0 / np.square(roots_of(shares)) - 1.0, 0.0)
    tables, distances, ends = [], [], np.cumsum(sizes)[:-1]
    parts = (np.split(array, ends) for array in (vectors, shares, far))
    for table, own, distance in zip(*parts, strict=True) if len(sizes) else ():
        occurs = (own > 0)[:, None]
        tables.append(np.vstack([(table - own @ table) * occurs, np.zeros(table.shape[1])]))
        distances.append(np.append(distance, 0.0))
    return RowMap(LookUp(tuple(tables), summed=True), axes.vectors[:n_numeric], tuple(distances))


def adjusted(
    eigenvalues: FloatArray, n_columns: int, n_values: int, correction: str
) -> tuple[FloatArray, float]:
    """Return the corrected eigenvalues of multiple correspondence analysis, and their total.

    Eigenvalues up to ``1 / n_columns`` are what independent columns have. The others become
    ``(K / (K - 1) (eigenvalue - 1 / K))^2`` for K columns. The total is their sum (Benzecri), or
    the mean inertia of the pairs of columns (Greenacre).

    Parameters
    ----------
    eigenvalues : array of shape (n_axes,)
        All of them.
    n_columns : int
        Number of columns, 2 at least.
    n_values : int
        Number of values.
    correction : {"benzecri", "greenacre"}
        Which total is taken.

    Examples
    --------
    >>> values, total = adjusted(np.array([0.75, 0.25]), 2, 4, "benzecri")
    >>> values, total
    (array([0.25, 0.  ]), 0.25)
    """
    factor = n_columns / (n_columns - 1.0)
    result = np.square(factor * np.maximum(eigenvalues - 1.0 / n_columns, 0.0))
    if correction == "benzecri":
        return result, float(result.sum())
    off_diagonal = float(np.square(eigenvalues).sum()) - (n_values - n_columns) / n_columns**2
    return result, factor * off_diagonal
