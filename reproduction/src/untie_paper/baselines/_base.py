"""What all methods that learn from counts have in common: a table in, counts out."""

from __future__ import annotations

from typing import Any, Self

from untie._base import TableInput
from untie._count.counts import Counts
from untie._count.memory import check_dense_memory
from untie._count.tally import CountOptions, Tally, tally_table
from untie._learn.parameters import check_handle_unknown, check_min_frequency
from untie._table.table import Table, read_table


class CountBased(TableInput):
    """Base of the methods that learn from the counts of pairs of values.

    A subclass writes `_learn(counts)`; its fitted attributes are set there.

    Parameters
    ----------
    categories : "auto" or list of lists, default="auto"
        The values of each column, if they are known beforehand.
    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="ignore"
        What to do about a value not seen in `fit`; an ignored one is neutral.
    min_frequency : int or float, default=None
        Values with less weight (int, such as 5) or a lower share of it (float, such as 0.01) are
        merged into one per column.
    max_categories : int, default=None
        At most this many values per column, such as 100; the rarest are merged into one of them.
        Memory grows with the square of the number of all values.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The values of each column.
    counts_ : Counts
        How often they occur together.
    """

    def __init__(
        self,
        *,
        categories: Any = "auto",
        handle_unknown: str = "ignore",
        min_frequency: float | None = None,
        max_categories: int | None = None,
    ) -> None:
        self.categories = categories
        self.handle_unknown = handle_unknown
        self.min_frequency = min_frequency
        self.max_categories = max_categories

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
        self._fit_rows(X, sample_weight)
        return self

    def _fit_rows(self, X: Any, sample_weight: Any) -> Tally:
        check_handle_unknown(self.handle_unknown)
        check_min_frequency(self.min_frequency, self.max_categories)
        table = read_table(X)
        options = CountOptions(
            sample_weight, self.categories, self.min_frequency, self.max_categories
        )
        counted = tally_table(table, options)
        check_dense_memory(counted.counts.sizes, table.names)
        self._report(table, counted.grouping, counted.unknown)
        self.fit_counted(table, counted)
        return counted

    def fit_counted(self, table: Table, counted: Tally) -> Self:
        """Learn from a table that was read and counted before, as `KModes` does.

        Parameters
        ----------
        table : Table
            The rows as they were read.
        counted : Tally
            Their counts.

        Returns
        -------
        self
        """
        self._learn_tally(counted)
        self._remember(table)
        self.grouping_ = counted.grouping
        self.vocabulary_ = counted.grouping.vocabulary
        self.counts_ = counted.counts
        return self

    def _learn_tally(self, counted: Tally) -> None:
        """Learn from a counted table; a method that needs its rows writes this one."""
        self._learn(counted.counts)

    def _learn(self, counts: Counts) -> None:
        raise NotImplementedError  # the one thing that a method writes

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "counts_")
