"""Value vectors -> distances of rows to rows and to means, attribute by attribute.

A row's compact vector is its values' vectors side by side, so inner products and squared
distances are sums over the attributes, and so is everything that is made of them.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from untie._count.crosstab import cross_table
from untie._util.arrays import squared_distances, squared_lengths
from untie._util.types import BoolArray, Codes, FloatArray, IntArray

BLOCK_NUMBERS = 2**20
"""At most this many distances are held at a time."""


SMALL, NOISE = 1e-12, 1e-28
"""A squared distance of no more than the share `SMALL` of the vectors' squares is computed from
their difference, as rounding is large in it otherwise. One of no more than `NOISE` is 0."""


class ValueSpace:
    """The compact vectors of every attribute's values.

    Parameters
    ----------
    tables : sequence of arrays of shape (n_codes, width), dense or sparse
        One per attribute, of `LookUp`; the last code is that of an unknown value.

    Examples
    --------
    >>> space = ValueSpace([np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])])
    >>> codes = [np.array([0, 0, 1])]
    >>> space.centers([np.array([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0]])])
    [array([[0., 1.],
           [1., 0.]])]
    >>> [rows for rows in add_up(space.distances_to_rows([np.array([1])]), codes)][0][1]
    array([[2.],
           [2.],
           [0.]])
    """

    def __init__(self, tables: Sequence[Any]) -> None:
        self.tables = tuple(tables)
        self.n_codes = [table.shape[0] for table in self.tables]

    def __len__(self) -> int:
        return len(self.tables)

    def vectors(self, attribute: int, codes: Any) -> FloatArray:
        """Return the vectors of some codes of an attribute; shape (n_codes, width)."""
        found = self.tables[attribute][codes]
        return np.asarray(found.toarray() if sparse.issparse(found) else found, dtype=float)

    def squared_distances(self, attribute: int, points: FloatArray) -> FloatArray:
        """Return those of an attribute's codes to points; shape (n_codes, n_points)."""
        table = self.tables[attribute]
        lengths = squared_lengths(table)
        return squared_distances(np.asarray(table @ points.T), lengths, squared_lengths(points))

    def _correct_small(self, attribute: int, table: FloatArray, points: FloatArray) -> None:
        """Replace small squared distances to points, in which equal vectors are not equally far."""
        scale = squared_lengths(self.tables[attribute])[:, None] + squared_lengths(points)
        codes, places = np.nonzero((table <= SMALL * scale) & (scale > 0.0))
        step = max(1, BLOCK_NUMBERS // max(1, points.shape[1]))
        for start in range(0, len(codes), step):
            some = codes[start : start + step], places[start : start + step]
            exact = squared_lengths(self.vectors(attribute, some[0]) - points[some[1]])
            table[some] = np.where(exact <= NOISE * scale[some], 0.0, exact)

    def distances_to_rows(self, codes: Codes) -> list[FloatArray]:
        """Return, for each attribute, squared distances of its codes to those of some rows.

        Returns
        -------
        list of arrays of shape (n_codes, n_rows)
        """
        tables = []
        for attribute, column in enumerate(codes):
            points = self.vectors(attribute, column)
            table = self.squared_distances(attribute, points)
            self._correct_small(attribute, table, points)
            tables.append(table)
        return tables

    def centers(self, counts: Sequence[FloatArray]) -> list[FloatArray]:
        """Return the mean vectors of clusters, attribute by attribute.

        Parameters
        ----------
        counts : sequence of arrays of shape (n_clusters, n_codes)
            Weight of the rows of each cluster that have each code, one per attribute.

        Returns
        -------
        list of arrays of shape (n_clusters, width)
        """
        return [
            np.asarray((table.T @ (joint / joint.sum(axis=1, keepdims=True)).T).T)
            for table, joint in zip(self.tables, counts, strict=True)
        ]

    def distances_to_points(self, points: Sequence[FloatArray]) -> list[FloatArray]:
        """Return, for each attribute, squared distances of its codes to points."""
        return [self.squared_distances(attribute, part) for attribute, part in enumerate(points)]


class KnownSpace(ValueSpace):
    """The vectors of values for comparing rows by what is known of them.

    A missing cell stands for any known value of its column, as often as each occurs: its squared
    distance to a value is the mean of theirs, and that of two missing cells the mean of all pairs,
    so that it makes rows neither near nor far. Unknown values are treated alike. A similarity
    counts from the mean of the known values, where a column has missing cells: it is then 0 on
    average, and 0 for a missing cell. Known values are drawn together until their variance is that
    of the column with its missing cells, if it is larger: order and numbers are scaled by all rows,
    and the few known cells of a column that is mostly missing would count for many.

    Parameters
    ----------
    space : ValueSpace
        The vectors.
    frequencies : sequence of arrays of shape (n_values,)
        Weight of the rows with each value, one array per attribute.
    blanks : sequence of int or None
        The code of each attribute's missing cells, if it has any.

    Examples
    --------
    >>> vectors = np.array([[0.0], [2.0], [9.0], [3.0]])
    >>> known = KnownSpace(ValueSpace([vectors]), [np.array([1.0, 1.0, 5.0])], [2])
    >>> known.distances_to_rows([np.array([0, 2])])[0].tolist()
    [[0.0, 2.0], [4.0, 2.0], [2.0, 2.0], [2.0, 2.0]]
    >>> known.deviations(0, [0, 1, 2]).ravel().tolist()
    [-1.0, 1.0, 0.0]
    """

    def __init__(
        self,
        space: ValueSpace,
        frequencies: Sequence[FloatArray],
        blanks: Sequence[int | None],
    ) -> None:
        tables: list[Any] = []
        self._means: list[FloatArray | None] = []
        self.spreads: list[FloatArray] = []
        for attribute, (own, blank) in enumerate(zip(frequencies, blanks, strict=True)):
            table, n_codes = space.tables[attribute], space.n_codes[attribute]
            nothing = np.isin(
                np.arange(n_codes), [n_codes - 1, n_codes if blank is None else blank]
            )
            mean, spread = _moments(table, np.where(nothing, 0.0, np.append(own, 0.0)))
            if blank is not None:
                whole = _moments(table, np.append(own, 0.0))[1]
                scale = np.sqrt(whole / spread) if spread > whole else 1.0
                table, mean, spread = table * scale, mean * scale, min(spread, whole)
                table = _with_rows(table, nothing, mean)
            tables.append(table)
            self._means.append(None if blank is None else mean)
            self.spreads.append(np.where(nothing, spread, 0.0))
        super().__init__(tables)

    def distances_to_rows(self, codes: Codes) -> list[FloatArray]:
        """Return, for each attribute, squared distances of its codes to those of some rows."""
        found = super().distances_to_rows(codes)
        return [
            table + spread[:, None] + spread[column]
            for table, spread, column in zip(found, self.spreads, codes, strict=True)
        ]

    def spread(self, codes: Codes) -> FloatArray:
        """Return what missing cells add to the squared distances of rows; shape (n_rows,)."""
        parts = [spread[column] for spread, column in zip(self.spreads, codes, strict=True)]
        return np.sum(parts, axis=0)

    def says_less(self, codes: Codes) -> bool:
        """Return whether rows are compared otherwise than by their vectors."""
        has_blanks = any(mean is not None for mean in self._means)
        return has_blanks or bool(self.spread(codes).any())

    def deviations(self, attribute: int, codes: Any) -> FloatArray:
        """Return the vectors of codes, less the mean where the attribute has missing cells."""
        vectors, mean = self.vectors(attribute, codes), self._means[attribute]
        return vectors if mean is None else vectors - mean


def _moments(table: Any, weights: FloatArray) -> tuple[FloatArray, float]:
    """Return the mean of weighted vectors and their mean squared distance to it."""
    shares = weights / (weights.sum() or 1.0)
    mean = np.asarray(table.T @ shares).ravel()
    return mean, max(float(shares @ squared_lengths(table)) - float(mean @ mean), 0.0)


def _with_rows(table: Any, which: BoolArray, row: FloatArray) -> Any:
    """Return a table in which some rows are replaced by another."""
    if not sparse.issparse(table):
        return np.where(which[:, None], row, table)
    kept = sparse.diags_array((~which).astype(float)) @ table
    return sparse.csr_array(kept + sparse.csr_array(np.outer(which, row)))


def count_members(
    codes: Codes,
    n_codes: Sequence[int],
    members: IntArray,
    n_clusters: int,
    weights: FloatArray | None = None,
) -> list[FloatArray]:
    """Return the weight of each code in each cluster; (n_clusters, n_codes) per attribute."""
    return [
        cross_table(members, column, (n_clusters, width), weights)
        for column, width in zip(codes, n_codes, strict=True)
    ]


def add_up(tables: list[FloatArray], codes: Codes) -> Iterator[tuple[slice, FloatArray]]:
    """Add up over the attributes what tables hold for each row, some rows at a time.

    Parameters
    ----------
    tables : list of arrays of shape (n_codes, n_columns)
        One per attribute.
    codes : list of integer arrays of shape (n_rows,)
        The rows.

    Yields
    ------
    rows, array of shape (n_rows of the block, n_columns)
    """
    n_rows, n_columns = len(codes[0]), tables[0].shape[1]
    step = max(1, BLOCK_NUMBERS // max(1, n_columns))
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        total = np.zeros((rows.stop - start, n_columns))
        for table, column in zip(tables, codes, strict=True):
            total += table.take(column[rows], axis=0)
        yield rows, total


def likeness(vectors: FloatArray, has_order: bool) -> FloatArray:
    """Return how alike values are by their vectors; 1 is the same.

    It is the cosine. Of values with an order it is 1 minus their squared distance as a share of the
    largest, from 0 to 1: on a line, the angle of two vectors says nothing of their distance.

    Parameters
    ----------
    vectors : array of shape (n_values, n_dimensions)
        Of all values that are compared.
    has_order : bool
        Whether the values have an order.

    Examples
    --------
    >>> likeness(np.array([[1.0], [2.0], [5.0]]), has_order=True)[0]
    array([1.    , 0.9375, 0.    ])
    """
    products = vectors @ vectors.T
    squares = products.diagonal()
    if has_order:
        apart = squared_distances(products, squares, squares)
        np.fill_diagonal(apart, 0.0)
        return 1.0 - apart / (float(apart.max(initial=0.0)) or 1.0)
    lengths = np.sqrt(np.maximum(squares, 0.0))
    both = lengths[:, None] * lengths
    return np.divide(products, both, out=np.zeros_like(products), where=both > 0)
