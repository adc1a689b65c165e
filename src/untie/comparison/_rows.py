"""The rows that methods are compared on, and how a method clusters them.

The k-means is scikit-learn's: it takes sparse vectors, which a column with very many values makes,
and all methods are judged by the k-means that their users have.
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

from untie._count import memory
from untie._count.counts import Counts, count
from untie._count.memory import check_dense_memory
from untie._count.packed_rows import distinct_rows
from untie._count.tally import CountOptions, Tally, tally_table
from untie._encoder_base import EncoderBase
from untie._learn.choose import shortened
from untie._table.frames import rows_at
from untie._table.rows import learn_vocabulary
from untie._table.sample_weights import check_weights
from untie._table.table import Table, read_table
from untie._util.types import Codes, FloatArray
from untie.cluster import KModes

MOST_ROWS = 10_000
"""At most this many rows are clustered, drawn at random from larger tables."""

N_INIT = 10
"""Number of starts of k-means and k-modes."""

MOST_FILLED = 0.2
"""Share of numbers other than 0 up to which long vectors are sparse."""


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
    def table(self) -> Table:
        """The distinct rows as methods read them."""
        return read_table(self.frame)

    @cached_property
    def tally(self) -> Tally:
        """Their counts, which every method that learns from counts has in common."""
        return tally_table(self.table, CountOptions(self.weights))

    @property
    def counts(self) -> Counts:
        """Counts of the distinct rows, in the codes of the table's values."""
        found = self.tally.counts
        # Values that only rows which were not drawn have are not there.
        return found if found.sizes == self.sizes else count(self.codes, self.sizes, self.weights)


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


def partition_by(method: Any, rows: ComparedRows, n_clusters: int, seed: int) -> Partition:
    """Return how a method clusters the rows, for whatever weights they have."""
    if isinstance(method, KModes):

        def by_modes(weights: FloatArray) -> NDArray[np.intp]:
            drawn = np.flatnonzero(weights)
            modes = clone(method).fit(rows_at(rows.frame, drawn), sample_weight=weights[drawn])
            return np.asarray(modes.predict(rows.frame), dtype=np.intp)

        return by_modes
    vectors = _points(_vectors_of(method, rows), rows.weights)

    def by_means(weights: FloatArray) -> NDArray[np.intp]:
        drawn = np.flatnonzero(weights)
        means = KMeans(n_clusters, n_init=N_INIT, random_state=seed)
        with threadpool_limits(1, user_api="openmp"):  # the same sums in the same order
            means.fit(vectors[drawn], sample_weight=weights[drawn])
            return np.asarray(means.predict(vectors), dtype=np.intp)

    return by_means


def _vectors_of(method: Any, rows: ComparedRows) -> FloatArray:
    """Return the rows' vectors; those of the library are fitted already, the others are not."""
    if isinstance(method, EncoderBase):
        return method.model_.vectors.rows(method._codes(rows.frame), np.float64)
    check_dense_memory(rows.tally.counts.sizes, rows.table.names)
    method.fit_counted(rows.table, rows.tally)
    return np.asarray(method.transform(rows.frame), dtype=float)


def _points(vectors: FloatArray, weights: FloatArray) -> Any:
    """Return vectors with the same distances, in the form that k-means is fastest with."""
    # A column with very many values makes vectors long, and nearly all of their numbers 0.
    if vectors.shape[1] > memory.LARGE and np.count_nonzero(vectors) < MOST_FILLED * vectors.size:
        return sparse.csr_matrix(vectors)
    return shortened(vectors - weights @ vectors / weights.sum())
