"""The family of methods that give a distance between the values of each attribute."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from untie._count.counts import Counts
from untie._count.pairwise import sum_pairwise
from untie._table import frames
from untie._util.types import FloatArray
from untie.baselines._base import CountBased


class ValueDistance(CountBased):
    """Base of the value distances; a subclass writes `_value_distances(counts)`.

    The distance of two rows is the sum over the columns of the distances of their values.
    An unknown value is neutral: its distance to a value is the mean distance of the rows' own
    values to it.

    Parameters
    ----------
    categories, handle_unknown, min_frequency, max_categories
        As in `Hamming`.

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
    A distance of one's own, for tables and for `KModes`:

    >>> from untie.baselines import ValueDistance
    >>> class RareCountsMore(ValueDistance):
    ...     def _value_distances(self, counts):
    ...         spans = [counts.frequencies[counts.span(j)] for j in range(len(counts.sizes))]
    ...         return [(1 - np.eye(len(n))) / np.minimum.outer(n, n) for n in spans]
    >>> RareCountsMore().fit([["a"], ["a"], ["b"]]).pairwise([["a"], ["b"]])
    array([[0., 1.],
           [1., 0.]])
    """

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
        frame
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
        return sum_pairwise(tables, self._codes(A), None if B is None else self._codes(B))

    def _square(self, column: str, tables: list[FloatArray]) -> Any:
        attribute = self.vocabulary_.index_of(column)
        return frames.square(self.library_, self.vocabulary_.labels(attribute), tables[attribute])


def with_unknown(tables: list[FloatArray], counts: Counts) -> list[FloatArray]:
    """Append, to symmetric tables, the row and the column of an unknown value."""
    return [
        _append_mean(table, counts.frequencies[counts.span(attribute)])
        for attribute, table in enumerate(tables)
    ]


def _append_mean(table: FloatArray, frequencies: FloatArray) -> FloatArray:
    if not frequencies.any():  # every cell of the column was unknown
        frequencies = np.ones_like(frequencies)
    shares = frequencies / frequencies.sum()
    to_values = shares @ table
    result = np.empty((len(table) + 1, len(table) + 1))
    result[:-1, :-1] = table
    result[-1, :-1] = result[:-1, -1] = to_values
    result[-1, -1] = to_values @ shares
    return result
