"""The eigenvectors of S, and what they explain, from counts alone.

With Z the one-hot matrix (never formed), B the stacked kernel columns and N = Z'Z:
S = Z M Z' with M = B diag(omega) B' block diagonal, R = M^(1/2), and the eigenpairs of
A = R'NR are those of S. Centring replaces N by N - cc'/n, c the value counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from untie.core.counts import Counts
from untie.core.spaces import KernelSpaces
from untie.core.threads import one_thread
from untie.core.types import FloatArray

TINY = 1e-12
"""Below this share of its total, an energy or an eigenvalue is rounding noise."""

TIE = 1e-9
"""Eigenvalues that differ by less than this share of the largest count as equal."""

FULL_SOLVER_SIZE = 1500
"""Up to this size a full eigensolver is faster than Lanczos iterations."""

LANCZOS_TOLERANCE = 1e-10
"""Relative accuracy of eigenvectors; eigenvalues have twice as many digits."""

Gram: TypeAlias = "FloatArray | LinearOperator"
"""A symmetric matrix, or an operator that multiplies by one."""


@dataclass(frozen=True, eq=False)
class Eigenspace:
    """The leading eigenvectors of A.

    Parameters
    ----------
    values : array of shape (n_vectors,)
        Eigenvalues, largest first.
    vectors : array of shape (n_values, n_vectors)
        Eigenvectors.
    shares : array of shape (n_vectors,)
        1, but a fraction for those that share the last places among equal eigenvalues.
    """

    values: FloatArray
    vectors: FloatArray
    shares: FloatArray


def energies(spaces: KernelSpaces, counts: Counts, centred: bool = True) -> FloatArray:
    """Return ||u_d||^2 of every coordinate d over all rows; shape (n_coordinates,)."""
    result = []
    for attribute, columns in enumerate(spaces.columns):
        frequencies = counts.frequencies[counts.span(attribute)]
        if not centred:
            result.append(frequencies @ np.square(columns))
            continue
        mean = frequencies @ columns / counts.n
        # Rows whose cell is unknown have the vector 0 and so stand -mean away from the mean.
        unknown = counts.n - frequencies.sum()
        result.append(frequencies @ np.square(columns - mean) + unknown * np.square(mean))
    return np.concatenate(result)


def roots(spaces: KernelSpaces, omega: FloatArray) -> list[FloatArray]:
    """Return the symmetric root of B_j diag(omega_j) B_j' for every attribute.

    A value's row is its learned vector: all inner products of rows of Z B diag(omega)^(1/2)
    are kept, in as many dimensions as the attribute has values.
    """
    with one_thread(max(len(columns) for columns in spaces.columns)):
        squares = [
            (columns * weights) @ columns.T
            for columns, weights in zip(spaces.columns, spaces.split(omega), strict=True)
        ]
        return _square_roots(squares)


def reduced_gram(counts: Counts, factors: Sequence[FloatArray], centred: bool = True) -> Gram:
    """Return A = R'NR, with N centred if asked; shape (n_values, n_values).

    For many values an operator that multiplies by A: forming it would take longer.
    """
    if len(counts.matrix) > FULL_SOLVER_SIZE:
        return _gram_operator(counts, factors, centred)
    gram = counts.matrix.copy()
    for attribute, factor in enumerate(factors):
        span = counts.span(attribute)
        gram[span] = factor.T @ gram[span]
    for attribute, factor in enumerate(factors):
        span = counts.span(attribute)
        gram[:, span] = gram[:, span] @ factor
    if centred:
        mean = _multiply(counts, factors, counts.frequencies)
        gram -= np.outer(mean, mean / counts.n)
    return gram


def eigenvalues(gram: Gram, n_values: int) -> FloatArray:
    """Return the largest eigenvalues, largest first."""
    return _largest(gram, min(n_values, gram.shape[0]))[0]


def leading(gram: Gram, n_vectors: int) -> Eigenspace:
    """Return the leading `n_vectors` eigenvectors; fewer if the rank is lower.

    Where the last place falls among equal eigenvalues, no choice of vectors is better than
    another; all of them are taken, each with the same fraction. The result is then a
    function of the table, not of its order, and explains exactly as much.
    """
    size = gram.shape[0]
    spare = 2  # eigenvalues beyond the last place, to see whether it is shared
    space = _cut(*_largest(gram, min(size, n_vectors + spare)), n_vectors)
    if len(space.values) == n_vectors + spare < size:
        space = _cut(*_largest(gram, size), n_vectors)
    return space


def explained(
    spaces: KernelSpaces,
    counts: Counts,
    factors: Sequence[FloatArray],
    space: Eigenspace,
    centred: bool = True,
) -> FloatArray:
    """Return ||H'u_d||^2 of every coordinate d; shape (n_coordinates,)."""
    lengths = np.sqrt(space.shares / space.values) if len(space.values) else space.values
    directions = _multiply(counts, factors, space.vectors)
    directions *= lengths
    projected = directions.T @ counts.matrix
    if centred:
        projected -= np.outer(directions.T @ counts.frequencies, counts.frequencies / counts.n)
    return np.concatenate(
        [
            np.square(projected[:, counts.span(attribute)] @ columns).sum(axis=0)
            for attribute, columns in enumerate(spaces.columns)
        ]
    )


