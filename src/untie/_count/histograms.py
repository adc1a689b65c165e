"""Counts of pairs of values by histograms of joint codes.

Attributes with few values are packed: a pack's joint code tells the values of all its attributes.
One histogram of two packs' joint codes then holds the counts of every two of their attributes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement, pairwise
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie._count.packing import joint_code
from untie._util.types import Codes, FloatArray

PACKED_CELLS = 256
"""Attributes are packed into one joint code while it has at most this many cells."""

TILE = 256
"""A matrix is mirrored by squares of this many values, which fit in the processor's cache."""

Block = tuple["Pack", "Pack", NDArray[Any]]
"""The counts of the values of one pack with those of another. Of a pack with itself: those of two
different attributes once, and the diagonal; alone, in one dimension, if it has one attribute."""


class Pack:
    """Attributes that are counted as one.

    Parameters
    ----------
    members : sequence of int
        The attributes.
    sizes, widths : sequence of int
        Number of values of every attribute of the table, and of codes: one more where there are
        unknown cells.

    Attributes
    ----------
    values : array of shape (n_values of the members,)
        Where their values stand among all values of the table.
    span : slice or None
        The same of a single member, as numbers are added to a slice in a tenth of the time.
    n_cells : int
        Number of combinations of the members' codes.
    """

    def __init__(self, members: Sequence[int], sizes: Sequence[int], widths: Sequence[int]) -> None:
        self._members = members
        self._widths = [widths[attribute] for attribute in members]
        self._sizes = [sizes[attribute] for attribute in members]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        self.values = np.concatenate([np.arange(starts[a], starts[a + 1]) for a in members])
        first = members[0]
        self.span = slice(starts[first], starts[first + 1]) if len(members) == 1 else None
        self.n_cells = math.prod(self._widths)

    def joint_code(self, codes: Codes, rows: slice) -> NDArray[Any]:
        """Return the joint codes of some rows."""
        return joint_code([codes[attribute][rows] for attribute in self._members], self._widths)

    def add_up(self, histogram: NDArray[Any]) -> NDArray[Any]:
        """Turn rows for combinations into rows for values."""
        if len(self._members) == 1:
            return histogram[: self._sizes[0]]
        shaped = histogram.reshape(*self._widths, -1)
        axes = range(len(self._members))
        parts = [
            shaped.sum(axis=tuple(axis for axis in axes if axis != own))[: self._sizes[own]]
            for own in axes
        ]
        return np.concatenate(parts)

    def own_pairs(self, marginal: NDArray[Any]) -> Block:
        """Return the counts of the members' values with each other."""
        diagonal = self.add_up(marginal[:, None])[:, 0]
        if len(self._members) == 1:
            return self, self, diagonal
        block = np.diag(diagonal)
        starts = np.concatenate([[0], np.cumsum(self._sizes)])
        spans = [slice(*bounds) for bounds in pairwise(starts)]
        shaped = marginal.reshape(self._widths)
        for first, second in combinations(range(len(spans)), 2):
            others = tuple(axis for axis in range(shaped.ndim) if axis not in (first, second))
            counts = shaped.sum(axis=others)[: self._sizes[first], : self._sizes[second]]
            block[spans[first], spans[second]] = counts
        return self, self, block


class PairCounter(local):
    """Counts pairs of codes of many rows, in memory that each thread uses again and again.

    Fresh memory for every histogram costs nearly as much as counting, and `numpy.bincount` keeps
    other threads waiting while it turns the codes into longer integers. A sparse row with an entry
    for each pair adds up what stands in the same place, and does not.

    Parameters
    ----------
    n_rows : int
        At most this many rows are counted at a time.
    """

    def __init__(self, n_rows: int) -> None:
        self._pairs = np.empty(n_rows, np.int32)
        self._ones = np.ones(n_rows, np.int32)

    def count(
        self, joint: tuple[NDArray[Any], NDArray[Any]], shape: tuple[int, int]
    ) -> NDArray[np.int32]:
        """Return how often each code of one kind (rows) meets each of the other."""
        n_rows, n_cells = len(joint[0]), math.prod(shape)
        pairs = self._pairs[:n_rows]
        np.copyto(pairs, joint[0])
        pairs *= np.int32(shape[1])
        pairs += joint[1]
        ends = np.array([0, n_rows], np.int32)
        row = sparse.csr_array((self._ones[:n_rows], pairs, ends), shape=(1, n_cells))
        return row.toarray().reshape(shape)


def count_one(pack: Pack, joint: NDArray[Any], weights: FloatArray | None) -> list[Block]:
    """Count the pairs within a pack."""
    return [pack.own_pairs(np.bincount(joint, weights, minlength=pack.n_cells))]


def count_two(
    left: Pack,
    right: Pack,
    joint: tuple[NDArray[Any], NDArray[Any]],
    weights: FloatArray | None,
    own: Sequence[Pack],
    counter: PairCounter | None = None,
) -> list[Block]:
    """Count the pairs between two packs, and those within the packs named in `own`.

    Many rows without weights are faster with a counter.
    """
    shape = (left.n_cells, right.n_cells)
    histogram: NDArray[Any]
    if counter is None:
        pair = joint_code(joint, shape)
        histogram = np.bincount(pair, weights, minlength=math.prod(shape)).reshape(shape)
    else:
        histogram = counter.count(joint, shape)
    blocks = [(left, right, right.add_up(left.add_up(histogram).T).T)]
    if left in own:
        blocks.append(left.own_pairs(histogram.sum(axis=1)))
    if right in own:
        blocks.append(right.own_pairs(histogram.sum(axis=0)))
    return blocks


def add_block(matrix: FloatArray, block: Block) -> None:
    """Add counts to a matrix of all values with all values, in place."""
    left, right, counts = block
    if counts.ndim == 1:
        matrix[left.values, left.values] += counts
    elif left.span is not None and right.span is not None:
        matrix[left.span, right.span] += counts
    else:
        matrix[np.ix_(left.values, right.values)] += counts


def mirror(matrix: FloatArray) -> FloatArray:
    """Make a matrix in which each pair stands once symmetric, in place.

    Tile by tile, as a large matrix read across its lines misses the processor's cache each time.
    """
    diagonal = matrix.diagonal().copy()
    tiles = [slice(start, start + TILE) for start in range(0, len(matrix), TILE)]
    for above, below in combinations_with_replacement(tiles, 2):
        both = matrix[above, below] + matrix[below, above].T
        matrix[above, below] = both
        matrix[below, above] = both.T
    np.fill_diagonal(matrix, diagonal)
    return matrix


def fill_packs(widths: Sequence[int], limit: int | None = None) -> list[list[int]]:
    """Put attributes, the widest first, into as few packs of at most `limit` cells as is easy.

    Examples
    --------
    >>> fill_packs([3, 3, 100, 3, 300, 2], limit=100)
    [[4], [2], [0, 1, 3, 5]]
    """
    limit = PACKED_CELLS if limit is None else limit
    smallest = min(widths)
    packs: list[list[int]] = []
    cells: list[int] = []
    has_room: list[int] = []
    for attribute in sorted(range(len(widths)), key=lambda attribute: -widths[attribute]):
        width = widths[attribute]
        place = next((pack for pack in has_room if cells[pack] * width <= limit), len(packs))
        if place == len(packs):
            packs.append([])
            cells.append(1)
            has_room.append(place)
        packs[place].append(attribute)
        cells[place] *= width
        if cells[place] * smallest > limit:
            has_room.remove(place)
    return packs
