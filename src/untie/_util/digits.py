"""Numbers that differ by rounding alone -> the same number."""

from __future__ import annotations

import numpy as np

from untie._util.types import FloatArray


def leading_digits(numbers: FloatArray, n_digits: int) -> FloatArray:
    """Round numbers to some leading digits each, whatever their size.

    Examples
    --------
    >>> leading_digits(np.array([0.1 + 0.2, 123.456, 0.0]), 4)
    array([  0.3, 123.5,   0. ])
    """
    with np.errstate(divide="ignore"):
        powers = 10.0 ** (n_digits - 1 - np.floor(np.log10(np.abs(numbers))))
    powers = np.where(np.isfinite(powers), powers, 1.0)
    return np.asarray(np.round(numbers * powers) / powers)
