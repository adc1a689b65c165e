"""Clusters of sampled rows -> how well they describe the table; the criterion for clusters.

The logarithm of how much likelier the cells become when each cluster has its own shares of values,
less the entropy of the clusters' sizes: the classification likelihood of the latent class model.
The shares are averaged over a Dirichlet prior around those of the whole table, which charges for
every share that differs, and little for rare values. Redundant columns share one weight. The
vectors of each candidate are clustered, and the clusters are compared by this gain, which does not
depend on the scale of the vectors.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy.special import gammaln

from untie._count.counts import Counts
from untie._count.crosstab import cross_table
from untie._count.row_sample import RowSample
from untie._learn.columns.attributes import Attributes
from untie._learn.spaces.value_tables import Columns
from untie._util.k_means import LookedUpRows, best_labels
from untie._util.threads import in_threads
from untie._util.types import FloatArray, IntArray, LongArray

PRIOR = 10.0
"""Before it has any rows, a cluster is taken to be like this many rows of the whole table."""


def description_gain(
    codes: NDArray[np.integer],
    sizes: Sequence[int],
    weights: FloatArray,
    labels: IntArray,
    votes: FloatArray,
) -> float:
    """Return the gain per row in nats; above 0, clusters describe the table better than none.

    Parameters
    ----------
    codes : integer array of shape (n_rows, n_attributes)
        The rows; a code equal to the attribute's size is an unknown value and does not count.
    sizes : sequence of int
        Number of values of each attribute.
    weights : array of shape (n_rows,)
        How often each row counts.
    labels : integer array of shape (n_rows,)
        The cluster of each row.
    votes : array of shape (n_attributes,)
        How much each attribute counts.

    Examples
    --------
    >>> codes = np.repeat([[0, 0], [1, 1]], 50, axis=0)
    >>> weights, votes = np.ones(100), np.ones(2)
    >>> right, wrong = codes[:, 0], np.arange(100) % 2
    >>> gains = [description_gain(codes, (2, 2), weights, l, votes) for l in (right, wrong)]
    >>> np.round(gains, 2)
    array([ 0.29, -0.71])
    """
    n_clusters = int(labels.max()) + 1
    counts = [
        cross_table(labels, column, (n_clusters, size + 1), weights)[:, :size]
        for column, size in zip(codes.T, sizes, strict=True)
    ]
    return gain_of_counts(counts, np.bincount(labels, weights).astype(float), votes)


def gain_of_counts(
    counts: Sequence[FloatArray], cluster_sizes: FloatArray, votes: FloatArray
) -> float:
    """Return the gain per row of a partition, of which only counts are known.

    Parameters
    ----------
    counts : sequence of arrays of shape (n_clusters, n_values)
        Weight of each value in each cluster, one per attribute.
    cluster_sizes : array of shape (n_clusters,)
        Weight of each cluster's rows, those with unknown cells included.
    votes : array of shape (n_attributes,)
        How much each attribute counts.
    """
    gain = 0.0
    for table, vote in zip(counts, votes, strict=True):
        whole = table.sum(axis=0)
        known = float(whole.sum())
        if known > 0:
            prior = PRIOR * whole / known
            gain += vote * (_log_evidence(table, prior) - _log_evidence(whole[None], prior))
    total = float(cluster_sizes.sum())
    shares = cluster_sizes[cluster_sizes > 0] / total
    return float(gain / total + shares @ np.log(shares))


def _log_evidence(table: FloatArray, prior: FloatArray) -> float:
    """Return the log probability of the cells, cluster by cluster, under the prior.

    A value that never occurs adds nothing.
    """
    occurs = prior > 0
    prior = prior[occurs]
    values = gammaln(table[:, occurs] + prior).sum() - len(table) * gammaln(prior).sum()
    total = float(prior.sum())
    clusters = gammaln(table.sum(axis=1) + total).sum() - len(table) * gammaln(total)
    return float(values - clusters)


def likelihood_costs(joint: FloatArray, vote: float) -> FloatArray:
    """Return minus the logarithms of a column's shares in clusters, times its weight.

    The shares are those of the cluster's rows and `PRIOR` rows of the whole table together. A value
    that is unknown, or occurs nowhere, costs nothing: it says nothing of clusters.

    Parameters
    ----------
    joint : array of shape (n_clusters, n_values)
        Weight of each value in each cluster.
    vote : float
        How much the column counts.

    Returns
    -------
    array of shape (n_values + 1, n_clusters)
        The last line is that of an unknown value.

    Examples
    --------
    >>> costs = likelihood_costs(np.array([[90.0, 0.0], [0.0, 90.0]]), 1.0)
    >>> np.exp(-costs).round(2)
    array([[0.95, 0.05],
           [0.05, 0.95],
           [1.  , 1.  ]])
    """
    n_clusters, n_values = joint.shape
    costs = np.zeros((n_values + 1, n_clusters))
    whole = joint.sum(axis=0)
    occurs = np.flatnonzero(whole)
    if vote > 0 and len(occurs):
        prior = PRIOR * whole[occurs] / whole.sum()
        shares = (joint[:, occurs] + prior) / (joint.sum(axis=1, keepdims=True) + PRIOR)
        costs[occurs] = -vote * np.log(shares).T
    return costs


N_STARTS, LEAST_STARTS = 60, 5
"""k-means has this many starts per model and number of clusters, at most and at least; with fewer
the choice depends on luck."""

WORK, MOST_WORK = 1.4e7, 1.5e8
"""Limits of the work (see `_work`) of one k-means over its starts, and of one candidate. Beyond the
first there are fewer starts; beyond the second, only the number of clusters asked for is tried."""

THREADS_WORK = 2e6
"""From this much work over all starts on, numbers of clusters are tried in threads."""

PASSES = 50
"""What a step does per row, cluster and start costs as much as this many dimensions."""

LONG = 10
"""Rows whose columns have more dimensions than this, on average, are looked up and not made: to
look a number up takes as long as to multiply this many."""

Rows = FloatArray | LookedUpRows

Judge = Callable[[IntArray, int], float]
"""Takes a partition and its number of clusters, and returns its gain."""

NOISE = 1e-6
"""Vectors nearer than this share of their length are equal: they are square roots of kernel
matrices, so rounding is 1e-8 in them."""


@dataclass(frozen=True, eq=False)
class Descriptions:
    """How well the clusters of each candidate describe some rows; no clusters are made twice.

    Parameters
    ----------
    candidates : mapping from names to lists of tables of shape (n_values, n_dimensions)
        The value vectors of each attribute.
    sample : RowSample
        Rows of the table.
    attributes : Attributes
        Of the whole table: its counts, and the weights of the columns.
    finer : Counts, optional
        Counts of the values that have vectors, if those of `attributes` are of a coarser view.
    cells : integer array of shape (n_sampled, n_attributes), optional
        The rows in that view, where their cells are described.
    """

    candidates: Mapping[str, Sequence[Columns]]
    sample: RowSample
    attributes: Attributes
    finer: Counts | None = None
    cells: LongArray | None = None
    _rows: dict[str, tuple[Rows, int]] = field(default_factory=dict)
    _gains: dict[tuple[str, int, int], float] = field(default_factory=dict)

    def gains(self, n_clusters: int, rng: RandomState) -> dict[str, float]:
        """Return, for each candidate, how well its clusters describe the rows.

        The mean over `n_clusters` - 1, `n_clusters` (counted twice) and `n_clusters` + 1: a
        candidate that is right by luck with one number is not with all three.

        Parameters
        ----------
        n_clusters : int
            Number of clusters, at least 2.
        rng : RandomState
            For the starts of k-means, the same for all candidates.

        Returns
        -------
        dict
            Nats per row; -inf for vectors with fewer distinct rows than clusters.
        """
        seed = rng.randint(2**31 - 1)
        numbers = _numbers(n_clusters, len(self.sample.weights), sum(self._counts.sizes))

        def gains(name: str) -> list[float]:
            rows, n_distinct = self._rows_of(name)
            able = [n for n in numbers if n <= n_distinct and n_clusters <= n_distinct]
            new = [number for number in able if (name, number, seed) not in self._gains]
            found = _gains_by_number(rows, self.sample.weights, new, seed, self._judge)
            self._gains.update(((name, n, seed), gain) for n, gain in zip(new, found, strict=True))
            known = [self._gains[name, number, seed] for number in able]
            return known + [-np.inf] * (len(numbers) - len(able))

        # Where several numbers are tried, these are tried in threads.
        found = in_threads(gains, list(self.candidates), len(numbers) == 1)
        means = _mean_gains(np.array(found), numbers.index(n_clusters))
        return dict(zip(self.candidates, means, strict=True))

    def _rows_of(self, name: str) -> tuple[Rows, int]:
        """Return the rows' vectors of a candidate, and how many of them are distinct."""
        if name not in self._rows:
            tables = self.candidates[name]
            rows = _vectors(tables, self.sample, self._counts)
            self._rows[name] = rows, _n_distinct(rows, tables)
        return self._rows[name]

    @property
    def _counts(self) -> Counts:
        return self.attributes.counts if self.finer is None else self.finer

    @cached_property
    def _judge(self) -> Judge:
        cells = self.sample.codes if self.cells is None else self.cells
        return gain_of(replace(self.sample, codes=cells), self.attributes)


