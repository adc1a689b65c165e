"""Counts -> how much the attributes say about each other, from entropies in bits.

With values outside the user's categories, a pair of attributes is judged by the rows in
which both values are known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from untie._count.counts import Counts
from untie._util.types import FloatArray


@dataclass(frozen=True, eq=False)
class Entropies:
    """The entropies of all pairs of attributes, in bits.

    Parameters
    ----------
    margins : array of shape (n_attributes, n_attributes)
        [j, k] is H(j), in the rows where both j and k are known.
    joint : array of shape (n_attributes, n_attributes)
        H(j, k).
    """

    margins: FloatArray
    joint: FloatArray

    @property
    def conditional(self) -> FloatArray:
        """[j, k] is H(k | j): what is left open of k where j is known."""
        return np.maximum(self.joint - self.margins, 0.0)


def symmetric_uncertainty(counts: Counts, less_chance: bool = False) -> FloatArray:
    """Return twice the mutual information, divided by the sum of the entropies; shape (m, m).

    It lies between 0 (independent) and 1 (each attribute determines the other), also known as
    mutual information normalized by the arithmetic mean. Two constant attributes have 0.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.
    less_chance : bool, default=False
        Whether to subtract the mutual information that independent attributes have on average
        in a table of n rows: (v - 1) (w - 1) / 2n nats for v and w values that occur.

    Examples
    --------
    >>> from untie import count_table
    >>> table = [["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]]
    >>> symmetric_uncertainty(count_table(table).counts)
    array([[1., 1.],
           [1., 1.]])
    """
    return uncertainty_of(pair_entropies(counts), counts if less_chance else None)


def uncertainty_of(entropies: Entropies, chance: Counts | None = None) -> FloatArray:
    """Return the symmetric uncertainty of known entropies, less chance if its counts are given."""
    both = entropies.margins + entropies.margins.T
    shared = 2.0 * (both - entropies.joint)
    if chance is not None:
        n_free = np.add.reduceat(chance.frequencies > 0, chance.offsets[:-1], dtype=float) - 1.0
        shared -= np.outer(n_free, n_free) / (chance.n_draws * np.log(2.0))
    return np.clip(np.divide(shared, both, out=np.zeros_like(both), where=both > 0), 0.0, 1.0)


_KNOWN: WeakKeyDictionary[Counts, Entropies] = WeakKeyDictionary()
"""Votes and trees ask for the entropies of the same counts."""


def pair_entropies(counts: Counts) -> Entropies:
    """Return the entropies of all pairs of attributes; counts are asked once."""
    if counts not in _KNOWN:
        _KNOWN[counts] = _pair_entropies(counts)
    return _KNOWN[counts]


def _pair_entropies(counts: Counts) -> Entropies:
    starts = counts.offsets[:-1]
    margins, joint = np.empty((2, len(starts), len(starts)))
    split = _split_sparse if counts.is_sparse else _split_dense
    for attribute in range(len(starts)):
        of_pairs, surprise = split(counts, attribute)
        totals = _positive(of_pairs.sum(axis=0))
        margins[attribute] = _surprise(of_pairs / totals).sum(axis=0)
        joint[attribute] = surprise(totals)
    return Entropies(margins, joint)


Surprise = Callable[[FloatArray], FloatArray]
"""Takes the weight of the rows in which both attributes are known; returns H(j, k)."""


def _split_dense(counts: Counts, attribute: int) -> tuple[FloatArray, Surprise]:
    """Return the weight of each value with each other attribute, and what gives H(j, k)."""
    starts = counts.offsets[:-1]
    together = counts.matrix[counts.span(attribute)]

    def surprise(totals: FloatArray) -> FloatArray:
        shares = together / np.repeat(totals, counts.sizes)
        return np.add.reduceat(_surprise(shares).sum(axis=0), starts)

    return np.add.reduceat(together, starts, axis=1), surprise


def _split_sparse(counts: Counts, attribute: int) -> tuple[FloatArray, Surprise]:
    together = counts.matrix[counts.span(attribute)]
    n_attributes = len(counts.sizes)
    others = np.repeat(np.arange(n_attributes), counts.sizes)[together.indices]
    rows = np.repeat(np.arange(together.shape[0]), np.diff(together.indptr))
    places = rows * n_attributes + others
    of_pairs = np.bincount(places, together.data, minlength=together.shape[0] * n_attributes)

    def surprise(totals: FloatArray) -> FloatArray:
        found = _surprise(together.data / totals[others])
        return np.bincount(others, found, minlength=n_attributes).astype(float)

    return of_pairs.astype(float).reshape(-1, n_attributes), surprise


def entropy(shares: FloatArray) -> FloatArray:
    """Return the entropy of shares that add up to 1 along the first axis."""
    result: FloatArray = _surprise(shares).sum(axis=0)
    return result


def _surprise(shares: FloatArray) -> FloatArray:
    # Shares, not weights: the one value of a constant attribute then gives 0 exactly.
    return -shares * np.log2(_positive(shares))


def _positive(weights: FloatArray) -> FloatArray:
    """Put 1 in the place of 0, for divisors and logarithms that must not matter."""
    return np.where(weights > 0, weights, 1.0)
