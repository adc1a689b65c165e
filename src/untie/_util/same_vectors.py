"""Vectors that are equal but for rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from untie._util.types import FloatArray


def distinct_vectors(
    vectors: FloatArray, decimals: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return a position of each distinct vector, which of them each is, and how often it occurs.

    Parameters
    ----------
    vectors : array of shape (n_vectors, n_dimensions)
        The vectors.
    decimals : int
        Decimals, relative to the largest number, in which equal vectors agree.

    Examples
    --------
    >>> first, places, times = distinct_vectors(np.array([[2.0], [1.0], [2.0 + 1e-15]]), 9)
    >>> first.tolist(), places.tolist(), times.tolist()
    ([1, 0], [1, 0, 1], [1, 2])
    """
    largest = np.abs(vectors).max(initial=0.0)
    if largest == 0:
        every = np.zeros(len(vectors), dtype=np.intp)
        return every[:1], every, np.array([len(vectors)])
    # Bytes are faster to compare than numbers; 0 is added so that -0 becomes 0.
    rounded = np.ascontiguousarray(np.round(vectors / largest, decimals) + 0.0)
    as_bytes = rounded.view(np.dtype((np.void, rounded.itemsize * rounded.shape[1]))).ravel()
    _, first, places, times = np.unique(
        as_bytes, return_index=True, return_inverse=True, return_counts=True
    )
    return first, places, times
