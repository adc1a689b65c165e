"""COS: the coupled similarity of values, and the distance made of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from untie import Counts
from untie_paper.arrays import FloatArray
from untie_paper.baselines._ahmad import difference_by, differences
from untie_paper.baselines._distances import ValueDistance, with_unknown


class COS(ValueDistance):
    """Coupled object similarity: how frequent two values are, times what they occur with.

    The similarity of two values is the product of an intra-attribute part, ab / (a + b + ab) for
    values that a and b rows have, and an inter-attribute part: the mean over the other
    columns of how far the distributions of their values overlap, which is 1 minus the
    distance of `Ahmad`. The distance is (1 / intra - 1)(1 - inter), which is
    (1/a + 1/b)(1 - inter).

    Attributes
    ----------
    distances_ : list of arrays of shape (n_values, n_values)
        The distances of each column's values.
    similarities_ : list of arrays of shape (n_values, n_values)
        Their similarities; that of a value with itself is a / (a + 2).

    Notes
    -----
    The method uses numbers of rows, not shares: a weight is the number of times that a row
    counts, and twice the weight everywhere halves the distances. A value that never occurs
    counts as one row. In a table of one column, the inter-attribute part is 1 for equal
    values and 0 for others.

    References
    ----------
    C. Wang, L. Cao, M. Wang, J. Li, W. Wei and Y. Ou, Coupled nominal similarity in unsupervised
    learning, CIKM 2011.

    C. Wang, X. Dong, F. Zhou, L. Cao and C.-H. Chi, Coupled attribute similarity learning on
    categorical data, IEEE Transactions on Neural Networks and Learning Systems 26, 781-797, 2015.

    Examples
    --------
    >>> from untie_paper.baselines import COS
    >>> table = [["red", "wine"], ["white", "wine"], ["red", "wine"], ["brown", "beer"]]
    >>> cos = COS().fit(table)
    >>> cos.value_distance("x0")
           brown  red  white
    brown    0.0  1.5    2.0
    red      1.5  0.0    0.0
    white    2.0  0.0    0.0
    >>> cos.value_similarity("x0")
              brown  red     white
    brown  0.333333  0.0  0.000000
    red    0.000000  0.5  0.400000
    white  0.000000  0.4  0.333333
    """

    def _value_distances(self, counts: Counts) -> list[FloatArray]:
        attributes = range(len(counts.sizes))
        return [rarity(counts, a) * differences(counts, a) for a in attributes]

    def _learn(self, counts: Counts) -> None:
        super()._learn(counts)
        self.similarities_ = [
            similarities(rarity(counts, attribute), distances)
            for attribute, distances in enumerate(self.distances_)
        ]

    def value_similarity(self, column: str) -> Any:
        """Return the similarities of a column's values.

        Parameters
        ----------
        column : str
            The column's name.

        Returns
        -------
        frame
            Square, one row and one column per value.
        """
        check_is_fitted(self)
        return self._square(column, self.similarities_)

    def similarity(self, A: Any, B: Any = None) -> FloatArray:
        """Return the similarity of each row of `A` to each of `B` (or of `A`).

        It is the sum over the columns of the similarities of their values.

        Parameters
        ----------
        A, B : tables
            Rows with the columns seen in `fit`.

        Returns
        -------
        array of shape (n_rows of A, n_rows of B)
            8 bytes per pair of rows.
        """
        check_is_fitted(self)
        return self._pairwise(with_unknown(self.similarities_, self.counts_), A, B)

    def coupling_matrices(self) -> list[list[FloatArray]]:
        """Return, for each column, what its similarity is made of.

        Returns
        -------
        list of lists of arrays of shape (n_values, n_values)
            One list per column: the intra-attribute similarity of its values, then their
            inter-attribute similarity by each other column; for
            `untie_paper.evaluation.inter_factor`.
        """
        check_is_fitted(self)
        attributes = range(len(self.counts_.sizes))
        return [
            [
                1.0 / (1.0 + rarity(self.counts_, attribute)),
                *(
                    1.0 - difference_by(self.counts_, attribute, other)
                    for other in attributes
                    if other != attribute
                ),
            ]
            for attribute in attributes
        ]


def rarity(counts: Counts, attribute: int) -> FloatArray:
    """Return 1/a + 1/b for each two values of an attribute; shape (n_values, n_values).

    The intra-attribute similarity ab / (a + b + ab) is 1 / (1 + rarity).
    """
    frequencies = counts.frequencies[counts.span(attribute)]
    inverse = 1.0 / np.where(frequencies > 0, frequencies, 1.0)
    return inverse[:, None] + inverse


def similarities(rare: FloatArray, distances: FloatArray) -> FloatArray:
    """Return intra times inter, from 1/intra - 1 and from (1/intra - 1)(1 - inter)."""
    return (1.0 - distances / rare) / (1.0 + rare)
