"""Value vectors of a fitted encoder -> similarities and distances, attribute by attribute.

A row's compact vector is its values' vectors side by side, so inner products and squared
distances are sums over the attributes, and so is everything that is made of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie.core.types import Codes, FloatArray
from untie.encoder import UNTIE

BLOCK_NUMBERS = 2**20
"""Distances held at a time."""


class ValueSpace:
    """The compact vectors of every attribute's values.

    Parameters
    ----------
    encoder : UNTIE
        Fitted.
    """

    def __init__(self, encoder: UNTIE) -> None:
        self.tables: tuple[Any, ...] = encoder._fitted.vectors.tables
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
        products = np.asarray(table @ points.T)
        own = table.multiply(table).sum(axis=1) if sparse.issparse(table) else _squares(table)
        distances = np.asarray(own).reshape(-1, 1) - 2.0 * products + _squares(points)
        return np.maximum(distances, 0.0)

    def distances_to_rows(self, codes: Codes) -> list[FloatArray]:
        """Return, for each attribute, squared distances of its codes to those of some rows.

        Returns
        -------
        list of arrays of shape (n_codes, n_rows)
        """
        tables = []
        for attribute, column in enumerate(codes):
            table = self.squared_distances(attribute, self.vectors(attribute, column))
            table[column, np.arange(len(column))] = 0.0  # a value has no distance to itself
            tables.append(table)
        return tables

    def centres(self, codes: Codes, members: NDArray[np.intp], weights: FloatArray) -> Any:
        """Return the mean vectors of clusters, attribute by attribute.

        Parameters
        ----------
        codes : list of integer arrays of shape (n_rows,)
            The rows.
        members : integer array of shape (n_rows,)
            The cluster of each row, from 0 to the number of clusters less one.
        weights : array of shape (n_rows,)
            How often each row counts.

        Returns
        -------
        list of arrays of shape (n_clusters, width)
        """
        n_clusters = int(members.max()) + 1
        sizes = np.bincount(members, weights, minlength=n_clusters)[:, None]
        centres = []
        for table, column, n_codes in zip(self.tables, codes, self.n_codes, strict=True):
            joint = np.bincount(
                members * n_codes + column, weights, minlength=n_clusters * n_codes
            ).reshape(n_clusters, n_codes)
            centres.append(np.asarray((table.T @ (joint / sizes).T).T))
        return centres

    def distances_to_points(self, points: list[FloatArray]) -> list[FloatArray]:
        """Return, for each attribute, squared distances of its codes to points."""
        return [self.squared_distances(attribute, part) for attribute, part in enumerate(points)]


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


def _squares(vectors: FloatArray) -> FloatArray:
    return np.einsum("ij,ij->i", vectors, vectors)
