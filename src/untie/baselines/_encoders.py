"""The family of methods that give every value a vector, from counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from untie._count.counts import Counts
from untie._learn.dense import Dense
from untie._learn.vectors import LookUp, look_up_tables
from untie._table import frames
from untie._util.types import FloatArray
from untie.baselines._base import CountBased


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
        tables = [Dense(table) for table in self._value_vectors(counts)]
        self._lookup = look_up_tables(tables, counts, self._summed)

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the vectors of rows: a table look-up, for each row independently.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`.

        Returns
        -------
        array of shape (n_rows, n_output_columns)
        """
        check_is_fitted(self)
        return self._rows(self._codes(X))

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> NDArray[Any]:
        """Learn from a table and return its rows' vectors; reads the table once.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        array of shape (n_rows, n_output_columns)
        """
        rows = self._fit_rows(X, sample_weight).rows
        assert rows is not None
        return self._rows(rows.codes) if rows.complete else self.transform(X)

    def _rows(self, codes: Any) -> NDArray[Any]:
        lookup: LookUp = self._lookup
        return lookup.rows(codes, np.float64)

    def value_vectors(self) -> Any:
        """Return the vectors of all values.

        Returns
        -------
        frame
            One row per value: column, value and its vector.
        """
        check_is_fitted(self)
        names = self.get_feature_names_out().tolist()
        return frames.value_vectors(
            self.library_, self.vocabulary_, self._lookup.value_rows(), names
        )

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
            prefix = type(self).__name__.lower()
            return np.array([f"{prefix}{i}" for i in range(self._lookup.n_columns)], dtype=object)
        return np.array(self._column_names(columns), dtype=object)

    def _column_names(self, columns: tuple[str, ...]) -> list[str]:
        """Return a name per column of the output; a subclass may know better ones."""
        return [
            f"{column}_{number}"
            for column, width in zip(columns, self._lookup.widths, strict=True)
            for number in range(width)
        ]
