"""Whole numbers -> numbers that are as good as random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a number for each number that has nothing to do with it (splitmix64); in place.

    Different numbers stay different.

    Examples
    --------
    >>> mix(np.array([0, 1, 2], dtype=np.uint64)) % np.uint64(1000)
    array([  0, 789, 730], dtype=uint64)
    """
    with np.errstate(over="ignore"):
        numbers ^= numbers >> np.uint64(30)
        numbers *= np.uint64(0xBF58476D1CE4E5B9)
        numbers ^= numbers >> np.uint64(27)
        numbers *= np.uint64(0x94D049BB133111EB)
        numbers ^= numbers >> np.uint64(31)
    return numbers
