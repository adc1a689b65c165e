"""The rows that methods are compared on, and how a method clusters them.

Vectors are clustered by scikit-learn's k-means: it takes sparse vectors, which a column with very
many values makes, and these methods are judged by the k-means that their users have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from untie._count.counts import Counts, count
from untie._count.packed_rows import distinct_rows
from untie._learn import memory
from untie._learn.choose import shortened
from untie._learn.dense import Dense
from untie._learn.eigen import leading
from untie._learn.vectors import look_up_tables
from untie._table.frames import rows_at
from untie._table.rows import learn_vocabulary
from untie._table.sample_weights import check_weights
from untie._table.table import read_table
from untie._util.types import Codes, FloatArray
from untie.clusterer import TableClusterer
from untie.encoder import TableEncoder

MOST_ROWS = 10_000
"""At most this many rows are clustered, drawn at random from larger tables."""

N_INIT = 10
"""Number of starts of k-means and k-modes."""

MOST_FILLED = 0.2
"""Share of numbers other than 0 up to which long vectors are sparse."""

VANISHING = 1e-12
"""Eigenvalues of MCA are at most 1; one this small is rounding noise."""


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """Distinct rows of a table.

    Parameters
    ----------
    frame : frame
        The distinct rows.
    weights : array of shape (n_distinct,)
        How often each counts.
    members : integer array of shape (n_rows,)
        Which of them each row is.
    answers : array of shape (n_rows,) or None
        The right cluster of each row.
    codes : list of integer arrays of shape (n_distinct,)
        The distinct rows, in the codes of the table's values.
    sizes : tuple of int
        Number of values of each attribute.
    backend : str
        The library of the table.
    """

    frame: Any
    weights: FloatArray
    members: NDArray[np.intp]
    answers: NDArray[Any] | None
    codes: Codes
    sizes: tuple[int, ...]
    backend: str

    @cached_property
    def counts(self) -> Counts:
        """Counts of the distinct rows, in the codes of the table's values."""
        return count(self.codes, self.sizes, self.weights)


def read_rows(data: Any, sample_weight: Any, y: Any, rng: RandomState) -> ComparedRows:
    """Return the distinct rows of a table, or of some of its rows where there are very many."""
    table = read_table(data)
    answers = None if y is None else np.asarray(y, dtype=object)
    if answers is not None and answers.shape != (table.n_rows,):
        raise ValueError(f"y has shape {answers.shape}, but the table has {table.n_rows} rows.")
    weights, keep = check_weights(sample_weight, table.n_rows)
    chosen = np.arange(table.n_rows) if keep is None else np.flatnonzero(keep)
    weights = np.ones(len(chosen)) if weights is None else weights
    if len(chosen) > MOST_ROWS:
        drawn = np.sort(rng.permutation(len(chosen))[:MOST_ROWS])
        chosen, weights = chosen[drawn], weights[drawn]
    vocabulary, encoded = learn_vocabulary(table)
    codes = [column[chosen] for column in encoded.codes]
    kinds = distinct_rows(codes, vocabulary.sizes, weights)
    frame = rows_at(table.source, chosen[kinds.first])
    answers = None if answers is None else answers[chosen]
    found = (kinds.weights, kinds.positions, answers)
    return ComparedRows(frame, *found, kinds.codes, vocabulary.sizes, table.backend)


def resample(weights: FloatArray, n_resamples: int, rng: RandomState) -> list[FloatArray]:
    """Draw as many rows as there are, each time anew."""
    n_draws = max(len(weights), round(float(weights.sum())))
    shares = weights / weights.sum()
    return [rng.multinomial(n_draws, shares).astype(float) for _ in range(n_resamples)]


Partition = Callable[[FloatArray], NDArray[np.intp]]
"""Weights of the distinct rows -> the cluster of each; rows of weight 0 are not learned from."""


def by_encoder(encoder: TableEncoder, rows: ComparedRows, n_clusters: int, seed: int) -> Partition:
    """Return the clusters of a TableClusterer, with an encoder that is fitted."""
    codes = encoder._codes(rows.frame)

    def by_clusterer(weights: FloatArray) -> NDArray[np.intp]:
        clusterer = TableClusterer(n_clusters, preparer=None, random_state=seed)
        labels = clusterer._fit_codes(encoder, codes, weights).labels_
        return np.asarray(labels, dtype=np.intp)

    return by_clusterer


def by_estimator(estimator: Any, rows: ComparedRows) -> Partition:
    """Return the clusters of an estimator, which is fitted on the rows that count."""

    def by_fitting(weights: FloatArray) -> NDArray[np.intp]:
        drawn = np.flatnonzero(weights)
        fitted = clone(estimator).fit(rows_at(rows.frame, drawn), sample_weight=weights[drawn])
        return np.asarray(fitted.predict(rows.frame), dtype=np.intp)

    return by_fitting


def by_means(vectors: FloatArray, weights: FloatArray, n_clusters: int, seed: int) -> Partition:
    """Return the clusters of k-means of vectors."""
    points = _points(vectors, weights)

    def by_k_means(weights: FloatArray) -> NDArray[np.intp]:
        drawn = np.flatnonzero(weights)
        means = KMeans(n_clusters, n_init=N_INIT, random_state=seed)
        with threadpool_limits(1, user_api="openmp"):  # the same sums in the same order
            means.fit(points[drawn], sample_weight=weights[drawn])
            return np.asarray(means.predict(points), dtype=np.intp)

    return by_k_means


def one_hot(rows: ComparedRows) -> FloatArray:
    """Return a column for each value: 1 where a row has it."""
    tables = [Dense(np.eye(size)) for size in rows.sizes]
    return look_up_tables(tables, rows.counts).rows(rows.codes, np.float64)


def mca(rows: ComparedRows, n_axes: int) -> FloatArray:
    """Return the rows' coordinates by multiple correspondence analysis; shape (n_rows, n_axes).

    The axes are eigenvectors of ``(p_ab - p_a p_b) / (m sqrt(p_a p_b))`` for the shares p of the
    values a and b of m columns.
    """
    counts, m = rows.counts, len(rows.sizes)
    shares = counts.frequencies / counts.n
    roots = np.sqrt(np.where(shares > 0, shares, 1.0))
    residuals = counts.dense() / counts.n - np.outer(shares, shares)
    residuals /= m * np.outer(roots, roots)
    space = leading(residuals, n_axes)
    axes = np.where(space.values > VANISHING, space.vectors, 0.0) / (np.sqrt(m) * roots[:, None])
    tables = [Dense(table) for table in np.split(axes, counts.offsets[1:-1])]
    return look_up_tables(tables, counts, summed=True).rows(rows.codes, np.float64)


def _points(vectors: FloatArray, weights: FloatArray) -> Any:
    """Return vectors with the same distances, in the form that k-means is fastest with."""
    # A column with very many values makes vectors long, and nearly all of their numbers 0.
    if vectors.shape[1] > memory.LARGE and np.count_nonzero(vectors) < MOST_FILLED * vectors.size:
        return sparse.csr_matrix(vectors)
    return shortened(vectors - weights @ vectors / weights.sum())
