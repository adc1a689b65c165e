"""A table of any kind, in memory or read piece by piece -> its vocabulary and counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from untie._count.counts import CountedTable
from untie._count.tally import Tally, tally
from untie._engines.counting import count_relation
from untie._engines.dask import DaskTable
from untie._engines.lazy import as_lazy
from untie._engines.partition import count_partitions
from untie._engines.spark import SparkTable
from untie._table.sample_weights import split_weights
from untie._table.table import Table, read_table
from untie._util.types import Value


@dataclass(frozen=True, eq=False)
class CountedInput:
    """What was counted of the user's table.

    Parameters
    ----------
    tally : Tally
        Its counts, rare values taken together; its rows, too, if it was in memory.
    table : Table
        Its columns and number of rows.
    unknown : list of lists
        Values that the user's categories do not have.
    """

    tally: Tally
    table: Table
    unknown: list[list[Value]]


def count_input(
    data: Any,
    sample_weight: Any = None,
    categories: Any = "auto",
    min_frequency: float | None = None,
    max_categories: int | None = None,
    n_spaces: int = 0,
    with_sample: bool = False,
) -> CountedInput:
    """Find the values of a table, take rare ones together and count the pairs of the rest."""
    options = (categories, min_frequency, max_categories, n_spaces, with_sample)
    lazy = as_lazy(data)
    if isinstance(lazy, DaskTable | SparkTable):
        return CountedInput(*count_partitions(lazy, sample_weight, *options))
    if lazy is not None:
        return CountedInput(*count_relation(lazy, sample_weight, *options))
    data, sample_weight = split_weights(data, sample_weight)
    table = read_table(data)
    counted = tally(table, sample_weight, *options)
    assert counted.rows is not None
    return CountedInput(counted, table, counted.rows.unknown)


def count_table(data: Any, sample_weight: Any = None, categories: Any = "auto") -> CountedTable:
    """Count a table, or one chunk of it; chunks add up with ``+``.

    Parameters
    ----------
    data : table
        A pandas, polars or pyarrow table, an array or a list of rows; or a lazy table, which is
        read piece by piece: what :func:`untie.scan` gives, a DuckDB relation, a polars
        LazyFrame, a pyarrow Dataset or RecordBatchReader; or a Dask or Spark frame, which is
        counted partition by partition on its workers.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so.
    categories : "auto" or list of lists
        The values of each column, if they are known beforehand.

    Returns
    -------
    CountedTable
        `vocabulary`, `counts` and `sample`, for `UNTIE.fit_counts`.

    Examples
    --------
    >>> from untie import UNTIE, count_table
    >>> chunks = [[["red", "wine"], ["red", "wine"]], [["white", "wine"], ["brown", "beer"]]]
    >>> counted = count_table(chunks[0]) + count_table(chunks[1])
    >>> counted.vocabulary.values
    (('brown', 'red', 'white'), ('beer', 'wine'))
    >>> encoder = UNTIE(n_clusters=2)
    >>> encoder = encoder.fit_counts(counted.counts, counted.vocabulary, counted.sample)
    >>> encoder.transform(chunks[1]).shape
    (2, 5)
    """
    result = count_input(data, sample_weight, categories, with_sample=True)
    assert result.tally.ungrouped is not None  # nothing was grouped
    return result.tally.ungrouped
