"""Several learned models -> the one whose clusters describe the table best.

Each model's vectors are clustered, and the partitions are compared by what they tell of the cells:
a yardstick that is the same for all, whatever their scales.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.random import RandomState

from untie.core.attributes import votes
from untie.core.counts import Counts
from untie.core.description import description_gain
from untie.core.k_means import best_labels
from untie.core.row_sample import RowSample
from untie.core.spectrum import mean_vector
from untie.core.types import FloatArray

N_STARTS, LEAST_STARTS = 30, 5
"""Of k-means, for each model; with fewer the choice depends on luck."""

WORK = 1.5e8
"""Rows x clusters x dimensions x starts; where it would be more, starts are saved."""

NOISE = 1e-6
"""Vectors nearer than this share of their length are equal: they are square roots of kernel
matrices, so rounding is 1e-8 in them."""


def description_gains(
    candidates: Mapping[str, Sequence[FloatArray]],
    sample: RowSample,
    counts: Counts,
    n_clusters: int,
    rng: RandomState,
) -> dict[str, float]:
    """Return, for each candidate, how well its clusters describe the sampled rows.

    Parameters
    ----------
    candidates : mapping from names to lists of arrays of shape (n_values, n_dimensions)
        The value vectors of each attribute.
    sample : RowSample
        Rows of the table.
    counts : Counts
        Counts of the whole table.
    n_clusters : int
        Number of clusters, at least 2.
    rng : RandomState
        For the starts of k-means, the same for all candidates.

    Returns
    -------
    dict
        Nats per row; -inf for vectors that do not make so many clusters.
    """
    of_attributes = votes(counts)
    n_occurring = np.add.reduceat(counts.frequencies > 0, counts.offsets[:-1], dtype=float)
    # The sample stands for the whole table, so what is learned costs what it costs there.
    weights = sample.weights * (max(counts.n, counts.n_rows) / sample.weights.sum())
    seed = rng.randint(2**31 - 1)
    gains = {}
    for name, tables in candidates.items():
        rows = _vectors(tables, sample, counts)
        gains[name] = -np.inf
        if _n_distinct(rows, tables) < n_clusters:
            continue
        rows = _shortened(rows)
        n_starts = int(np.clip(WORK / (rows.size * n_clusters), LEAST_STARTS, N_STARTS))
        labels = best_labels(rows, sample.weights, n_clusters, n_starts, RandomState(seed))
        if len(np.unique(labels)) == n_clusters:
            gain = description_gain(
                sample.codes, counts.sizes, weights, labels, of_attributes, n_occurring
            )
            # Equal partitions tie, in whatever order the clusters are added up.
            gains[name] = round(gain, 9)
    return gains


def _vectors(tables: Sequence[FloatArray], sample: RowSample, counts: Counts) -> FloatArray:
    """Return the rows' vectors, centred."""
    parts = []
    for attribute, (table, column) in enumerate(zip(tables, sample.codes.T, strict=True)):
        mean = mean_vector(table, counts.frequencies[counts.span(attribute)])
        parts.append(np.vstack([table - mean, np.zeros_like(mean)])[column])
    return np.hstack(parts)


def _n_distinct(rows: FloatArray, tables: Sequence[FloatArray]) -> int:
    """Count the rows that differ by more than rounding, by their places on a random line."""
    line = RandomState(0).normal(size=rows.shape[1])
    length = np.linalg.norm([np.abs(table).max() for table in tables])
    return 1 + int(np.count_nonzero(np.diff(np.sort(rows @ line)) > NOISE * length))


def _shortened(rows: FloatArray) -> FloatArray:
    """Return vectors with the same distances, in no more dimensions than there are rows."""
    if rows.shape[1] <= len(rows):
        return rows
    gram = rows @ rows.T
    # A little on the diagonal makes every distance longer by the same, and the root exist.
    gram.flat[:: len(gram) + 1] += NOISE**2 * gram.diagonal().max()
    return np.asarray(np.linalg.cholesky(gram), dtype=np.float64)
