"""Hamming: two values are equal or not."""

from __future__ import annotations

import numpy as np

from untie import Counts
from untie_paper.arrays import FloatArray
from untie_paper.baselines._distances import ValueDistance


class Hamming(ValueDistance):
    """Distance 0 for equal values, 1 for different ones; between rows, the number of mismatches.

    Attributes
    ----------
    distances_ : list of arrays of shape (n_values, n_values)
        The distances of each column's values.

    See Also
    --------
    untie.cluster.KModes : Clusters rows by such a distance.

    References
    ----------
    R. W. Hamming, Error detecting and error correcting codes, Bell System Technical Journal 29,
    147-160, 1950.

    Examples
    --------
    >>> from untie_paper.baselines import Hamming
    >>> Hamming().fit([["a", "x"], ["b", "x"], ["b", "y"]]).pairwise([["a", "x"], ["b", "y"]])
    array([[0., 2.],
           [2., 0.]])
    """

    def _value_distances(self, counts: Counts) -> list[FloatArray]:
        return [1.0 - np.eye(size) for size in counts.sizes]
