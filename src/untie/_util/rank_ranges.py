"""Ranks -> ranges of equal width, which are the same counted from either end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from untie._util.digits import ROUNDING
from untie._util.types import FloatArray


def ranges_of(ranks: FloatArray, n_ranges: int) -> NDArray[np.intp]:
    """Return the range of each rank, from 0 on.

    A rank on the border of two ranges goes to the outer one, from whichever end we count; the
    border in the middle of an even number of ranges belongs to the lower one.

    Parameters
    ----------
    ranks : array
        From 0 to 1.
    n_ranges : int
        Number of ranges.

    Examples
    --------
    >>> ranges_of(np.array([0.1, 0.2, 0.5, 0.8, 0.9]), 5)
    array([0, 0, 2, 4, 4])
    """
    places = np.asarray(ranks) * n_ranges
    border = np.round(places)
    outer = np.where(2 * border <= n_ranges, border - 1, border)
    # Ranks this near to a border are on it, however their sums were rounded.
    found = np.where(np.abs(places - border) < ROUNDING * n_ranges, outer, np.floor(places))
    return np.clip(found, 0, n_ranges - 1).astype(np.intp)
