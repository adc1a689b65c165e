"""CDE: clusters of values, from coarse to fine, as coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform
from sklearn.utils.validation import check_is_fitted

from untie import Counts
from untie_paper.arrays import FloatArray
from untie_paper.baselines._base import with_mean
from untie_paper.baselines._dependence import symmetric_uncertainty
from untie_paper.baselines._encoders import CountEncoder
from untie_paper.baselines._value_clusters import cluster_indicators, principal_components
from untie_paper.checks import check_integer, check_number, check_one_of, draws_of


class CDE(CountEncoder):
    """Coupled data embedding: describe a value by the clusters of values that it falls into.

    The values of all columns are clustered together, into 2, 3, ... clusters, once by what
    they occur with and once by how often they occur; the memberships, rotated to their principal
    components, are a value's vector. A row's vector is the concatenation of those of its values.

    Parameters
    ----------
    alpha : float, default=10
        When to stop making more clusters: as soon as more than one in `alpha`, rounded up, has
        at most one value or all but at most one. Numbers around 10 are usual; a larger one stops
        sooner, with shorter vectors and in less time.
    beta : float, default=1e-10
        Principal components with a smaller range are dropped; with the default, only those that
        are 0, so that distances are exactly those of the memberships. A larger one shortens the
        vectors and loses detail.
    variant : {"reference", "plain"}, default="reference"
        "reference" weighs two values that never occur together as if their columns determined
        each other, as the authors' program does; "plain" does not.
    n_init : int, default=10
        Number of starts of each k-means; 1 is what the authors' program has, and vectors then
        differ more from seed to seed. The time grows with it, and with the number of values
        about to the third power: seconds for 500 values.
    random_state : int, RandomState or None, default=0
        Seed of the starts of k-means; None is 0.

    Attributes
    ----------
    clusterings_ : list of arrays of shape (n_values, n_clusters)
        Which cluster has which value, in each clustering; a value that never occurred is in
        none.
    explained_variance_ : array of shape (n_components,)
        Variance of each principal component over the values.

    References
    ----------
    S. Jian, L. Cao, G. Pang, K. Lu and H. Gao, Embedding-based representation of categorical data
    by hierarchical value coupling learning, IJCAI 2017.

    Examples
    --------
    >>> from untie_paper.baselines import CDE
    >>> table = [["a", "x"], ["a", "x"], ["b", "y"], ["b", "z"], ["c", "z"]]
    >>> CDE(random_state=0).fit_transform(table).shape
    (5, 8)
    """

    def __init__(
        self,
        alpha: float = 10,
        beta: float = 1e-10,
        *,
        variant: str = "reference",
        n_init: int = 10,
        random_state: Any = 0,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.variant = variant
        self.n_init = n_init
        self.random_state = random_state

    def _value_vectors(self, counts: Counts) -> list[FloatArray]:
        check_number("alpha", self.alpha)
        check_number("beta", self.beta, zero=True)
        check_one_of("variant", self.variant, ("reference", "plain"))
        check_integer("n_init", self.n_init)
        random_state = draws_of(self.random_state)
        seen = counts.frequencies > 0
        matrices = [co_occurrence(counts), occurrence(counts, self.variant)]
        clusterings = [
            indicators
            for m in matrices
            for indicators in cluster_indicators(
                m[np.ix_(seen, seen)], self.alpha, self.n_init, random_state
            )
        ]
        n_seen = int(np.count_nonzero(seen))
        components = principal_components(
            np.hstack([np.zeros((n_seen, 0)), *clusterings]), self.beta
        )
        self.clusterings_ = [_spread(indicators, seen) for indicators in clusterings]
        self.explained_variance_ = np.square(components).sum(axis=0) / max(1, len(components) - 1)
        tables = np.split(_spread(components, seen), counts.offsets[1:-1])
        for attribute, table in enumerate(tables):
            occurs = seen[counts.span(attribute)]
            # A value that never occurred says as little as one that is unknown.
            table[~occurs] = with_mean(table, counts.frequencies[counts.span(attribute)])[-1]
        return tables

    def coupling_matrices(self) -> list[list[FloatArray]]:
        """Return, for each column, the distances of its values in each clustering of values.

        Returns
        -------
        list of lists of arrays of shape (n_values, n_values)
            One list per column, one array per clustering; for
            `untie_paper.evaluation.inter_factor`.
        """
        check_is_fitted(self)
        spans = [self.counts_.span(attribute) for attribute in range(len(self.counts_.sizes))]
        return [[squareform(pdist(found[span])) for found in self.clusterings_] for span in spans]


def _spread(vectors: FloatArray, seen: NDArray[np.bool_]) -> FloatArray:
    """Give the values that never occurred a row of zeros."""
    result = np.zeros((len(seen), vectors.shape[1]))
    result[seen] = vectors
    return result


def co_occurrence(counts: Counts) -> FloatArray:
    """Return P(j | i), the share of the rows with value i that have value j.

    Examples
    --------
    >>> from untie import count_table
    >>> co_occurrence(count_table([["a", "x"], ["b", "x"]]).counts)
    array([[1. , 0. , 1. ],
           [0. , 1. , 1. ],
           [0.5, 0.5, 1. ]])
    """
    pairs = counts.dense()
    return pairs / _positive(pairs.diagonal())[:, None]


def occurrence(counts: Counts, variant: str = "reference") -> FloatArray:
    """Return rho(i, j) p(i) / p(j), with rho how much their attributes depend on each other.

    rho is 1 within an attribute; with ``variant="reference"`` also between any two values that
    never meet.
    """
    pairs = counts.dense()
    uncertainty = symmetric_uncertainty(counts)
    np.fill_diagonal(uncertainty, 1.0)
    attribute = np.repeat(np.arange(len(counts.sizes)), counts.sizes)
    dependence = uncertainty[np.ix_(attribute, attribute)]
    if variant == "reference":
        dependence[pairs == 0] = 1.0
    frequencies = pairs.diagonal()
    return np.asarray(dependence * (frequencies[:, None] / _positive(frequencies)))


def _positive(frequencies: FloatArray) -> FloatArray:
    """Replace 0 by 1: what never occurs is left out later."""
    return np.where(frequencies > 0, frequencies, 1.0)
