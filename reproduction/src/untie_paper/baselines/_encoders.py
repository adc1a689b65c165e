"""The family of methods that give every value a vector, from counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from untie import Counts
from untie_paper.arrays import FloatArray
from untie_paper.baselines._base import CountBased, with_mean


class CountEncoder(TransformerMixin, CountBased):
    """Base of the encoders that look a row's values up; a subclass writes `_value_vectors`.

    An unknown value is neutral: it has its column's mean vector.
    """

    _summed = False
    """Whether a row's vector is the sum of its values' vectors, or their concatenation."""

    def _value_vectors(self, counts: Counts) -> list[FloatArray]:
        """Return one array of shape (n_values, width) per attribute."""
        raise NotImplementedError  # the one thing that a method writes

    def _learn(self, counts: Counts) -> None:
        self._tables = [
            with_mean(table, counts.frequencies[counts.span(attribute)])
            for attribute, table in enumerate(self._value_vectors(counts))
        ]

    def transform(self, X: Any) -> FloatArray:
        """Return the vectors of rows: a table look-up, for each row independently.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`.

        Returns
        -------
        array of shape (n_rows, n_output_columns)
        """
        codes = self.codes(X)
        parts = [table[column] for table, column in zip(self._tables, codes, strict=True)]
        return np.sum(parts, axis=0) if self._summed else np.hstack(parts)

    def value_vectors(self) -> Any:
        """Return the vectors of all values.

        Returns
        -------
        DataFrame
            One row per value: column, value and its vector.
        """
        import pandas as pd

        check_is_fitted(self)
        tables = [table[:-1] for table in self._tables]
        vectors = np.vstack(tables) if self._summed else block_diag(*tables)
        frame = pd.DataFrame(vectors, columns=self.get_feature_names_out())
        columns = self.vocabulary_.columns
        values = [
            value for place in range(len(columns)) for value in self.vocabulary_.labels(place)
        ]
        frame.insert(0, "value", values)
        frame.insert(0, "column", np.repeat(columns, self.vocabulary_.sizes))
        return frame

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of `transform`'s columns.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the table's columns, instead of those seen in `fit`.

        Returns
        -------
        array of str
        """
        check_is_fitted(self)
        columns = self.vocabulary_.columns
        if input_features is not None:
            names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
            columns = tuple(map(str, names))
        if self._summed:
            prefix, width = type(self).__name__.lower(), self._tables[0].shape[1]
            return np.array([f"{prefix}{i}" for i in range(width)], dtype=object)
        return np.array(self._column_names(columns), dtype=object)

    def _column_names(self, columns: tuple[str, ...]) -> list[str]:
        """Return a name per column of the output; a subclass may know better ones."""
        return [
            f"{column}_{number}"
            for column, table in zip(columns, self._tables, strict=True)
            for number in range(table.shape[1])
        ]
