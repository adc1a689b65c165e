"""DILCA: two values are as far apart as how the values of a chosen context predict them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform
from sklearn.utils.validation import check_is_fitted

from untie import Counts
from untie_paper.arrays import FloatArray
from untie_paper.baselines._dependence import symmetric_uncertainty
from untie_paper.baselines._distances import ValueDistance
from untie_paper.checks import check_one_of, check_share

DIGITS = 12
"""Decimals in which two equal uncertainties agree; the rest is rounding."""

CHOICES = {
    "context": ("RR", "M"),
    "norm": ("published", "n_attributes"),
    "empty": ("hamming", "zero"),
    "rows": ("sum", "euclidean"),
}
"""The words that each parameter takes."""


class DILCA(ValueDistance):
    """Distance learning for categorical attributes, from a context of related columns.

    Each column has a context: the other columns that say most about it, by symmetric
    uncertainty. The distance of two of its values is the root mean square, over the values of
    the context, of the difference between their probabilities given that value.

    Parameters
    ----------
    context : {"RR", "M"}, default="RR"
        How the context is chosen: "RR" keeps relevant columns that are not redundant, and has no
        parameter; "M" keeps those whose uncertainty is at least `sigma` times the mean.
    sigma : float, default=0.5
        From 0, which keeps all columns, to 1, which keeps those that say at least the mean; for
        ``context="M"``. The time grows with the number of columns kept.
    norm : {"published", "n_attributes"}, default="published"
        What the sum of squares is divided by: the number of values in the context, or the
        number of all columns, which reproduces the published comparison.
    empty : {"hamming", "zero"}, default="hamming"
        The distance of different values where the context is empty: 1 or 0.
    rows : {"sum", "euclidean"}, default="sum"
        How the distances of a row's values are combined: added up, or as the root of the sum of
        their squares, as published. K-modes always adds up.

    Attributes
    ----------
    distances_ : list of arrays of shape (n_values, n_values)
        The distances of each column's values.
    contexts_ : list of lists of int
        The numbers of the columns in each column's context, in the order of choice.

    Notes
    -----
    Rows in which one of two columns has an unknown value say nothing about the pair. Values of the
    context that never occur are left out, also of the number of values.

    References
    ----------
    D. Ienco, R. G. Pensa and R. Meo, From context to distance: learning dissimilarity for
    categorical data clustering, ACM Transactions on Knowledge Discovery from Data 6, 2012.

    Examples
    --------
    >>> from untie_paper.baselines import DILCA
    >>> table = [["red", "wine"], ["white", "wine"], ["red", "wine"], ["brown", "beer"]]
    >>> DILCA().fit(table).value_distance("x0").round(3)
           brown    red  white
    brown  0.000  0.850  0.745
    red    0.850  0.000  0.236
    white  0.745  0.236  0.000
    """

    def __init__(
        self,
        *,
        context: str = "RR",
        sigma: float = 0.5,
        norm: str = "published",
        empty: str = "hamming",
        rows: str = "sum",
    ) -> None:
        self.context = context
        self.sigma = sigma
        self.norm = norm
        self.empty = empty
        self.rows = rows

    def _learn(self, counts: Counts) -> None:
        super()._learn(counts)
        self.contexts_ = self._contexts(counts)

    def _contexts(self, counts: Counts) -> list[list[int]]:
        self._check_choices()
        uncertainty = symmetric_uncertainty(counts).round(DIGITS)
        return [
            relevant(uncertainty, attribute)
            if self.context == "RR"
            else above_mean(uncertainty, attribute, self.sigma)
            for attribute in range(len(uncertainty))
        ]

    def _value_distances(self, counts: Counts) -> list[FloatArray]:
        divisor = len(counts.sizes) if self.norm == "n_attributes" else None
        result = []
        for attribute, context in enumerate(self._contexts(counts)):
            if context:
                result.append(context_distances(counts, attribute, context, divisor))
            else:
                different = 1.0 - np.eye(counts.sizes[attribute])
                result.append(different * (self.empty == "hamming"))
        return result

    def context_of(self, column: str) -> list[str]:
        """Return the names of the columns in a column's context, in the order of choice.

        Parameters
        ----------
        column : str
            The column's name.

        Returns
        -------
        list of str
        """
        check_is_fitted(self)
        numbers = self.contexts_[self.vocabulary_.index_of(column)]
        return [self.vocabulary_.columns[number] for number in numbers]

    def coupling_matrices(self) -> list[list[FloatArray]]:
        """Return, for each column, the distances of its values by each column of its context.

        Returns
        -------
        list of lists of arrays of shape (n_values, n_values)
            One list per column; for `untie_paper.evaluation.inter_factor`.
        """
        check_is_fitted(self)
        return [
            [context_distances(self.counts_, attribute, [other]) for other in context]
            for attribute, context in enumerate(self.contexts_)
        ]

    def pairwise(self, A: Any, B: Any = None) -> FloatArray:
        """Return the distance of each row of `A` to each of `B` (or of `A`).

        Parameters
        ----------
        A, B : tables
            Rows with the columns seen in `fit`.

        Returns
        -------
        array of shape (n_rows of A, n_rows of B)
            8 bytes per pair of rows.
        """
        self._check_choices()
        if self.rows == "sum":
            return super().pairwise(A, B)
        check_is_fitted(self)
        return np.sqrt(self._pairwise([table**2 for table in self.tables_], A, B))

    def _check_choices(self) -> None:
        for name, words in CHOICES.items():
            check_one_of(name, getattr(self, name), tuple(words))
        check_share("sigma", self.sigma)


def relevant(uncertainty: FloatArray, attribute: int) -> list[int]:
    """Return the attributes that say something about one, and nothing that a better one says.

    Parameters
    ----------
    uncertainty : array of shape (n_attributes, n_attributes)
        Symmetric uncertainty.
    attribute : int
        The attribute whose context is chosen.
    """
    kept: list[int] = []
    for other in np.argsort(-uncertainty[attribute], kind="stable").tolist():
        relevance = uncertainty[attribute, other]
        if other == attribute or relevance <= 0:
            continue
        if (uncertainty[kept, other] < relevance).all():
            kept.append(other)
    return kept


def above_mean(uncertainty: FloatArray, attribute: int, sigma: float) -> list[int]:
    """Return the attributes that say at least `sigma` times the mean about one, best first."""
    others = np.delete(np.arange(len(uncertainty)), attribute)
    if not len(others):
        return []
    values = uncertainty[attribute, others]
    chosen = values >= (sigma * values.mean()).round(DIGITS)
    order = np.argsort(-values[chosen], kind="stable")
    result: list[int] = others[chosen][order].tolist()
    return result


def context_distances(
    counts: Counts, attribute: int, context: list[int], divisor: int | None = None
) -> FloatArray:
    """Return the distances of an attribute's values, from the values of its context.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.
    attribute : int
        The attribute whose values are compared.
    context : list of int
        The attributes that they are compared by.
    divisor : int, optional
        What the sum of squares is divided by; the number of the context's values that occur
        unless it is given.
    """
    together = np.hstack([counts.block(attribute, other) for other in context])
    totals = together.sum(axis=0)
    occurs: NDArray[np.bool_] = totals > 0
    given = together[:, occurs] / totals[occurs]
    mean_square = squareform(pdist(given, "sqeuclidean")) / (divisor or max(1, given.shape[1]))
    distances: FloatArray = np.sqrt(mean_square)
    return distances
