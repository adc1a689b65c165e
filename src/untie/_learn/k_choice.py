"""Vectors of sampled rows -> the number of clusters, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from untie._count.counts import Counts
from untie._count.row_sample import RowSample
from untie._learn.attributes import Attributes
from untie._learn.choose import gain_of, number_of_starts
from untie._learn.means import count_distinct, sample_vectors
from untie._learn.vectors import LookUp
from untie._table import frames
from untie._util.checks import check_integer
from untie._util.k_means import best_labels, nearest_means
from untie._util.types import FloatArray

AUTO_KS = range(2, 11)
"""Numbers of clusters that ``n_clusters="auto"`` chooses from."""

N_RESAMPLES = 10
"""Resamples of the rows for ``n_clusters="auto"``."""

RESAMPLED_ROWS = 1_000
"""A resample has at most this many rows: a draw of all rows of a large table would hardly vary."""

RESAMPLE_STARTS = 5
"""k-means has this many starts per resample."""

SAME = 1e-9
"""Scores that differ by less than this are equal."""


@dataclass(frozen=True, eq=False)
class KChoice:
    """How good each number of clusters is, and the one chosen.

    Parameters
    ----------
    k : int
        The smallest number whose score is within one standard error of the highest.
    how_sure : float
        Share of the resamples in which this number is the best, from 0 to 1.
    ks : tuple of int
        The numbers tried.
    gain : array of shape (n_ks,)
        Description gain: by how many nats per row the clusters describe the table better than no
        clusters. Below 0, they are not worth their cost.
    silhouette : array of shape (n_ks,)
        Mean silhouette, from -1 to 1; not used for the choice.
    stability : array of shape (n_ks,)
        Mean adjusted Rand index of the clusters and those of resamples; 1 is the same.
    score : array of shape (n_ks,)
        The mean over the resamples of gain x agreement: of how well the resample's clusters
        describe all rows, times their adjusted Rand index with the clusters of all rows; a
        negative gain counts as it is.
    chosen : array of shape (n_resamples,)
        The number that is the best in each resample.
    n_sampled : int
        Number of distinct rows that were clustered.
    library : str
        The library of `table`.

    See Also
    --------
    choose_k : Makes it, and says how.
    """

    k: int
    how_sure: float
    ks: tuple[int, ...]
    gain: FloatArray
    silhouette: FloatArray
    stability: FloatArray
    score: FloatArray
    chosen: NDArray[np.intp]
    n_sampled: int
    library: str = "pandas"

    @property
    def found_clusters(self) -> bool:
        """Whether the clusters describe the table better than none."""
        return bool(self.gain[self.ks.index(self.k)] > 0)

    @property
    def verdict(self) -> str:
        """The choice in one sentence, for people."""
        if not self.found_clusters and len(self.ks) == 1:
            return f"{self.k} clusters describe the table no better than none do."
        if not self.found_clusters:
            return (
                f"No number of clusters from {self.ks[0]} to {self.ks[-1]} describes the table "
                f"better than none; {self.k} is the least bad."
            )
        at = self.ks.index(self.k)
        return (
            f"{self.k} clusters, the best number in {self.how_sure:.0%} of the resamples; clusters "
            f"of resampled rows agree with these by {max(self.stability[at], 0.0):.2f} (adjusted "
            "Rand index)."
        )

    def table(self) -> Any:
        """Return the figures of every number of clusters.

        Returns
        -------
        frame
            One row per number: k, gain, silhouette, stability, score, and chosen_by, the share of
            the resamples in which it is the best.
        """
        columns = {
            "k": list(self.ks),
            "gain": self.gain,
            "silhouette": self.silhouette,
            "stability": self.stability,
            "score": self.score,
            "chosen_by": [float(np.mean(self.chosen == k)) for k in self.ks],
        }
        return frames.make_frame(self.library, columns)


def choose_number(
    vectors: LookUp,
    sample: RowSample,
    counts: Counts,
    ks: Iterable[int],
    n_resamples: int,
    rng: RandomState,
    library: str = "pandas",
) -> KChoice:
    """Choose the number of clusters of sampled rows; :func:`untie.choose_k` says how.

    Parameters
    ----------
    vectors : LookUp
        The compact vectors of the values.
    sample : RowSample
        Rows of the table.
    counts : Counts
        Counts of the whole table.
    ks : iterable of int
        The numbers to try.
    n_resamples : int
        Number of resamples.
    rng : RandomState
        Where they are drawn from.
    library : str
        The library of the choice's table.
    """
    check_integer("n_resamples", n_resamples, 1, "a positive integer")
    rows = sample_vectors(vectors, sample)
    numbers = _check_ks(ks, count_distinct(rows))
    gain = gain_of(sample, Attributes(counts))
    # Weights may be scaled to any sum; the rows are then the least that there is to go by.
    weights = sample.weights * max(1.0, len(rows) / sample.weights.sum())
    trial = _Trial(rows, weights, n_resamples, rng)
    seed = rng.randint(2**31 - 1)
    gains, silhouettes = np.empty((2, len(numbers)))
    of_resamples, agreement = np.empty((2, len(numbers), n_resamples))
    for place, k in enumerate(numbers):
        labels = trial.cluster(k, RandomState(seed))
        gains[place], silhouettes[place] = gain(labels, k), trial.silhouette(labels)
        for number in range(n_resamples):
            other = trial.cluster_resample(number, k, RandomState(seed))
            of_resamples[place, number] = gain(other, k)
            agreement[place, number] = adjusted_rand(labels, other, weights)
    scores = _score(of_resamples, agreement)
    k = numbers[_smallest_good(scores)]
    chosen = np.array(numbers)[np.argmax(np.round(scores, 9), axis=0)]
    return KChoice(
        k,
        float(np.mean(chosen == k)),
        tuple(numbers),
        gains,
        silhouettes,
        agreement.mean(axis=1),
        scores.mean(axis=1),
        chosen,
        len(sample.weights),
        library,
    )


class _Trial:
    """Rows to be clustered into several numbers of clusters, and resamples of them.

    Parameters
    ----------
    rows : array of shape (n_rows, n_dimensions)
        Vectors of distinct rows.
    weights : array of shape (n_rows,)
        How often each counts.
    n_resamples : int
        Number of resamples.
    rng : RandomState
        Where they are drawn from.
    """

    def __init__(
        self, rows: FloatArray, weights: FloatArray, n_resamples: int, rng: RandomState
    ) -> None:
        self.rows, self.weights = rows, weights
        # Weights that were scaled to the number of rows may add up to a little less.
        n_draws = int(min(weights.sum() * (1 + SAME), RESAMPLED_ROWS))
        shares = weights / weights.sum()
        self.draws = rng.multinomial(n_draws, shares, size=n_resamples).astype(float)
        squares = np.einsum("ij,ij->i", rows, rows)
        distances = squares[:, None] + squares - 2.0 * (rows @ rows.T)
        np.fill_diagonal(distances, 0.0)
        self.distances = np.sqrt(np.maximum(distances, 0.0))

    def cluster(self, k: int, rng: RandomState) -> NDArray[np.intp]:
        """Return the clusters of all rows."""
        return best_labels(self.rows, self.weights, k, number_of_starts(self.rows, k), rng)

    def cluster_resample(self, number: int, k: int, rng: RandomState) -> NDArray[np.intp]:
        """Return the clusters of a resample, and of the other rows by the nearest mean."""
        draws = self.draws[number]
        drawn = np.flatnonzero(draws)
        if len(drawn) < k:
            return np.zeros(len(draws), dtype=np.intp)
        labels = best_labels(self.rows[drawn], draws[drawn], k, RESAMPLE_STARTS, rng)
        members = np.zeros((len(drawn), k))
        members[np.arange(len(drawn)), labels] = draws[drawn]
        sizes = members.sum(axis=0)
        means = (members.T @ self.rows[drawn])[sizes > 0] / sizes[sizes > 0, None]
        return nearest_means(self.rows, means)

    def silhouette(self, labels: NDArray[np.intp]) -> float:
        """Return the weighted mean silhouette; copies of a row are at distance 0 of it."""
        members = np.zeros((len(labels), int(labels.max()) + 1))
        members[np.arange(len(labels)), labels] = self.weights
        sizes = members.sum(axis=0)
        sums = self.distances @ members
        every = np.arange(len(labels))
        others = sizes[labels] - np.minimum(self.weights, 1.0)
        alone = others <= 1e-12
        own = sums[every, labels] / np.where(alone, 1.0, others)
        means = np.divide(sums, sizes, out=np.full_like(sums, np.inf), where=sizes > 0)
        means[every, labels] = np.inf
        nearest = means.min(axis=1)
        larger = np.maximum(own, nearest)
        usable = ~alone & np.isfinite(nearest) & (larger > 0)
        widths = np.zeros(len(labels))
        widths[usable] = (nearest - own)[usable] / larger[usable]
        return float(self.weights @ widths / self.weights.sum())


def adjusted_rand(first: NDArray[np.intp], second: NDArray[np.intp], weights: FloatArray) -> float:
    """Return the adjusted Rand index of two partitions of weighted rows.

    The weights are numbers of equal rows, which are in one cluster together.

    Examples
    --------
    >>> adjusted_rand(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]), np.ones(4))
    1.0
    """
    n_second = int(second.max()) + 1
    joint = np.bincount(first * n_second + second, weights, minlength=(first.max() + 1) * n_second)
    table = joint.reshape(-1, n_second)
    rows, columns = (_n_pairs(table.sum(axis=axis)) for axis in (1, 0))
    both, total = _n_pairs(table), _n_pairs(table.sum())
    expected = rows * columns / total if total > 0 else 0.0
    most = (rows + columns) / 2.0
    return float((both - expected) / (most - expected)) if most > expected else 1.0


def _n_pairs(counts: Any) -> float:
    return float(np.sum(counts * np.maximum(counts - 1.0, 0.0)) / 2.0)


def _score(gain: FloatArray, stability: FloatArray) -> FloatArray:
    """Return the gain as far as it can be relied on; a loss is a loss, however stable."""
    return np.where(gain > 0, np.maximum(gain, 0.0) * np.maximum(stability, 0.0), gain)


def _smallest_good(scores: FloatArray) -> int:
    """Return the first line whose mean is within one standard error of the highest.

    Parameters
    ----------
    scores : array of shape (n_ks, n_resamples)
        -inf where a resample does not make that number of clusters.
    """
    means = scores.mean(axis=1)
    best = int(np.argmax(np.round(means, 9)))
    for place in np.flatnonzero(np.isfinite(means[:best])):
        behind = scores[best] - scores[place]
        error = behind.std(ddof=1) / np.sqrt(len(behind)) if len(behind) > 1 else 0.0
        if behind.mean() <= error + SAME:
            return int(place)
    return best


def _check_ks(ks: Iterable[int], n_distinct: int) -> list[int]:
    numbers = sorted(set(ks))
    if not numbers:
        raise ValueError("ks is empty; name at least one number of clusters.")
    for k in numbers:
        check_integer("ks", k, 2, "integers from 2 on")
    able = [int(k) for k in numbers if k < n_distinct]
    if not able:
        raise ValueError(
            f"The sample has {n_distinct} distinct row{'s' * (n_distinct != 1)}, too few for "
            f"{numbers[0]} clusters or more to be compared; name the number of clusters instead of "
            "choosing it."
        )
    return able
