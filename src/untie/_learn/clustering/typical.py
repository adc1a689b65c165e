"""What each cluster has typically, from counts of its values alone: no row is needed."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from untie._count.crosstab import Entries
from untie._util.types import FloatArray

MOST = 3
"""At most this many values are named of a cluster."""

HALF = 0.5
"""Values that fewer of the cluster's rows have are named only where there is no other."""


class Typical(NamedTuple):
    """A value, or a run of values, that a cluster has more often than the table.

    Parameters
    ----------
    column : int
        The place of its column.
    value : str
        What it is called.
    share : float
        Share of the cluster's rows that have it.
    information : float
        The share times the logarithm of its lift, in bits.
    """

    column: int
    value: str
    share: float
    information: float


def typical_values(entries: Sequence[Entries], sizes: FloatArray) -> list[list[Typical]]:
    """Return up to three values of each cluster, of different columns, the most telling first.

    Parameters
    ----------
    entries : sequence of Entries
        The values of each column, and how often the clusters have them.
    sizes : array of shape (n_clusters,)
        Weight of each cluster's rows.

    Examples
    --------
    >>> counts = np.array([[4.0, 0.0], [1.0, 3.0]])
    >>> columns = [Entries(("wine", "beer"), counts, counts > 0, np.ones(2, int))]
    >>> [[value.value for value in found] for found in typical_values(columns, np.full(2, 4.0))]
    [['wine'], ['beer']]
    """
    best: list[list[Typical]] = [[] for _ in sizes]
    for column, of_column in enumerate(entries):
        shares = of_column.counts / np.where(sizes > 0, sizes, 1.0)[:, None]
        usual = of_column.counts.sum(axis=0) / sizes.sum()
        lift = np.divide(shares, usual, out=np.ones_like(shares), where=usual > 0)
        bits = np.where(of_column.own & (lift > 1), shares * np.log2(np.maximum(lift, 1)), 0.0)
        for cluster, line in enumerate(np.round(bits, 9)):
            entry = int(line.argmax()) if line.size else 0
            if line.size and line[entry] > 0:
                share = float(shares[cluster, entry])
                best[cluster].append(Typical(column, of_column.names[entry], share, line[entry]))
    return [_chosen(found) for found in best]


def _chosen(found: list[Typical]) -> list[Typical]:
    found = sorted(found, key=lambda value: -value.information)
    return [value for value in found if value.share >= HALF][:MOST] or found[:1]
