"""Signs of eigenvectors, which are arbitrary, fixed by the table itself."""

from __future__ import annotations

import numpy as np

from untie_paper.arrays import FloatArray

NOISE = 1e-9
"""A moment below this share of the largest possible one says nothing about the sign."""


def orient(scores: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the sign of each column that makes its third moment positive; shape (n_columns,).

    The moment depends on the scores alone, not on the order or the names of what has them.
    Where a column is symmetric, its first large score is made positive instead.

    Parameters
    ----------
    scores : array of shape (n_values, n_columns)
        Scores of the values.
    weights : array of shape (n_values,)
        How often each value counts.

    Examples
    --------
    >>> import numpy as np
    >>> orient(np.array([[-2.0, -1.0], [1.0, 1.0], [1.0, 0.0]]), np.ones(3))
    array([-1., -1.])
    """
    moments = weights @ scores**3
    largest = weights @ np.abs(scores) ** 3
    symmetric = np.abs(moments) <= NOISE * largest
    # Half of the largest: of two equal scores, rounding must not choose which is the larger.
    is_large = np.abs(scores) >= 0.5 * np.abs(scores).max(axis=0, initial=0.0)
    first = scores[np.argmax(is_large, axis=0), np.arange(scores.shape[1])]
    return np.where(np.where(symmetric, first, moments) < 0, -1.0, 1.0)
