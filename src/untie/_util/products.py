"""Products with large symmetric matrices, and distances from inner products."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from untie._util.parallel import in_threads
from untie._util.types import FloatArray

STRIP, N_EVEN = 1300, 4
"""At most `STRIP` columns are multiplied at a time, in a multiple of `N_EVEN` strips of one width,
which two or four threads share evenly. The number of threads changes none of it."""

LARGE = 2**23
"""A matrix with fewer numbers is multiplied faster than threads are started."""


def symmetric_product(matrix: Any, array: FloatArray) -> FloatArray:
    """Multiply a symmetric matrix, dense or sparse, by an array.

    A dense one from the other side, which is the same: it is read line by line, where a product
    with a few vectors would copy it first.

    Examples
    --------
    >>> symmetric_product(np.array([[1.0, 2.0], [2.0, 0.0]]), np.array([1.0, 1.0]))
    array([3., 2.])
    """
    if not isinstance(matrix, np.ndarray):
        return np.asarray(matrix @ array)
    n_strips = N_EVEN * -(-len(matrix) // (N_EVEN * STRIP))
    ends = np.linspace(0, len(matrix), n_strips + 1).astype(int)
    strips = [slice(start, end) for start, end in pairwise(ends)]
    lines = array.T
    parts = in_threads(lambda strip: lines @ matrix[:, strip], strips, matrix.size >= LARGE)
    return np.concatenate(parts, axis=-1).T


def squared_lengths(vectors: Any) -> FloatArray:
    """Return the squared lengths of vectors, dense or sparse; shape (n_vectors,)."""
    if sparse.issparse(vectors):
        return np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", vectors, vectors)


def squared_distances(products: FloatArray, lengths: FloatArray, others: FloatArray) -> FloatArray:
    """Return squared Euclidean distances from what may be at hand already; shape (n, n_others).

    Rounding leaves about 1e-16 of the squared lengths where vectors are equal.

    Parameters
    ----------
    products : array of shape (n, n_others)
        Inner products.
    lengths, others : arrays of shape (n,) and (n_others,)
        Squared lengths.

    Examples
    --------
    >>> vectors = np.array([[0.0], [2.0]])
    >>> lengths = squared_lengths(vectors)
    >>> squared_distances(vectors @ vectors.T, lengths, lengths)
    array([[0., 4.],
           [4., 0.]])
    """
    return np.maximum(lengths[:, None] + others - 2.0 * products, 0.0)
