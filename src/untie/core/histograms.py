"""Counts of pairs of values by histograms of joint codes.

Attributes with few values are packed: a pack's joint code tells the values of all its attributes.
One histogram of two packs' joint codes then holds the counts of every two of their attributes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie.core.types import Codes, FloatArray, smallest_unsigned

PACKED_CELLS = 256
"""Attributes are packed into one joint code while it has at most so many cells."""

Block = tuple[int, int, NDArray[Any]]
"""Two attributes, the smaller number first, and the counts of one's values with the other's; of
an attribute with itself, where a value meets itself alone, the diagonal."""


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
    n_cells : int
        Number of combinations of the members' codes.
    """

    def __init__(self, members: Sequence[int], sizes: Sequence[int], widths: Sequence[int]) -> None:
        self.members = members
        self.widths = [widths[attribute] for attribute in members]
        self.n_cells = math.prod(self.widths)
        self._sizes = [sizes[attribute] for attribute in members]

    def joint_code(self, codes: Codes, rows: slice) -> NDArray[Any]:
        """Return the joint codes of some rows."""
        joint = codes[self.members[0]][rows].astype(smallest_unsigned(self.n_cells))
        for attribute, width in zip(self.members[1:], self.widths[1:], strict=True):
            joint *= joint.dtype.type(width)
            joint += codes[attribute][rows].astype(joint.dtype, copy=False)
        return joint

    def add_up(self, histogram: NDArray[Any]) -> list[NDArray[Any]]:
        """Turn rows for combinations into rows for values, one array per member."""
        if len(self.members) == 1:
            return [histogram[: self._sizes[0]]]
        shaped = histogram.reshape(*self.widths, -1)
        axes = range(len(self.members))
        return [
            shaped.sum(axis=tuple(axis for axis in axes if axis != own))[: self._sizes[own]]
            for own in axes
        ]

    def own_pairs(self, marginal: NDArray[Any]) -> Iterator[Block]:
        """Yield the counts of the members' values with each other."""
        for attribute, counts in zip(self.members, self.add_up(marginal[:, None]), strict=True):
            yield attribute, attribute, counts[:, 0]
        shaped = marginal.reshape(self.widths)
        for first, second in combinations(range(len(self.members)), 2):
            others = tuple(axis for axis in range(shaped.ndim) if axis not in (first, second))
            counts = shaped.sum(axis=others)[: self._sizes[first], : self._sizes[second]]
            yield _block(self.members[first], self.members[second], counts)


def count_one(pack: Pack, joint: NDArray[Any], weights: FloatArray | None) -> list[Block]:
    """Count the pairs within a pack."""
    return list(pack.own_pairs(np.bincount(joint, weights, minlength=pack.n_cells)))


def count_two(
    left: Pack,
    right: Pack,
    joint: tuple[NDArray[Any], NDArray[Any]],
    weights: FloatArray | None,
    own: Sequence[Pack],
) -> list[Block]:
    """Count the pairs between two packs, and those within the packs named in `own`."""
    n_cells = left.n_cells * right.n_cells
    pair = joint[0].astype(smallest_unsigned(n_cells))
    pair *= pair.dtype.type(right.n_cells)
    pair += joint[1].astype(pair.dtype, copy=False)
    histogram = np.bincount(pair, weights, minlength=n_cells).reshape(left.n_cells, right.n_cells)
    blocks = [
        _block(first, second, counts.T)
        for first, by_first in zip(left.members, left.add_up(histogram), strict=True)
        for second, counts in zip(right.members, right.add_up(by_first.T), strict=True)
    ]
    if left in own:
        blocks += left.own_pairs(histogram.sum(axis=1))
    if right in own:
        blocks += right.own_pairs(histogram.sum(axis=0))
    return blocks


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


def _block(first: int, second: int, counts: NDArray[Any]) -> Block:
    return (first, second, counts) if first < second else (second, first, counts.T)
