"""The part of an estimator that takes tables in: names, unknown values, warnings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from untie._count.grouping import Grouping
from untie._learn.parameters import AUTO, check_handle_unknown
from untie._prepare.unprepared import warn_of_unprepared
from untie._table.names import listed
from untie._table.rows import encode
from untie._table.table import Table, read_table
from untie._table.unknown import handle_unknown_values, joins_rare_values
from untie._util.types import Codes, Value


def see_columns(estimator: BaseEstimator, table: Table) -> None:
    """Remember the number and the names of a table's columns, as scikit-learn does."""
    if table.is_structured:  # which has no names to scikit-learn
        estimator.feature_names_in_ = np.array(table.names, dtype=object)
        estimator.n_features_in_ = len(table.names)
    else:
        validate_data(estimator, table.source, reset=True, skip_check_array=True)


def see_as(estimator: BaseEstimator, other: BaseEstimator) -> None:
    """Remember the columns that another estimator has seen."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(other, name):
            setattr(estimator, name, getattr(other, name))
        elif hasattr(estimator, name):
            delattr(estimator, name)


def check_seen(estimator: BaseEstimator, table: Table) -> None:
    """Refuse a table with other columns than those that were seen in `fit`."""
    source = table.source
    if table.is_structured:
        seen = getattr(estimator, "feature_names_in_", None)
        if seen is not None and tuple(seen) == table.names:
            return
        if seen is not None:
            raise ValueError(
                "The feature names should match those that were passed during fit: "
                f"{listed(seen)}; the structured array has {listed(table.names)}. Select and "
                "order its fields by name."
            )
        source = np.empty((0, len(table.names)))
    validate_data(estimator, source, reset=False, skip_check_array=True)


class TakesTables(BaseEstimator):
    """Base of estimators that take tables of any library, with cells of any kind."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


class TableInput(TakesTables):
    """Base of estimators that learn from a table of categories.

    A subclass has a parameter `handle_unknown` and, once fitted, a `grouping_`.
    """

    handle_unknown: str
    grouping_: Grouping
    library_: str

    def _remember(self, table: Table) -> None:
        """Take over a table's columns; called last, so that a failed fit changes nothing."""
        see_columns(self, table)
        self.library_ = table.backend

    def _columns_read(self) -> list[str] | None:
        """Return the columns that new rows must have, by name; None if they had no names."""
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else names.tolist()

    def _codes(self, X: Any, reported: set[str] | None = None) -> Codes:
        """Code the rows of a table with the values seen in `fit`.

        Parameters
        ----------
        X : table
            The rows.
        reported : set of str, optional
            For tables that come in chunks: columns whose unknown values were reported, and need
            not be again. More are added.

        Returns
        -------
        list of integer arrays of shape (n_rows,)
            One array per column.
        """
        table = read_table(X, min_rows=0)
        check_seen(self, table)
        return self._code(table, reported)

    def _code(self, table: Table, reported: set[str] | None) -> Codes:
        """Code a table whose columns are those that were learned from."""
        check_handle_unknown(self.handle_unknown)
        encoded = encode(table, self.grouping_.raw)
        unknown = encoded.unknown
        if reported is not None:
            unknown = _not_yet_reported(unknown, table.names, reported)
        handle_unknown_values(unknown, self.grouping_.raw, self.handle_unknown, "transform")
        rare = joins_rare_values(self.handle_unknown)
        return self.grouping_.apply_to_codes(encoded.codes, unknown_is_rare=rare)

    def _report(self, table: Table, grouping: Grouping, unknown: Sequence[Sequence[Value]]) -> None:
        """Tell the user what is odd about a table."""
        how = "error" if self.handle_unknown == "error" else "ignore"
        handle_unknown_values(unknown, grouping.raw, how, "fit")
        # Values that the user lists may have no rows; whoever knows them knows what they are.
        if isinstance(getattr(self, "categories", AUTO), str):
            warn_of_unprepared(table, grouping.vocabulary)


def _not_yet_reported(
    unknown: list[list[Value]], names: tuple[str, ...], reported: set[str]
) -> list[list[Value]]:
    new = [[] if name in reported else values for name, values in zip(names, unknown, strict=True)]
    reported.update(name for name, values in zip(names, new, strict=True) if values)
    return new
