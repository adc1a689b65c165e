"""Couplings: the paper's coupling vectors themselves, without kernels and weights."""

from __future__ import annotations

import numpy as np

from untie import Counts
from untie_paper.arrays import FloatArray
from untie_paper.baselines._encoders import CountEncoder


class Couplings(CountEncoder):
    """Describe a value by how often it occurs and by what it occurs with.

    A value's vector has its relative frequency and then, for every value b of every other
    column, the share of the rows with b that have it. A row's vector is the concatenation of
    those of its values. These are the vectors that UNTIE's kernels start from.

    See Also
    --------
    untie.UNTIE : Weighs and combines such couplings.

    References
    ----------
    C. Zhu, L. Cao and J. Yin, Unsupervised heterogeneous coupling learning for categorical
    representation, IEEE Transactions on Pattern Analysis and Machine Intelligence 44, 2022.

    Examples
    --------
    >>> from untie_paper.baselines import Couplings
    >>> encoder = Couplings()
    >>> encoder.fit_transform([["a", "x"], ["b", "x"]])
    array([[0.5, 0.5, 1. , 1. , 1. ],
           [0.5, 0.5, 1. , 1. , 1. ]])
    >>> encoder.get_feature_names_out().tolist()
    ['x0|share', 'x0|x1=x', 'x1|share', 'x1|x0=a', 'x1|x0=b']
    """

    def _value_vectors(self, counts: Counts) -> list[FloatArray]:
        return [
            np.hstack([intra(counts, attribute), inter(counts, attribute)])
            for attribute in range(len(counts.sizes))
        ]

    def _column_names(self, columns: tuple[str, ...]) -> list[str]:
        names = []
        for column in columns:
            names.append(f"{column}|share")
            for attribute, other in enumerate(columns):
                if other != column:
                    labels = self.vocabulary_.labels(attribute)
                    names += [f"{column}|{other}={label}" for label in labels]
        return names


def intra(counts: Counts, attribute: int) -> FloatArray:
    """Return the relative frequency of each value (the paper's Eq. 1); shape (n_values, 1)."""
    return counts.frequencies[counts.span(attribute), None] / counts.n


def inter(counts: Counts, attribute: int) -> FloatArray:
    """Return p(value | b) for every value b of every other attribute (the paper's Eq. 4).

    A value b that never occurs says nothing about the others: its column is 0.
    """
    others = np.ones(sum(counts.sizes), dtype=bool)
    others[counts.span(attribute)] = False
    together = counts.dense()[counts.span(attribute)][:, others]
    frequencies = counts.frequencies[others]
    return together / np.where(frequencies > 0, frequencies, 1.0)
