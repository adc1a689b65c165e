"""What k-modes works on: distinct rows, value distances, and how a cluster's mode is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._count.packed_rows import Distinct, PackedRows, grid_error
from untie._util.types import FloatArray

Modes = NDArray[np.intp]
"""Codes of the modes; shape (n_clusters, n_attributes)."""

ROUNDING = 1e-12
"""Summed distances that differ by less than this share of the largest are equal."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A table to cluster.

    Parameters
    ----------
    rows : Distinct
        The distinct rows and their weights.
    tables : list of arrays of shape (n_values + 1, n_values)
        Distance of each code, the last one for unknown values, to each value.
    frequencies : list of arrays of shape (n_values,)
        Weight of the rows with each value.
    n_clusters : int
        Number of clusters.
    median : bool
        Whether a mode is the value with the lowest summed distance, or the most frequent one.
    """

    rows: Distinct
    tables: list[FloatArray]
    frequencies: list[FloatArray]
    n_clusters: int
    median: bool

    @cached_property
    def packed(self) -> PackedRows:
        """The rows, joined for looking up."""
        return PackedRows(self.rows.codes, [len(table) for table in self.tables])

    @cached_property
    def typical(self) -> Modes:
        """The most frequent value of each attribute; shape (n_attributes,)."""
        return np.array([frequencies.argmax() for frequencies in self.frequencies])

    @cached_property
    def _counting_weights(self) -> FloatArray | None:
        return None if (self.rows.weights == 1).all() else self.rows.weights

    def modes_at(self, chosen: NDArray[np.intp]) -> Modes:
        """Return rows as modes, with typical values instead of unknown ones."""
        modes = np.stack([column[chosen].astype(np.intp) for column in self.rows.codes], axis=1)
        sizes = [len(frequencies) for frequencies in self.frequencies]
        return np.where(modes < sizes, modes, self.typical)

    def nearest(self, modes: Modes) -> tuple[NDArray[np.intp], float]:
        """Return the rows' labels, ties to the lowest, and their cost."""
        labels, distances = self.packed.nearest(self.tables, modes, grid_error(self.tables))
        return labels, float(distances @ self.rows.weights)

    def cost(self, labels: NDArray[np.intp], modes: Modes) -> float:
        """Return the weighted sum of the rows' distances to their modes."""
        return cost(self.rows, self.tables, labels, modes)

    def update(self, labels: NDArray[np.intp]) -> Modes:
        """Return the modes of clusters, none of which is empty."""
        counts = self.packed.count(labels, self.n_clusters, self._counting_weights)
        modes = np.empty((self.n_clusters, len(counts)), dtype=np.intp)
        for attribute, found in enumerate(counts):
            frequencies = self.frequencies[attribute]
            if self.median:
                modes[:, attribute] = medians(found, self.tables[attribute], frequencies > 0)
            else:
                known = found[:, : len(frequencies)]
                values = known.argmax(axis=1)
                modes[:, attribute] = np.where(known.any(axis=1), values, self.typical[attribute])
        return modes


def cost(
    rows: Distinct, tables: Sequence[FloatArray], labels: NDArray[np.intp], modes: Modes
) -> float:
    """Return the weighted sum of the rows' distances to their clusters' modes."""
    total = np.zeros(len(rows))
    for codes, table, values in zip(rows.codes, tables, modes.T, strict=True):
        total += table[codes, values[labels]]
    return float(total @ rows.weights)


def medians(counts: NDArray[Any], table: FloatArray, occurs: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return each cluster's value with the lowest summed distance to the cluster's cells.

    Of equal ones, the one that is more frequent in the cluster, then the first. Values that
    never occur are no candidates.

    Parameters
    ----------
    counts : array of shape (n_clusters, n_values + 1)
        How often each code occurs in each cluster.
    table : array of shape (n_values + 1, n_values)
        Distance of each code to each value.
    occurs : boolean array of shape (n_values,)
        Whether the table has each value.
    """
    sums = counts.astype(float) @ table
    tolerance = ROUNDING * np.abs(sums).max(axis=1, keepdims=True)
    sums[:, ~occurs] = np.inf
    is_lowest = sums <= sums.min(axis=1, keepdims=True) + tolerance
    best: NDArray[np.intp] = np.where(is_lowest, counts[:, :-1], -1).argmax(axis=1)
    return best
