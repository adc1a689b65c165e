"""A table of any kind -> its vocabulary and counts, in one pass over its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from untie.core.counts import CountedTable, Counts, check_memory, count
from untie.core.grouping import Grouping, group_rare
from untie.core.sample_weights import check_weights
from untie.core.table import Table, check_categories, learn_vocabulary, read_table
from untie.core.types import Codes, FloatArray, Value


@dataclass(frozen=True, eq=False)
class Tally:
    """A counted table whose rare values are taken together.

    Parameters
    ----------
    grouping : Grouping
        All values, and which are taken together.
    counts : Counts
        Counts of the values that are left.
    codes : list of integer arrays
        The rows, in these values' codes.
    weights : array of shape (n_rows,) or None
        How often each row counts.
    unknown : list of lists
        Values that the user's categories do not have.
    all_rows : bool
        Whether no row was left out for its weight of 0.
    """

    grouping: Grouping
    counts: Counts
    codes: Codes
    weights: FloatArray | None
    unknown: list[list[Value]]
    all_rows: bool


def tally(
    table: Table,
    sample_weight: Any,
    categories: Any,
    min_frequency: float | None = None,
    max_categories: int | None = None,
    n_spaces: int = 0,
) -> Tally:
    """Find the values of a table, take rare ones together and count the pairs of the rest."""
    weights, keep = check_weights(sample_weight, table.n_rows)
    lists = check_categories(categories, table.names)
    vocabulary, encoded = learn_vocabulary(table, keep, lists)
    frequencies = [
        np.bincount(column, weights, minlength=size + 1)[:size].astype(float)
        for column, size in zip(encoded.codes, vocabulary.sizes, strict=True)
    ]
    n = float(len(encoded.codes[0]) if weights is None else weights.sum())
    grouping = group_rare(vocabulary, frequencies, n, min_frequency, max_categories)
    sizes = grouping.vocabulary.sizes
    check_memory(sizes, table.names, n_spaces)
    codes = grouping.apply_to_codes(encoded.codes)
    counts = count(codes, sizes, weights)
    return Tally(grouping, counts, codes, weights, encoded.unknown, keep is None)


def count_table(data: Any, sample_weight: Any = None, categories: Any = "auto") -> CountedTable:
    """Count a table, or one chunk of it; chunks add up with ``+``.

    Parameters
    ----------
    data : table
        A pandas, polars or pyarrow table, an array or a list of rows.
    sample_weight : array of shape (n_rows,), optional
        How often each row counts.
    categories : "auto" or list of lists
        The values of each column, if they are known beforehand.

    Returns
    -------
    CountedTable
        `vocabulary` and `counts`, for `UNTIE.fit_counts`.

    Examples
    --------
    >>> from untie import UNTIE, count_table
    >>> chunks = [[["red", "wine"], ["red", "wine"]], [["white", "wine"], ["brown", "beer"]]]
    >>> counted = count_table(chunks[0]) + count_table(chunks[1])
    >>> counted.vocabulary.values
    (('brown', 'red', 'white'), ('beer', 'wine'))
    >>> encoder = UNTIE(n_clusters=2).fit_counts(counted.counts, counted.vocabulary)
    >>> encoder.transform(chunks[1]).shape
    (2, 5)
    """
    result = tally(read_table(data), sample_weight, categories)
    return CountedTable(result.grouping.raw, result.counts)
