"""Counts -> a tree of the values of all attributes -> spaces in which near values share branches.

Values are merged one pair of groups after the other (Ward's method), until all are one group; the
tree holds every clustering of them, from fine to coarse, and draws nothing at random. A value's
coordinates are the branches it hangs on; a branch is as long as the logarithm of the numbers of
groups it lasts for, so that coarse and fine differences count alike. There are two trees, by whom
values meet and by how often they occur; see `value_profiles`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from untie._count.counts import Counts
from untie._learn import memory
from untie._learn.blocks import Block
from untie._learn.dense import Dense
from untie._learn.spaces import KernelSpaces
from untie._learn.tall import Tall
from untie._learn.value_profiles import co_occurrence, occurrence
from untie._util.digits import distinct_lines
from untie._util.parallel import in_threads, pays
from untie._util.types import FloatArray
from untie._util.ward import ward_merges

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

    members: NDArray[np.bool_]
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


def _leaves(counts: Counts) -> NDArray[np.intp]:
    """Return the values to compare; of equally rare ones at the limit, none."""
    frequencies = counts.frequencies
    of_large = np.repeat([size > memory.LARGE for size in counts.sizes], counts.sizes)
    chosen = np.flatnonzero((frequencies > 0) & ~of_large)
    if len(chosen) > MOST_LEAVES:
        limit = np.partition(frequencies[chosen], -MOST_LEAVES - 1)[-MOST_LEAVES - 1]
        chosen = chosen[frequencies[chosen] > limit]
    return chosen


def _block(
    size: int, places: NDArray[np.intp], trees: list[tuple[NDArray[np.bool_], FloatArray]]
) -> Block:
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


def _distinct_lines(lines: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return the distinct lines of a table, and which of them each line is."""
    packed = np.packbits(lines, axis=1)
    if packed.shape[1] <= 8:  # lines that fit into a number are sorted many times faster
        wide = np.zeros((len(packed), 8), dtype=np.uint8)
        wide[:, : packed.shape[1]] = packed
        packed = wide.view(">u8")[:, 0].astype(np.uint64)
    _, first, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    return lines[first], which.ravel()
