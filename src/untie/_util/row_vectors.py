"""Vectors of rows, as k-means needs them: in one array, or as parts that are looked up.

A row of a table of categories has its values' vectors side by side. Where columns have many values,
products with all rows, and sums of rows, take a fraction of the time and memory if they are made
value by value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie._util.products import squared_lengths
from untie._util.types import FloatArray


class RowVectors(Protocol):
    """What k-means does with rows."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of dimensions."""

    def squares(self) -> FloatArray:
        """Return the squared length of each row."""

    def some(self, numbers: NDArray[np.intp]) -> FloatArray:
        """Return some rows; the dimensions come after those of `numbers`."""

    def products(self, sides: FloatArray) -> FloatArray:
        """Return the product of each side with each row, plus a number.

        Parameters
        ----------
        sides : array of shape (n_sides, n_dimensions + 1)
            The last column is what is added.

        Returns
        -------
        array of shape (n_sides, n_rows)
        """

    def sums(self, members: FloatArray) -> FloatArray:
        """Return weighted sums of rows, and in the last column the sums of weights.

        Parameters
        ----------
        members : array of shape (n_sums, n_rows)
            The weight of each row in each sum.

        Returns
        -------
        array of shape (n_sums, n_dimensions + 1)
        """


@dataclass(frozen=True, eq=False)
class WholeRows:
    """Rows in one array.

    Parameters
    ----------
    with_one : array of shape (n_rows, n_dimensions + 1)
        Rows, with a last column of ones, for products that add a number.

    Examples
    --------
    >>> rows = WholeRows.of(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> rows.products(np.array([[1.0, 0.0, 10.0]]))
    array([[11., 13.]])
    """

    with_one: FloatArray

    @classmethod
    def of(cls, rows: FloatArray, weights: FloatArray | None = None) -> WholeRows:
        """Copy rows; with weights, less their weighted mean."""
        result = cls(np.column_stack([rows, np.ones(len(rows))]))
        if weights is not None:
            centred = result.rows
            centred -= weights @ centred / weights.sum()
        return result

    @property
    def rows(self) -> FloatArray:
        return self.with_one[:, :-1]

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.shape[0], self.rows.shape[1]

    def squares(self) -> FloatArray:
        return squared_lengths(self.rows)

    def some(self, numbers: NDArray[np.intp]) -> FloatArray:
        return self.rows[numbers]

    def products(self, sides: FloatArray) -> FloatArray:
        return sides @ self.with_one.T

    def sums(self, members: FloatArray) -> FloatArray:
        return members @ self.with_one


@dataclass(frozen=True, eq=False)
class LookedUpRows:
    """Rows whose parts are looked up.

    Parameters
    ----------
    tables : sequence of arrays of shape (n_codes, width)
        The vectors of the codes of each part.
    codes : sequence of integer arrays of shape (n_rows,)
        The rows' codes in each part.

    Examples
    --------
    >>> tables = [np.array([[1.0], [2.0]]), np.array([[0.0, 5.0], [6.0, 0.0]])]
    >>> rows = LookedUpRows(tables, [np.array([0, 1, 1]), np.array([0, 0, 1])])
    >>> rows.some(np.arange(3))
    array([[1., 0., 5.],
           [2., 0., 5.],
           [2., 6., 0.]])
    >>> rows.sums(np.array([[1.0, 1.0, 0.0]]))
    array([[ 3.,  0., 10.,  2.]])
    """

    tables: Sequence[FloatArray]
    codes: Sequence[NDArray[np.integer]]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.codes[0]), sum(table.shape[1] for table in self.tables)

    def less_mean(self, weights: FloatArray) -> LookedUpRows:
        """Return the rows less their weighted mean."""
        means = np.split(self.sums(weights[None])[0, :-1] / weights.sum(), self._ends)
        tables = [table - mean for table, mean in zip(self.tables, means, strict=True)]
        return LookedUpRows(tables, self.codes)

    def squares(self) -> FloatArray:
        return self._add_up([squared_lengths(table) for table in self.tables])

    def some(self, numbers: NDArray[np.intp]) -> FloatArray:
        pairs = zip(self.tables, self.codes, strict=True)
        return np.concatenate([table[column[numbers]] for table, column in pairs], axis=-1)

    def products(self, sides: FloatArray) -> FloatArray:
        parts = np.split(sides[:, :-1], self._ends, axis=1)
        pairs = zip(parts, self.tables, strict=True)
        return self._add_up([part @ table.T for part, table in pairs]) + sides[:, -1:]

    def sums(self, members: FloatArray) -> FloatArray:
        totals = np.split((self._one_hot @ members.T).T, self._starts[1:], axis=1)
        pairs = zip(totals, self.tables, strict=True)
        of_rows = [of_codes @ table for of_codes, table in pairs]
        return np.hstack([*of_rows, totals[0].sum(axis=1, keepdims=True)])

    def _add_up(self, numbers: Sequence[FloatArray]) -> FloatArray:
        """Add up what each row's codes have in the last axis of arrays, one array per part."""
        total = np.zeros((*numbers[0].shape[:-1], len(self.codes[0])))
        for of_codes, column in zip(numbers, self.codes, strict=True):
            total += of_codes.take(column, axis=-1)
        return total

    @cached_property
    def _ends(self) -> NDArray[np.intp]:
        """Where a part of the dimensions ends and another begins."""
        return np.cumsum([table.shape[1] for table in self.tables])[:-1]

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        """The number of each part's first code, if all are numbered on."""
        return np.cumsum([0, *(len(table) for table in self.tables)])[:-1]

    @cached_property
    def _one_hot(self) -> sparse.csr_array:
        """Which code which row has; shape (n_codes of all parts, n_rows)."""
        columns = np.stack(self.codes, axis=1) + self._starts
        n_rows, n_parts = columns.shape
        entries = (np.ones(columns.size), columns.ravel(), np.arange(n_rows + 1) * n_parts)
        n_codes = sum(len(table) for table in self.tables)
        return sparse.csr_array(entries, (n_rows, n_codes)).T.tocsr()
