"""Rows on the map -> their distances and similarities, attribute by attribute."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie._count.packed_rows import distinct_rows
from untie._util.types import Codes, FloatArray
from untie.encoder import TableEncoder

BLOCK_ROWS = 64
"""Rows are compared with all others this many at a time."""


@dataclass(frozen=True, eq=False)
class Kinds:
    """The distinct rows among some.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted.
    codes : list of integer arrays of shape (n_kinds,)
        The distinct rows, one array per attribute.
    first : integer array of shape (n_kinds,)
        Which of the rows is the first of each kind.
    members : integer array of shape (n_rows,)
        The kind of each row.
    """

    encoder: TableEncoder
    codes: Codes
    first: NDArray[np.intp]
    members: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.first)

    def products(self, attribute: int) -> tuple[FloatArray, NDArray[np.intp]]:
        """Return the inner products of the values that occur, and which of them each kind has."""
        present, places = np.unique(self.codes[attribute], return_inverse=True)
        vectors: Any = self.encoder.model_.vectors.tables[attribute][present]
        products = vectors @ vectors.T
        dense = products.toarray() if sparse.issparse(products) else products
        return np.asarray(dense, dtype=float), places.ravel()

    @cached_property
    def similarities(self) -> FloatArray:
        """The similarity of every kind to every other; shape (n_kinds, n_kinds)."""
        total = np.zeros((len(self), len(self)))
        for attribute in range(len(self.codes)):
            products, places = self.products(attribute)
            columns = products[:, places]
            for start in range(0, len(total), BLOCK_ROWS):  # they stay in the cache
                rows = slice(start, start + BLOCK_ROWS)
                total[rows] += columns[places[rows]]
        return total

    @cached_property
    def distances(self) -> FloatArray:
        """The distance of every kind to every other; shape (n_kinds, n_kinds)."""
        own = self.similarities.diagonal()
        squares: FloatArray = own[:, None] + own - 2.0 * self.similarities
        # Rounded, as sums in another order differ in their last digits.
        squares = np.asarray(np.round(np.maximum(squares, 0.0), 9), dtype=np.float64)
        np.fill_diagonal(squares, 0.0)
        return np.sqrt(squares)

    def parts(
        self, attribute: int, left: NDArray[np.intp], right: NDArray[np.intp]
    ) -> tuple[FloatArray, FloatArray]:
        """Return what an attribute adds to the similarity and squared distance of pairs."""
        products, places = self.products(attribute)
        own = products.diagonal()
        first, second = places[left], places[right]
        similarity = products[first, second]
        squares = np.maximum(own[first] + own[second] - 2.0 * similarity, 0.0)
        return similarity, np.where(first == second, 0.0, squares)


def find_kinds(encoder: TableEncoder, rows: Any) -> Kinds:
    """Merge equal rows."""
    codes = encoder._codes(rows)
    widths = [size + 1 for size in encoder.vocabulary_.sizes]
    found = distinct_rows(codes, widths, None)
    return Kinds(encoder, found.codes, found.first, found.positions)
