"""Coded rows -> what a wide-and-deep network sees: one-hot blocks and their conjunctions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie import Counts
from untie_paper.arrays import Codes, FloatArray

EMBEDDING_WIDTH = 8
"""Largest number of dimensions that the deep part gives the values of an attribute."""


@dataclass(frozen=True, eq=False)
class Features:
    """The columns of a network's input.

    Parameters
    ----------
    sizes : tuple of int
        Number of values of each attribute.
    shares : array of shape (n_values,)
        Share of the rows that have each value; what an unknown value's block is.
    left, right : integer arrays of shape (n_crosses,)
        The two values of each conjunction, as columns of the one-hot blocks.
    """

    sizes: tuple[int, ...]
    shares: FloatArray
    left: NDArray[np.intp]
    right: NDArray[np.intp]

    @cached_property
    def offsets(self) -> NDArray[np.intp]:
        """Position of each attribute's first value, and the number of all values."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.intp)

    @property
    def n_values(self) -> int:
        """Number of columns of the one-hot blocks."""
        return sum(self.sizes)

    @property
    def n_columns(self) -> int:
        """Number of columns of the wide part: the values and their conjunctions."""
        return self.n_values + len(self.left)

    @cached_property
    def attribute_of(self) -> NDArray[np.intp]:
        """The attribute of each value; shape (n_values,)."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def embedding_mask(self) -> NDArray[np.bool_]:
        """Which dimensions of the embedding are of a value's attribute.

        Shape (n_values, n_dimensions); min(8, half of the values) dimensions per attribute.
        """
        widths = [min(EMBEDDING_WIDTH, -(-size // 2)) for size in self.sizes]
        of_dimension = np.repeat(np.arange(len(widths)), widths)
        return self.attribute_of[:, None] == of_dimension

    @cached_property
    def unknown_blocks(self) -> FloatArray:
        """The block of an unknown value of each attribute; shape (n_attributes, n_values)."""
        return np.where(self.attribute_of == np.arange(len(self.sizes))[:, None], self.shares, 0.0)

    def positions(self, codes: Codes) -> NDArray[np.int64]:
        """Return the column of every cell; shape (n_rows, n_attributes).

        An unknown value of attribute j has the column n_values + j.
        """
        result = np.empty((len(codes[0]), len(codes)), dtype=np.int64)
        for attribute, column in enumerate(codes):
            known = column < self.sizes[attribute]
            result[:, attribute] = np.where(
                known, column + self.offsets[attribute], self.n_values + attribute
            )
        return result

    def one_hot(self, codes: Codes) -> sparse.csr_array:
        """Return the one-hot blocks of coded rows; shape (n_rows, n_values)."""
        positions = self.positions(codes)
        n_rows, n_attributes = positions.shape
        starts = np.arange(0, positions.size + 1, n_attributes)
        wider = sparse.csr_array(
            (np.ones(positions.size), positions.ravel(), starts),
            shape=(n_rows, self.n_values + n_attributes),
        )
        if not (positions >= self.n_values).any():
            return wider[:, : self.n_values]
        known, unknown = wider[:, : self.n_values], wider[:, self.n_values :]
        return known + unknown @ sparse.csr_array(self.unknown_blocks)

    def rows(self, codes: Codes) -> sparse.csr_array:
        """Return the wide features of coded rows; shape (n_rows, n_columns).

        The columns of a row stand in order, whatever the other rows are, so that a product
        adds them up in the same order.
        """
        blocks = self.one_hot(codes)
        by_column = blocks.tocsc()
        crosses = by_column[:, self.left].multiply(by_column[:, self.right])
        result = sparse.hstack([blocks, crosses], format="csr")
        result.sort_indices()
        return result


def make_features(counts: Counts, max_cross: int) -> Features:
    """Decide on the columns of a table.

    Parameters
    ----------
    counts : Counts
        How often values occur together.
    max_cross : int
        Largest number of conjunctions. If there are more, the most frequent of those that
        occur are kept.
    """
    shares = []
    for attribute, size in enumerate(counts.sizes):
        weight = counts.frequencies[counts.span(attribute)]
        total = weight.sum()
        shares.append(weight / total if total > 0 else np.full(size, 1.0 / size))
    left, right = _choose_crosses(counts, max_cross)
    return Features(counts.sizes, np.concatenate(shares), left, right)


def _choose_crosses(counts: Counts, max_cross: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    n_values = sum(counts.sizes)
    n_crosses = (n_values**2 - sum(size**2 for size in counts.sizes)) // 2
    attribute_of = np.repeat(np.arange(len(counts.sizes)), counts.sizes)
    candidates = attribute_of[:, None] < attribute_of
    if n_crosses > max_cross:
        candidates &= counts.dense() > 0
    left, right = np.nonzero(candidates)
    if len(left) > max_cross:
        most_frequent = np.argsort(-counts.dense()[left, right], kind="stable")[:max_cross]
        kept = np.sort(most_frequent)
        left, right = left[kept], right[kept]
    return left, right
