"""The family of methods that give a distance between the values of each attribute."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from untie import tidy
from untie.baselines.base import CountBased
from untie.core.counts import Counts
from untie.core.types import Codes, FloatArray

BLOCK_NUMBERS = 2**22
"""Distances computed at a time."""


class ValueDistance(CountBased):
    """Base of the value distances; a subclass writes `_value_distances(counts)`.

    The distance of two rows is the sum over the attributes of the distances of their values.
    An unknown value is neutral: its distance to a value is the mean distance of the rows' own
    values to it.

    Attributes
    ----------
    distances_ : list of arrays of shape (n_values, n_values)
        The distances of each attribute's values.
    """

    def _value_distances(self, counts: Counts) -> list[FloatArray]:
        raise NotImplementedError  # the one thing that a method writes

    def _learn(self, counts: Counts) -> None:
        self.distances_ = self._value_distances(counts)
        self._tables = [
            _with_unknown(table, counts.frequencies[counts.span(attribute)])
            for attribute, table in enumerate(self.distances_)
        ]

    def value_distance(self, column: str) -> Any:
        """Return a square, labelled frame with the distances of a column's values."""
        check_is_fitted(self)
        attribute = self.vocabulary_.index_of(column)
        labels = self.vocabulary_.labels(attribute)
        return tidy.square(self._backend, labels, self.distances_[attribute])

    def pairwise(self, A: Any, B: Any = None) -> FloatArray:
        """Return the distance of each row of `A` to each of `B` (or of `A`).

        Parameters
        ----------
        A, B : tables
            Rows with the columns seen in `fit`.
        """
        check_is_fitted(self)
        left = self._encode(A)
        right = left if B is None else self._encode(B)
        result = np.empty((len(left[0]), len(right[0])))
        step = max(1, BLOCK_NUMBERS // max(1, result.shape[1]))
        for start in range(0, len(result), step):
            rows = slice(start, start + step)
            result[rows] = self._pairwise_codes([column[rows] for column in left], right)
        return result

    def _pairwise_codes(self, left: Codes, right: Codes) -> FloatArray:
        total = np.zeros((len(left[0]), len(right[0])))
        for table, first, second in zip(self._tables, left, right, strict=True):
            # Look up columns of few values first: a gather of rows is then contiguous.
            total += table[first][:, second]
        return total


def _with_unknown(table: FloatArray, frequencies: FloatArray) -> FloatArray:
    """Append the row and the column of an unknown value."""
    if not frequencies.any():  # every cell of the column was unknown
        frequencies = np.ones_like(frequencies)
    shares = frequencies / frequencies.sum()
    to_values = shares @ table
    result = np.empty((len(table) + 1, len(table) + 1))
    result[:-1, :-1] = table
    result[-1, :-1] = to_values
    result[:-1, -1] = table @ shares
    result[-1, -1] = to_values @ shares
    return result