def _gains_by_number(
    rows: Rows, weights: FloatArray, numbers: Sequence[int], seed: int, judge: Judge
) -> list[float]:
    """Return how well the clusters of some rows describe the table, for ascending numbers."""

    def gain(number: int) -> float:
        n_starts = number_of_starts(rows, number)
        labels = best_labels(rows, weights, number, n_starts, RandomState(seed))
        return judge(labels, number)

    n_rows, n_dimensions = rows.shape
    work = sum(
        _work(n_rows, n_dimensions, number) * number_of_starts(rows, number) for number in numbers
    )
    # The largest number, which takes longest, first.
    return in_threads(gain, numbers[::-1], work >= THREADS_WORK)[::-1]


def gain_of(sample: RowSample, attributes: Attributes) -> Judge:
    """Return a function of a partition and its number of clusters: its gain."""
    counts = attributes.counts
    # The sample stands for the whole table, so what is learned costs what it costs there.
    weights = sample.weights * (counts.n_draws / sample.weights.sum())

    def gain(labels: IntArray, n_clusters: int) -> float:
        if len(np.unique(labels)) < n_clusters:
            return -np.inf
        return description_gain(sample.codes, counts.sizes, weights, labels, attributes.votes)

    return gain


def _mean_gains(gains: FloatArray, asked: int) -> list[float]:
    """Average over the numbers of clusters that every candidate can make.

    Parameters
    ----------
    gains : array of shape (n_candidates, n_numbers)
        -inf where a candidate cannot make that number of clusters.
    asked : int
        The column of the number that was asked for; a candidate that cannot make it is out.
    """
    able = np.isfinite(gains[:, asked])
    if not able.any():
        return [-np.inf] * len(gains)
    common = np.isfinite(gains[able]).all(axis=0)
    weights = np.where(np.arange(gains.shape[1]) == asked, 2.0, 1.0)[common]
    means = gains[:, common] @ weights / weights.sum()
    # Equal partitions tie, in whatever order the clusters are added up.
    return [round(float(mean), 9) for mean in means]


