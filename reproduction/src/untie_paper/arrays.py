"""Names for the arrays of numbers that experiments pass around."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
"""Any array of double precision numbers."""

Codes = list[NDArray[Any]]
"""One integer array of shape (n_rows,) per column: positions among the column's values; the number
of values stands for a value that is not among them."""
