"""Hamming: two values are equal or not."""

from __future__ import annotations

import numpy as np

from untie._count.counts import Counts
from untie._util.types import FloatArray
from untie_paper.baselines._distances import ValueDistance


class Hamming(ValueDistance):
    """Distance 0 for equal values, 1 for different ones; between rows, the number of mismatches.

    Parameters
    ----------
    categories : "auto" or list of lists, default="auto"
        The values of each column, if they are known beforehand.
    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="ignore"
        What to do about a value not seen in `fit`; an ignored one is neutral: its distance to a
        value is the mean distance of the rows' own values to it.
    min_frequency : int or float, default=None
        Values with less weight (int, such as 5) or a lower share of it (float, such as 0.01) are
        merged into one per column.
    max_categories : int, default=None
        At most this many values per column, such as 100; the rarest are merged into one of them.
        Memory grows with the square of the number of all values.

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
