"""One-hot encoding, as a baseline with the same face as the others."""

from __future__ import annotations

import numpy as np

from untie._count.counts import Counts
from untie._table.vocabulary import Vocabulary
from untie._util.types import FloatArray
from untie.baselines._encoders import CountEncoder


class OneHot(CountEncoder):
    """One column per value: 1 where a row has it, 0 elsewhere.

    Unlike scikit-learn's OneHotEncoder it gives an unknown value its column's mean, the shares of
    the values.

    Parameters
    ----------
    categories : "auto" or list of lists, default="auto"
        The values of each column, if they are known beforehand.
    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="ignore"
        What to do about a value not seen in `fit`; an ignored one is neutral: it gets
        its column's mean vector.
    min_frequency : int or float, default=None
        Values with less weight (int, such as 5) or a lower share of it (float, such as 0.01) are
        merged into one per column.
    max_categories : int, default=None
        At most this many values per column, such as 100; the rarest are merged into one of them.
        Memory grows with the square of the number of all values.

    See Also
    --------
    untie.TableEncoder : Gives similar values similar vectors; here all are equally far apart.

    Examples
    --------
    >>> from untie.baselines import OneHot
    >>> OneHot().fit_transform([["a", "x"], ["b", "x"]])
    array([[1., 0., 1.],
           [0., 1., 1.]])
    """

    def _value_vectors(self, counts: Counts) -> list[FloatArray]:
        return [np.eye(size) for size in counts.sizes]

    def _column_names(self, columns: tuple[str, ...]) -> list[str]:
        return Vocabulary(columns, self.vocabulary_.values).feature_names()
