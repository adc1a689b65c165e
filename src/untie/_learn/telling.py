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
from untie._util.types import FloatArray

WORTH_CORRECTING = 0.7
"""Shares below this are not corrected for chance: nobody asks how far below they are."""

TINY = 1e-9
"""Fewer bits than this are rounding."""

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
    # Random groups leave no more open than all rows do, so the correction only lowers a share.
    for j, k in np.argwhere((shares >= least) & ~np.eye(len(shares), dtype=bool)):
        groups, values = _margins(counts, int(j), int(k))
        expected = float(groups @ entropy_of_draws(values, groups))
        evidence[j, k] = expected
        shares[j, k] = 1.0 - left_open[j, k] * groups.sum() / expected if expected > TINY else 0.0
    np.fill_diagonal(shares, 1.0)
    return Telling(np.clip(shares, 0.0, 1.0), evidence)


def _margins(counts: Counts, j: int, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of rows with each value of j, and of k, where both are known."""
    together = counts.matrix[counts.span(j), counts.span(k)]
    # Weights may be scaled to any sum; the rows are then the least that there is to go by.
    scale = max(counts.n, counts.n_rows) / counts.n
    values = _whole_numbers(together.sum(axis=0) * scale)
    return _whole_numbers(together.sum(axis=1) * scale, int(values.sum())), values


def _whole_numbers(weights: FloatArray, total: int | None = None) -> NDArray[np.int64]:
    """Round weights so that they add up to a total, theirs if none is given."""
    ends = np.cumsum(weights)
    target = ends[-1] if total is None else total
    ends = np.rint(ends * (target / ends[-1])) if ends[-1] > 0 else ends
    return np.diff(ends, prepend=0.0).astype(np.int64)


def entropy_of_draws(frequencies: NDArray[np.int64], sizes: NDArray[np.int64]) -> FloatArray:
    """Return the mean entropy, in bits, of the values in random draws of rows.

    Parameters
    ----------
    frequencies : integer array of shape (n_values,)
        Number of rows with each value.
    sizes : integer array of shape (n_sizes,)
        Number of rows that are drawn, without putting them back; at most all.

    Examples
    --------
    Of two rows out of four, two "a" and two "b", a third are two of a kind:

    >>> entropy_of_draws(np.array([2, 2]), np.array([1, 2, 4])).round(3)
    array([0.   , 0.667, 1.   ])
    """
    n, kinds = int(frequencies.sum()), np.unique(frequencies[frequencies > 0], return_counts=True)
    steps = np.arange(np.log(EVERY_SIZE), np.log(max(n, 1)), np.log(STEP))
    grid = np.unique(np.append(np.rint(np.exp(steps)), [*range(1, EVERY_SIZE + 1), n]))
    grid = grid[grid <= n].astype(np.int64)
    needed = np.zeros(len(grid), dtype=bool)
    after = np.minimum(np.searchsorted(grid, sizes), len(grid) - 1)
    needed[after] = needed[np.maximum(after - 1, 0)] = True
    points = grid[needed]
    found = [_entropy_of_draw(*kinds, n, int(size)) for size in points]
    return np.interp(np.log(np.maximum(sizes, 1)), np.log(points), found)


def _entropy_of_draw(
    frequencies: NDArray[np.int64], n_alike: NDArray[np.intp], n: int, size: int
) -> float:
    """Return the mean entropy of a draw of `size` rows.

    The number x of drawn rows with a value has a hypergeometric distribution, and the entropy is
    log(size) less the sum over the values of x log(x) / size.
    """
    mean = size * frequencies / n
    spread = np.sqrt(mean * (1 - frequencies / n) * (n - size) / max(n - 1, 1))
    lowest = np.maximum(np.maximum(0, size + frequencies - n), mean - 12 * spread - 20)
    highest = np.minimum(np.minimum(size, frequencies), mean + 12 * spread + 20)
    lowest = np.floor(lowest).astype(np.int64)
    width = int((np.ceil(highest) - lowest).max()) + 1
    x = lowest[:, None] + np.arange(width)
    own = frequencies[:, None]
    possible = (x <= np.minimum(size, own)) & (x >= size + own - n)
    x = np.where(possible, x, np.maximum(0, size + own - n))
    log_shares = _choose(own, x) + _choose(n - own, size - x) - _choose(n, size)
    x_log_x = x * np.log2(np.maximum(x, 1))
    of_values = np.where(possible, np.exp(log_shares) * x_log_x, 0.0).sum(axis=1)
    return float(np.log2(size) - n_alike @ of_values / size)


def _choose(n: NDArray[np.int64] | int, k: NDArray[np.int64] | int) -> FloatArray:
    """Return the logarithm of the binomial coefficient."""
    result: FloatArray = gammaln(np.add(n, 1)) - gammaln(np.add(k, 1))
    return result - gammaln(np.subtract(n, k) + 1)
