"""Who tells whom -> families of attributes that say the same, their votes, and shared gaps.

City tells State, and State tells Region: three columns, one fact, one vote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from untie._count.counts import Counts
from untie._learn.dependence import entropy
from untie._learn.telling import Telling
from untie._util.types import FloatArray

COPY = 0.7
"""From this symmetric uncertainty on, two attributes are copies of each other."""

TELLS = 0.8
"""From this share of its entropy on, one attribute follows from another. Hierarchies with 2 % of
wrong cells lie above; attributes of the paper's tables that merely depend on each other, below."""

EVIDENCE = 40.0
"""There must be at least this many bits to tell, over all rows, for an attribute to follow from
another: a few repeated values can agree by chance."""

NEARLY_CONSTANT = 0.95
"""An attribute with a larger share of one value follows from nothing: it says hardly anything, and
would tie together all that happen to tell it."""

FEWEST_GAPS = 5
"""Fewer rows with both cells missing say nothing about why they are."""

ROOT, COPIES, FOLLOWS = "root", "copy", "follows"
"""What a member is in its family."""

Relation = NDArray[np.bool_]
"""Shape (n_attributes, n_attributes); [j, k] is what j has to do with k."""


@dataclass(frozen=True)
class Member:
    """An attribute in its family.

    Parameters
    ----------
    attribute : int
        Its number.
    role : str
        "root": follows from no other; "copy": says what another says; "follows": is told by one
        that says more.
    source : int or None
        The attribute that it copies or follows from.
    share : float or None
        The share of its entropy that the source tells.
    """

    attribute: int
    role: str
    source: int | None = None
    share: float | None = None


def who_tells(counts: Counts, telling: Telling) -> Relation:
    """Return which attributes follow from which: [j, k] is True if j determines k.

    Copies follow from each other.
    """
    frequencies = np.split(counts.frequencies, counts.offsets[1:-1])
    steady = [part.max() > NEARLY_CONSTANT * part.sum() for part in frequencies]
    found = (telling.shares >= TELLS) & (telling.evidence >= EVIDENCE)
    result: Relation = found & ~np.array(steady)
    return result


def shared_votes(copies: Relation, tells: Relation) -> FloatArray:
    """Return the vote of each attribute, so that what is said twice counts once.

    An attribute's vote is 1 / (the number of attributes that say the same, itself included): its
    copies, what it tells and what tells it. A chain such as City > State > Region has one
    vote together, in equal shares, and so have copies.

    A model tells both maker and fuel, which have nothing to do with each other: two facts, not
    one. So an attribute that also speaks for c others, unrelated to k, counts as 1 / (1 + c) where
    k asks who says the same. Maker and fuel have 2/3 each, the model 1/3; and a person's number
    that tells ten unrelated facts costs each of them a tenth, not half, of its vote. The same holds
    upside down, where two unrelated attributes tell a third.

    Parameters
    ----------
    copies : boolean array of shape (n_attributes, n_attributes)
        Who is a copy of whom; symmetric, each attribute of itself.
    tells : boolean array of shape (n_attributes, n_attributes)
        [j, k]: j tells k, and k does not tell j.

    Examples
    --------
    >>> chain = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> shared_votes(np.eye(3, dtype=bool), chain).round(2)
    array([0.33, 0.33, 0.33])
    >>> fork = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> shared_votes(np.eye(3, dtype=bool), fork).round(2)
    array([0.33, 0.67, 0.67])
    """
    voices = 1.0 / copies.sum(axis=1)
    same = tells | tells.T
    speaks = same * voices  # [j, i]: how much of i says the same as j
    elsewhere = speaks @ ~(same | copies)  # [j, k]: what j says that k has nothing to do with
    n_same = 1.0 + (speaks / (1.0 + elsewhere.T)).sum(axis=1)
    result: FloatArray = voices / n_same
    return result


def find_families(
    copies: Relation, tells: Relation, told: FloatArray, entropies: FloatArray
) -> list[list[Member]]:
    """Return the groups of attributes that are tied by copies and hierarchies.

    The members of a family are sorted by entropy, the largest first, and families by their first
    attribute. What unrelated roots tell together ties them into one family, but not their votes
    (`shared_votes`).

    Parameters
    ----------
    copies, tells : boolean arrays of shape (n_attributes, n_attributes)
        As `shared_votes` takes them.
    told : array of shape (n_attributes, n_attributes)
        [j, k]: the share of k that j tells.
    entropies : array of shape (n_attributes,)
        How much each attribute says.
    """
    n_groups, groups = connected_components(copies | tells, directed=False)
    families = []
    for group in range(n_groups):
        members = np.flatnonzero(groups == group)
        if len(members) > 1:
            ranked = members[np.argsort(-np.round(entropies[members], 9), kind="stable")]
            families.append(
                [_member(k, ranked[:at], copies, tells, told) for at, k in enumerate(ranked)]
            )
    return sorted(families, key=lambda family: min(member.attribute for member in family))


def _member(
    k: int, before: NDArray[np.intp], copies: Relation, tells: Relation, told: FloatArray
) -> Member:
    """Say what k is to those of its family that say more."""
    for role, relation in ((COPIES, copies), (FOLLOWS, tells)):
        sources = before[relation[before, k]]
        if len(sources):
            source = int(sources[-1])  # the nearest: it says least besides
            return Member(int(k), role, source, float(told[source, k]))
    return Member(int(k), ROOT)


def gap_blocks(counts: Counts, missing: Sequence[int | None]) -> list[list[int]]:
    """Return the groups of attributes whose cells are missing together.

    Two attributes are in a block if "is missing" of one is a copy of "is missing" of the other:
    their symmetric uncertainty, less chance, is at least `COPY`, and there are at least
    `FEWEST_GAPS` rows in which both are.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.
    missing : sequence of int or None, one per attribute
        The code of the missing value, if the attribute has one.

    Examples
    --------
    >>> from untie import count_table
    >>> counted = count_table([["a", "x"], ["b", "y"], [None, None]] * 10)
    >>> gap_blocks(counted.counts, [2, 2])
    [[0, 1]]
    """
    places = [
        (j, counts.span(j).start + code) for j, code in enumerate(missing) if code is not None
    ]
    if not places:
        return []
    attributes, rows = np.array(places).T
    both = counts.matrix[rows][:, rows]
    both = np.asarray(both.toarray() if counts.is_sparse else both, dtype=float)
    n = counts.n_draws
    both = both * (n / counts.n)
    n_groups, groups = connected_components(_same_gaps(both, n), directed=False)
    blocks = [attributes[groups == group].tolist() for group in range(n_groups)]
    return [block for block in blocks if len(block) > 1]


def _same_gaps(both: FloatArray, n: float) -> Relation:
    """Tell which gaps are copies, from the number of rows in which both cells are missing."""
    own = np.diag(both)
    first, second = own[:, None], own[None, :]
    cells = np.stack([both, first - both, second - both, n - first - second + both])
    margins = entropy(np.stack([own, n - own]) / n)
    shared = margins[:, None] + margins[None, :] - entropy(np.maximum(cells, 0.0) / n)
    shared -= 0.5 / (n * np.log(2.0))  # what independent gaps share on average
    whole = (margins[:, None] + margins[None, :]) / 2.0
    return (shared >= COPY * whole) & (whole > 0) & (both >= FEWEST_GAPS)
