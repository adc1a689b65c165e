"""Leading eigenpairs of a large symmetric matrix, by block Lanczos iterations.

Many vectors are multiplied at a time. A matrix that is larger than the processor's cache is read
once for all of them, which takes hardly longer than for one; and an eigenvalue is found as many
times as it is there, up to the size of the block, where single vectors see one direction of it.

scipy's solvers do not serve. `eigsh`, on a par in time, returned too few of eight and more equal
eigenvalues of all of 20 random matrices; which of them depends on rounding. `lobpcg` took two to
three times as long. Neither stops at a gap or a limit: where none of 30 eigenvalues is above the
noise of 4,000 and 8,000 values, `eigsh` took 5 and 3 times as long to find all of them.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from scipy.linalg import eigh, qr
from scipy.sparse.linalg import LinearOperator

from untie._util.types import FloatArray

Gram: TypeAlias = "FloatArray | LinearOperator"
"""A symmetric, positive semi-definite matrix, or an operator that multiplies by one."""

ROUNDING = 1e-10
"""Vectors of which no more than this share of their length is left have nothing new."""

MOST_BLOCKS = 20
"""A basis of this many blocks is cut down to the best vectors in it."""


class Krylov:
    """The eigenpairs of a matrix within the span of a block and of its products with the matrix.

    Parameters
    ----------
    gram : matrix or operator of shape (n, n)
        What has eigenpairs.
    n_block : int
        Number of vectors that are multiplied at a time.
    most_blocks : int
        Number of blocks that are kept; beyond, a quarter of them, the best, are.
    n_wanted : int
        Of the best vectors, a block more than this many are kept at least. With fewer, the last of
        those that are wanted would be lost and found again without end.

    Attributes
    ----------
    values : array of shape (n_found,)
        Eigenvalues, largest first, all at most the true ones.
    errors : array of shape (n_found,)
        The length of A x - value x for the unit vector x of each: a true eigenvalue is no farther
        than this.
    n_products : int
        Number of vectors that were multiplied so far.

    Examples
    --------
    >>> search = Krylov(np.diag(np.arange(100.0)), n_block=4)
    >>> while search.errors[0] > 1e-6:
    ...     search.grow()
    >>> search.values[:1].round(6)
    array([99.])
    """

    def __init__(
        self, gram: Gram, n_block: int, most_blocks: int = MOST_BLOCKS, n_wanted: int = 0
    ) -> None:
        size = gram.shape[0]
        start = np.random.default_rng(0).standard_normal((size, min(size, n_block)))
        self.gram, self.n_block, self.most_blocks = gram, n_block, most_blocks
        self.n_products = 0
        self._n_kept = max(most_blocks // 4 * n_block, n_wanted + n_block)
        self._basis, self._within = np.zeros((size, 0)), np.zeros((0, 0))
        self._next = np.linalg.qr(start)[0]
        # What the products with the last block have beyond the basis.
        self._ahead = np.zeros((0, 0))
        self.grow()

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to find."""
        return not self._next.shape[1]

    def grow(self) -> None:
        """Look further by some blocks of products: more of them where the basis is large."""
        n_more = 1 + len(self._within) // (8 * self.n_block)
        for _ in range(n_more):
            if not self.is_complete:
                self._add_block()
        values, turn = eigh(self._within)
        self.values, self._turn = values[::-1], turn[:, ::-1]
        n_last = self._ahead.shape[1]
        self.errors = np.linalg.norm(self._ahead @ self._turn[-n_last:], axis=0)

    def _add_block(self) -> None:
        if len(self._within) >= self.most_blocks * self.n_block:
            self._cut()
        image = np.asarray(self.gram @ self._next)
        self.n_products += image.shape[1]
        self._basis = np.hstack([self._basis, self._next])
        self._within = _bordered(self._within, self._basis.T @ image)
        self._next = beyond(image, self._basis)
        self._ahead = self._next.T @ image

    def vectors(self, n_vectors: int) -> FloatArray:
        """Return the eigenvectors of the first `n_vectors` eigenvalues."""
        return self._basis @ self._turn[:, :n_vectors]

    def _cut(self) -> None:
        values, turn = eigh(self._within)
        self._basis = self._basis @ turn[:, ::-1][:, : self._n_kept]
        self._within = np.diag(values[::-1][: self._n_kept])


def beyond(vectors: FloatArray, basis: FloatArray) -> FloatArray:
    """Return orthonormal vectors for what others have beyond the span of a basis, if anything."""
    least = ROUNDING * float(np.linalg.norm(vectors))
    for _ in range(2):  # once is not enough, as rounding is part of what is left
        vectors = vectors - basis @ (basis.T @ vectors)
        vectors, lengths, _ = qr(vectors, mode="economic", pivoting=True)
        lengths = np.abs(lengths.diagonal())
        vectors, least = vectors[:, lengths > least], 0.5
    return vectors


def _bordered(within: FloatArray, columns: FloatArray) -> FloatArray:
    """Add columns, down to their diagonal block, to a symmetric matrix."""
    n_old, n_all = len(within), len(columns)
    result = np.empty((n_all, n_all))
    result[:n_old, :n_old] = within
    result[:, n_old:] = columns
    result[n_old:, :n_old] = columns[:n_old].T
    corner = columns[n_old:]
    result[n_old:, n_old:] = (corner + corner.T) / 2.0
    return result
