"""Several columns as one joint code: packed rows, their distances, and counts in clusters."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import prod
from typing import Any

import numpy as np

from untie._util.types import AnyArray, Codes, FloatArray, IntArray, LongArray, smallest_unsigned


def pack_attributes(widths: Sequence[int], limit: int) -> list[list[int]]:
    """Put neighboring attributes into packs of at most `limit` joint cells.

    Examples
    --------
    >>> pack_attributes([3, 3, 100, 3, 300, 2], limit=100)
    [[0, 1], [2], [3], [4], [5]]
    """
    packs: list[list[int]] = []
    cells = limit + 1
    for attribute, width in enumerate(widths):
        if cells * width <= limit:
            packs[-1].append(attribute)
            cells *= width
        else:
            packs.append([attribute])
            cells = width
    return packs


def joint_code(columns: Sequence[AnyArray], widths: Sequence[int], dtype: Any = None) -> AnyArray:
    """Return one code for the combination of several codes; that of a lone column is its own.

    Parameters
    ----------
    columns : sequence of integer arrays of shape (n_rows,)
        The codes of each attribute.
    widths : sequence of int
        Number of codes of each attribute.
    dtype : dtype, optional
        Of the result; the smallest that holds all combinations by default.

    Examples
    --------
    >>> joint_code([np.array([0, 1]), np.array([2, 2])], (2, 3))
    array([2, 5], dtype=uint8)
    """
    dtype = np.dtype(smallest_unsigned(prod(widths)) if dtype is None else dtype)
    if len(columns) == 1:
        return columns[0].astype(dtype, copy=False)
    joint = columns[0].astype(dtype)
    for column, width in zip(columns[1:], widths[1:], strict=True):
        joint *= dtype.type(width)
        joint += column.astype(dtype, copy=False)
    return joint


@dataclass(frozen=True)
class Packs:
    """Neighboring attributes that are looked up as one.

    Parameters
    ----------
    widths : tuple of int
        Number of codes of each attribute.
    limit : int
        Attributes are packed while they have at most this many combinations.

    Examples
    --------
    >>> packs = Packs((2, 3), 6)
    >>> list(packs.join_codes([np.array([0, 1]), np.array([2, 2])]))
    [array([2, 5], dtype=uint8)]
    >>> packs.add_tables([np.array([[0.0], [10.0]]), np.array([[0.0], [1.0], [2.0]])])[0].ravel()
    array([ 0.,  1.,  2., 10., 11., 12.])
    """

    widths: tuple[int, ...]
    limit: int

    @cached_property
    def members(self) -> list[list[int]]:
        """The attributes of each pack."""
        return pack_attributes(self.widths, self.limit)

    @cached_property
    def n_cells(self) -> list[int]:
        """Number of combinations of each pack."""
        return [prod(self.widths[attribute] for attribute in pack) for pack in self.members]

    def join_codes(self, codes: Codes, dtype: Any = None) -> Iterator[AnyArray]:
        """Yield the joint codes of the rows, one array per pack; see `joint_code`."""
        for pack in self.members:
            widths = [self.widths[attribute] for attribute in pack]
            yield joint_code([codes[attribute] for attribute in pack], widths, dtype)

    def add_tables(self, tables: Sequence[AnyArray]) -> list[AnyArray]:
        """Add up tables of shape (width, n); shape (combinations, n), one per pack."""

        def join(joint: AnyArray, table: AnyArray) -> AnyArray:
            return (joint[:, None] + table).reshape(-1, joint.shape[1])

        return [reduce(join, [tables[attribute] for attribute in pack]) for pack in self.members]

    def stack_tables(self, tables: Sequence[AnyArray]) -> list[AnyArray]:
        """Put tables side by side; shape (combinations, columns of all), one per pack."""

        def join(joint: AnyArray, table: AnyArray) -> AnyArray:
            left, right = np.repeat(joint, len(table), axis=0), np.tile(table, (len(joint), 1))
            return np.hstack([left, right])

        return [reduce(join, [tables[attribute] for attribute in pack]) for pack in self.members]

    def split_counts(self, counts: Sequence[AnyArray]) -> list[AnyArray]:
        """Turn (n, combinations) counts per pack into (n, width) counts per attribute."""
        result = []
        for pack, joint in zip(self.members, counts, strict=True):
            shaped = joint.reshape(len(joint), *(self.widths[attribute] for attribute in pack))
            axes = range(1, shaped.ndim)
            result += [shaped.sum(axis=tuple(set(axes) - {axis})) for axis in axes]
        return result


def add_up(
    tables: Sequence[AnyArray], joint: Sequence[IntArray], rows: slice, work: AnyArray
) -> AnyArray:
    """Look the rows up in every pack's table and add; shape (n_rows, n).

    Parameters
    ----------
    tables : sequence of arrays of shape (combinations, n)
        What `Packs.add_tables` gives.
    joint : sequence of integer arrays
        What `Packs.join_codes` gives.
    rows : slice
        The rows to look up.
    work : array of shape (2, at least the number of rows, n)
        Memory to work in; the result is part of it.
    """
    # "clip" lets numpy write straight into the given memory; no code is out of range.
    first = joint[0][rows]
    total, part = work[:, : len(first)]
    np.take(tables[0], first, axis=0, out=total, mode="clip")
    for table, codes in zip(tables[1:], joint[1:], strict=True):
        np.take(table, codes[rows], axis=0, out=part, mode="clip")
        total += part
    return total


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
    first: IntArray
    positions: IntArray

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


def row_keys(codes: Codes, widths: Sequence[int]) -> LongArray:
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


def nearest_of(
    blocks: Iterable[tuple[slice, FloatArray]], tolerances: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return the first of the nearest modes of each row, and how far it is.

    Parameters
    ----------
    blocks : iterable of (rows, distances)
        Distances of some rows at a time to each mode; shape (n_some, n_clusters).
    tolerances : array of shape (n_rows, 1)
        Distances of a row that differ by no more than this are equal.
    """
    labels, distances = np.empty(len(tolerances), dtype=np.intp), np.empty(len(tolerances))
    for rows, part in blocks:
        is_near = part <= part.min(axis=1, keepdims=True) + tolerances[rows]
        is_near.argmax(axis=1, out=labels[rows])
        distances[rows] = np.take_along_axis(part, labels[rows, None], axis=1)[:, 0]
    return labels, distances


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

    def distances(self, tables: Sequence[FloatArray], modes: IntArray) -> FloatArray:
        """Return the distance of each row to each mode; shape (n_rows, n_clusters)."""
        result = np.empty((self.n_rows, len(modes)))
        for rows, part in self.blocks(tables, modes):
            result[rows] = part
        return result

    def nearest(
        self, tables: Sequence[FloatArray], modes: IntArray, tolerance: float = 0.0
    ) -> tuple[IntArray, FloatArray]:
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
        tolerances = np.broadcast_to(tolerance, (self.n_rows, 1))
        return nearest_of(self.blocks(tables, modes), tolerances)

    def count(
        self, labels: IntArray, n_clusters: int, weights: FloatArray | None
    ) -> list[AnyArray]:
        """Return how often each code occurs in each cluster: (n_clusters, width) per attribute."""
        counts = []
        for codes, n_cells in zip(self._joint, self._packs.n_cells, strict=True):
            n_bins = n_clusters * n_cells
            histogram = np.bincount(labels * n_cells + codes, weights, minlength=n_bins)
            counts.append(histogram.reshape(n_clusters, n_cells))
        return self._packs.split_counts(counts)

    def blocks(
        self, tables: Sequence[FloatArray], modes: IntArray
    ) -> Iterator[tuple[slice, FloatArray]]:
        """Yield the distances of some rows at a time, in memory that the next ones overwrite."""
        chosen = [table[:, values] for table, values in zip(tables, modes.T, strict=True)]
        added = self._packs.add_tables(chosen)
        step = max(256, BLOCK_NUMBERS // len(modes))
        work = np.empty((2, min(step, self.n_rows), len(modes)))
        for start in range(0, self.n_rows, step):
            rows = slice(start, min(start + step, self.n_rows))
            yield rows, add_up(added, self._joint, rows, work)
