"""P-values of many tests at once."""

from __future__ import annotations

import numpy as np

from untie._util.types import FloatArray


def holm(p_values: FloatArray) -> FloatArray:
    """Correct p-values by Holm's method: the chance of one false finding among all.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.02]))
    array([0.03, 0.04, 0.04])
    """
    order = np.argsort(p_values, kind="stable")
    n_left = np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.maximum.accumulate(np.minimum(p_values[order] * n_left, 1.0))
    return corrected
