"""Labels of rows -> a few groups that have a colour each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._count.cluster_entries import cross_table
from untie._inputs import check_labels
from untie._table.vocabulary import distinct_labels
from untie.plot import _style as style

MOST_GROUPS = 12
"""At most this many groups are told apart; the rarest labels are merged into the last."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of rows.

    Parameters
    ----------
    title : str
        What they are groups of.
    names : list of str
        One text for each, with its number of rows.
    members : integer array of shape (n_rows,)
        The number of each row's group.
    has_others : bool
        Whether the last group is that of all other labels.
    """

    title: str
    names: list[str]
    members: NDArray[np.intp]
    has_others: bool

    def style(self, number: int) -> dict[str, Any]:
        """Return colour and marker of a group."""
        if self.has_others and number == len(self.names) - 1:
            return {"color": style.GREY, "marker": "."}
        return style.group_style(number)

    def of_points(self, positions: NDArray[np.intp], n_points: int) -> NDArray[np.intp]:
        """Return the group that most rows of each point are in.

        Parameters
        ----------
        positions : integer array of shape (n_rows,)
            The point that each row is; -1 if none.
        n_points : int
            Number of points.
        """
        n_groups = len(self.names)
        drawn = positions >= 0
        counts = cross_table(positions[drawn], self.members[drawn], (n_points, n_groups))
        return counts.argmax(axis=1)


def read_groups(labels: Any, n_rows: int, title: str) -> Groups:
    """Return the groups that labels make, one label per row; missing ones are a group."""
    partition = check_labels(labels, n_rows, may_be_missing=True)
    values, members = partition.names, partition.members
    counts = np.bincount(members, minlength=len(values))
    texts = distinct_labels(values)
    if len(values) <= MOST_GROUPS:
        names = [_name(text, count) for text, count in zip(texts, counts, strict=True)]
        return Groups(title, names, members, False)
    kept = np.sort(np.argsort(-counts, kind="stable")[: MOST_GROUPS - 1])
    targets = np.full(len(values), len(kept), dtype=np.intp)
    targets[kept] = np.arange(len(kept))
    names = [_name(texts[place], counts[place]) for place in kept]
    names.append(f"{len(values) - len(kept):,} others ({np.delete(counts, kept).sum():,})")
    return Groups(title, names, targets[members], True)


def _name(text: str, count: int) -> str:
    return f"{style.short(text)} ({count:,})"
