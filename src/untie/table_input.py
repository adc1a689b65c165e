"""The part of an estimator that takes tables in: names, unknown values, warnings."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from untie.core.grouping import Grouping
from untie.core.table import Table, encode, read_table, warn_of_distinct_floats
from untie.core.tally import CodedTable, Tally
from untie.core.types import Codes
from untie.core.unknown import handle_unknown_values, joins_rare_values
from untie.parameters import check_handle_unknown


class TableInput(BaseEstimator):
    """Base of estimators that learn from a table of categories.

    A subclass has a parameter `handle_unknown` and, once fitted, a `_grouping`.
    """

    handle_unknown: str
    _grouping: Grouping
    _backend: str

    def _remember(self, table: Table) -> None:
        """Take over a table's columns; called last, so that a failed fit changes nothing."""
        validate_data(self, table.source, reset=True, skip_check_array=True)
        self._backend = table.backend

    def _check_columns(self, table: Table) -> None:
        validate_data(self, table.source, reset=False, skip_check_array=True)

    def _encode(self, X: Any) -> Codes:
        """Code the rows of a table with the values seen in `fit`."""
        check_handle_unknown(self.handle_unknown)
        table = read_table(X, min_rows=0)
        self._check_columns(table)
        encoded = encode(table, self._grouping.raw)
        handle_unknown_values(encoded.unknown, self._grouping.raw, self.handle_unknown, "transform")
        rare = joins_rare_values(self.handle_unknown)
        return self._grouping.apply_to_codes(encoded.codes, unknown_is_rare=rare)

    def _report(self, table: Table, counted: Tally | CodedTable) -> None:
        """Tell the user what is odd about a table."""
        assert counted.rows is not None
        how = "error" if self.handle_unknown == "error" else "ignore"
        handle_unknown_values(counted.rows.unknown, counted.grouping.raw, how, "fit")
        warn_of_distinct_floats(table, counted.grouping.raw)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags
