"""How often values occur together: all that learning needs from the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie.core.counting import count_pairs
from untie.core.row_sample import RowSample
from untie.core.types import Codes, FloatArray
from untie.core.vocabulary import Vocabulary

MEMORY_LIMIT = 4 * 2**30
"""Bytes that learning may take; larger tables are refused before memory is spent."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of all pairs of values, additive over chunks of rows.

    Parameters
    ----------
    sizes : tuple of int
        Number of values of each attribute.
    matrix : array of shape (n_values, n_values)
        Weight of the rows that have both values; on the diagonal, of those that have one.
        The values of all attributes stand one after another.
    n : float
        Weight of all rows.
    n_rows : int
        Number of rows with a positive weight.

    Examples
    --------
    >>> import numpy as np
    >>> codes = [np.array([0, 1, 1]), np.array([0, 0, 1])]
    >>> first, rest = count([c[:1] for c in codes], (2, 2)), count([c[1:] for c in codes], (2, 2))
    >>> (first + rest).block(0, 1)
    array([[1., 0.],
           [1., 1.]])
    """

    sizes: tuple[int, ...]
    matrix: FloatArray
    n: float
    n_rows: int

    @cached_property
    def offsets(self) -> NDArray[np.intp]:
        """Position of each attribute's first value, and the number of all values."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.intp)

    @property
    def frequencies(self) -> FloatArray:
        """Weight of the rows that have each value; shape (n_values,)."""
        return self.matrix.diagonal()

    def span(self, attribute: int) -> slice:
        """Return where the values of an attribute stand."""
        return slice(int(self.offsets[attribute]), int(self.offsets[attribute + 1]))

    def block(self, first: int, second: int) -> FloatArray:
        """Return the counts of one attribute's values with another's."""
        return self.matrix[self.span(first), self.span(second)]

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        if self.sizes != other.sizes:
            raise ValueError(
                f"The counts are of different vocabularies: {self.sizes} and {other.sizes} "
                "values. Add tables made by untie.count_table, which unite vocabularies."
            )
        matrix = self.matrix + other.matrix
        return Counts(self.sizes, matrix, self.n + other.n, self.n_rows + other.n_rows)

    def relabel(self, targets: Sequence[NDArray[np.intp]], sizes: tuple[int, ...]) -> Counts:
        """Move every value to a new code; values with the same code are added up.

        Parameters
        ----------
        targets : sequence of integer arrays, one per attribute
            The new code of each value within its attribute.
        sizes : tuple of int
            Number of new values of each attribute.
        """
        check_memory(sizes)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.concatenate([t + o for t, o in zip(targets, offsets[:-1], strict=True)])
        shape = (len(rows), int(offsets[-1]))
        move = sparse.csr_array((np.ones(len(rows)), (np.arange(len(rows)), rows)), shape=shape)
        matrix = move.T @ (move.T @ self.matrix).T
        # Two values of one attribute never meet, so a block's diagonal is all there is.
        return Counts(sizes, np.ascontiguousarray(matrix), self.n, self.n_rows)


@dataclass(frozen=True, eq=False)
class CountedTable:
    """Counts together with the values they are counts of; ``+`` unites both.

    Parameters
    ----------
    vocabulary : Vocabulary
        The values of each attribute.
    counts : Counts
        How often they occur together.
    sample : RowSample or None
        Some of the rows, in the codes of the vocabulary, if they were kept.
    """

    vocabulary: Vocabulary
    counts: Counts
    sample: RowSample | None = None

    def __add__(self, other: CountedTable) -> CountedTable:
        if not isinstance(other, CountedTable):
            return NotImplemented
        if self.vocabulary == other.vocabulary:
            first, second = self, other
        else:
            union = self.vocabulary.union(other.vocabulary)
            check_memory(union.sizes, union.columns)
            first, second = self.align(union), other.align(union)
        # Half a sample is none: the rows of the other chunk would be missing.
        sample = first.sample + second.sample if first.sample and second.sample else None
        return CountedTable(first.vocabulary, first.counts + second.counts, sample)

    def plus_chunk(self, chunk: CountedTable) -> CountedTable:
        """Add a chunk whose columns are these, in this order, whatever their names."""
        vocabulary = Vocabulary(self.vocabulary.columns, chunk.vocabulary.values)
        return self + CountedTable(vocabulary, chunk.counts, chunk.sample)

    def align(self, union: Vocabulary) -> CountedTable:
        """Return the same counts in the codes of a vocabulary that has all the values."""
        attributes = range(len(union.columns))
        targets = [self.vocabulary.translate(union, attribute) for attribute in attributes]
        sample = self.sample and self.sample.relabel(targets, union.sizes)
        return CountedTable(union, self.counts.relabel(targets, union.sizes), sample)


def count(codes: Codes, sizes: Sequence[int], weights: FloatArray | None = None) -> Counts:
    """Count all pairs of values in coded rows.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        One array per attribute; a code equal to the attribute's size is not counted.
    sizes : sequence of int
        Number of values of each attribute.
    weights : array of shape (n_rows,), optional
        How often each row counts.
    """
    check_memory(sizes)
    n_rows = len(codes[0])
    n = float(n_rows if weights is None else weights.sum())
    return Counts(tuple(sizes), count_pairs(codes, tuple(sizes), weights), n, n_rows)


def memory_needed(sizes: Sequence[int], n_spaces: int = 0) -> int:
    """Return about how many bytes learning takes.

    Three arrays of (all values)^2 numbers, and per kernel space two of (values of an
    attribute)^2 for each attribute.
    """
    n_values = sum(int(size) for size in sizes)
    n_pairs = sum(int(size) ** 2 for size in sizes)
    return 8 * (3 * n_values**2 + 2 * n_spaces * n_pairs)


def check_memory(
    sizes: Sequence[int], names: Sequence[str] | None = None, n_spaces: int = 0
) -> None:
    """Refuse a table whose learning would need more than `MEMORY_LIMIT` bytes."""
    needed = memory_needed(sizes, n_spaces)
    if needed <= MEMORY_LIMIT:
        return
    largest = max(range(len(sizes)), key=lambda attribute: sizes[attribute])
    column = repr(names[largest]) if names else f"number {largest}"
    raise ValueError(
        f"The table has {sum(sizes):,} distinct values; learning from their pairs would take "
        f"{needed / 2**30:,.0f} GiB (limit {MEMORY_LIMIT / 2**30:.0f}). Column {column} alone "
        f"has {sizes[largest]:,}. Set max_categories (or min_frequency) and call fit, which groups "
        "rare values before it counts pairs (partial_fit and count_table keep every value); bin "
        "the column if it holds numbers, or drop it if it is an identifier."
    )
