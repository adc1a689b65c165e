"""Counts -> how many clusters the table seems to have, from the spectrum of scaled counts.

With every attribute scaled to the identity (as in correspondence analysis), independent attributes
have all eigenvalues at 1 but for the noise of n rows, which is large where values are rare.
"""

import numpy as np
from scipy import sparse
from scipy.linalg import block_diag
from scipy.sparse.linalg import LinearOperator

from untie._count.counts import Counts
from untie._learn import memory
from untie._learn.linalg.eigen import Gram, eigenvalues, eigenvalues_above
from untie._learn.linalg.spectrum import OPERATOR_SIZE, center, reduced_gram
from untie._learn.spaces.value_tables import Dense, own_directions
from untie._util.arrays import symmetric_product
from untie._util.types import FloatArray


def choose_n_clusters(counts: Counts, largest: int) -> int:
    """Choose the number of clusters.

    Eigenvalues above the edge of noise come from what attributes share, or from values that few
    rows have (see `noise_edge`). The widest relative gap in their excess over 1 ends the list; k
    clusters span k - 1 directions.
    """
    edge = noise_edge(counts)
    excess = standardized_eigenvalues(counts, largest, edge) - 1.0
    n_shared = int(np.count_nonzero(excess[: largest - 1] > edge - 1.0))
    if not n_shared:
        return min(2, largest)
    following = np.maximum(np.append(excess, 0.0)[1 : n_shared + 1], edge - 1.0)
    return int(np.argmax(np.round(excess[:n_shared] / following, 9))) + 2


def noise_edge(counts: Counts) -> float:
    """Return what the eigenvalues of independent attributes stay below where no value is rare.

    Random matrix theory puts it at (1 + sqrt(p / n))^2 for p free dimensions. That is a limit for
    many rows of every value. Two values that occur once, in the same row, have an eigenvalue of 2:
    with 50 values per column and shares like 1 / rank^2, noise passes the edge in 82 of 100 tables
    of 500 rows and in all of 5,000, and in 2 where values of fewer than 10 rows are merged
    (docs/how_it_works/method.md, 7).
    """
    n_free = max(1, int(np.count_nonzero(counts.frequencies)) - len(counts.sizes))
    return float(np.square(1.0 + np.sqrt(n_free / counts.n_draws)))


def standardized_eigenvalues(
    counts: Counts, n_eigenvalues: int, limit: float | None = None
) -> FloatArray:
    """Return the largest eigenvalues of the standardized counts, largest first.

    Those at or below the limit may be missing, if there is one.
    """
    largest = int(np.argmax(counts.sizes))
    n_others = sum(counts.sizes) - counts.sizes[largest]
    n_seen = int(np.count_nonzero(counts.frequencies[counts.span(largest)]))
    is_one_large = n_seen > max(memory.LARGE, 2 * n_others + n_eigenvalues)
    if is_one_large and 0 < n_others <= OPERATOR_SIZE:
        return _beside_one_large(counts, largest, n_eigenvalues)
    gram = _standardized(counts)
    if limit is None:
        return eigenvalues(gram, n_eigenvalues)
    return eigenvalues_above(gram, limit, n_eigenvalues)


def _standardized(counts: Counts) -> Gram:
    """Return what multiplies by the standardized counts, or for few values these."""
    scales = _scales(counts.frequencies)
    n_values = len(scales)
    if n_values <= OPERATOR_SIZE and max(counts.sizes) <= memory.LARGE:
        blocks = [own_directions(_scales(own)) for own in counts.parts]
        return reduced_gram(counts, center(blocks, counts))
    starts = counts.offsets[:-1]
    own = np.add.reduceat(counts.frequencies, starts)
    totals = np.repeat(np.where(own > 0, own, 1.0), counts.sizes)
    means = counts.frequencies * scales / totals

    def product(array: FloatArray) -> FloatArray:
        array = array.reshape(n_values, -1)
        mean = np.add.reduceat(means[:, None] * array, starts)
        scaled = scales[:, None] * array - np.repeat(mean, counts.sizes, axis=0)
        together = symmetric_product(counts.matrix, scaled)
        total = np.repeat(np.add.reduceat(together, starts), counts.sizes, axis=0)
        return scales[:, None] * together - means[:, None] * total

    shape = (n_values, n_values)
    return LinearOperator(shape, matvec=product, matmat=product, dtype=np.float64)


def _scales(frequencies: FloatArray) -> FloatArray:
    zeros = np.zeros(len(frequencies))
    return np.divide(1.0, np.sqrt(frequencies), out=zeros, where=frequencies > 0)


def _beside_one_large(counts: Counts, large: int, n_eigenvalues: int) -> FloatArray:
    """Return the same eigenvalues where one attribute has most of the values.

    The large attribute's own block is the identity, but for its mean, which nothing else meets. So
    where C, its counts with the others, has no part, all eigenvalues are 1; and within C's range a
    basis turns [[I, C], [C', A]] into [[I, W], [W, A]] with W the root of C'C, which is as small as
    the others are few.
    """
    span = counts.span(large)
    others = np.delete(np.arange(sum(counts.sizes)), np.arange(span.start, span.stop))
    small = [own for attribute, own in enumerate(counts.parts) if attribute != large]
    factor = block_diag(*(Dense(np.diag(_scales(own))).less_mean(own).array for own in small))
    between = sparse.csr_array(counts.matrix[span][:, others])
    among = sparse.csr_array(counts.matrix[others][:, others]).toarray()
    own = factor.T @ among @ factor
    gram = factor.T @ _squared(between, counts.frequencies[span]) @ factor
    values, vectors = np.linalg.eigh(gram)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    whole = np.block([[np.eye(len(root)), root], [root, own]])
    # There are more eigenvalues of 1 than are asked for.
    found = np.append(eigenvalues(whole, n_eigenvalues), np.ones(n_eigenvalues))
    return np.sort(found)[::-1][:n_eigenvalues]


def _squared(between: sparse.csr_array, frequencies: FloatArray) -> FloatArray:
    """Return N'RR'N for the large attribute's counts N with others and R = diag(s) - 1 m'."""
    scales = _scales(frequencies)
    mean = frequencies * scales / max(float(frequencies.sum()), np.finfo(float).tiny)
    scaled = sparse.diags_array(scales) @ between
    totals, means = between.sum(axis=0), between.T @ (scales * mean)
    cross = np.outer(means, totals)
    shared = float(mean @ mean) * np.outer(totals, totals)
    return (scaled.T @ scaled).toarray() - cross - cross.T + shared
