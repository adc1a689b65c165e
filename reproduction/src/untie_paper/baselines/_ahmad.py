"""Ahmad and Dey: two values are as far apart as what they occur with."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import pdist, squareform

from untie import Counts
from untie_paper.arrays import FloatArray
from untie_paper.baselines._distances import ValueDistance


class Ahmad(ValueDistance):
    """How much the other columns differ between the rows with one value and those with another.

    For each other column it is the total variation distance of the distributions of its
    values in the rows that have the one and in the rows that have the other value: 0 if they
    are the same, 1 if they have no value in common. The distance is the mean over these columns.

    Notes
    -----
    Cells whose value is not among the user's categories are left out of the distributions. A
    value that never occurs has the distribution of all rows. A table of one column has nothing
    to compare with; there the distance is that of `Hamming`.

    References
    ----------
    A. Ahmad and L. Dey, A method to compute distance between two categorical values of same
    attribute in unsupervised learning for categorical data set, Pattern Recognition Letters 28,
    110-118, 2007.

    Examples
    --------
    >>> from untie_paper.baselines import Ahmad
    >>> table = [["red", "wine"], ["white", "wine"], ["red", "wine"], ["brown", "beer"]]
    >>> Ahmad().fit(table).value_distance("x0")
           brown  red  white
    brown    0.0  1.0    1.0
    red      1.0  0.0    0.0
    white    1.0  0.0    0.0
    """

    def _value_distances(self, counts: Counts) -> list[FloatArray]:
        return [differences(counts, attribute) for attribute in range(len(counts.sizes))]


def differences(counts: Counts, attribute: int) -> FloatArray:
    """Return how differently the values of an attribute occur with the other attributes.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.
    attribute : int
        The attribute whose values are compared.

    Returns
    -------
    array of shape (n_values, n_values), between 0 and 1
    """
    others = [other for other in range(len(counts.sizes)) if other != attribute]
    if not others:
        return 1.0 - np.eye(counts.sizes[attribute])
    given = np.hstack([_distributions(counts.block(attribute, other)) for other in others])
    # Half the sum of the differences is the largest difference over all sets of values.
    halves: FloatArray = squareform(pdist(given, "cityblock")) / (2 * len(others))
    return halves


def difference_by(counts: Counts, attribute: int, other: int) -> FloatArray:
    """Return how differently the values of an attribute occur with one other attribute."""
    halves: FloatArray = (
        squareform(pdist(_distributions(counts.block(attribute, other)), "cityblock")) / 2
    )
    return halves


def _distributions(together: FloatArray) -> FloatArray:
    """Return each row's shares; a row without counts has those of all rows."""
    totals = together.sum(axis=1, keepdims=True)
    rows = np.where(totals > 0, together, together.sum(axis=0))
    return rows / np.maximum(rows.sum(axis=1, keepdims=True), np.finfo(float).tiny)
