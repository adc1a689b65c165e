"""What all methods that learn from counts have in common: a table in, counts out."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from untie import CountedTable, Counts, count_table
from untie_paper.arrays import Codes, FloatArray


class CountBased(BaseEstimator):
    """Base of the methods that learn from the counts of pairs of values.

    A subclass writes `_learn(counts)`; its fitted attributes are set there. A missing cell is a
    value of its own. A value that `fit` has not seen is neutral.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The values of each column.
    counts_ : Counts
        How often they occur together.
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a table.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            A pandas, polars or pyarrow table, an array or a list of rows.
        y : ignored
        sample_weight : array of shape (n_rows,), optional
            How often each row counts.

        Returns
        -------
        self
        """
        counted = count_table(X, sample_weight)
        self._learn_table(counted, X, sample_weight)
        validate_data(self, X, reset=True, skip_check_array=True)
        self._counted = counted
        self.vocabulary_, self.counts_ = counted.vocabulary, counted.counts
        return self

    def codes(self, X: Any) -> Codes:
        """Return the codes of rows among the values seen in `fit`.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`.

        Returns
        -------
        list of integer arrays of shape (n_rows,)
            One array per column; an unknown value has the number of the column's values.
        """
        check_is_fitted(self)
        if isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.names is None:
            raise ValueError("X has one dimension. Reshape your data: pass a row for each object.")
        validate_data(self, X, reset=False, skip_check_array=True)
        return self._counted.codes(X)

    def _learn_table(self, counted: CountedTable, X: Any, sample_weight: Any) -> None:
        """Learn from a counted table; a method that needs its rows writes this one."""
        self._learn(counted.counts)

    def _learn(self, counts: Counts) -> None:
        raise NotImplementedError  # the one thing that a method writes

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "counts_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


def with_mean(table: FloatArray, frequencies: FloatArray) -> FloatArray:
    """Append the row of an unknown value: the mean of those of the values.

    Parameters
    ----------
    table : array of shape (n_values, n_columns)
        A row for each value.
    frequencies : array of shape (n_values,)
        How often the values occur.
    """
    if not frequencies.any():  # every cell of the column was unknown
        frequencies = np.ones_like(frequencies)
    return np.vstack([table, frequencies / frequencies.sum() @ table])
