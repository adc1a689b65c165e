"""Leading eigenvectors of a symmetric matrix, or of an operator that multiplies by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.linalg import eigh, qr
from scipy.sparse.linalg import LinearOperator, eigsh

from untie._util.types import FloatArray

Gram: TypeAlias = "FloatArray | LinearOperator"
"""A symmetric, positive semi-definite matrix, or an operator that multiplies by one."""

TIE = 1e-9
"""Eigenvalues that differ by less than this share of the largest count as equal."""

FULL_SOLVER_SIZE = 1500
"""Up to this size a full eigensolver is faster than Lanczos iterations."""

LANCZOS_SIZE = 12_000
"""Beyond this size the eigenvalues of noise lie so close that Lanczos iterations find no end."""

TOLERANCE = 1e-10
"""Relative accuracy of Lanczos vectors; eigenvalues have twice as many digits."""

OF_VALUES, ROUGH = 1e-7, 1e-3
"""The same where only eigenvalues are asked for, and where only their number is."""

GAP = 1e-2
"""An eigenvalue that is lower than another by this share of it is so for certain, if both are
roughly known."""

AT_ONCE = 3
"""Eigenvalues above a limit are looked for this many at a time."""

SPARE_VECTORS = 8
"""This many vectors more than asked for are iterated, so that the iteration converges."""

ROUNDING = 1e-10
"""Vectors of which no more than this share of their length is left have nothing new."""

N_POWERS = 3
"""The span of a block and of this many products with the matrix is searched at a time."""

MOST_SEARCHES, AT_REST = 5, 1e-4
"""The search ends after `MOST_SEARCHES` rounds, or when the sum of the eigenvalues rises by at most
the share `AT_REST` of itself."""


@dataclass(frozen=True, eq=False)
class Eigenspace:
    """Leading eigenvectors.

    Parameters
    ----------
    values : array of shape (n_vectors,)
        Eigenvalues, largest first.
    vectors : array of shape (n, n_vectors)
        Eigenvectors.
    shares : array of shape (n_vectors,)
        1, but a fraction for those that share the last places among equal eigenvalues.
    """

    values: FloatArray
    vectors: FloatArray
    shares: FloatArray


def eigenvalues(gram: Gram, n_values: int) -> FloatArray:
    """Return the largest eigenvalues, largest first."""
    return _largest(gram, min(n_values, gram.shape[0]), OF_VALUES)[0]


def eigenvalues_above(gram: Gram, limit: float, n_most: int) -> FloatArray:
    """Return the largest eigenvalues, largest first, as far as they are above a limit.

    Noise has eigenvalues next to each other, which take Lanczos iterations longest to tell apart.
    Below the limit nobody asks for them.

    Examples
    --------
    >>> eigenvalues_above(np.diag([1.0, 5.0, 2.0]), 1.5, 3)
    array([5., 2.])
    """
    size = gram.shape[0]
    if not FULL_SOLVER_SIZE < size <= LANCZOS_SIZE or n_most > size // 4:
        values = eigenvalues(gram, n_most)
        return values[values > limit]
    values, vectors, at_once = np.zeros(0), np.zeros((size, 0)), AT_ONCE
    while len(values) < n_most:
        rest = _without(gram, values, vectors) if len(values) else gram
        n_asked = min(at_once, n_most - len(values))
        rough = _ask(rest, n_asked, ROUGH, seed=len(values))[0]
        n_above = int(np.count_nonzero(rough > limit * (1.0 - ROUGH)))
        if not n_above:
            break
        found, directions = _ask(rest, n_above, OF_VALUES, seed=len(values))
        n_above = int(np.count_nonzero(found > limit))
        if not n_above:
            break
        values = np.append(values, found[:n_above])
        vectors = np.hstack([vectors, directions[:, :n_above]])
        if n_above < n_asked:
            at_once = 1  # to see that no direction of a multiple eigenvalue is missing
    return np.sort(values)[::-1]


def leading(gram: Gram, n_vectors: int) -> Eigenspace:
    """Return the leading `n_vectors` eigenvectors; fewer if the rank is lower.

    Where the last place falls among equal eigenvalues, no choice of vectors is better than
    another; all of them are taken, each with the same fraction. The result is then a
    function of the table, not of its order, and explains exactly as much.
    """
    size = gram.shape[0]
    if FULL_SOLVER_SIZE < size <= LANCZOS_SIZE and n_vectors + 1 <= size // 4:
        # What follows a gap is mostly noise, and takes longest to find.
        *_, last, following = _ask(gram, n_vectors + 1, ROUGH)[0]
        if following < last * (1.0 - 5.0 * GAP):
            found = _ask(gram, n_vectors, TOLERANCE)
            if _is_followed_by_a_gap(gram, *found):
                return _cut(*found, n_vectors)
    spare = 2  # eigenvalues beyond the last place, to see whether it is shared
    space = _cut(*_largest(gram, min(size, n_vectors + spare)), n_vectors)
    if len(space.values) == n_vectors + spare < size <= LANCZOS_SIZE:
        space = _cut(*_largest(gram, size), n_vectors)
    return space


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


def _largest(
    gram: Gram, n_vectors: int, tolerance: float = TOLERANCE
) -> tuple[FloatArray, FloatArray]:
    size = gram.shape[0]
    if size > LANCZOS_SIZE:
        return _by_blocks(gram, n_vectors)
    if size > FULL_SOLVER_SIZE and n_vectors <= size // 4:
        return _lanczos(gram, n_vectors, tolerance)
    dense = gram if isinstance(gram, np.ndarray) else gram @ np.eye(size)
    values, vectors = eigh(dense, subset_by_index=(size - n_vectors, size - 1))
    return values[::-1], vectors[:, ::-1]


def _lanczos(gram: Gram, n_vectors: int, tolerance: float) -> tuple[FloatArray, FloatArray]:
    """Iterate from a fixed start, until no eigenvalue that belongs here is left out.

    One start vector sees a single direction of a multiple eigenvalue; the others come in
    by rounding, or not. What is found is therefore taken out, and the rest is asked again.
    """
    values, vectors = _ask(gram, n_vectors, tolerance)
    while True:
        if _is_followed_by_a_gap(gram, values, vectors):
            return values, vectors
        missed, vector = _ask(_without(gram, values, vectors), 1, tolerance, seed=len(values))
        if missed[0] <= values[-1] + TIE * values[0]:
            return values, vectors
        values, vectors = np.append(values, missed), np.hstack([vectors, vector])
        order = np.argsort(-values, kind="stable")[:n_vectors]
        values, vectors = values[order], vectors[:, order]


def _is_followed_by_a_gap(gram: Gram, values: FloatArray, vectors: FloatArray) -> bool:
    """Tell whether all other eigenvalues are clearly lower.

    Of a multiple eigenvalue, the start that found a direction sees no other one.
    """
    highest = _ask(_without(gram, values, vectors), 1, ROUGH, seed=len(values))[0][0]
    return bool(highest < values[-1] * (1.0 - GAP))


def _ask(
    gram: Gram, n_vectors: int, tolerance: float, seed: int = 0
) -> tuple[FloatArray, FloatArray]:
    start = np.random.default_rng(seed).standard_normal(gram.shape[0])
    values, vectors = eigsh(gram, k=n_vectors, which="LA", v0=start, tol=tolerance)
    return values[::-1], vectors[:, ::-1]


def _by_blocks(gram: Gram, n_vectors: int) -> tuple[FloatArray, FloatArray]:
    """Search the span of a block of vectors and of its products with the matrix, again and again.

    Ends when the sum of the eigenvalues no longer rises. Vectors within the noise, whose
    eigenvalues are nearly equal, are then as good as others; those above it are found to many
    digits.
    """
    size = gram.shape[0]
    n_block = min(size, n_vectors + max(SPARE_VECTORS, n_vectors // 4))
    block = np.linalg.qr(np.random.default_rng(0).standard_normal((size, n_block)))[0]
    captured = 0.0
    for _ in range(MOST_SEARCHES):
        values, vectors = _best_in_span(gram, block)
        before, captured = captured, float(values[:n_vectors].sum())
        if captured - before <= AT_REST * captured:
            break
        block = vectors[:, :n_block]
    return values[:n_vectors], vectors[:, :n_vectors]


def _best_in_span(gram: Gram, block: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the eigenpairs of the matrix within the span of block, A block, A A block, ..."""
    basis, image = block, np.asarray(gram @ block)
    products = [basis.T @ image]
    for _ in range(N_POWERS):
        new = _beyond(image, basis)
        if not new.shape[1]:  # the whole range of the matrix is there
            break
        basis, image = np.hstack([basis, new]), np.asarray(gram @ new)
        products.append(basis.T @ image)
    values, turn = eigh(_symmetric(products))
    return values[::-1], basis @ turn[:, ::-1][:, : block.shape[1]]


def _symmetric(products: Sequence[FloatArray]) -> FloatArray:
    """Build a symmetric matrix from its columns, each down to its diagonal block."""
    size = len(products[-1])
    upper = np.hstack([np.pad(part, ((0, size - len(part)), (0, 0))) for part in products])
    return np.triu(upper) + np.triu(upper, 1).T


def _beyond(vectors: FloatArray, basis: FloatArray) -> FloatArray:
    """Return orthonormal vectors for what others have beyond the span of a basis, if anything."""
    least = ROUNDING * float(np.linalg.norm(vectors))
    for _ in range(2):  # once is not enough, as rounding is part of what is left
        vectors = vectors - basis @ (basis.T @ vectors)
        vectors, lengths, _ = qr(vectors, mode="economic", pivoting=True)
        lengths = np.abs(lengths.diagonal())
        vectors, least = vectors[:, lengths > least], 0.5
    return vectors


def _without(gram: Gram, values: FloatArray, vectors: FloatArray) -> LinearOperator:
    def product(array: FloatArray) -> FloatArray:
        return gram @ array - vectors @ (values * (vectors.T @ array).T).T

    return LinearOperator(gram.shape, matvec=product, matmat=product, dtype=np.float64)
