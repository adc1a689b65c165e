"""Ward's method, in which equally near groups are merged at once.

Libraries merge one pair at a time. Which of several equally near pairs is the first then depends on
the order of the rows, and tables of categories have many such pairs; here, the order plays no part.
Groups that a chain of equally near pairs connects become one: rows at equal steps on a line are all
merged at once, as nothing tells where to begin.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist, squareform

from untie._util.types import FloatArray

SAME = 1e-9
"""Costs that differ by less than this share are equal."""


def ward_merges(rows: FloatArray, sizes: FloatArray) -> Iterator[tuple[int, list[list[int]]]]:
    """Merge groups of rows, those first that lie nearest, until there is one.

    Parameters
    ----------
    rows : array of shape (n_rows, n_dimensions)
        At first, every row is a group.
    sizes : array of shape (n_rows,)
        How often each row counts.

    Yields
    ------
    n_groups, merged
        How many groups are left, and lists of the groups that became one. It goes on under the
        number of the first.

    Examples
    --------
    >>> rows = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> list(ward_merges(rows, np.ones(4)))
    [(2, [[0, 1], [2, 3]]), (1, [[0, 2]])]
    """
    n_groups = len(rows)
    if n_groups < 2:
        return
    groups = _Groups.of(rows, sizes)
    while n_groups > 1:
        merged = groups.nearest()
        for numbers in merged:
            groups.merge(numbers)
            n_groups -= len(numbers) - 1
        yield n_groups, merged


@dataclass(frozen=True, eq=False)
class _Groups:
    """Groups of rows; they change in place.

    Parameters
    ----------
    sizes : array of shape (n_groups,)
        How much each counts.
    distances : array of shape (n_groups, n_groups)
        Squared distances of their means.
    costs : array of shape (n_groups, n_groups)
        By how much a merge makes squared distances to the means grow; infinite for groups that
        are gone.
    lowest : array of shape (n_groups,)
        The lowest cost of each line.
    """

    sizes: FloatArray
    distances: FloatArray
    costs: FloatArray
    lowest: FloatArray

    @classmethod
    def of(cls, rows: FloatArray, sizes: FloatArray) -> _Groups:
        distances = squareform(np.square(pdist(rows)))
        costs = distances * _merged_sizes(sizes[:, None], sizes)
        np.fill_diagonal(costs, np.inf)
        return cls(sizes.copy(), distances, costs, costs.min(axis=1))

    def nearest(self) -> list[list[int]]:
        """Return the groups that can be merged at the lowest cost."""
        lowest = self.lowest.min() * (1.0 + SAME)
        lines = np.flatnonzero(self.lowest <= lowest)
        if len(lines) == 2:  # nearly always
            return [lines.tolist()]
        near, columns = np.nonzero(self.costs[lines] <= lowest)
        pairs = np.stack([lines[near], columns], axis=1)
        numbers, ends = np.unique(pairs, return_inverse=True)
        left, right = ends.reshape(pairs.shape).T
        graph = sparse.coo_array((np.ones(len(left)), (left, right)), (len(numbers),) * 2)
        n_sets, which = connected_components(graph, directed=False)
        return [numbers[which == number].tolist() for number in range(n_sets)]

    def merge(self, numbers: list[int]) -> None:
        """Make one group of several."""
        first, others = numbers[0], numbers[1:]
        is_gone = np.isinf(self.costs[first])
        shares = self.sizes[numbers] / self.sizes[numbers].sum()
        spread = shares @ self.distances[np.ix_(numbers, numbers)] @ shares
        line = np.maximum(shares @ self.distances[numbers] - spread / 2.0, 0.0)
        line[first] = 0.0
        self.sizes[first] = self.sizes[numbers].sum()
        self.distances[first] = self.distances[:, first] = line
        line = line * _merged_sizes(self.sizes, self.sizes[first])
        line[is_gone] = line[others] = np.inf
        # Lines whose lowest cost may have been that of a group that is gone now.
        stale = np.flatnonzero((self.costs[:, numbers] <= self.lowest[:, None]).any(axis=1))
        self.costs[first] = self.costs[:, first] = line
        self.costs[others] = self.costs[:, others] = np.inf
        self.lowest[:] = np.minimum(self.lowest, line)
        self.lowest[stale] = self.costs[stale].min(axis=1)


def _merged_sizes(ones: FloatArray, others: FloatArray | float) -> FloatArray:
    """Return what the squared distance of two means counts when their groups are merged."""
    return np.asarray(ones * others / (ones + others))
