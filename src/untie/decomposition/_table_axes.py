"""What MCA and FAMD have in common: axes of a table, and all that is read from them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from untie._base import TableInput
from untie._count.counts import Counts
from untie._learn.parameters import (
    MISSING,
    VALUE,
    check_handle_unknown,
    check_min_frequency,
)
from untie._table import frames
from untie._table.numeric import numeric_columns, standardization, without
from untie._table.rows import check_weights, learn_vocabulary, split_weights
from untie._table.table import Table, read_table
from untie._table.vocabulary import Vocabulary
from untie._util.checks import check_integer, check_one_of
from untie._util.types import AnyArray, Codes, FloatArray
from untie.decomposition._axes import PrincipalAxes, RowMap


class StandardRows(NamedTuple):
    """Rows as they are projected.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        Their values.
    numbers : array of shape (n_rows, n_numeric)
        Their standardized numbers, 0 for a missing one.
    """

    codes: Codes
    numbers: FloatArray


class TableAxes(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TableInput):
    """Base of estimators that find the principal axes of a table.

    A subclass learns `_map`, `_axes` and the attributes that it documents, and reads rows.
    """

    n_components: int | None
    missing: str
    min_frequency: float | None
    max_categories: int | None
    counts_: Counts
    vocabulary_: Vocabulary
    eigenvalues_: FloatArray
    total_inertia_: float
    column_coordinates_: FloatArray
    column_contributions_: FloatArray
    column_cos2_: FloatArray
    _map: RowMap
    _axes: PrincipalAxes

    def transform(self, X: Any) -> FloatArray:
        """Return the principal coordinates of rows, those seen in `fit` or supplementary ones.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`.

        Returns
        -------
        array of shape (n_rows, n_components)
        """
        check_is_fitted(self)
        return self._map.coordinates(*self._rows(X))

    def row_contributions(self, X: Any, sample_weight: Any = None) -> FloatArray:
        """Return each row's share of the inertia of each axis.

        Over the rows seen in `fit` the shares of an axis sum to 1. Those of other rows are what
        they would add to the inertia of the table, divided by it.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`.
        sample_weight : array of shape (n_rows,), optional
            How often each row counts.

        Returns
        -------
        array of shape (n_rows, n_components)
        """
        coordinates = self.transform(X)
        weights, keep = check_weights(sample_weight, len(coordinates))
        of_rows = np.ones(len(coordinates))
        if weights is not None:
            of_rows = np.zeros(len(coordinates))
            of_rows[slice(None) if keep is None else keep] = weights
        shares = np.square(coordinates) * self._axes.per_variance
        return shares * (of_rows / self.counts_.n)[:, None]

    def row_cos2(self, X: Any) -> FloatArray:
        """Return how well each axis shows each row: the squared cosine of their angle.

        Over all axes they sum to 1; a row in the middle, which has no direction, has 0.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`.

        Returns
        -------
        array of shape (n_rows, n_components)
        """
        check_is_fitted(self)
        rows = self._rows(X)
        distances = self._map.squared_distances(*rows)
        squares = np.square(self._map.coordinates(*rows))
        return squares / np.where(distances > 0, distances, 1.0)[:, None]

    def supplementary_columns(self, X: Any, columns: Any, sample_weight: Any = None) -> Any:
        """Place columns on the axes that had no part in finding them.

        A value is placed as those of `fit` are, from the rows that have it; a column of numbers has
        its correlation with each axis.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`.
        columns : table of shape (n_rows, n_supplementary)
            Other columns of the same rows. Text is taken for categories; numbers are numbers.
        sample_weight : array of shape (n_rows,) or str, optional
            How often each row counts, or the column of `X` that says so.

        Returns
        -------
        frame
            One row per column of numbers, then one per value: column, value (None for a column of
            numbers) and its coordinate on each axis.
        """
        X, sample_weight = split_weights(X, sample_weight)
        coordinates, table = self.transform(X), read_table(columns)
        if table.n_rows != len(coordinates):
            raise ValueError(
                f"columns has {table.n_rows} rows, but X has {len(coordinates)}; pass the same "
                "rows in both."
            )
        weights, keep = check_weights(sample_weight, table.n_rows)
        kept = slice(None) if keep is None else keep
        counted = np.ones(table.n_rows) if weights is None else weights
        points = coordinates[kept]
        numbers = numeric_columns(table, (), ())
        rest = without(table, numbers)
        placed = [correlations(column[kept], points, counted) for column in numbers.values()]
        cells: list[tuple[str, Any]] = [(table.names[place], None) for place in numbers]
        if rest.names:
            vocabulary, coded = learn_vocabulary(rest, keep, None, weights)
            scale = self._supplementary_scale()
            for attribute, codes in enumerate(coded.codes):
                size = vocabulary.sizes[attribute]
                placed.append(means_of(codes, size, points, counted) * scale)
                labels = vocabulary.labels(attribute)
                cells += [(vocabulary.columns[attribute], label) for label in labels]
        return self._frame(cells, np.vstack(placed), self.get_feature_names_out())

    def summary(self) -> Any:
        """Return what is known of each value, and of each column of numbers.

        Returns
        -------
        frame
            One row per column of numbers, if there are some, and one per value: column, value
            (None for a column of numbers), and for each axis the coordinate, the contribution
            (``_ctr``) and the squared cosine (``_cos2``).
        """
        check_is_fitted(self)
        parts = (self.column_coordinates_, self.column_contributions_, self.column_cos2_)
        numbers = np.stack(parts, axis=2).reshape(len(parts[0]), -1)
        names = [
            f"{axis}{what}"
            for axis in self.get_feature_names_out()
            for what in ("", "_ctr", "_cos2")
        ]
        return self._frame(self._named_columns(), numbers, names)

    def _named_columns(self) -> list[tuple[str, Any]]:
        """Return the column and the value of each row of `column_coordinates_`."""
        vocabulary = self.vocabulary_
        return [
            (column, label)
            for attribute, column in enumerate(vocabulary.columns)
            for label in vocabulary.labels(attribute)
        ]

    def _frame(
        self, cells: Sequence[tuple[str, Any]], numbers: FloatArray, names: Sequence[str]
    ) -> Any:
        columns, values = ([cell[part] for cell in cells] for part in (0, 1))
        data = {"column": columns, "value": values, **dict(zip(names, numbers.T, strict=True))}
        return frames.make_frame(self._library, data)

    def _rows(self, X: Any) -> StandardRows:
        raise NotImplementedError  # every subclass reads rows

    def _supplementary_scale(self) -> Any:
        """Return by what the mean of a value's rows is multiplied to place it."""
        return 1.0

    @property
    def explained_inertia_(self) -> FloatArray:
        """Each axis' share of the total inertia."""
        check_is_fitted(self)
        return self.eigenvalues_ / (self.total_inertia_ or 1.0)

    @property
    def _n_features_out(self) -> int:
        return len(self.eigenvalues_)

    def _check_parameters(self) -> None:
        if self.n_components is not None:
            check_integer("n_components", self.n_components, 1, "a positive integer or None")
        check_one_of("missing", self.missing, MISSING)
        check_handle_unknown(self.handle_unknown)
        check_min_frequency(self.min_frequency, self.max_categories)


def missing_is_value(estimator: TableAxes) -> bool:
    """Tell whether a missing cell is a value like others."""
    return estimator.missing == VALUE


def means_of(codes: AnyArray, size: int, points: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean of the rows with each value; shape (size, n_axes)."""
    totals = np.bincount(codes, weights, minlength=size)[:size]
    sums = [np.bincount(codes, weights * axis, minlength=size)[:size] for axis in points.T]
    return np.stack(sums, axis=1) / np.where(totals > 0, totals, 1.0)[:, None]


def correlations(numbers: FloatArray, points: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the correlation of a column with each axis, 0 for constant ones; shape (n_axes,).

    Missing numbers are the mean of the others.
    """
    means, _ = standardization(numbers[:, None], weights)
    both = np.column_stack([np.where(np.isnan(numbers), means, numbers), points])
    means, scales = standardization(both, weights)
    standard = (both - means) / scales
    found: FloatArray = (weights * standard[:, 0]) @ standard[:, 1:] / weights.sum()
    return found


def own_table(X: Any, sample_weight: Any) -> tuple[Table, Any]:
    """Read a table to learn from, and its weights."""
    X, sample_weight = split_weights(X, sample_weight)
    return read_table(X), sample_weight
