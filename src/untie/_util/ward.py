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

from untie._util.types import FloatArray

SAME = 1e-9
"""Costs that differ by less than this share are equal."""

FEW, LEAST_MERGED = 64, 0.02
"""Groups are merged one pair at a time where there are at most `FEW`, or where less than this share
of them can be merged at once."""

FEWER = 0.7
"""When only this share of the lines are groups still, the others are dropped."""

MOST_TRIES = 3
"""Merging many at a time is tried this often."""

Step: TypeAlias = tuple[int, list[list[int]]]
"""How many groups are left, and lists of the groups that became one."""

_Merge: TypeAlias = tuple[float, float, list[int]]
"""The lowest and the highest cost of a merge, and the groups that become one."""


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
    distances = squareform(np.square(pdist(rows)))
    yield from _fast_steps(distances, sizes) or _all_steps(distances, sizes)


def _all_steps(distances: FloatArray, sizes: FloatArray) -> list[Step]:
    """Merge one step after another, as the method is defined."""
    n_groups, steps = len(sizes), []
    for _, merged in _Groups.of(distances, sizes).steps():
        n_groups -= sum(len(numbers) - 1 for numbers in merged)
        steps.append((n_groups, merged))
    return steps


def _fast_steps(distances: FloatArray, sizes: FloatArray) -> list[Step]:
    """Return the same steps, most of them found many at a time; none where that fails.

    Where it is unclear which merges are one step, their groups are left to the end and merged one
    step after another.
    """
    later = np.zeros(len(sizes), dtype=bool)
    for _ in range(MOST_TRIES if len(sizes) > FEW else 0):
        steps, unclear = _in_order(_merge_all(*_merge_in_rounds(distances, sizes, later)))
        if not unclear:
            return steps
        later[list(unclear)] = True
    return []


def _merge_in_rounds(
    distances: FloatArray, sizes: FloatArray, later: NDArray[np.bool_]
) -> tuple[list[_Merge], FloatArray, FloatArray, NDArray[np.intp]]:
    """Merge, round by round, all groups that are nearest to each other, while there are many.

    A merge brings no group nearer to another than its parts were. So groups that are nearest to
    each other remain so until they are merged, and once all costs are known, they tell the order
    in which the cheapest would have been merged one after another. Groups wait where a cost is
    equal to some of several equal costs and not to others, and so do those of `later`.

    Returns
    -------
    merges, distances, sizes, numbers
        What was merged; squared distances, sizes and numbers of the groups that are left.
    """
    numbers, done = np.arange(len(sizes)), list[_Merge]()
    while len(numbers) > FEW:
        lowest, highest, which = _nearest_to_each_other(distances, sizes, later[numbers])
        parts = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])
        if len(parts) > len(numbers) * (1.0 - LEAST_MERGED):
            break
        done += [
            (float(lowest[part].min()), float(highest[part].max()), numbers[part].tolist())
            for part in parts
            if len(part) > 1
        ]
        distances, sizes = _merged(distances, sizes, which)
        numbers = numbers[[part[0] for part in parts]]
    return done, distances, sizes, numbers


def _merge_all(
    merges: list[_Merge], distances: FloatArray, sizes: FloatArray, numbers: NDArray[np.intp]
) -> list[_Merge]:
    """Add the merges of the groups that are left, one step after another."""
    done = list(merges)
    for lowest, merged in _Groups.of(distances, sizes).steps():
        highest = lowest if len(merged) == 1 and len(merged[0]) == 2 else lowest * (1.0 + SAME)
        done += [(lowest, highest, numbers[part].tolist()) for part in merged]
    return done


