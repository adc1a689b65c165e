"""Counts -> a tree of the values of all columns -> spaces in which similar values share branches.

Values are merged two clusters at a time (Ward's method). They are compared by what they occur with
and by how often they occur: the two couplings of coupled data embedding (Jian et al., IJCAI 2018).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist, squareform

from untie._count.counts import Counts
from untie._learn import memory
from untie._learn.columns.explained_entropy import symmetric_uncertainty
from untie._learn.spaces.kernel_spaces import KernelSpaces
from untie._learn.spaces.value_tables import Block, Dense, Tall
from untie._util.arrays import ROUNDING, distinct_lines, squared_lengths
from untie._util.threads import in_threads, pays
from untie._util.types import BoolArray, FloatArray, IntArray

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
    costs = precise_distances(rows) * (sizes[:, None] * sizes / (sizes[:, None] + sizes))
    np.fill_diagonal(costs, np.inf)
    groups = _Groups(np.arange(len(rows)), sizes.copy(), costs, costs.min(axis=1))
    n_groups = len(rows)
    while n_groups > 1:
        if n_groups < FEWER * len(groups.sizes):
            groups.drop_gone()
        merged = groups.merge_nearest()
        n_groups -= sum(len(numbers) - 1 for numbers in merged)
        yield n_groups, merged


def precise_distances(rows: FloatArray) -> FloatArray:
    """Return the squared distances of all pairs of rows, each to about twelve digits.

    Examples
    --------
    >>> precise_distances(np.array([[0.0], [1.0], [3.0]]))
    array([[0., 1., 9.],
           [1., 0., 4.],
           [9., 4., 0.]])
    """
    centered = rows - rows.mean(axis=0)
    squares = squared_lengths(centered)
    sums = squares[:, None] + squares
    distances = sums - 2.0 * (centered @ centered.T)
    ones, others = np.nonzero(np.triu(distances < NEAR * sums, k=1))
    if len(ones) > MOST_NEAR * sums.size:
        return np.square(squareform(pdist(rows)))
    # Both halves are the same to the last bit.
    distances = np.triu(distances, k=1)
    for some in np.array_split(np.arange(len(ones)), 1 + rows.shape[1] * len(ones) // 2**20):
        apart = rows[ones[some]] - rows[others[some]]
        distances[ones[some], others[some]] = squared_lengths(apart)
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

    numbers: IntArray
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


def co_occurrence(counts: Counts, values: IntArray | None = None) -> FloatArray:
    """Return P(j | i), the share of the rows with value i that have value j.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.
    values : integer array of shape (n_chosen,), optional
        Values to compare, all if not given.

    Examples
    --------
    >>> from untie import count_table
    >>> co_occurrence(count_table([["a", "x"], ["b", "x"]]).counts)
    array([[1. , 0. , 1. ],
           [0. , 1. , 1. ],
           [0.5, 0.5, 1. ]])
    """
    pairs = _pairs(counts, values)
    return pairs / _positive(pairs.diagonal())[:, None]


def occurrence(counts: Counts, values: IntArray | None = None) -> FloatArray:
    """Return rho(i, j) p(i) / p(j), with rho how much their attributes depend on each other.

    rho is 1 within an attribute, and between any two values that never meet.
    """
    pairs = _pairs(counts, values)
    uncertainty = symmetric_uncertainty(counts)
    np.fill_diagonal(uncertainty, 1.0)
    attribute = np.repeat(np.arange(len(counts.sizes)), counts.sizes)
    of_chosen = attribute if values is None else attribute[values]
    dependence = uncertainty[np.ix_(of_chosen, of_chosen)]
    dependence[pairs == 0] = 1.0
    frequencies = pairs.diagonal()
    return np.asarray(dependence * (frequencies[:, None] / _positive(frequencies)))


def _pairs(counts: Counts, values: IntArray | None) -> FloatArray:
    if values is None:
        return counts.dense()
    chosen = counts.matrix[values][:, values]
    return np.asarray(chosen.toarray() if counts.is_sparse else chosen, dtype=float)


def _positive(frequencies: FloatArray) -> FloatArray:
    """Replace 0 by 1: what never occurs is left out later."""
    return np.where(frequencies > 0, frequencies, 1.0)


TREE = "tree"
"""The coupling of the spaces of trees."""

LABELS = ((TREE, "together"), (TREE, "often"))

MOST_LEAVES = 1000
"""The most frequent values, at most this many, are compared; the others are all alike."""

DIGITS = 12
"""Profiles that agree in this many digits are equal."""


@dataclass(frozen=True, eq=False)
class Branches:
    """The branches of a tree.

    Parameters
    ----------
    members : boolean array of shape (n_branches, n_leaves)
        Which leaves hang on which branch.
    lengths : array of shape (n_branches,)
        How long the branches are, all above 0.
    """

    members: BoolArray
    lengths: FloatArray

    def scaled(self) -> Branches:
        """Return branches with a mean sum of 1 from root to leaf."""
        mean = float((self.lengths @ self.members).mean()) if len(self.lengths) else 1.0
        return Branches(self.members, self.lengths / mean)


def tree_spaces(counts: Counts) -> KernelSpaces:
    """Return the spaces of both trees; a column of very many values has no part in them.

    Examples
    --------
    >>> from untie import count_table
    >>> spaces = tree_spaces(count_table([["a", "x"], ["b", "y"], ["c", "y"]] * 5).counts)
    >>> a, b, c = spaces.columns[0].array[:, : spaces.widths[0][0]]
    >>> bool(np.linalg.norm(b - c) < np.linalg.norm(a - b))
    True
    """
    leaves = _leaves(counts)
    profiles = [co_occurrence(counts, leaves), occurrence(counts, leaves)]
    trees = in_threads(
        lambda of_one: branches_of(of_one).scaled(), profiles, pays(len(leaves) ** 2)
    )
    ends = np.searchsorted(leaves, counts.offsets)
    blocks = []
    for attribute, size in enumerate(counts.sizes):
        span = slice(ends[attribute], ends[attribute + 1])
        places = leaves[span] - counts.offsets[attribute]
        blocks.append(_block(size, places, [(t.members[:, span], t.lengths) for t in trees]))
    return KernelSpaces(LABELS, tuple(blocks))


def branches_of(profiles: FloatArray) -> Branches:
    """Merge values by their profiles; equal values are one from the start.

    Parameters
    ----------
    profiles : array of shape (n_values, n_dimensions)
        What values are compared by; numbers of at least 0.

    Examples
    --------
    >>> found = branches_of(np.array([[0.0], [1.0], [5.0]]))
    >>> found.members.astype(int)
    array([[1, 0, 0],
           [0, 1, 0],
           [1, 1, 0],
           [0, 0, 1]])
    >>> found.lengths.round(2)
    array([0.41, 0.41, 0.69, 1.1 ])
    """
    distinct, which = distinct_lines(profiles, DIGITS)
    times = np.bincount(which)
    standing = np.equal.outer(np.arange(len(distinct)), which)
    since = np.full(len(distinct), len(distinct))
    members, lengths = [], []
    for n_groups, merged in ward_merges(distinct, times.astype(float)):
        for groups in merged:
            members.append(standing[groups])
            lengths.append(np.log(since[groups] / n_groups))
            standing[groups[0]] = standing[groups].any(axis=0)
            since[groups[0]] = n_groups
    if not members:
        return Branches(np.empty((0, len(profiles)), dtype=bool), np.empty(0))
    return Branches(np.concatenate(members), np.concatenate(lengths))


def _leaves(counts: Counts) -> IntArray:
    """Return the values to compare; of equally rare ones at the limit, none."""
    frequencies = counts.frequencies
    of_large = np.repeat([size > memory.LARGE for size in counts.sizes], counts.sizes)
    chosen = np.flatnonzero((frequencies > 0) & ~of_large)
    if len(chosen) > MOST_LEAVES:
        limit = np.partition(frequencies[chosen], -MOST_LEAVES - 1)[-MOST_LEAVES - 1]
        chosen = chosen[frequencies[chosen] > limit]
    return chosen


def _block(size: int, places: IntArray, trees: list[tuple[BoolArray, FloatArray]]) -> Block:
    """Return the coordinates of an attribute's values in each tree.

    Parameters
    ----------
    size : int
        Number of values.
    places : integer array of shape (n_leaves of the attribute,)
        Those that are leaves.
    trees : list of pairs
        Which of these leaves hang on which branch, and the lengths of the branches.
    """
    parts = []
    for members, lengths in trees:
        columns = np.zeros((size, 0))
        if len(places):
            found, which = _distinct_lines(members)
            total = np.bincount(which, lengths, minlength=len(found))
            tells = found.any(axis=1) & ~(found.all(axis=1) & (len(places) == size))
            columns = np.zeros((size, int(np.count_nonzero(tells))))
            columns[places] = (found[tells] * np.sqrt(total[tells])[:, None]).T
        parts.append(columns)
    table = np.hstack(parts)
    widths = tuple(part.shape[1] for part in parts)
    if size > memory.LARGE:
        return Block(Tall(None, table, np.eye(0)), widths, np.zeros(len(widths)))
    return Block(Dense(table), widths)


def _distinct_lines(lines: BoolArray) -> tuple[BoolArray, IntArray]:
    """Return the distinct lines of a table, and which of them each line is."""
    packed = np.packbits(lines, axis=1)
    if packed.shape[1] <= 8:  # lines that fit into a number are sorted many times faster
        wide = np.zeros((len(packed), 8), dtype=np.uint8)
        wide[:, : packed.shape[1]] = packed
        packed = wide.view(">u8")[:, 0].astype(np.uint64)
    _, first, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    return lines[first], which.ravel()
