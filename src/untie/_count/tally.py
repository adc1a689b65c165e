"""A table of any kind -> its vocabulary and counts, in one pass over its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from untie._count.counts import CountedTable, Counts, count
from untie._count.grouping import Grouping, group_rare
from untie._count.memory import check_memory
from untie._count.row_sample import RowSample, sample_rows
from untie._table.sample_weights import check_weights
from untie._table.table import Table, check_categories, learn_vocabulary
from untie._util.types import Codes, FloatArray, Value

KEPT_VALUES = 2_000
"""Up to so many values, those that are grouped are counted one by one as well (32 MB)."""


@dataclass(frozen=True, eq=False)
class Tally:
    """A counted table whose rare values are taken together.

    Parameters
    ----------
    grouping : Grouping
        All values, and which are taken together.
    counts : Counts
        Counts of the values that are left.
    ungrouped : CountedTable or None
        Counts of all values, unless there were too many to keep.
    rows : Rows or None
        The rows, where they are at hand.
    is_growing : bool
        Whether more rows may come.
    sample : RowSample or None
        Some of the rows, in the codes of the values that are left, if they were kept.
    """

    grouping: Grouping
    counts: Counts
    ungrouped: CountedTable | None
    rows: Rows | None = None
    is_growing: bool = False
    sample: RowSample | None = None


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a table that count.

    Parameters
    ----------
    codes : list of integer arrays
        One array per attribute, in the codes of the values that are left.
    weights : array of shape (n_rows,) or None
        How often each row counts.
    unknown : list of lists
        Values that the user's categories do not have.
    complete : bool
        Whether every cell has its code here: no row was left out for its weight of 0, and no
        value is outside the user's categories.
    """

    codes: Codes
    weights: FloatArray | None
    unknown: list[list[Value]]
    complete: bool


@dataclass(frozen=True, eq=False)
class CodedTable:
    """A table whose rows are coded and whose pairs of values are not counted.

    Parameters
    ----------
    grouping : Grouping
        All values, and which are taken together.
    rows : Rows
        The rows, in the codes of the values that are left.
    raw_codes : list of integer arrays
        The rows, in the codes of all values.
    """

    grouping: Grouping
    rows: Rows
    raw_codes: Codes


def code_table(
    table: Table,
    sample_weight: Any,
    categories: Any,
    min_frequency: float | None = None,
    max_categories: int | None = None,
) -> CodedTable:
    """Find the values of a table, take rare ones together and code the rows."""
    weights, keep = check_weights(sample_weight, table.n_rows)
    vocabulary, encoded = learn_vocabulary(table, keep, check_categories(categories, table.names))
    frequencies = [
        np.bincount(column, weights, minlength=size + 1)[:size].astype(float)
        for column, size in zip(encoded.codes, vocabulary.sizes, strict=True)
    ]
    n = float(len(encoded.codes[0]) if weights is None else weights.sum())
    grouping = group_rare(vocabulary, frequencies, n, min_frequency, max_categories)
    complete = keep is None and not any(encoded.unknown)
    codes = grouping.apply_to_codes(encoded.codes)
    return CodedTable(grouping, Rows(codes, weights, encoded.unknown, complete), encoded.codes)


def tally(
    table: Table,
    sample_weight: Any,
    categories: Any,
    min_frequency: float | None = None,
    max_categories: int | None = None,
    n_spaces: int = 0,
    with_sample: bool = False,
) -> Tally:
    """Find the values of a table, take rare ones together and count the pairs of the rest."""
    coded = code_table(table, sample_weight, categories, min_frequency, max_categories)
    grouping, rows = coded.grouping, coded.rows
    sizes, raw = grouping.vocabulary.sizes, grouping.raw
    check_memory(sizes, table.names, n_spaces, len(rows.codes[0]))
    sample = sample_rows(coded.raw_codes, raw, rows.weights) if with_sample else None
    grouped = sample and grouping.apply_to_sample(sample)
    if not grouping.is_trivial and sum(raw.sizes) > KEPT_VALUES:
        counts = count(rows.codes, sizes, rows.weights)
        return Tally(grouping, counts, None, rows, sample=grouped)
    counted = CountedTable(raw, count(coded.raw_codes, raw.sizes, rows.weights), sample)
    counts = grouping.apply_to_counts(counted.counts)
    return Tally(grouping, counts, counted, rows, sample=grouped)


def group_counted(
    counted: CountedTable,
    min_frequency: float | None,
    max_categories: int | None,
    n_spaces: int,
    is_growing: bool = False,
) -> Tally:
    """Take the rare values of a counted table together."""
    counts = counted.counts
    frequencies = np.split(counts.frequencies, counts.offsets[1:-1])
    grouping = group_rare(counted.vocabulary, frequencies, counts.n, min_frequency, max_categories)
    check_memory(grouping.vocabulary.sizes, counted.vocabulary.columns, n_spaces, counts.n_rows)
    sample = counted.sample and grouping.apply_to_sample(counted.sample)
    return Tally(grouping, grouping.apply_to_counts(counts), counted, None, is_growing, sample)
