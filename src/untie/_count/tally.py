"""A table in memory -> its vocabulary and counts, in one pass; or those of some of its columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from untie._count.counts import CountedTable, Counts, count, count_values
from untie._count.grouping import Grouping, group_rare
from untie._count.memory import check_memory
from untie._count.row_sample import RowSample, sample_rows
from untie._table.orders import declared_orders
from untie._table.rows import Rows, check_weights, learn_vocabulary
from untie._table.table import Table
from untie._table.vocabulary import Vocabulary, check_categories
from untie._util.types import BoolArray, Codes, FloatArray, IntArray, Value

KEPT_VALUES = 2_000
"""Values that are merged are counted one by one as well if all values are at most this many (32
MB)."""


@dataclass(frozen=True)
class CountOptions:
    """How a table is read and counted.

    Parameters
    ----------
    sample_weight : array of shape (n_rows,), str or None
        How often each row counts, or the column that says so.
    categories : "auto" or list of lists
        The values of each column, if they are known beforehand.
    min_frequency : int, float or None
        Values with less weight (int) or a lower share of it (float) are merged.
    max_categories : int or None
        At most this many values per column; the rarest are merged.
    bytes_of_learning : function of the columns' numbers of values, or None
        How many bytes what will be made of the counts takes: for the check that memory is enough.
    with_sample : bool
        Whether to keep a sample of the rows.
    missing_is_value : bool
        Whether a missing cell is a value like others, or as good as unknown.
    neutral_in : frozenset of str
        Columns in which a missing cell is as good as unknown in any case.
    known_as : tuple of str or None
        Names of the columns in the sample of which this one will be a part, if they may differ.
    with_pairs : bool
        Whether to count pairs of values, or the values alone.
    """

    sample_weight: Any = None
    categories: Any = "auto"
    min_frequency: float | None = None
    max_categories: int | None = None
    bytes_of_learning: Callable[[Sequence[int]], int] | None = None
    with_sample: bool = False
    missing_is_value: bool = True
    neutral_in: frozenset[str] = frozenset()
    known_as: tuple[str, ...] | None = None
    with_pairs: bool = True

    @property
    def merges(self) -> bool:
        """Whether rare values are merged."""
        return self.min_frequency is not None or self.max_categories is not None

    def check_memory(self, vocabulary: Vocabulary, n_rows: int) -> None:
        """Refuse values of which there are too many to count their pairs and learn from them."""
        sizes, more = vocabulary.sizes, self.bytes_of_learning
        check_memory(sizes, vocabulary.columns, 0 if more is None else more(sizes), n_rows)


DEFAULTS = CountOptions()
"""Every row once, every value for itself."""


@dataclass(frozen=True, eq=False)
class Tally:
    """A counted table whose rare values are merged: what is learned from.

    Parameters
    ----------
    grouping : Grouping
        All values, and which are merged.
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
    unknown : sequence of sequences
        The values of each column that the user's categories do not have.
    table : Table or None
        The columns and number of rows of what was counted; perhaps without cells.
    """

    grouping: Grouping
    counts: Counts
    ungrouped: CountedTable | None
    rows: Rows | None = None
    is_growing: bool = False
    sample: RowSample | None = None
    unknown: Sequence[Sequence[Value]] = field(default_factory=list)
    table: Table | None = None

    @property
    def declared(self) -> dict[str, tuple[Value, ...]]:
        """The columns whose type has an order, with their values in that order."""
        return {} if self.table is None else declared_orders(self.table)


def code_table(table: Table, options: CountOptions) -> tuple[Grouping, Rows, Rows]:
    """Find the values of a table, decide which are merged, and code the rows.

    Returns
    -------
    grouping : Grouping
        All values, and which are merged.
    rows : Rows
        The rows that count, in the codes of the values that are left.
    raw : Rows
        The same rows, in the codes of all values.
    """
    weights, keep = check_weights(options.sample_weight, table.n_rows)
    categories = check_categories(options.categories, table.names)
    vocabulary, raw = learn_vocabulary(table, keep, categories, weights)
    grouping = find_rare(vocabulary, count_values(raw.codes, vocabulary.sizes, weights), options)
    rows = Rows(grouping.apply_to_codes(raw.codes), weights, raw.unknown, raw.n_left_out)
    return grouping, rows, raw


def tally_table(table: Table, options: CountOptions = DEFAULTS) -> Tally:
    """Find the values of a table, merge rare ones and count the pairs of the rest."""
    grouping, rows, raw = code_table(table, options)
    vocabulary = grouping.raw
    options.check_memory(grouping.vocabulary, len(rows))
    counted = count if options.with_pairs else count_values
    sample = None
    if options.with_sample:
        sample = sample_rows(raw.codes, vocabulary.renamed(options.known_as), raw.weights)
    if not grouping.is_trivial and sum(vocabulary.sizes) > KEPT_VALUES:
        counts = counted(rows.codes, grouping.vocabulary.sizes, rows.weights)
        ungrouped = None
    else:
        ungrouped = CountedTable(
            vocabulary, counted(raw.codes, vocabulary.sizes, raw.weights), sample
        )
        counts = grouping.apply_to_counts(ungrouped.counts)
    grouped = sample and grouping.apply_to_sample(sample)
    return Tally(grouping, counts, ungrouped, rows, False, grouped, raw.unknown, table)


def tally_counted(
    counted: CountedTable,
    options: CountOptions,
    is_growing: bool = False,
    table: Table | None = None,
) -> Tally:
    """Merge the rare values of a counted table; `table` is one with its columns, if at hand."""
    counts = counted.counts
    grouping = find_rare(counted.vocabulary, counts, options)
    options.check_memory(grouping.vocabulary, counts.n_rows)
    sample = counted.sample and grouping.apply_to_sample(counted.sample)
    grouped = grouping.apply_to_counts(counts)
    return Tally(grouping, grouped, counted, None, is_growing, sample, table=table)


def find_rare(vocabulary: Vocabulary, counts: Counts, options: CountOptions) -> Grouping:
    """Decide which values are merged."""
    limits = options.min_frequency, options.max_categories
    of_missing = options.missing_is_value, options.neutral_in
    return group_rare(vocabulary, counts.parts, counts.n, *limits, *of_missing)


Places = IntArray
"""The attributes that are kept, ascending."""


def select_tally(counted: Tally, kept: Places) -> Tally:
    """Return a tally as if the table had only the columns that are kept."""
    rare = tuple(counted.grouping.rare[place] for place in kept)
    raw = select_vocabulary(counted.grouping.raw, kept)
    grouping = replace(counted.grouping, raw=raw, rare=rare)
    rows = counted.rows
    return replace(
        counted,
        grouping=grouping,
        counts=select_counts(counted.counts, kept),
        ungrouped=None,
        rows=rows and replace(rows, codes=[rows.codes[place] for place in kept]),
        sample=_select_sample(counted, grouping, kept),
    )


def select_vocabulary(vocabulary: Vocabulary, kept: Places) -> Vocabulary:
    """Return the columns that are kept, and their values."""
    return Vocabulary(
        tuple(vocabulary.columns[place] for place in kept),
        tuple(vocabulary.values[place] for place in kept),
    )


def select_counts(counts: Counts, kept: Places) -> Counts:
    """Return the counts of the columns that are kept.

    Examples
    --------
    >>> from untie import count_table
    >>> counts = count_table([["a", "x", "p"], ["b", "x", "q"]]).counts
    >>> select_counts(counts, np.array([0, 2])).block(0, 1)
    array([[1., 0.],
           [0., 1.]])
    """
    places = np.concatenate([np.arange(*counts.offsets[[k, k + 1]]) for k in kept])
    sizes = tuple(counts.sizes[place] for place in kept)
    matrix = counts.matrix[places]
    return replace(counts, sizes=sizes, matrix=matrix[:, places] if counts.has_pairs else matrix)


def _select_sample(counted: Tally, grouping: Grouping, kept: Places) -> RowSample | None:
    """Sample the sampled rows again; some may be equal without the other columns."""
    if counted.sample is None:
        return None
    if counted.ungrouped is not None and counted.ungrouped.sample is not None:
        raw = counted.ungrouped.sample
        found = sample_rows(list(raw.codes[:, kept].T), grouping.raw, raw.weights)
        return grouping.apply_to_sample(found)
    merged = counted.sample
    return sample_rows(list(merged.codes[:, kept].T), grouping.vocabulary, merged.weights)


def sample_heard(
    codes: Codes, vocabulary: Vocabulary, weights: FloatArray | None, passive: BoolArray
) -> RowSample:
    """Sample rows without supplementary columns; in the sample, their cells are unknown."""
    if not passive.any():
        return sample_rows(codes, vocabulary, weights)
    heard = np.flatnonzero(~passive)
    own = [codes[place] for place in heard]
    found = sample_rows(own, select_vocabulary(vocabulary, heard), weights)
    return found.spread(heard, vocabulary.sizes)