def choose_n_clusters(counts: Counts, largest: int) -> int:
    """Choose the number of clusters from the spectrum of the standardised counts.

    With every attribute scaled to the identity (as in correspondence analysis), independent
    attributes have all eigenvalues at 1 but for the noise of n rows, which random matrix
    theory puts below (1 + sqrt(p / n))^2 for p free dimensions. Eigenvalues above that edge
    come from what attributes share. The widest relative gap in their excess over 1 ends the
    list; k clusters span k - 1 directions.
    """
    seen = counts.frequencies > 0
    scale = np.zeros(len(seen))
    scale[seen] = 1.0 / np.sqrt(counts.frequencies[seen])
    blocks = [np.diag(scale[counts.span(a)]) for a in range(len(counts.sizes))]
    n_free = max(1, int(np.count_nonzero(seen)) - len(counts.sizes))
    # Weights may be scaled to any sum; the rows are then the least that there is to go by.
    edge = np.square(1.0 + np.sqrt(n_free / max(counts.n, counts.n_rows)))
    excess = eigenvalues(reduced_gram(counts, blocks), largest) - 1.0
    n_shared = int(np.count_nonzero(excess[: largest - 1] > edge - 1.0))
    if not n_shared:
        return min(2, largest)
    following = np.maximum(np.append(excess, 0.0)[1 : n_shared + 1], edge - 1.0)
    return int(np.argmax(np.round(excess[:n_shared] / following, 9))) + 2


def _square_roots(squares: list[FloatArray]) -> list[FloatArray]:
    by_size = defaultdict(list)
    for attribute, square in enumerate(squares):
        by_size[len(square)].append(attribute)
    result = list(squares)
    for attributes in by_size.values():
        # One call for all attributes of a size: small matrices are all overhead.
        values, vectors = np.linalg.eigh(np.stack([squares[a] for a in attributes]))
        lengths = np.sqrt(np.maximum(values, 0.0))[:, None, :]
        stacked = (vectors * lengths) @ np.swapaxes(vectors, 1, 2)
        for attribute, root in zip(attributes, stacked, strict=True):
            result[attribute] = root
    return result


def _multiply(counts: Counts, factors: Sequence[FloatArray], array: FloatArray) -> FloatArray:
    """Multiply by the block diagonal R, which is symmetric."""
    return np.concatenate(
        [factor @ array[counts.span(attribute)] for attribute, factor in enumerate(factors)]
    )


def _gram_operator(counts: Counts, factors: Sequence[FloatArray], centred: bool) -> LinearOperator:
    mean = _multiply(counts, factors, counts.frequencies)

    def product(array: FloatArray) -> FloatArray:
        result = _multiply(counts, factors, counts.matrix @ _multiply(counts, factors, array))
        return result - np.multiply.outer(mean, mean @ array / counts.n) if centred else result

    size = len(counts.matrix)
    return LinearOperator((size, size), matvec=product, matmat=product, dtype=np.float64)


def _largest(gram: Gram, n_vectors: int) -> tuple[FloatArray, FloatArray]:
    size = gram.shape[0]
    if size <= FULL_SOLVER_SIZE or n_vectors > size // 4:
        values, vectors = np.linalg.eigh(
            gram if isinstance(gram, np.ndarray) else gram @ np.eye(size)
        )
        return values[::-1][:n_vectors], vectors[:, ::-1][:, :n_vectors]
    start = np.random.default_rng(0).standard_normal(size)
    values, vectors = eigsh(gram, k=n_vectors, which="LA", v0=start, tol=LANCZOS_TOLERANCE)
    return values[::-1], vectors[:, ::-1]


def _cut(values: FloatArray, vectors: FloatArray, n_vectors: int) -> Eigenspace:
    same = TIE * max(float(values[0]), 0.0)
    rank = int(np.count_nonzero(values > same))
    n_vectors = min(n_vectors, rank)
    if n_vectors == 0:
        return Eigenspace(np.zeros(0), np.zeros((len(vectors), 0)), np.zeros(0))
    last = values[n_vectors - 1]
    n_above = int(np.count_nonzero(values > last + same))
    n_taken = min(rank, int(np.count_nonzero(values >= last - same)))
    shares = np.ones(n_taken)
    shares[n_above:] = (n_vectors - n_above) / (n_taken - n_above)
    return Eigenspace(values[:n_taken], vectors[:, :n_taken], shares)
