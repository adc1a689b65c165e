"""Ward's method, in which equally near groups are merged at once.

Libraries merge one pair at a time. Which of several equally near pairs is the first then depends on
the order of the rows, and tables of categories have many such pairs; here, the order plays no part.
Groups that a chain of equally near pairs connects become one: rows at equal steps on a line are all
merged at once, as nothing tells where to begin.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist, squareform

from untie._util.digits import ROUNDING
from untie._util.types import FloatArray

FEWER = 0.7
"""When only this share of the lines are groups still, the others are dropped."""

NEAR, MOST_NEAR = 1e-3, 0.05
"""Products of matrices give squared distances that are below `NEAR` times the rows' squares with
too few digits. These are computed anew, one by one, if at most `MOST_NEAR` of all are."""

Step: TypeAlias = tuple[int, list[list[int]]]
"""How many groups are left, and lists of the groups that became one."""


def ward_merges(rows: FloatArray, sizes: FloatArray) -> Iterator[Step]:
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
    if len(rows) < 2:
        return
    costs = squared_distances(rows) * (sizes[:, None] * sizes / (sizes[:, None] + sizes))
    np.fill_diagonal(costs, np.inf)
    groups = _Groups(np.arange(len(rows)), sizes.copy(), costs, costs.min(axis=1))
    n_groups = len(rows)
    while n_groups > 1:
        if n_groups < FEWER * len(groups.sizes):
            groups.drop_gone()
        merged = groups.merge_nearest()
        n_groups -= sum(len(numbers) - 1 for numbers in merged)
        yield n_groups, merged


def squared_distances(rows: FloatArray) -> FloatArray:
    """Return the squared distances of all pairs of rows, each to about twelve digits.

    Examples
    --------
    >>> squared_distances(np.array([[0.0], [1.0], [3.0]]))
    array([[0., 1., 9.],
           [1., 0., 4.],
           [9., 4., 0.]])
    """
    centred = rows - rows.mean(axis=0)
    squares = np.einsum("ij,ij->i", centred, centred)
    sums = squares[:, None] + squares
    distances = sums - 2.0 * (centred @ centred.T)
    ones, others = np.nonzero(np.triu(distances < NEAR * sums, k=1))
    if len(ones) > MOST_NEAR * sums.size:
        return np.square(squareform(pdist(rows)))
    # Both halves are the same to the last bit.
    distances = np.triu(distances, k=1)
    for some in np.array_split(np.arange(len(ones)), 1 + rows.shape[1] * len(ones) // 2**20):
        apart = rows[ones[some]] - rows[others[some]]
        distances[ones[some], others[some]] = np.einsum("ij,ij->i", apart, apart)
    return distances + distances.T


@dataclass(eq=False)
class _Groups:
    """Groups of rows; they change in place.

    Parameters
    ----------
    numbers : array of shape (n_groups,)
        The group of each line.
    sizes : array of shape (n_groups,)
        How much each counts.
    costs : array of shape (n_groups, n_groups)
        By how much a merge makes squared distances to the means grow; infinite for groups that
        are gone.
    lowest : array of shape (n_groups,)
        The lowest cost of each line.
    """

    numbers: NDArray[np.intp]
    sizes: FloatArray
    costs: FloatArray
    lowest: FloatArray

    def merge_nearest(self) -> list[list[int]]:
        """Merge the groups that are nearest to each other, and return which became one."""
        merged = self.nearest()
        for first, *others in merged:
            for other in others:
                self.merge(first, other)
        return [self.numbers[lines].tolist() for lines in merged]

    def drop_gone(self) -> None:
        """Forget the lines of groups that are gone."""
        here = np.flatnonzero(np.isfinite(self.lowest))
        self.numbers, self.sizes = self.numbers[here], self.sizes[here]
        self.lowest, self.costs = self.lowest[here], self.costs[np.ix_(here, here)]

    def nearest(self) -> list[list[int]]:
        """Return the lines of groups that can be merged at the lowest cost."""
        lowest = self.lowest.min() * (1.0 + ROUNDING)
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

    def merge(self, one: int, other: int) -> None:
        """Make one group of those of two lines; it has the first line then."""
        left, right, sizes = self.costs[one], self.costs[other], self.sizes
        # Lines whose lowest cost may have been that of a group that is gone now.
        stale = (left <= self.lowest) | (right <= self.lowest)
        stale[[one, other]] = True
        # The rule of Lance and Williams.
        line = (sizes + sizes[one]) * left + (sizes + sizes[other]) * right - sizes * left[other]
        line /= sizes + (sizes[one] + sizes[other])
        self.costs[one] = self.costs[:, one] = line
        self.costs[other] = self.costs[:, other] = np.inf
        sizes[one] += sizes[other]
        np.minimum(self.lowest, line, out=self.lowest)
        self.lowest[stale] = self.costs[stale].min(axis=1)
