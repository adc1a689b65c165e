"""What rows cost in clusters -> how probable each cluster is for them.

The most probable cluster is the one in which the row costs least. Costs that are minus log
likelihoods are taken as they are: exp(-cost) is then a row's likelihood in the cluster times the
cluster's share. Squared distances to means have a scale that says nothing about probability, so
their sharpness is learned from the likelihoods of the same clusters.
"""

import numpy as np
from scipy.optimize import brentq

from untie._count.packed_rows import PackedRows
from untie._count.row_sample import RowSample
from untie._learn.clustering.lloyd import Costs, all_clusters, pack
from untie._util.types import FloatArray

LIKELIHOOD = 1.0
"""The sharpness of costs that are minus log likelihoods."""

FLATTEST, SHARPEST = 0.01, 1000.0
"""Limits of the sharpness: what the mean row's other clusters cost it more than its own, in
nats."""


def cluster_probabilities(
    rows: PackedRows, costs: Costs, sharpness: float = LIKELIHOOD
) -> FloatArray:
    """Return how probable each cluster is for each row.

    Parameters
    ----------
    rows : PackedRows
        The rows, coded; `pack` makes them.
    costs : Costs
        What each value costs in each cluster.
    sharpness : float
        Costs are multiplied by it.

    Returns
    -------
    array of shape (n_rows, n_clusters)
        Each row sums to 1.

    Examples
    --------
    >>> costs = [-np.log([[0.6, 0.2], [0.3, 0.3]])]
    >>> cluster_probabilities(pack([np.array([0, 1])], costs), costs).round(2)
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    return softmax_of_costs(rows.distances(costs, all_clusters(costs)), sharpness)


def softmax_of_costs(costs: FloatArray, sharpness: float) -> FloatArray:
    """Return numbers in proportion to exp(-sharpness * cost) that sum to 1 in each row.

    Parameters
    ----------
    costs : array of shape (n_rows, n_clusters)
        Overwritten.
    sharpness : float
        Greater than 0.
    """
    costs -= costs.min(axis=1, keepdims=True)
    costs *= -sharpness
    np.exp(costs, out=costs)
    costs /= costs.sum(axis=1, keepdims=True)
    return costs


def find_sharpness(distances: Costs, likelihoods: Costs, sample: RowSample) -> float:
    """Return the sharpness with which distances agree best with likelihoods.

    Of all probabilities exp(-s * distance), up to a factor per row, those of this s have the lowest
    cross-entropy with the probabilities by likelihood. That is where both expect the same
    distance, averaged over the rows, of a cluster drawn by these probabilities.

    Parameters
    ----------
    distances : Costs
        The squared distance of each value to its part of each mean; they decide the clusters.
    likelihoods : Costs
        Minus the log likelihood of each value in the same clusters.
    sample : RowSample
        Rows with their weights.
    """
    codes = list(sample.codes.T)
    shares = sample.weights / sample.weights.sum()
    target = cluster_probabilities(pack(codes, likelihoods), likelihoods)
    excess = pack(codes, distances).distances(distances, all_clusters(distances))
    excess -= excess.min(axis=1, keepdims=True)
    typical = float(shares @ excess.mean(axis=1))
    if typical == 0.0:
        return LIKELIHOOD

    def expected(probabilities: FloatArray) -> float:
        return float(shares @ (probabilities * excess).sum(axis=1))

    wanted = expected(target)

    def is_too_flat(log_sharpness: float) -> float:
        return expected(softmax_of_costs(excess.copy(), np.exp(log_sharpness))) - wanted

    low, high = np.log(np.array([FLATTEST, SHARPEST]) / typical)
    if is_too_flat(low) <= 0.0:
        return float(np.exp(low))
    if is_too_flat(high) >= 0.0:
        return float(np.exp(high))
    return float(np.exp(brentq(is_too_flat, low, high, xtol=1e-12)))