def _numbers(n_clusters: int, n_rows: int, n_values: int) -> list[int]:
    """Return the numbers of clusters to try; on a wide table only the one asked for."""
    numbers = [number for number in range(n_clusters - 1, n_clusters + 2) if number > 1]
    work = sum(_work(n_rows, min(n_rows, n_values), number) for number in numbers)
    return numbers if LEAST_STARTS * work <= MOST_WORK else [n_clusters]


def number_of_starts(rows: Rows, n_clusters: int) -> int:
    """Return from how many starts k-means should run: fewer where each takes long."""
    n_rows, n_dimensions = rows.shape
    work = _work(n_rows, min(n_rows, n_dimensions), n_clusters)
    return int(np.clip(WORK / work, LEAST_STARTS, N_STARTS))


def _work(n_rows: int, n_dimensions: int, n_clusters: int) -> float:
    return float(n_rows * n_clusters * (n_dimensions + PASSES))


def _vectors(tables: Sequence[Columns], sample: RowSample, counts: Counts) -> Rows:
    """Return the rows' vectors, centered."""
    triples = zip(tables, sample.codes.T, counts.parts, strict=True)
    found = [table.centered(column, own) for table, column, own in triples]
    if sum(vectors.shape[1] for vectors, _ in found) > LONG * len(found):
        return LookedUpRows([vectors for vectors, _ in found], [codes for _, codes in found])
    return np.hstack([vectors[codes] for vectors, codes in found])


def _n_distinct(rows: Rows, tables: Sequence[Columns]) -> int:
    """Count the rows that differ by more than rounding, by their places on a random line."""
    line = RandomState(0).normal(size=rows.shape[1])
    places = (
        rows.products(np.append(line, 0.0)[None])[0]
        if isinstance(rows, LookedUpRows)
        else rows @ line
    )
    length = np.linalg.norm([table.largest() for table in tables])
    return 1 + int(np.count_nonzero(np.diff(np.sort(places)) > NOISE * length))


def shortened(rows: FloatArray) -> FloatArray:
    """Return vectors with the same distances, in at most as many dimensions as there are rows."""
    if rows.shape[1] <= len(rows):
        return rows
    gram = rows @ rows.T
    # A little on the diagonal makes every distance longer by the same, and the root exist.
    gram.flat[:: len(gram) + 1] += NOISE**2 * gram.diagonal().max()
    return np.asarray(np.linalg.cholesky(gram), dtype=np.float64)
