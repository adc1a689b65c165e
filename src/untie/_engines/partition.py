"""Partitions of a table on a cluster -> its vocabulary and counts.

An engine runs a task on every partition and adds the results up; all else is here. A task depends
on its partition alone and changes nothing, so an engine may run it again or throw a result away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from untie._count.counts import CountedTable, Counts, count
from untie._count.grouping import Grouping, group_rare
from untie._count.memory import check_memory
from untie._count.row_sample import RowSample, sample_rows
from untie._count.tally import KEPT_VALUES, Tally, group_counted
from untie._engines.counting import check_weight_column
from untie._engines.relation import LazyTable
from untie._table.sample_weights import positive_weights, read_weights, split_weights
from untie._table.table import Table, check_categories, encode, learn_vocabulary, read_table
from untie._table.vocabulary import Vocabulary
from untie._util.parallel import alone
from untie._util.types import Codes, FloatArray, Value


class Additive(Protocol):
    """What adds up with ``+``."""

    def __add__(self, other: Self, /) -> Self: ...


A = TypeVar("A", bound=Additive)
C = TypeVar("C", CountedTable, "ValueCounts")

Task = Callable[[Any, int], A]
"""Takes a partition, a frame, and its number; can be sent to a worker."""


class Partitioned(LazyTable, Protocol):
    """A table in partitions, as an engine has it."""

    @property
    def empty(self) -> Any:
        """A frame in memory with the columns and no rows."""

    def add_up(self, task: Task[A]) -> A:
        """Run a task on every partition and add the results up, from the first to the last."""


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """How often values occur, without their pairs; ``+`` unites the values.

    Parameters
    ----------
    vocabulary : Vocabulary
        The values of each attribute.
    frequencies : list of arrays
        Weight of the rows that have each value.
    n : float
        Weight of all rows.
    n_rows : int
        Number of rows with a positive weight.
    sample : RowSample or None
        Some of the rows, in the codes of the vocabulary, if they were kept.
    """

    vocabulary: Vocabulary
    frequencies: list[FloatArray]
    n: float
    n_rows: int
    sample: RowSample | None

    def __add__(self, other: ValueCounts) -> ValueCounts:
        same = self.vocabulary == other.vocabulary  # the user's own order must stay
        union = self.vocabulary if same else self.vocabulary.union(other.vocabulary)
        first, second = self._align(union), other._align(union)
        return ValueCounts(
            union,
            [a + b for a, b in zip(first.frequencies, second.frequencies, strict=True)],
            self.n + other.n,
            self.n_rows + other.n_rows,
            first.sample + second.sample if first.sample and second.sample else None,
        )

    def _align(self, union: Vocabulary) -> ValueCounts:
        targets = [self.vocabulary.translate(union, place) for place in range(len(union.columns))]
        frequencies = [np.zeros(size) for size in union.sizes]
        for array, target, found in zip(frequencies, targets, self.frequencies, strict=True):
            array[target] = found
        sample = self.sample and self.sample.relabel(targets, union.sizes)
        return ValueCounts(union, frequencies, self.n, self.n_rows, sample)


@dataclass(frozen=True, eq=False)
class Part(Generic[C]):
    """What was counted of some partitions.

    Parameters
    ----------
    counted : CountedTable, ValueCounts or None
        The counts; None if no row counts.
    n_rows : int
        Number of rows, those of weight 0 among them.
    unknown : list of dicts
        The values of each column that the user's categories do not have.
    """

    counted: C | None
    n_rows: int
    unknown: list[dict[Value, None]]

    def __add__(self, other: Part[C]) -> Part[C]:
        if self.counted is None or other.counted is None:
            counted = self.counted if other.counted is None else other.counted
        else:
            counted = self.counted + other.counted
        unknown = [{**a, **b} for a, b in zip(self.unknown, other.unknown, strict=True)]
        return Part(counted, self.n_rows + other.n_rows, unknown)


Counter = Callable[[Codes, Vocabulary, FloatArray | None, RowSample | None], C]
"""Counts coded rows."""


def count_partitions(
    table: Partitioned,
    sample_weight: Any = None,
    categories: Any = "auto",
    min_frequency: float | None = None,
    max_categories: int | None = None,
    n_spaces: int = 0,
    with_sample: bool = False,
) -> tuple[Tally, Table, list[list[Value]]]:
    """Find the values of a table, take rare ones together and count the pairs of the rest.

    One pass over the partitions; two where rare values are taken together, as their pairs may be
    too many to count.

    Returns
    -------
    Tally
        The counts, rare values taken together.
    Table
        The columns and the number of rows, without cells.
    list of lists
        Values that the user's categories do not have.
    """
    weight = check_weight_column(table, sample_weight)
    names = [name for name in table.columns if name != weight]
    head = read_table(table.select(names).empty, min_rows=0)
    values = check_categories(categories, head.names)

    def count_all(counter: Counter[C]) -> Part[C]:
        return table.add_up(partial(_count_part, weight, values, with_sample, counter))

    if min_frequency is None and max_categories is None:
        pairs = count_all(_count_pairs)
        tally = group_counted(_some(pairs, table.origin, weight), None, None, n_spaces)
        found = pairs.n_rows, pairs.unknown
    else:
        singles = count_all(_count_values)
        counted = _some(singles, table.origin, weight)
        grouping = group_rare(
            counted.vocabulary, counted.frequencies, counted.n, min_frequency, max_categories
        )
        check_memory(grouping.vocabulary.sizes, head.names, n_spaces, counted.n_rows)
        tally = _second_pass(table, weight, counted, grouping)
        found = singles.n_rows, singles.unknown
    columns = Table(head.names, (), found[0], head.backend, head.source)
    return tally, columns, [list(unknown) for unknown in found[1]]


def _some(part: Part[C], origin: str, weight: str | None) -> C:
    if part.counted is None:
        reason = f"{origin} has {part.n_rows} rows"
        if part.n_rows:
            reason += f", and {weight!r} is 0 in all of them"
        raise ValueError(
            f"Found array with 0 sample(s) while a minimum of 1 is required: {reason}."
        )
    return part.counted


def _second_pass(
    table: Partitioned, weight: str | None, counted: ValueCounts, grouping: Grouping
) -> Tally:
    """Count the pairs of the values that are left; of all of them, if these are few."""
    raw, sample = grouping.raw, counted.sample
    keeps_all = grouping.is_trivial or sum(raw.sizes) <= KEPT_VALUES
    none_rare = Grouping(raw, tuple(np.zeros(size, dtype=bool) for size in raw.sizes))
    used = none_rare if keeps_all else grouping
    counts = table.add_up(partial(_count_grouped, weight, used))
    if counts.n_rows != counted.n_rows:
        raise ValueError(
            f"{table.origin} changed while it was read: {counted.n_rows:,} rows that count in the "
            f"first pass, {counts.n_rows:,} in the second. Fit again when nothing writes to it."
        )
    grouped = sample and grouping.apply_to_sample(sample)
    if not keeps_all:
        return Tally(grouping, counts, None, sample=grouped)
    ungrouped = CountedTable(raw, counts, sample)
    return Tally(grouping, grouping.apply_to_counts(counts), ungrouped, sample=grouped)


@alone()
def _count_part(
    weight: str | None,
    categories: list[tuple[Value, ...]] | None,
    with_sample: bool,
    counter: Counter[C],
    partition: Any,
    number: int,
) -> Part[C]:
    table, weights, keep = _read(partition, number, weight)
    vocabulary, encoded = learn_vocabulary(table, keep, categories)
    unknown = [dict.fromkeys(values) for values in encoded.unknown]
    if not len(encoded.codes[0]):
        return Part(None, table.n_rows, unknown)
    sample = sample_rows(encoded.codes, vocabulary, weights) if with_sample else None
    return Part(counter(encoded.codes, vocabulary, weights, sample), table.n_rows, unknown)


def _count_pairs(
    codes: Codes, vocabulary: Vocabulary, weights: FloatArray | None, sample: RowSample | None
) -> CountedTable:
    check_memory(vocabulary.sizes, vocabulary.columns, n_rows=len(codes[0]))
    return CountedTable(vocabulary, count(codes, vocabulary.sizes, weights), sample)


def _count_values(
    codes: Codes, vocabulary: Vocabulary, weights: FloatArray | None, sample: RowSample | None
) -> ValueCounts:
    n_rows = len(codes[0])
    frequencies = [
        # The code after the last is that of unknown values.
        np.bincount(column, weights, minlength=size + 1)[:size].astype(float)
        for column, size in zip(codes, vocabulary.sizes, strict=True)
    ]
    n = float(n_rows if weights is None else weights.sum())
    return ValueCounts(vocabulary, frequencies, n, n_rows, sample)


@alone()
def _count_grouped(weight: str | None, grouping: Grouping, partition: Any, number: int) -> Counts:
    table, weights, keep = _read(partition, number, weight)
    codes = encode(table, grouping.raw).codes
    if keep is not None:
        codes = [column[keep] for column in codes]
    return count(grouping.apply_to_codes(codes), grouping.vocabulary.sizes, weights)


def _read(
    partition: Any, number: int, weight: str | None
) -> tuple[Table, FloatArray | None, NDArray[np.bool_] | None]:
    data, cells = split_weights(partition, weight)
    table = read_table(data, min_rows=0)
    if weight is None:
        return table, None, None
    try:
        return table, *positive_weights(read_weights(cells, table.n_rows))
    except ValueError as error:
        raise ValueError(f"Column {weight!r}, partition {number}: {error}") from None