def _nearest_to_each_other(
    distances: FloatArray, sizes: FloatArray, later: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
    """Return the lowest cost of each group, the highest that is equal, and who becomes one.

    A group that is as near to one outside, which has a nearer one itself, waits for that one; and
    so do groups whose costs are each equal to the next, but not all to the lowest.
    """
    costs = distances * _merged_sizes(sizes[:, None], sizes)
    np.fill_diagonal(costs, np.inf)
    lowest = costs.min(axis=1)
    lines, columns = np.nonzero(costs <= lowest[:, None] * (1.0 + SAME))
    near = costs[lines, columns]
    highest = np.maximum.reduceat(near, np.searchsorted(lines, np.arange(len(sizes))))
    is_mutual = near <= lowest[columns] * (1.0 + SAME)
    edges = lines[is_mutual], columns[is_mutual]
    graph = sparse.csr_array((np.ones(len(edges[0])), edges), costs.shape)
    n_sets, which = connected_components(graph, directed=False)
    waits = np.zeros(n_sets, dtype=bool)
    waits[which[lines[~is_mutual]]] = True
    waits[which[later]] = True
    ends = np.full(n_sets, np.inf), np.zeros(n_sets)
    np.minimum.at(ends[0], which, lowest)
    np.maximum.at(ends[1], which, highest)
    waits |= ends[1] > ends[0] * (1.0 + SAME)
    own = np.where(waits[which], n_sets + np.arange(len(which)), which)
    _, firsts, which = np.unique(own, return_index=True, return_inverse=True)
    return lowest, highest, np.argsort(np.argsort(firsts))[which]


def _merged(
    distances: FloatArray, sizes: FloatArray, which: NDArray[np.intp]
) -> tuple[FloatArray, FloatArray]:
    """Return squared distances and sizes of the groups that others become."""
    totals = np.bincount(which, sizes).astype(float)
    places = (which, np.arange(len(which)))
    shares = sparse.csr_array((sizes / totals[which], places), (len(totals), len(which)))
    mixed = shares @ (shares @ distances).T
    mixed = (mixed + mixed.T) / 2.0  # rounding is not symmetric
    spread = mixed.diagonal() / 2.0
    return np.maximum(mixed - (spread[:, None] + spread), 0.0), totals


def _in_order(merges: list[_Merge]) -> tuple[list[Step], set[int]]:
    """Return merges in the order of their costs, equal ones at once, and groups that are unclear.

    Of merges that are one step, none may be made by another or reach beyond the limit.
    """
    merges.sort()
    n_groups = 1 + sum(len(numbers) - 1 for *_, numbers in merges)
    steps, unclear, start = list[Step](), set[int](), 0
    while start < len(merges):
        limit, end = merges[start][0] * (1.0 + SAME), start
        while end < len(merges) and merges[end][0] <= limit:
            end += 1
        merged = sorted(numbers for *_, numbers in merges[start:end])
        named = set[int]().union(*merged)
        n_named = sum(map(len, merged))
        if len(named) < n_named or max(highest for _, highest, _ in merges[start:end]) > limit:
            unclear |= named
        n_groups -= n_named - len(merged)
        steps.append((n_groups, merged))
        start = end
    return steps, unclear


@dataclass(eq=False)
class _Groups:
    """Groups of rows; they change in place.

    Parameters
    ----------
    numbers : array of shape (n_groups,)
        The group of each line.
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

    numbers: NDArray[np.intp]
    sizes: FloatArray
    distances: FloatArray
    costs: FloatArray
    lowest: FloatArray

    @classmethod
    def of(cls, distances: FloatArray, sizes: FloatArray) -> _Groups:
        costs = distances * _merged_sizes(sizes[:, None], sizes)
        np.fill_diagonal(costs, np.inf)
        numbers = np.arange(len(sizes))
        return cls(numbers, sizes.copy(), distances.copy(), costs, costs.min(axis=1))

    def steps(self) -> Iterator[tuple[float, list[list[int]]]]:
        """Merge groups until there is one; yield the lowest cost and what became one."""
        n_groups = len(self.sizes)
        while n_groups > 1:
            if n_groups < FEWER * len(self.sizes):
                self.drop_gone()
            lowest, merged = float(self.lowest.min()), self.nearest()
            for lines in merged:
                self.merge(lines)
                n_groups -= len(lines) - 1
            yield lowest, [self.numbers[lines].tolist() for lines in merged]

    def drop_gone(self) -> None:
        """Forget the lines of groups that are gone."""
        here = np.flatnonzero(np.isfinite(self.lowest))
        self.numbers, self.sizes, self.lowest = (
            self.numbers[here],
            self.sizes[here],
            self.lowest[here],
        )
        self.distances, self.costs = (
            table[np.ix_(here, here)] for table in (self.distances, self.costs)
        )

    def nearest(self) -> list[list[int]]:
        """Return the lines of groups that can be merged at the lowest cost."""
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

    def merge(self, merged: list[int]) -> None:
        """Make one group of those of several lines."""
        first, others = merged[0], merged[1:]
        is_gone = np.isinf(self.costs[first])
        shares = self.sizes[merged] / self.sizes[merged].sum()
        lines = self.distances[merged]
        spread = shares @ lines[:, merged] @ shares
        line = np.maximum(shares @ lines - spread / 2.0, 0.0)
        line[first] = 0.0
        self.sizes[first] = self.sizes[merged].sum()
        self.distances[first] = self.distances[:, first] = line
        line = line * _merged_sizes(self.sizes, self.sizes[first])
        line[is_gone] = line[others] = np.inf
        # Lines whose lowest cost may have been that of a group that is gone now.
        stale = np.flatnonzero((self.costs[merged] <= self.lowest).any(axis=0))
        self.costs[first] = self.costs[:, first] = line
        self.costs[others] = self.costs[:, others] = np.inf
        self.lowest[:] = np.minimum(self.lowest, line)
        self.lowest[stale] = self.costs[stale].min(axis=1)


def _merged_sizes(ones: FloatArray, others: FloatArray | float) -> FloatArray:
    """Return what the squared distance of two means counts when their groups are merged."""
    return np.asarray(ones * others / (ones + others))
