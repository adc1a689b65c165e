"""One-hot encoding, as a baseline with the same face as the others."""

from __future__ import annotations

import numpy as np

from untie import Counts, Vocabulary
from untie_paper.arrays import FloatArray
from untie_paper.baselines._encoders import CountEncoder


class OneHot(CountEncoder):
    """One column per value: 1 where a row has it, 0 elsewhere.

    Unlike scikit-learn's OneHotEncoder it gives an unknown value its column's mean, the shares of
    the values.

    See Also
    --------
    untie.UNTIE : Gives similar values similar vectors; here all values are equally far apart.

    Examples
    --------
    >>> from untie_paper.baselines import OneHot
    >>> OneHot().fit_transform([["a", "x"], ["b", "x"]])
    array([[1., 0., 1.],
           [0., 1., 1.]])
    """

    def _value_vectors(self, counts: Counts) -> list[FloatArray]:
        return [np.eye(size) for size in counts.sizes]

    def _column_names(self, columns: tuple[str, ...]) -> list[str]:
        return Vocabulary(columns, self.vocabulary_.values).feature_names()
