"""The family of methods that give a distance between the values of each attribute."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from untie import Counts
from untie_paper.arrays import Codes, FloatArray
from untie_paper.baselines._base import CountBased, with_mean


class ValueDistance(CountBased):
    """Base of the value distances; a subclass writes `_value_distances(counts)`.

    The distance of two rows is the sum over the columns of the distances of their values.
    An unknown value is neutral: its distance to a value is the mean distance of the rows' own
    values to it. An unfitted one is a function of counts, as `untie.cluster.KModes` takes it.

    Attributes
    ----------
    distances_ : list of arrays of shape (n_values, n_values)
        The distances of each column's values.
    tables_ : list of arrays of shape (n_values + 1, n_values + 1)
        The same; the last row and column are those of an unknown value.

    See Also
    --------
    untie.cluster.KModes : Clusters rows by such a distance.

    Examples
    --------
    >>> from untie.cluster import KModes
    >>> from untie_paper.baselines import ValueDistance
    >>> class RareCountsMore(ValueDistance):
    ...     def _value_distances(self, counts):
    ...         spans = [counts.frequencies[counts.span(j)] for j in range(len(counts.sizes))]
    ...         return [(1 - np.eye(len(n))) / np.minimum.outer(n, n) for n in spans]
    >>> table = [["a"], ["a"], ["b"]]
    >>> RareCountsMore().fit(table).pairwise([["a"], ["b"]])
    array([[0., 1.],
           [1., 0.]])
    >>> KModes(2, distance=RareCountsMore(), init="cao").fit(table).labels_
    array([0, 0, 1], dtype=int32)
    """

    def __call__(self, counts: Counts) -> list[FloatArray]:
        """Return the distances of each column's values, learned from counts."""
        return self._value_distances(counts)

    def _value_distances(self, counts: Counts) -> list[FloatArray]:
        """Return one symmetric array of shape (n_values, n_values) per attribute."""
        raise NotImplementedError  # the one thing that a method writes

    def _learn(self, counts: Counts) -> None:
        self.distances_ = self._value_distances(counts)
        self.tables_ = with_unknown(self.distances_, counts)

    def value_distance(self, column: str) -> Any:
        """Return the distances of a column's values.

        Parameters
        ----------
        column : str
            The column's name.

        Returns
        -------
        DataFrame
            Square, one row and one column per value.
        """
        check_is_fitted(self)
        return self._square(column, self.distances_)

    def pairwise(self, A: Any, B: Any = None) -> FloatArray:
        """Return the distance of each row of `A` to each of `B` (or of `A`).

        Parameters
        ----------
        A, B : tables
            Rows with the columns seen in `fit`.

        Returns
        -------
        array of shape (n_rows of A, n_rows of B)
            8 bytes per pair of rows.
        """
        check_is_fitted(self)
        return self._pairwise(self.tables_, A, B)

    def _pairwise(self, tables: list[FloatArray], A: Any, B: Any) -> FloatArray:
        left = self.codes(A)
        return sum_pairwise(tables, left, left if B is None else self.codes(B))

    def _square(self, column: str, tables: list[FloatArray]) -> Any:
        import pandas as pd

        attribute = self.vocabulary_.index_of(column)
        labels = self.vocabulary_.labels(attribute)
        return pd.DataFrame(tables[attribute], labels, labels)


def with_unknown(tables: list[FloatArray], counts: Counts) -> list[FloatArray]:
    """Append, to symmetric tables, the row and the column of an unknown value."""
    frequencies = [counts.frequencies[counts.span(place)] for place in range(len(tables))]
    return [
        with_mean(with_mean(table, weights).T, weights)
        for table, weights in zip(tables, frequencies, strict=True)
    ]


def sum_pairwise(tables: list[FloatArray], left: Codes, right: Codes) -> FloatArray:
    """Return, for all pairs of rows, the sum over the columns of what the tables hold.

    Parameters
    ----------
    tables : list of arrays of shape (width, width)
        One per column.
    left, right : lists of integer arrays
        Coded rows.

    Returns
    -------
    array of shape (n_left, n_right)

    Examples
    --------
    >>> table = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> codes = [np.array([0, 1, 1]), np.array([0, 0, 1])]
    >>> sum_pairwise([table, 2 * table], codes, codes)
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """
    to_right = np.vstack(
        [table[:, codes] for table, codes in zip(tables, right, strict=True)], dtype=float
    )
    starts = np.cumsum([0, *(len(table) for table in tables[:-1])])
    places = np.stack(
        [codes.astype(np.intp) + start for codes, start in zip(left, starts, strict=True)], axis=1
    )
    ends = np.arange(0, places.size + 1, len(tables))
    shape = (len(places), len(to_right))
    one_hot = sparse.csr_array((np.ones(places.size), places.ravel(), ends), shape=shape)
    return np.asarray(one_hot @ to_right)
