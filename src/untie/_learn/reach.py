"""How far the rows of each cluster are from its mean -> which other rows are like none of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from untie._count.packed_rows import PackedRows
from untie._count.row_sample import RowSample
from untie._learn.costs import Costs, all_clusters, cheapest, pack
from untie._learn.means import Centres
from untie._learn.value_space import ValueSpace
from untie._util.types import FloatArray

NEARLY_ALL = 0.99
"""This share of a cluster's rows is within its reach."""

ENOUGH_ROWS = 100
"""Fewer rows than this can't tell what one row in a hundred is; the rows of all clusters help."""


@dataclass(frozen=True, eq=False)
class Reach:
    """How far the rows of clusters are from the means.

    Parameters
    ----------
    farthest : array of shape (n_clusters,)
        The distance to the mean that 99 % of a cluster's rows keep within; of a cluster with fewer
        than 100 rows, at least the distance that 99 % of all rows keep to theirs.
    usual : array of shape (n_clusters, n_attributes)
        The mean squared distance of the rows to the mean, column by column.
    """

    farthest: FloatArray
    usual: FloatArray


def find_reach(
    space: ValueSpace,
    centres: Centres,
    counts: Sequence[FloatArray],
    costs: Costs,
    sample: RowSample,
) -> Reach:
    """Return how far the rows of each cluster are from its mean.

    Parameters
    ----------
    space : ValueSpace
        The value vectors.
    centres : list of arrays
        The means.
    counts : sequence of arrays of shape (n_clusters, n_codes)
        Weight of the rows of each cluster with each code, one per attribute.
    costs : Costs
        What puts rows into clusters.
    sample : RowSample
        Rows with their weights; all of them, if there are few.
    """
    codes = list(sample.codes.T)
    labels = cheapest(pack(codes, costs), costs)
    tables = space.distances_to_points(centres)
    squares = PackedRows(codes, space.n_codes).distances(tables, all_clusters(tables))
    own = np.sqrt(squares[np.arange(len(labels)), labels])
    sizes = counts[0].sum(axis=1)
    of_all = weighted_quantile(own, sample.weights, NEARLY_ALL)
    farthest = np.full(len(sizes), of_all)
    for number, size in enumerate(sizes):
        members = labels == number
        if members.any():
            found = weighted_quantile(own[members], sample.weights[members], NEARLY_ALL)
            farthest[number] = found if size >= ENOUGH_ROWS else max(found, of_all)
    whole = np.maximum(sizes, np.finfo(float).tiny)  # a cluster may have lost its rows
    usual = [
        np.einsum("ij,ji->i", joint, table) / whole
        for joint, table in zip(counts, tables, strict=True)
    ]
    return Reach(farthest, np.column_stack(usual))


def weighted_quantile(numbers: FloatArray, weights: FloatArray, share: float) -> float:
    """Return the smallest of the numbers that at least a share of the weight does not exceed.

    Examples
    --------
    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 8.0]), 0.9)
    2.0
    """
    order = np.argsort(numbers, kind="stable")
    below = np.cumsum(weights[order])
    place = int(np.searchsorted(below, share * below[-1] * (1 - 1e-12)))
    return float(numbers[order[min(place, len(order) - 1)]])
