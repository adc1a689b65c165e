"""A column's order -> a space in which neighbors are near, and a coarser view of the column.

A value stands at the mean rank of its rows, as a share of all rows: the space has its distances
from either end of the order. It comes from counts, so that chunks can be counted apart; it knows
nothing of the distances of numbers, so that a logarithm, or any other change that keeps the order
or turns it round, changes nothing. No similarity in it is negative.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from untie._count.counts import Counts
from untie._learn import memory
from untie._learn.spaces.kernel_spaces import KernelSpaces
from untie._learn.spaces.value_tables import Block, Dense, Tall
from untie._table.orders import ORDER, Orders, Positions
from untie._util.arrays import ROUNDING, ranges_of
from untie._util.types import FloatArray, IntArray, LongArray

COARSE = 5
"""A column with an order has this many groups in the coarser view; odd, as the order may be counted
from either end."""

MIXED = 1 / 3
"""A table is mixed if at least this share of its columns has an order."""


def is_mixed(orders: Orders) -> bool:
    """Tell whether many columns have an order."""
    n_ordered = sum(positions is not None for positions in orders)
    return n_ordered > 0 and n_ordered >= MIXED * len(orders) - ROUNDING


def mean_ranks(positions: Positions, frequencies: FloatArray) -> FloatArray:
    """Return where each value stands among the rows, from 0 to 1.

    Values without a position, such as a missing cell, are in the middle, which is the mean of all.

    Parameters
    ----------
    positions : integer array of shape (n_values,)
        The order; -1 for values without a place in it.
    frequencies : array of shape (n_values,)
        How often each value occurs.

    Examples
    --------
    >>> mean_ranks(np.array([2, 0, 1, -1]), np.array([2.0, 4.0, 4.0, 7.0]))
    array([0.9, 0.2, 0.6, 0.5])
    """
    ranks = np.full(len(positions), 0.5)
    known = positions >= 0
    if not frequencies[known].any():
        return ranks
    at_each = np.bincount(positions[known], frequencies[known])
    middles = (np.cumsum(at_each) - at_each / 2) / at_each.sum()
    ranks[known] = middles[positions[known]]
    return ranks


def order_spaces(counts: Counts, orders: Orders) -> KernelSpaces:
    """Return the spaces of the orders; a column without one has no coordinates there."""
    blocks = []
    for size, positions, own in zip(counts.sizes, orders, counts.parts, strict=True):
        axis = np.empty((size, 0))
        if positions is not None:
            ranks = mean_ranks(positions, own)
            axis = np.stack([ranks, 1.0 - ranks], axis=1)
        is_large = size > memory.LARGE
        table = Tall(None, axis, np.eye(axis.shape[1])) if is_large else Dense(axis)
        blocks.append(Block(table, (axis.shape[1],), np.zeros(1) if is_large else None))
    return KernelSpaces(((ORDER, "ranks"),), tuple(blocks))


@dataclass(frozen=True, eq=False)
class CoarseView:
    """A table in which neighboring values of columns with an order are one.

    How columns depend on each other, and what clusters tell of a column, is asked of this view: in
    tens of ranges there are too few rows each to tell.

    Parameters
    ----------
    counts : Counts
        Counts of the coarser values.
    targets : tuple of integer arrays or None
        For each attribute, the coarser code of each code, that of an unknown value included; None
        where nothing is coarser.
    """

    counts: Counts
    targets: tuple[IntArray, ...] | None = None

    def cells(self, codes: LongArray) -> LongArray:
        """Return rows in the coarser codes; shape (n_rows, n_attributes)."""
        if self.targets is None:
            return codes
        columns = [target[column] for target, column in zip(self.targets, codes.T, strict=True)]
        return np.stack(columns, axis=1).astype(np.int64)


def coarse_view(counts: Counts, orders: Sequence[Positions | None]) -> CoarseView:
    """Merge neighboring values of columns with an order until about five groups are left.

    Values without a place in the order stay as they are.
    """
    targets = []
    for size, positions, own in zip(counts.sizes, orders, counts.parts, strict=True):
        if positions is not None and positions.max(initial=-1) >= COARSE:
            targets.append(_groups(positions, mean_ranks(positions, own)))
        else:
            targets.append(np.arange(size, dtype=np.intp))
    sizes = tuple(int(target.max(initial=-1)) + 1 for target in targets)
    if sizes == counts.sizes:
        return CoarseView(counts)
    with_unknown = tuple(np.append(t, size) for t, size in zip(targets, sizes, strict=True))
    return CoarseView(counts.relabel(targets, sizes), with_unknown)


def _groups(positions: Positions, ranks: FloatArray) -> IntArray:
    """Return a group of each value by its rank; values without a position have one each."""
    known = positions >= 0
    result = np.empty(len(positions), dtype=np.intp)
    result[known] = np.unique(ranges_of(ranks[known], COARSE), return_inverse=True)[1]
    n_groups = int(result[known].max()) + 1
    result[~known] = n_groups + np.arange(np.count_nonzero(~known))
    return result
