"""Rows and a partition of them -> how well the clusters describe the table.

The logarithm of how much likelier the cells become when each cluster has its own shares of values
(averaged over a Dirichlet(1/2) prior, which charges for every share that is learned), less the
entropy of the partition: the classification likelihood of the latent class model. Attributes that
say the same share one vote.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from untie._util.types import FloatArray

PRIOR = 0.5
"""The Dirichlet prior of each value in a cluster."""


def description_gain(
    codes: NDArray[np.integer],
    sizes: Sequence[int],
    weights: FloatArray,
    labels: NDArray[np.intp],
    votes: FloatArray,
    n_occurring: FloatArray | None = None,
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
    n_occurring : array of shape (n_attributes,), optional
        Number of values of each attribute that occur in the whole table, if some do not: a
        value that is merely declared has no share to learn.

    Examples
    --------
    >>> codes = np.repeat([[0, 0], [1, 1]], 50, axis=0)
    >>> weights, votes = np.ones(100), np.ones(2)
    >>> right, wrong = codes[:, 0], np.arange(100) % 2
    >>> gains = [description_gain(codes, (2, 2), weights, l, votes) for l in (right, wrong)]
    >>> np.round(gains, 2)
    array([ 0.64, -0.73])
    """
    gain = 0.0
    occurring = sizes if n_occurring is None else n_occurring
    for column, size, vote, n_values in zip(codes.T, sizes, votes, occurring, strict=True):
        table = _crosstab(column, labels, weights, size)
        whole = table.sum(axis=0, keepdims=True)
        gain += vote * (_log_evidence(table, n_values) - _log_evidence(whole, n_values))
    shares = np.bincount(labels, weights) / weights.sum()
    shares = shares[shares > 0]
    entropy = -(shares @ np.log(shares))
    return float(gain / weights.sum() - entropy)


def _crosstab(
    column: NDArray[np.integer], labels: NDArray[np.intp], weights: FloatArray, size: int
) -> FloatArray:
    """Return the weight of each value in each cluster; shape (n_clusters, size)."""
    n_clusters = int(labels.max()) + 1
    joint = np.bincount(labels * (size + 1) + column, weights, minlength=n_clusters * (size + 1))
    return joint.reshape(n_clusters, size + 1)[:, :size].astype(float)


def _log_evidence(table: FloatArray, n_values: float) -> float:
    """Return the log probability of the cells, cluster by cluster, under the prior.

    A column of zeros adds nothing, so the table may have more columns than values.
    """
    values = gammaln(table + PRIOR).sum() - table.size * gammaln(PRIOR)
    total = PRIOR * max(n_values, 1.0)
    clusters = gammaln(table.sum(axis=1) + total).sum() - len(table) * gammaln(total)
    return float(values - clusters)
