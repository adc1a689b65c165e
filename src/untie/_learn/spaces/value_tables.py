"""Vectors of a column's values: as an array, or as a diagonal beside a few shared columns.

`Dense` and `Tall` have the same methods. A value of a column with very many values has at most one
direction of its own, which `Tall` keeps as a number instead of a column.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from untie._learn import memory
from untie._learn.linalg.eigen import settling
from untie._util.types import FloatArray, LongArray

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

    def energies(self, frequencies: FloatArray, centered: bool) -> FloatArray:
        """Return each column's sum of squares over the rows, each as often as it occurs."""
        array = self.array - self.mean(frequencies) if centered else self.array
        return frequencies @ np.square(array)

    def scaled(self, factors: FloatArray) -> Dense:
        """Return the table with every column times a factor."""
        return Dense(self.array * factors)

    def beside(self, other: Dense) -> Dense:
        """Return the columns of both tables side by side."""
        return Dense(np.hstack([self.array, other.array]))

    def centered(self, codes: LongArray, frequencies: FloatArray) -> tuple[FloatArray, LongArray]:
        """Return vectors less the mean, in as few dimensions as they need, and each row's.

        An unknown value stands at the mean. Centered vectors of n values need n - 1 dimensions.
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


@dataclass(frozen=True, eq=False)
class Tall:
    """A table with a row for each of very many values.

    Parameters
    ----------
    diagonal : array of shape (n_values,) or None
        Lengths of the values' own directions, which come first; None if they have none.
    basis : array of shape (n_values, n_basis)
        What the other columns are mixed from.
    mix : array of shape (n_basis, n_mixed)
        How.

    Examples
    --------
    >>> table = Tall(np.array([2.0, 3.0]), np.array([[1.0], [4.0]]), np.array([[1.0, 10.0]]))
    >>> table.toarray()
    array([[ 2.,  0.,  1., 10.],
           [ 0.,  3.,  4., 40.]])
    """

    diagonal: FloatArray | None
    basis: FloatArray
    mix: FloatArray

    @property
    def n_own(self) -> int:
        """Number of columns of the diagonal."""
        return 0 if self.diagonal is None else len(self.diagonal)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of values and of columns."""
        return len(self.basis), self.n_own + self.mix.shape[1]

    def __len__(self) -> int:
        return len(self.basis)

    def __matmul__(self, array: FloatArray) -> FloatArray:
        result = self.basis @ (self.mix @ array[self.n_own :])
        if self.diagonal is not None:
            result += (self.diagonal * array[: self.n_own].T).T
        return result

    def from_left(self, array: FloatArray) -> FloatArray:
        """Return the transposed table times an array of shape (n_values, ...)."""
        mixed = self.mix.T @ (self.basis.T @ array)
        if self.diagonal is None:
            return mixed
        return np.concatenate([(self.diagonal * array.T).T, mixed])

    def mean(self, frequencies: FloatArray) -> FloatArray:
        """Return the mean of the rows, each as often as it occurs; of all, if none does."""
        frequencies = or_ones(frequencies)
        return self.from_left(frequencies) / frequencies.sum()

    def less_mean(self, frequencies: FloatArray) -> Tall | Centered:
        """Return the table less the mean of its rows.

        The basis is centered before it is mixed: most of a mixed column may be its mean, and the
        digits of the rest would be lost.
        """
        frequencies = or_ones(frequencies)
        shares = frequencies / frequencies.sum()
        mixed = Tall(self.diagonal, self.basis - shares @ self.basis, self.mix)
        if self.diagonal is None:
            return mixed
        means = np.concatenate([self.diagonal * shares, np.zeros(self.mix.shape[1])])
        return Centered(mixed, means)

    def with_mean(self, frequencies: FloatArray) -> Any:
        """Return the rows and, after the last, their mean; sparse if values have directions."""
        mean = self.mean(frequencies)
        if self.diagonal is None:
            return np.vstack([self.toarray(), mean])
        return sparse.vstack([self.tosparse(), sparse.csr_array(mean[None])], "csr")

    def energies(self, frequencies: FloatArray, centered: bool) -> FloatArray:
        """Return each column's sum of squares over the rows, each as often as it occurs."""
        total = float(frequencies.sum())
        shares = frequencies / (total if total > 0 else 1.0)
        mean = shares @ self.basis if centered else np.zeros(self.basis.shape[1])
        basis = self.basis - mean
        moments = (basis.T * frequencies) @ basis
        mixed = np.einsum("bm,bc,cm->m", self.mix, moments, self.mix, optimize=True)
        if self.diagonal is None:
            return mixed
        own = np.square(self.diagonal) * frequencies
        return np.concatenate([own * (1.0 - shares) if centered else own, mixed])

    def scaled(self, factors: FloatArray) -> Tall:
        """Return the table with every column times a factor."""
        own = None if self.diagonal is None else self.diagonal * factors[: self.n_own]
        return Tall(own, self.basis, self.mix * factors[self.n_own :])

    def root(self) -> Tall:
        """Return a table with the same inner products of rows, and as few columns as possible."""
        vectors, lengths, _ = np.linalg.svd(self.mix, full_matrices=False)
        kept = lengths > VANISHING * lengths.max(initial=0.0)
        mix, lengths = vectors[:, kept] * lengths[kept], lengths[kept]
        return Tall(self.diagonal, self.basis, mix @ settling(self.basis @ mix, lengths))

    def beside(self, other: Tall) -> Tall:
        """Return the columns of both tables side by side; the other has no diagonal."""
        assert other.diagonal is None
        basis = np.hstack([self.basis, other.basis])
        mix = np.zeros((basis.shape[1], self.mix.shape[1] + other.mix.shape[1]))
        mix[: len(self.mix), : self.mix.shape[1]] = self.mix
        mix[len(self.mix) :, self.mix.shape[1] :] = other.mix
        return Tall(self.diagonal, basis, mix)

    def centered(self, codes: LongArray, frequencies: FloatArray) -> tuple[FloatArray, LongArray]:
        """Return vectors less the mean, in as few dimensions as they need, and each row's.

        In the directions of values that do not occur here, all known values stand at the same
        place: one dimension for all of these tells them from an unknown one, which is at the mean.
        """
        mean = self.mean(frequencies)
        found, places = np.unique(codes, return_inverse=True)
        known = found < len(self)
        values = found[known]
        shared = self.basis[values] @ self.mix
        n_own = len(values)
        dimensions = np.zeros((len(found), n_own + 1 + shared.shape[1]))
        if self.diagonal is not None:
            dimensions[known, :n_own] = np.diag(self.diagonal[values]) - mean[values]
            dimensions[known, n_own] = np.linalg.norm(np.delete(mean[: self.n_own], values))
        dimensions[known, n_own + 1 :] = shared - mean[self.n_own :]
        return dimensions, places

    def largest(self) -> float:
        """Return about how large the largest number is; rounding is a share of it."""
        own = 0.0 if self.diagonal is None else float(np.abs(self.diagonal).max())
        shared = np.abs(self.basis).max(initial=0.0) * np.abs(self.mix).max(initial=0.0)
        return max(own, float(shared))

    def tosparse(self) -> sparse.csr_array:
        """Return the table as a sparse array."""
        mixed = sparse.csr_array(self.basis @ self.mix)
        if self.diagonal is None:
            return mixed
        return sparse.hstack([sparse.diags_array(self.diagonal), mixed], format="csr")

    def toarray(self) -> FloatArray:
        """Return the table as an array."""
        mixed = self.basis @ self.mix
        return mixed if self.diagonal is None else np.hstack([np.diag(self.diagonal), mixed])

    @staticmethod
    def weighted_roots(tables: Sequence[Tall], weights: Sequence[FloatArray]) -> list[Tall]:
        """Return roots of B diag(weights) B' of tables B: other tables of the same form."""
        pairs = zip(tables, weights, strict=True)
        return [table.scaled(np.sqrt(weight)).root() for table, weight in pairs]


