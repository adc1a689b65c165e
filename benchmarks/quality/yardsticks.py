"""Other ways to judge a partition without labels; that of the default is `description_gain`.

All take distinct rows and how often each occurs, and give a gain per row in nats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from untie._learn.selection.cluster_gain import PRIOR
from untie._util.types import FloatArray


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct rows.

    Parameters
    ----------
    codes : integer array of shape (n_rows, n_attributes)
    sizes : sequence of int
        Number of values of each attribute; all occur.
    times : array of shape (n_rows,)
        How often each row occurs.
    votes : array of shape (n_attributes,)
    """

    codes: NDArray[np.intp]
    sizes: Sequence[int]
    times: FloatArray
    votes: FloatArray

    def crosstabs(self, labels: NDArray[np.intp]) -> list[FloatArray]:
        """Return how often each value occurs in each cluster, one table per attribute."""
        tables = []
        for column, size in zip(self.codes.T, self.sizes, strict=True):
            table = np.zeros((int(labels.max()) + 1, size))
            np.add.at(table, (labels, column), self.times)
            tables.append(table)
        return tables

    def shares(self, labels: NDArray[np.intp]) -> FloatArray:
        """Return the clusters' shares of the rows."""
        return np.bincount(labels, self.times) / self.times.sum()


def half_prior_gain(rows: Rows, labels: NDArray[np.intp]) -> float:
    """Return the gain in description with a Dirichlet(1/2) prior, which the default once had.

    Examples
    --------
    >>> codes = np.repeat([[0, 0], [1, 1]], 50, axis=0)
    >>> rows = Rows(codes, (2, 2), np.ones(100), np.ones(2))
    >>> round(half_prior_gain(rows, codes[:, 0]), 2)
    0.64
    """
    gain = 0.0
    for table, vote in zip(rows.crosstabs(labels), rows.votes, strict=True):
        gain += vote * (_half_evidence(table) - _half_evidence(table.sum(axis=0, keepdims=True)))
    shares = rows.shares(labels)
    shares = shares[shares > 0]
    return float(gain / rows.times.sum() + shares @ np.log(shares))


def pseudo_likelihood_gain(rows: Rows, labels: NDArray[np.intp]) -> float:
    """Return how much likelier a cell is by the row's other cells, than by the whole table.

    The other cells say how likely each cluster is; the clusters, smoothed as in the yardstick of
    the default, say how likely the cell is.

    Examples
    --------
    >>> codes = np.repeat([[0, 0], [1, 1]], 50, axis=0)
    >>> rows = Rows(codes, (2, 2), np.ones(100), np.ones(2))
    >>> right, wrong = codes[:, 0], np.arange(100) % 2
    >>> [round(pseudo_likelihood_gain(rows, labels), 2) for labels in (right, wrong)]
    [1.05, 0.0]
    """
    tables = rows.crosstabs(labels)
    overall = [table.sum(axis=0) / table.sum() for table in tables]
    cells = []
    for table, shares, column in zip(tables, overall, rows.codes.T, strict=True):
        smoothed = (table + PRIOR * shares) / (table.sum(axis=1, keepdims=True) + PRIOR)
        cells.append(np.log(smoothed[:, column] / shares[column]).T)
    with np.errstate(divide="ignore"):  # a cluster may be empty
        joint = np.log(rows.shares(labels)) + sum(
            vote * of_cell for vote, of_cell in zip(rows.votes, cells, strict=True)
        )
    gain = 0.0
    for of_cell, vote in zip(cells, rows.votes, strict=True):
        others = joint - vote * of_cell
        of_rows = logsumexp(others + of_cell, axis=1) - logsumexp(others, axis=1)
        gain += vote * float(rows.times @ of_rows)
    return float(gain / rows.times.sum())


def _half_evidence(table: FloatArray) -> float:
    n_clusters, n_values = table.shape
    values = gammaln(table + 0.5).sum() - n_clusters * n_values * gammaln(0.5)
    clusters = gammaln(table.sum(axis=1) + n_values / 2).sum() - n_clusters * gammaln(n_values / 2)
    return float(values - clusters)
