"""Names for the few array types that travel through the pipe."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
"""Any array of double precision numbers."""

IntArray = NDArray[np.intp]
"""Places in other arrays, clusters or attributes."""

LongArray = NDArray[np.int64]
"""Whole numbers of 64 bits, such as codes of several columns in one array."""

BoolArray = NDArray[np.bool_]
"""Which of some things are so."""

AnyArray = NDArray[Any]
"""An array of numbers of any type."""

Codes = list[NDArray[Any]]
"""One integer array of shape (n_rows,) per attribute.

A code is the position of the cell's value among its attribute's values; a cell whose
value is not among them has the code ``n_values`` of that attribute, one past the last.
"""

Value = Hashable
"""A cell's value; ``None`` stands for every kind of missing cell."""


def smallest_unsigned(largest: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest unsigned integer type that holds `largest`."""
    for dtype in (np.uint8, np.uint16, np.uint32):
        if largest <= np.iinfo(dtype).max:
            return dtype
    return np.uint64
