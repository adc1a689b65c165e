"""Numbers that look random, made of numbers that do not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint64]

STEP = np.uint64(0x9E3779B97F4A7C15)


def mixed(numbers: Numbers) -> Numbers:
    """Return numbers that are as good as random, equal where the given ones are (splitmix64).

    Examples
    --------
    >>> numbers = np.arange(1000, dtype=np.uint64)
    >>> float(np.mean(mixed(numbers) < 2**63)).__round__(1)
    0.5
    """
    with np.errstate(over="ignore"):
        result = numbers + STEP
        result = (result ^ (result >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        result = (result ^ (result >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return result ^ (result >> np.uint64(31))
