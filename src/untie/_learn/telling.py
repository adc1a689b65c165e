"""Counts -> how much of each attribute every other one tells, chance left out.

j tells of k

    told(j, k) = 1 - H(k | j) / E[H(k | j)],

where E is the mean over all ways to deal the rows out to the values of j: what is left open by a
column with the same values, just as often, that has nothing to do with k. The usual divisor H(k)
would call everything told by a column whose values are nearly all different; against random
groups of the same sizes such a column has nothing to show, and independent columns have told = 0 on
average, whatever their numbers of values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from untie._count.counts import Counts
from untie._learn.dependence import Entropies
from untie._util.digits import ROUNDING
from untie._util.types import FloatArray

WORTH_CORRECTING = 0.7
"""Shares below this are not corrected for chance: nobody asks how far below they are."""

MOST_ROWS = 2**30
"""Weights that add up to more count as this many rows: chance is the same, and numbers of pairs of
rows stay within 64 bits."""

EVERY_SIZE, STEP = 64, 1.2
"""Random groups are computed for every size up to the first, then for sizes that grow by this
factor; between them the entropy is interpolated."""


@dataclass(frozen=True, eq=False)
class Telling:
    """How much each attribute tells of each other one.

    Parameters
    ----------
    shares : array of shape (n_attributes, n_attributes)
        [j, k] is the share of k's entropy that j tells; the diagonal is 1. A share below
        `WORTH_CORRECTING` is that of H(k), which is an upper bound.
    evidence : array of shape (n_attributes, n_attributes)
        What random groups of the sizes of j's would leave open of k, in bits over all rows: how
        much there was to tell. 0 where the share is not corrected.
    """

    shares: FloatArray
    evidence: FloatArray


def telling_of(counts: Counts, entropies: Entropies, least: float = WORTH_CORRECTING) -> Telling:
    """Return how much each attribute tells of each other one; shares from `least` on, corrected.

    Examples
    --------
    >>> from untie import count_table
    >>> from untie._learn.dependence import pair_entropies
    >>> cities = [["Rome", "Italy"], ["Pisa", "Italy"], ["Nice", "France"], ["Lyon", "France"]]
    >>> counts = count_table(cities * 25).counts
    >>> telling_of(counts, pair_entropies(counts)).shares.round(2)
    array([[1. , 1. ],
           [0.5, 1. ]])
    """
    left_open, whole = entropies.conditional, entropies.margins.T
    shares = 1.0 - np.divide(left_open, whole, out=np.ones_like(whole), where=whole > 0)
    np.fill_diagonal(shares, 0.0)
    evidence = np.zeros_like(shares)
    known: dict[bytes, Draws] = {}  # columns with many values ask the same of all others
    # Random groups leave no more open than all rows do, so the correction only lowers a share.
    for j, k in np.argwhere((shares >= least) & ~np.eye(len(shares), dtype=bool)):
        groups, values = _margins(counts, int(j), int(k))
        key = values.tobytes()
        if key not in known:
            known[key] = Draws(values)
        expected = float(groups @ known[key].entropies(groups))
        evidence[j, k] = expected
        shares[j, k] = (
            1.0 - left_open[j, k] * groups.sum() / expected if expected > ROUNDING else 0.0
        )
    np.fill_diagonal(shares, 1.0)
    return Telling(np.clip(shares, 0.0, 1.0), evidence)


def _margins(counts: Counts, j: int, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of rows with each value of j, and of k, where both are known."""
    together = counts.matrix[counts.span(j), counts.span(k)]
    scale = min(counts.n_draws, MOST_ROWS) / counts.n
    values = _whole_numbers(together.sum(axis=0) * scale)
    return _whole_numbers(together.sum(axis=1) * scale, int(values.sum())), values


def _whole_numbers(weights: FloatArray, total: int | None = None) -> NDArray[np.int64]:
    """Round weights so that they add up to a total, theirs if none is given."""
    ends = np.cumsum(weights)
    target = ends[-1] if total is None else total
    ends = np.rint(ends * (target / ends[-1])) if ends[-1] > 0 else ends
    return np.diff(ends, prepend=0.0).astype(np.int64)


class Draws:
    """Random draws of rows, without putting them back, and how varied the values in them are.

    Parameters
    ----------
    frequencies : integer array of shape (n_values,)
        Number of rows with each value.

    Examples
    --------
    Of two rows out of four, two "a" and two "b", a third are two of a kind:

    >>> Draws(np.array([2, 2])).entropies(np.array([1, 2, 4])).round(3)
    array([0.   , 0.667, 1.   ])
    """

    def __init__(self, frequencies: NDArray[np.int64]) -> None:
        self.n = int(frequencies.sum())
        self._kinds, self._n_alike = np.unique(frequencies[frequencies > 0], return_counts=True)
        steps = np.arange(np.log(EVERY_SIZE), np.log(max(self.n, 1)), np.log(STEP))
        grid = np.unique(np.append(np.rint(np.exp(steps)), [*range(1, EVERY_SIZE + 1), self.n]))
        self._grid = grid[(grid <= self.n) & (grid > 0)].astype(np.int64)
        self._found: dict[int, float] = {}

    def entropies(self, sizes: NDArray[np.int64]) -> FloatArray:
        """Return the mean entropy, in bits, of draws of so many rows, at most all."""
        after = np.minimum(np.searchsorted(self._grid, sizes), len(self._grid) - 1)
        points = self._grid[np.union1d(after, np.maximum(after - 1, 0))]
        found = [self._entropy(int(size)) for size in points]
        return np.interp(np.log(np.maximum(sizes, 1)), np.log(points), found)

    def _entropy(self, size: int) -> float:
        """Return the mean entropy of a draw of `size` rows.

        The number x of drawn rows with a value has a hypergeometric distribution, and the entropy
        is log(size) less the sum over the values of x log(x) / size.
        """
        if size not in self._found:
            n, own = self.n, self._kinds
            mean = size * own / n
            # Beyond nine standard deviations and twenty rows, chances are below rounding.
            reach = 9.0 * np.sqrt(mean * (1 - own / n) * (n - size) / max(n - 1, 1)) + 20.0
            lowest = np.maximum(np.maximum(size + own - n, 0), np.floor(mean - reach)).astype(int)
            highest = np.minimum(np.minimum(size, own), np.ceil(mean + reach)).astype(int)
            widths = highest - lowest + 1
            starts = np.cumsum(widths) - widths
            x = np.arange(widths.sum()) - np.repeat(starts - lowest, widths)
            own = np.repeat(own, widths)
            chances = np.exp(_choose(own, x) + _choose(n - own, size - x) - _choose(n, size))
            x_log_x = np.add.reduceat(chances * x * np.log2(np.maximum(x, 1)), starts)
            self._found[size] = float(np.log2(size) - self._n_alike @ x_log_x / size)
        return self._found[size]


def _choose(n: NDArray[np.int64] | int, k: NDArray[np.int64] | int) -> FloatArray:
    """Return the logarithm of the binomial coefficient."""
    result: FloatArray = gammaln(np.add(n, 1)) - gammaln(np.add(k, 1))
    return result - gammaln(np.subtract(n, k) + 1)
