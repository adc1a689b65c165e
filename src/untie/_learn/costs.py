"""What it costs each value to be in each cluster -> where rows go, and what clusters then hold.

A row's cost in a cluster is the sum over its cells, whatever costs are: squared distances to the
means (`means`) or how unlikely the values are (`moves`). So a pass over the rows looks numbers up,
and its counts have all that the next costs are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from untie._count.packed_rows import PackedRows
from untie._count.row_sample import RowSample
from untie._util.k_means import TIE
from untie._util.types import Codes, FloatArray

Costs = list[FloatArray]
"""One array of shape (n_codes, n_clusters) per attribute; the last code is an unknown value's."""


@dataclass(frozen=True, eq=False)
class Pass:
    """What a pass over rows finds; ``+`` adds those of two pieces.

    Parameters
    ----------
    counts : list of arrays of shape (n_clusters, n_codes)
        Weight of the rows of each cluster with each code, one per attribute.
    """

    counts: list[FloatArray]

    def __add__(self, other: Pass) -> Pass:
        return Pass([a + b for a, b in zip(self.counts, other.counts, strict=True)])

    @property
    def sizes(self) -> FloatArray:
        """Weight of each cluster; shape (n_clusters,)."""
        return self.counts[0].sum(axis=1)

    def is_like(self, other: Pass) -> bool:
        """Tell whether the clusters have the same values, and so the same means."""
        return all(
            np.allclose(a, b, rtol=1e-12, atol=0.0)
            for a, b in zip(self.counts, other.counts, strict=True)
        )

    def cost(self, costs: Costs) -> float:
        """Return what all cells cost together, each in its own cluster."""
        return float(
            sum(
                np.einsum("ij,ji->", joint, table)
                for joint, table in zip(self.counts, costs, strict=True)
            )
        )


Walk = Callable[[Costs], Pass]
"""Takes costs and returns what a pass over all rows finds."""


def ties_apart(tables: Sequence[FloatArray]) -> Costs:
    """Return costs by which the first of equally cheap clusters is the cheapest.

    Rounding depends on the order of the columns, so a later cluster must be cheaper by more. Once
    apart, ties fall the same way if the clusters are put into another order.

    Examples
    --------
    >>> ties_apart([np.array([[1.0, 1.0], [2.0, 0.0]])])[0].argmin(axis=1)
    array([0, 1])
    """
    tie = TIE * sum(float(np.abs(table).max(initial=0.0)) for table in tables)
    first, *others = tables
    return [first + tie * np.arange(first.shape[1]), *others]


def pack(codes: Codes, costs: Costs) -> PackedRows:
    """Return rows that can be looked up in costs."""
    return PackedRows(codes, [len(table) for table in costs])


def cheapest(rows: PackedRows, costs: Costs) -> NDArray[np.intp]:
    """Return the cluster in which each row costs least."""
    return rows.nearest(costs, all_clusters(costs))[0]


def walk_rows(rows: PackedRows, weights: FloatArray | None, costs: Costs) -> Pass:
    """Return what one pass over some rows finds."""
    counts = rows.count(cheapest(rows, costs), costs[0].shape[1], weights)
    return Pass([np.asarray(joint, dtype=float) for joint in counts])


def largest_first(costs: Costs, sizes: FloatArray, sample: RowSample) -> NDArray[np.intp]:
    """Return the clusters in the order of their sizes.

    Of equally large clusters, the one with the first of the sampled rows comes first.
    """
    labels = cheapest(pack(list(sample.codes.T), costs), costs)
    members, places = np.unique(labels, return_index=True)
    firsts = np.full(len(sizes), len(labels))
    firsts[members] = places
    # Sums of weights are rounded, relative to the largest.
    return np.lexsort((firsts, -np.round(sizes / sizes.max(), 9)))


def all_clusters(costs: Costs) -> NDArray[np.intp]:
    """Return which column of each attribute's table belongs to which cluster: the same of all."""
    return np.repeat(np.arange(costs[0].shape[1])[:, None], len(costs), axis=1)
