"""A name for the arrays of numbers that experiments pass around."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
"""Any array of double precision numbers."""
