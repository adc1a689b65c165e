"""Hamming: two values are equal or not."""

from __future__ import annotations

import numpy as np

from untie.baselines.distances import ValueDistance
from untie.core.counts import Counts
from untie.core.types import FloatArray


class Hamming(ValueDistance):
    """Distance 0 for equal values, 1 for different ones; a row's is the number of mismatches.

    Examples
    --------
    >>> from untie.baselines import Hamming
    >>> Hamming().fit([["a", "x"], ["b", "x"], ["b", "y"]]).pairwise([["a", "x"]])
    array([[0.]])
    """

    def _value_distances(self, counts: Counts) -> list[FloatArray]:
        return [1.0 - np.eye(size) for size in counts.sizes]
