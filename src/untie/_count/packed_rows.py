"""Coded rows -> distinct rows, their distances to modes, and counts of values in clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._count.packing import Packs, add_up
from untie._util.types import Codes, FloatArray

JOINT_CELLS = 4096
"""Attributes are looked up together while they have at most this many combinations."""

BLOCK_NUMBERS = 2**16
"""This many distances are computed at a time; they stay in the cache."""

GRID = 40
"""Value distances are rounded to 2^-GRID of the largest distance of two rows."""

LARGEST_KEY = 2**62
"""Joint codes of whole rows stay below this, so that they fit an integer."""


@dataclass(frozen=True, eq=False)
class Distinct:
    """The distinct rows of a table, sorted by their codes, whatever the order of its rows.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_distinct,)
        One array per attribute.
    weights : array of shape (n_distinct,)
        How often each occurs.
    first : integer array of shape (n_distinct,)
        The number of the row that is the first of its kind.
    positions : integer array of shape (n_rows,)
        The distinct row that each row is.
    """

    codes: Codes
    weights: FloatArray
    first: NDArray[np.intp]
    positions: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.weights)


def distinct_rows(codes: Codes, widths: Sequence[int], weights: FloatArray | None) -> Distinct:
    """Merge equal rows.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        One array per attribute.
    widths : sequence of int
        Number of codes of each attribute.
    weights : array of shape (n_rows,), optional
        How often each row counts.
    """
    keys = row_keys(codes, widths)
    _, first, positions = np.unique(keys, return_index=True, return_inverse=True)
    totals = np.bincount(positions, weights, minlength=len(first)).astype(float)
    return Distinct([column[first] for column in codes], totals, first, positions)


def row_keys(codes: Codes, widths: Sequence[int]) -> NDArray[np.int64]:
    """Return a number for each row; those of equal rows, and no others, are equal.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        One array per attribute.
    widths : sequence of int
        Number of codes of each attribute.
    """
    keys, n_keys = codes[0].astype(np.int64), widths[0]
    for column, width in zip(codes[1:], widths[1:], strict=True):
        if n_keys * width > LARGEST_KEY:
            found, keys = np.unique(keys, return_inverse=True)
            n_keys = len(found)
        keys, n_keys = keys * width + column, n_keys * width
    return keys


def on_a_grid(tables: Sequence[FloatArray]) -> list[FloatArray]:
    """Round value distances so that sums of them, one per attribute, are exact.

    Distances that are equal but for rounding are then equal, and a row's distance does not
    depend on the order in which its attributes are added: ties are ties.
    """
    step = _grid_step(tables)
    return [np.round(table / step) * step for table in tables] if step else list(tables)


def grid_error(tables: Sequence[FloatArray]) -> float:
    """Return how much two equal sums of distances may differ once these are on a grid.

    A third and a third are not two thirds there.
    """
    return len(tables) * _grid_step(tables)


def _grid_step(tables: Sequence[FloatArray]) -> float:
    largest = sum(float(table.max()) for table in tables)
    return float(2.0 ** (np.ceil(np.log2(largest)) - GRID)) if largest > 0 else 0.0


class PackedRows:
    """Rows whose codes are joined, to be compared with modes again and again.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        One array per attribute.
    widths : sequence of int
        Number of codes of each attribute.
    """

    def __init__(self, codes: Codes, widths: Sequence[int]) -> None:
        self.n_rows = len(codes[0])
        self.widths = tuple(widths)
        # Making a joint table must stay cheaper than looking the rows up in it.
        limit = min(JOINT_CELLS, max(16, self.n_rows // 4))
        self._packs = Packs(self.widths, limit)
        self._joint = list(self._packs.join_codes(codes, np.intp))

    def distances(self, tables: Sequence[FloatArray], modes: NDArray[np.intp]) -> FloatArray:
        """Return the distance of each row to each mode; shape (n_rows, n_clusters)."""
        result = np.empty((self.n_rows, len(modes)))
        for rows, part in self.blocks(tables, modes):
            result[rows] = part
        return result

    def nearest(
        self, tables: Sequence[FloatArray], modes: NDArray[np.intp], tolerance: float = 0.0
    ) -> tuple[NDArray[np.intp], FloatArray]:
        """Return each row's nearest mode, the first of equally near ones, and how far it is.

        Parameters
        ----------
        tables : sequence of arrays of shape (width, n_values)
            Distance of each code to each value, one per attribute.
        modes : integer array of shape (n_clusters, n_attributes)
            Codes of the modes.
        tolerance : float
            Distances that differ by no more than this are equal.
        """
        labels = np.empty(self.n_rows, dtype=np.intp)
        distances = np.empty(self.n_rows)
        for rows, part in self.blocks(tables, modes):
            if tolerance:
                is_near = part <= part.min(axis=1, keepdims=True) + tolerance
                is_near.argmax(axis=1, out=labels[rows])
            else:
                part.argmin(axis=1, out=labels[rows])
            distances[rows] = np.take_along_axis(part, labels[rows, None], axis=1)[:, 0]
        return labels, distances

    def count(
        self, labels: NDArray[np.intp], n_clusters: int, weights: FloatArray | None
    ) -> list[NDArray[Any]]:
        """Return how often each code occurs in each cluster: (n_clusters, width) per attribute."""
        counts = []
        for codes, n_cells in zip(self._joint, self._packs.n_cells, strict=True):
            n_bins = n_clusters * n_cells
            histogram = np.bincount(labels * n_cells + codes, weights, minlength=n_bins)
            counts.append(histogram.reshape(n_clusters, n_cells))
        return self._packs.split_counts(counts)

    def blocks(
        self, tables: Sequence[FloatArray], modes: NDArray[np.intp]
    ) -> Iterator[tuple[slice, FloatArray]]:
        """Yield the distances of some rows at a time, in memory that the next ones overwrite."""
        chosen = [table[:, values] for table, values in zip(tables, modes.T, strict=True)]
        added = self._packs.add_tables(chosen)
        step = max(256, BLOCK_NUMBERS // len(modes))
        work = np.empty((2, min(step, self.n_rows), len(modes)))
        for start in range(0, self.n_rows, step):
            rows = slice(start, min(start + step, self.n_rows))
            yield rows, add_up(added, self._joint, rows, work)
