"""Whether clusters come back when the rows are drawn anew."""

from typing import Any

import numpy as np
from numpy.random import RandomState

from untie._count.counts import number_of_draws
from untie._count.crosstab import cross_table
from untie._count.row_sample import RowSample
from untie._inputs import as_fitted
from untie._learn.clustering.lloyd import count_distinct, sample_vectors
from untie._table import frames
from untie._util.checks import check_integer, draws_of
from untie._util.k_means import best_labels
from untie._util.types import FloatArray, IntArray

MOST_ROWS = 2_000
"""Resamples are drawn from at most this many rows."""

DRAWS = 1_000
"""A resample has at most this many rows."""

N_STARTS = 5
"""Number of starts of k-means for each resample."""

WORDS = ((0.85, "stable"), (0.75, "fairly stable"), (0.6, "doubtful"), (0.0, "dissolves"))
"""The lowest stability of each verdict; the bounds are those of Hennig (2007)."""


def cluster_stability(
    model: Any,
    data: Any,
    *,
    n_resamples: int = 20,
    labels: Any = None,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> Any:
    """Return how well each cluster comes back in resampled rows.

    Rows are drawn with replacement, and k-means makes as many clusters of their learned vectors
    as there are labels. A cluster's stability is the mean, over the resamples, of the Jaccard index
    of its drawn rows and the new cluster that is most like them: 1 if it comes back as it is.
    Labels that k-means on these vectors did not make, such as those of rows that `TableClusterer`
    moved after it, are compared all the same, and are unstable where it would not make them.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory. Resamples of a large table are drawn from
        2,000 of its rows, so small clusters may lack rows.
    n_resamples : int, default=20
        Number of resamples, from 10 to 100, of as many draws as there are rows but at most 1,000.
        The time grows with it; the means get more precise.
    labels : array of shape (n_rows,) or str, optional
        The cluster of each row, or the column that has it; by default the clusters of the model.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so, which is then not looked at.
    random_state : int, RandomState or None, default=0
        Seed of the draws and of the starts of k-means; None is 0.

    Returns
    -------
    frame
        cluster, share (of all rows), stability, lowest (in any resample) and verdict: "stable"
        from 0.85 on, "fairly stable" from 0.75, "doubtful" from 0.6, else "dissolves"; "not
        sampled" if no resample had a row of it.

    See Also
    --------
    verdict : What is to be thought of all clusters together.
    untie.choose_k : Chooses a number of clusters, and tells whether there are any.

    References
    ----------
    C. Hennig, Cluster-wise assessment of cluster stability, Computational Statistics & Data
    Analysis 52, 258-271, 2007.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import cluster_stability
    >>> rows = [["red", "wine", "glass"]] * 20 + [["brown", "beer", "jug"]] * 10
    >>> encoder = TableEncoder(n_clusters=2).fit(rows)
    >>> cluster_stability(encoder, rows, labels=[0] * 20 + [1] * 10).round(2)
       cluster  share  stability  lowest verdict
    0        0   0.67        1.0     1.0  stable
    1        1   0.33        1.0     1.0  stable
    """
    fitted = as_fitted(model)
    n_resamples = check_integer("n_resamples", n_resamples)
    clustered = fitted.clustered(data, labels, sample_weight)
    encoder, clusters, weights = fitted.encoder, clustered.partition, clustered.weights
    codes = encoder._codes(clustered.rows)
    rng = draws_of(random_state)
    drawn = _some_rows(weights, rng)
    rows = np.stack([column[drawn].astype(np.int64) for column in codes], axis=1)
    sample = RowSample(np.arange(len(drawn), dtype=np.uint64), rows, weights[drawn])
    vectors = sample_vectors(encoder._model.vectors, sample)
    kinds, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    sums = np.bincount(which.ravel(), weights[drawn]).astype(float)
    distinct = RowSample(first.astype(np.uint64), kinds, sums)
    n_draws = number_of_draws(distinct, float(sums.sum()), len(drawn))
    found = _jaccards(
        vectors,
        weights[drawn],
        clusters.members[drawn],
        len(clusters),
        n_resamples,
        int(min(n_draws, DRAWS)),
        rng,
    )
    seen = np.isfinite(found).any(axis=0)
    stability, lowest = np.full((2, len(clusters)), np.nan)
    stability[seen] = np.nanmean(found[:, seen], axis=0)
    lowest[seen] = np.nanmin(found[:, seen], axis=0)
    columns = {
        "cluster": list(clusters.names),
        "share": clustered.sizes / weights.sum(),
        "stability": stability,
        "lowest": lowest,
        "verdict": [_word(number) for number in stability],
    }
    return frames.make_frame(encoder._library, columns)


def _some_rows(weights: FloatArray, rng: RandomState) -> IntArray:
    able = np.flatnonzero(weights)
    if not len(able):
        raise ValueError("Every sample weight is zero; at least one row must count.")
    if len(able) <= MOST_ROWS:
        return able
    return np.sort(rng.choice(able, MOST_ROWS, replace=False))


def _jaccards(
    vectors: FloatArray,
    weights: FloatArray,
    members: IntArray,
    n_clusters: int,
    n_resamples: int,
    n_draws: int,
    rng: RandomState,
) -> FloatArray:
    """Return the best Jaccard index of each cluster in each resample; NaN where it has no row."""
    result = np.full((n_resamples, n_clusters), np.nan)
    for line in result:
        draws = rng.multinomial(n_draws, weights / weights.sum()).astype(float)
        drawn = np.flatnonzero(draws)
        k = min(n_clusters, count_distinct(vectors[drawn]))
        seed = RandomState(rng.randint(2**31 - 1))
        new = best_labels(vectors[drawn], draws[drawn], k, N_STARTS, seed)
        joint = cross_table(members[drawn], new, (n_clusters, k), draws[drawn])
        old_sizes, new_sizes = joint.sum(axis=1), joint.sum(axis=0)
        either = old_sizes[:, None] + new_sizes - joint
        there = old_sizes > 0
        line[there] = (joint[there] / either[there]).max(axis=1)
    return result


def _word(stability: float) -> str:
    return next((word for least, word in WORDS if stability >= least), "not sampled")
