"""Counts -> how much of each column's entropy every other column explains, corrected for chance.

j explains of k

    1 - H(k | j) / E[H(k | j)],

where E is the mean over all ways to pair the cells of the two columns at random. A pair of columns
is judged by the rows in which both are known: cells with values outside the user's categories are
not counted, and missing ones are left out first (`known_counts`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from untie._count.counts import Counts
from untie._util.arrays import ROUNDING
from untie._util.types import FloatArray, LongArray


@dataclass(frozen=True, eq=False)
class Entropies:
    """The entropies of all pairs of attributes, in bits.

    Parameters
    ----------
    margins : array of shape (n_attributes, n_attributes)
        [j, k] is H(j), in the rows where both j and k are known.
    joint : array of shape (n_attributes, n_attributes)
        H(j, k).
    weights : array of shape (n_attributes, n_attributes)
        Weight of the rows where both are known.
    n_values : array of shape (n_attributes, n_attributes)
        [j, k]: the number of values of j that occur in these rows.
    largest : array of shape (n_attributes, n_attributes)
        [j, k]: the share of these rows that the most frequent value of j has.
    """

    margins: FloatArray
    joint: FloatArray
    weights: FloatArray
    n_values: FloatArray
    largest: FloatArray


def blank_codes(counts: Counts, missing: Sequence[int | None]) -> list[int | None]:
    """Return the code of each attribute's blank cells: those that are missing where others are not.

    Where a column has a single value besides, as a box that is ticked or not, a missing cell is
    its other value, and no blank.

    Parameters
    ----------
    counts : Counts
        Counts of the values.
    missing : sequence of int or None, one per attribute
        The code of the missing value, if the attribute has one.
    """
    return [
        None if code is None or own[code] == 0 or np.count_nonzero(own) <= 2 else code
        for code, own in zip(missing, counts.parts, strict=True)
    ]


def known_counts(counts: Counts, blanks: Sequence[int | None]) -> Counts:
    """Return the counts of cells that are not blank: of each pair, the rows that know both.

    Examples
    --------
    >>> from untie import count_table
    >>> rows = [["a", "x"], ["b", None], ["b", "y"], [None, "y"], [None, None]]
    >>> known_counts(count_table(rows).counts, [2, 2]).block(0, 1)
    array([[1., 0.],
           [0., 1.]])
    """
    if all(code is None for code in blanks):
        return counts
    targets, sizes = [], []
    for size, code in zip(counts.sizes, blanks, strict=True):
        is_kept = np.arange(size) != (size if code is None else code)
        sizes.append(int(is_kept.sum()))
        targets.append(np.where(is_kept, np.cumsum(is_kept) - 1, sizes[-1]).astype(np.intp))
    return counts.relabel(targets, tuple(sizes))


def filled_counts(counts: Counts, blanks: Sequence[int | None]) -> Counts:
    """Return the counts of pairs of which at most one cell is blank.

    Examples
    --------
    >>> from untie import count_table
    >>> rows = [["a", "x"], ["b", None], ["b", "y"], [None, "y"], [None, None]]
    >>> filled_counts(count_table(rows).counts, [2, 2]).block(0, 1)
    array([[1., 0., 0.],
           [0., 1., 1.],
           [0., 1., 0.]])
    """
    places = [counts.span(j).start + code for j, code in enumerate(blanks) if code is not None]
    is_blank = np.isin(np.arange(counts.offsets[-1]), places)
    if not counts.is_sparse:
        matrix = counts.matrix.copy()
        matrix[np.ix_(is_blank, is_blank)] = np.diag(counts.frequencies[is_blank])
        return replace(counts, matrix=matrix)
    found = counts.matrix.tocoo()
    is_kept = ~(is_blank[found.row] & is_blank[found.col]) | (found.row == found.col)
    kept = found.data[is_kept], (found.row[is_kept], found.col[is_kept])
    return replace(counts, matrix=sparse.csr_array(kept, shape=found.shape))


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
        in n rows: (v - 1) (w - 1) / 2n nats for v and w values that occur.

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
        n_free = np.maximum(entropies.n_values - 1.0, 0.0)
        n_draws = chance.n_draws * known_shares(entropies, chance)
        free = n_free * n_free.T
        shared -= np.divide(free, n_draws * np.log(2.0), out=np.zeros_like(free), where=free > 0)
    return np.clip(np.divide(shared, both, out=np.zeros_like(both), where=both > 0), 0.0, 1.0)


def known_shares(entropies: Entropies, counts: Counts) -> FloatArray:
    """Return the share of the rows in which both attributes are known; shape (m, m)."""
    shares = entropies.weights / counts.n
    return np.where(shares > 1.0 - ROUNDING, 1.0, shares)


_KNOWN: WeakKeyDictionary[Counts, Entropies] = WeakKeyDictionary()
"""Weights of columns and trees ask for the entropies of the same counts."""


def pair_entropies(counts: Counts) -> Entropies:
    """Return the entropies of all pairs of attributes; counts are asked once."""
    if counts not in _KNOWN:
        _KNOWN[counts] = _pair_entropies(counts)
    return _KNOWN[counts]


def _pair_entropies(counts: Counts) -> Entropies:
    starts = counts.offsets[:-1]
    margins, joint, weights, n_values, largest = np.empty((5, len(starts), len(starts)))
    split = _split_sparse if counts.is_sparse else _split_dense
    for attribute in range(len(starts)):
        of_pairs, surprise = split(counts, attribute)
        weights[attribute] = of_pairs.sum(axis=0)
        totals = _positive(weights[attribute])
        shares = of_pairs / totals
        margins[attribute] = _surprise(shares).sum(axis=0)
        joint[attribute] = surprise(totals)
        n_values[attribute] = (of_pairs > 0).sum(axis=0)
        largest[attribute] = shares.max(axis=0)
    return Entropies(margins, joint, weights, n_values, largest)


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
    return _surprise(shares).sum(axis=0)


def _surprise(shares: FloatArray) -> FloatArray:
    # Shares, not weights: the one value of a constant attribute then gives 0 exactly.
    return -shares * np.log2(_positive(shares))


def _positive(weights: FloatArray) -> FloatArray:
    """Put 1 in the place of 0, for divisors and logarithms that must not matter."""
    return np.where(weights > 0, weights, 1.0)


WORTH_CORRECTING = 0.7
"""Shares below this are not corrected for chance: nobody asks how far below they are."""

MOST_ROWS = 2**30
"""Weights that add up to more count as this many rows: chance is the same, and numbers of pairs of
rows stay within 64 bits."""

EVERY_SIZE, STEP = 64, 1.2
"""Random groups are computed for every size up to the first, then for sizes that grow by this
factor; between them the entropy is interpolated."""


@dataclass(frozen=True, eq=False)
class ExplainedEntropies:
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


def explained_entropies(
    counts: Counts, entropies: Entropies, least: float = WORTH_CORRECTING
) -> ExplainedEntropies:
    """Return how much each attribute tells of each other one; shares from `least` on, corrected.

    Examples
    --------
    >>> from untie import count_table
    >>> cities = [["Rome", "Italy"], ["Pisa", "Italy"], ["Nice", "France"], ["Lyon", "France"]]
    >>> counts = count_table(cities * 25).counts
    >>> explained_entropies(counts, pair_entropies(counts)).shares.round(2)
    array([[1. , 1. ],
           [0.5, 1. ]])
    """
    # H(k | j), what is left open of k where j is known, and H(k).
    left_open, whole = np.maximum(entropies.joint - entropies.margins, 0.0), entropies.margins.T
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
        is_open = expected > ROUNDING
        shares[j, k] = 1.0 - left_open[j, k] * groups.sum() / expected if is_open else 0.0
    np.fill_diagonal(shares, 1.0)
    return ExplainedEntropies(np.clip(shares, 0.0, 1.0), evidence)


def _margins(counts: Counts, j: int, k: int) -> tuple[LongArray, LongArray]:
    """Return the number of rows with each value of j, and of k, where both are known."""
    together = counts.matrix[counts.span(j), counts.span(k)]
    scale = min(counts.n_draws, MOST_ROWS) / counts.n
    values = _whole_numbers(together.sum(axis=0) * scale)
    return _whole_numbers(together.sum(axis=1) * scale, int(values.sum())), values


def _whole_numbers(weights: FloatArray, total: int | None = None) -> LongArray:
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

    def __init__(self, frequencies: LongArray) -> None:
        self.n = int(frequencies.sum())
        self._kinds, self._n_alike = np.unique(frequencies[frequencies > 0], return_counts=True)
        steps = np.arange(np.log(EVERY_SIZE), np.log(max(self.n, 1)), np.log(STEP))
        grid = np.unique(np.append(np.rint(np.exp(steps)), [*range(1, EVERY_SIZE + 1), self.n]))
        self._grid = grid[(grid <= self.n) & (grid > 0)].astype(np.int64)
        self._found: dict[int, float] = {}

    def entropies(self, sizes: LongArray) -> FloatArray:
        """Return the mean entropy, in bits, of draws of so many rows, at most all."""
        if not self.n:  # two columns that are never known together
            return np.zeros(len(sizes))
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


def _choose(n: LongArray | int, k: LongArray | int) -> FloatArray:
    """Return the logarithm of the binomial coefficient."""
    result: FloatArray = gammaln(np.add(n, 1)) - gammaln(np.add(k, 1))
    return result - gammaln(np.subtract(n, k) + 1)