@dataclass(frozen=True, eq=False)
class Centered:
    """A tall table less the mean of its rows, which would fill it.

    Parameters
    ----------
    table : Tall
        The table.
    mean : array of shape (n_columns,)
        What is taken off every row.
    """

    table: Tall
    mean: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        """Number of values and of columns."""
        return self.table.shape

    def __len__(self) -> int:
        return len(self.table)

    def __matmul__(self, array: FloatArray) -> FloatArray:
        return self.table @ array - self.mean @ array

    def from_left(self, array: FloatArray) -> FloatArray:
        """Return the transposed table times an array of shape (n_values, ...)."""
        return self.table.from_left(array) - np.multiply.outer(self.mean, array.sum(axis=0))

    def toarray(self) -> FloatArray:
        """Return the table as an array."""
        return self.table.toarray() - self.mean


Columns: TypeAlias = Dense | Tall
"""The vectors of an attribute's values, one row each."""

Factor: TypeAlias = Dense | Tall | Centered
"""What can be multiplied from both sides."""


def own_directions(lengths: FloatArray) -> Columns:
    """Return vectors in which every value has a direction of its own, of a given length."""
    if len(lengths) <= memory.LARGE:
        return Dense(np.diag(lengths))
    return Tall(lengths, np.empty((len(lengths), 0)), np.empty((0, 0)))


@dataclass(frozen=True, eq=False)
class Block:
    """The columns of an attribute's kernel matrices, or their leading axes if there are very many.

    Parameters
    ----------
    table : Dense or Tall
        The columns of all spaces, one space after another.
    widths : tuple of int
        Number of columns of each space.
    errors : array of shape (n_spaces,) or None
        For each space of axes, how much of the kernel is missing; None for whole matrices.
    """

    table: Columns
    widths: tuple[int, ...]
    errors: FloatArray | None = None

    def beside(self, other: Block) -> Block:
        """Return the spaces of both blocks, which are of the same attribute."""
        tables: Any = (self.table, other.table)  # so both are of the same class
        errors = None
        if self.errors is not None and other.errors is not None:
            errors = np.concatenate([self.errors, other.errors])
        return Block(tables[0].beside(tables[1]), self.widths + other.widths, errors)
