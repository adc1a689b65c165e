"""Products with large symmetric matrices, in threads and with the same bits for any number."""

from __future__ import annotations

from typing import Any

import numpy as np

from untie._util.parallel import in_threads
from untie._util.types import FloatArray

STRIP = 2048
"""Columns are multiplied this many at a time, whatever the number of threads."""

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
    strips = [slice(start, start + STRIP) for start in range(0, len(matrix), STRIP)]
    lines = array.T
    parts = in_threads(lambda strip: lines @ matrix[:, strip], strips, matrix.size >= LARGE)
    return np.concatenate(parts, axis=-1).T
