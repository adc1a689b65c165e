"""Rows and a partition of them -> how well the clusters describe the table.

The logarithm of how much likelier the cells become when each cluster has its own shares of values,
less the entropy of the partition: the classification likelihood of the latent class model. The
shares are averaged over a Dirichlet prior around those of the whole table, which charges for every
share that differs, and little for rare values. Attributes that say the same share one vote.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from untie._count.cluster_entries import cross_table
from untie._util.types import FloatArray

PRIOR = 10.0
"""Before it has any rows, a cluster is taken to be like this many rows of the whole table."""


def description_gain(
    codes: NDArray[np.integer],
    sizes: Sequence[int],
    weights: FloatArray,
    labels: NDArray[np.intp],
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
