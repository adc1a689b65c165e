"""Vectors of an attribute's values as an array; `Tall` is for those with very many values.

The two have the same methods, so that nobody has to ask which of them a table is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from untie._util.types import FloatArray

VANISHING = 1e-6
"""Directions shorter than this share of the longest are left out where only distances count: by
their squares, they are rounding."""

SHORT = 1e-8
"""Eigenvalues of squares below this share of the largest have lost half of their digits, and more
as roots; they are computed anew from what was squared."""


@dataclass(frozen=True, eq=False)
class Dense:
    """A table with a row for each value, as an array.

    Parameters
    ----------
    array : array of shape (n_values, n_columns)
        The rows.

    Examples
    --------
    >>> table = Dense(np.array([[2.0, 0.0], [0.0, 4.0]]))
    >>> table.less_mean(np.array([3.0, 1.0])).toarray()
    array([[ 0.5, -1. ],
           [-1.5,  3. ]])
    """

    array: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        """Number of values and of columns."""
        return self.array.shape[0], self.array.shape[1]

    def __len__(self) -> int:
        return len(self.array)

    def __matmul__(self, other: FloatArray) -> FloatArray:
        return self.array @ other

    def from_left(self, other: FloatArray) -> FloatArray:
        """Return the transposed table times an array of shape (n_values, ...)."""
        return self.array.T @ other

    def mean(self, frequencies: FloatArray) -> FloatArray:
        """Return the mean of the rows, each as often as it occurs; of all, if none does."""
        frequencies = or_ones(frequencies)
        return frequencies @ self.array / frequencies.sum()

    def less_mean(self, frequencies: FloatArray) -> Dense:
        """Return the table less the mean of its rows."""
        return Dense(self.array - self.mean(frequencies))

    def with_mean(self, frequencies: FloatArray) -> FloatArray:
        """Return the rows and, after the last, their mean: what an unknown value has."""
        return np.vstack([self.array, self.mean(frequencies)])

    def energies(self, frequencies: FloatArray, centred: bool) -> FloatArray:
        """Return each column's sum of squares over the rows, each as often as it occurs."""
        array = self.array - self.mean(frequencies) if centred else self.array
        return frequencies @ np.square(array)

    def scaled(self, factors: FloatArray) -> Dense:
        """Return the table with every column times a factor."""
        return Dense(self.array * factors)

    def beside(self, other: Dense) -> Dense:
        """Return the columns of both tables side by side."""
        return Dense(np.hstack([self.array, other.array]))

    def centred(
        self, codes: NDArray[np.int64], frequencies: FloatArray
    ) -> tuple[FloatArray, NDArray[np.int64]]:
        """Return vectors less the mean, in as few dimensions as they need, and each row's.

        An unknown value stands at the mean. Centred vectors of n values need n - 1 dimensions.
        """
        mean = self.mean(frequencies)
        left, lengths, _ = np.linalg.svd(
            np.vstack([self.array - mean, np.zeros_like(mean)]), full_matrices=False
        )
        kept = lengths > VANISHING * lengths.max(initial=0.0)
        return np.asarray(left[:, kept] * lengths[kept], dtype=np.float64), codes

    def largest(self) -> float:
        """Return how large the largest number is; rounding is a share of it."""
        return float(np.abs(self.array).max())

    def toarray(self) -> FloatArray:
        """Return the table as an array."""
        return self.array

    @staticmethod
    def weighted_roots(tables: Sequence[Dense], weights: Sequence[FloatArray]) -> list[Dense]:
        """Return the symmetric roots of B diag(weights) B' of tables B.

        One call for all tables of a size: small matrices are all overhead.
        """
        by_size: dict[int, dict[int, FloatArray]] = defaultdict(dict)
        for place, (table, weight) in enumerate(zip(tables, weights, strict=True)):
            by_size[len(table)][place] = (table.array * weight) @ table.array.T
        result = list(tables)
        for squares in by_size.values():
            values, vectors = np.linalg.eigh(np.stack(list(squares.values())))
            for place, line, turn in zip(squares, values, vectors, strict=True):
                _refine(line, turn, tables[place].array, weights[place])
            lengths = np.sqrt(np.maximum(values, 0.0))[:, None, :]
            stacked = (vectors * lengths) @ np.swapaxes(vectors, 1, 2)
            for place, root in zip(squares, stacked, strict=True):
                result[place] = Dense(root)
        return result


def _refine(
    values: FloatArray, vectors: FloatArray, table: FloatArray, weights: FloatArray
) -> None:
    """Compute small eigenpairs of B diag(weights) B' from B itself, in place.

    An eigenvalue of 0 comes out as 1e-16, and its root as 1e-8, with whatever vector.
    """
    short = values < SHORT * values[-1]
    if short.any():
        rest = (vectors[:, short].T @ table) * np.sqrt(weights)
        values[short], turn = np.linalg.eigh(rest @ rest.T)
        vectors[:, short] = vectors[:, short] @ turn


def or_ones(frequencies: FloatArray) -> FloatArray:
    """Return how often values occur; once each, if every cell of the column was unknown."""
    return frequencies if frequencies.any() else np.ones_like(frequencies)
