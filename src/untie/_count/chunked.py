"""A table that comes in pieces -> its vocabulary and counts, equal to those of the whole.

A `CountTask` codes a piece and counts some of them; what it returns, a `PartialCount`, adds up. An
engine runs it on its pieces (`add_up`), and `count_pieces` walks over them once, or twice where
rare values are merged and there are too many values to count the pairs of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from untie._count import tally as tallies
from untie._count.counting import PARALLEL_VALUES
from untie._count.counts import CountedTable, count, count_values
from untie._count.grouping import Grouping
from untie._count.memory import check_memory
from untie._count.row_sample import sample_limit, sample_rows
from untie._count.tally import CountOptions, Tally, find_rare, tally_counted
from untie._table.rows import Rows, encode, encode_apart, read_piece, used_values
from untie._table.table import NoRowsError, Table
from untie._table.vocabulary import Vocabulary, check_categories, sort_values
from untie._util.threads import alone, in_threads, map_ahead, pays
from untie._util.types import AnyArray, Codes, Value, smallest_unsigned

GATHERED_BYTES = 2**23
"""Pieces are gathered up to this many bytes of codes and weights, then counted at once; up to four
times as many, if there are many values."""


class PiecePlace(NamedTuple):
    """Where a piece of a table is: its partition, and the number of its first row there."""

    part: int
    row: int = 0


@dataclass(frozen=True, eq=False)
class PartialCount:
    """What was counted of some pieces of a table; ``+`` unites neighbors.

    Parameters
    ----------
    counted : CountedTable or None
        The counts; None if no row counts.
    n_rows : int
        Number of rows, those of weight 0 among them.
    unknown : list of dicts
        The values of each column that the user's categories do not have.
    most_values : int or None
        With more values than these, pairs are no longer counted, only the values themselves.
    """

    counted: CountedTable | None
    n_rows: int
    unknown: list[dict[Value, None]]
    most_values: int | None = None

    def __add__(self, other: PartialCount) -> PartialCount:
        counted = self.counted or other.counted
        if self.counted is not None and other.counted is not None:
            counted = self.counted.plus(other.counted, self.most_values)
        unknown = [{**a, **b} for a, b in zip(self.unknown, other.unknown, strict=True)]
        return PartialCount(counted, self.n_rows + other.n_rows, unknown, self.most_values)


@dataclass(frozen=True, eq=False)
class CodedPieces:
    """Coded pieces that are counted at once.

    Parameters
    ----------
    pieces : list of Rows
        The rows.
    vocabulary : Vocabulary
        The values of these pieces and of those before them.
    unknown : list of dicts
        The values of each column that the user's categories do not have.
    limit : int or None
        Rows with a larger number are not sampled.
    """

    pieces: list[Rows]
    vocabulary: Vocabulary
    unknown: list[dict[Value, None]]
    limit: np.uint64 | None = None


@dataclass(frozen=True, eq=False)
class CountTask:
    """Counts a piece of a table; a pure function, which can be sent to a worker.

    Parameters
    ----------
    columns : tuple of str
        The columns, that of the weights apart.
    weight : str or None
        The column with the rows' weights.
    categories : list of tuples or None
        The values of each column, if they are known beforehand.
    with_sample : bool
        Whether to keep a sample of the rows.
    most_values : int or None
        With more values than these, pairs are not counted, only the values themselves: for
        tables whose rare values are merged first.
    grouping : Grouping or None
        In a second pass, the values that the first one found, and which are merged.
    known_as : tuple of str or None
        Names of the columns in the sample, if they may differ.
    """

    columns: tuple[str, ...]
    weight: str | None = None
    categories: list[tuple[Value, ...]] | None = None
    with_sample: bool = False
    most_values: int | None = None
    grouping: Grouping | None = None
    known_as: tuple[str, ...] | None = None

    @alone()
    def __call__(self, frame: Any, place: PiecePlace) -> PartialCount:
        """Count a partition, with one thread, as many others are counted beside it."""
        return self.count([self.code(frame, f", partition {place.part}")])

    def code(self, frame: Any, where: str) -> Rows:
        """Code the rows of a piece; `where` says where they stand, for messages."""
        table, weights, keep = read_piece(frame, self.weight, where)
        if self.grouping is None:
            return encode_apart(table, keep, weights)
        rows = encode(table, self.grouping.raw, keep, weights)
        return replace(rows, codes=self.grouping.apply_to_codes(rows.codes), unknown=[])

    def count(self, pieces: list[Rows]) -> PartialCount:
        """Count coded pieces at once.

        The list is emptied, so that the rows are not in memory twice while they are counted.
        """
        return self.count_group(self.group(pieces))

    def group(
        self, pieces: list[Rows], known: Vocabulary | None = None, limit: np.uint64 | None = None
    ) -> CodedPieces:
        """Find the values of coded pieces; `known` are those of the pieces before them."""
        vocabulary, unknown = self._vocabulary(pieces, known)
        return CodedPieces(pieces, vocabulary, unknown, limit)

    def count_group(self, group: CodedPieces) -> PartialCount:
        """Count the rows of a group; its list of pieces is emptied."""
        n_rows = sum(len(rows) + rows.n_left_out for rows in group.pieces)
        pieces = [rows for rows in group.pieces if len(rows)]
        group.pieces.clear()
        counted = None
        if pieces:
            has_pairs = self.most_values is None or sum(group.vocabulary.sizes) <= self.most_values
            own = None if self.categories else shared_vocabulary(pieces, self.columns)
            vocabulary, sample = own or group.vocabulary, None
            rows = gather(pieces, vocabulary)
            pieces.clear()
            if has_pairs:
                check_memory(vocabulary.sizes, vocabulary.columns, n_rows=len(rows))
            count_rows = count if has_pairs else count_values
            counts = count_rows(rows.codes, vocabulary.sizes, rows.weights)
            if self.with_sample:
                known = vocabulary.renamed(self.known_as)
                sample = sample_rows(rows.codes, known, rows.weights, group.limit)
            counted = CountedTable(vocabulary, counts, sample).align(group.vocabulary)
        return PartialCount(counted, n_rows, group.unknown, self.most_values)

    def _vocabulary(
        self, pieces: Sequence[Rows], known: Vocabulary | None
    ) -> tuple[Vocabulary, list[dict[Value, None]]]:
        """Return the values of the pieces and of those before, and the values unknown to it."""
        unknown: list[dict[Value, None]] = [{} for _ in self.columns]
        if self.grouping is not None:
            return self.grouping.vocabulary, unknown
        if self.categories is not None:
            known = Vocabulary(self.columns, tuple(self.categories))
        elif known is None:
            known = Vocabulary(self.columns, ((),) * len(self.columns))
        for rows in pieces:
            assert rows.found is not None  # pieces are coded by their own values
            columns = zip(known.positions, rows.codes, rows.found, strict=True)
            for new, (positions, codes, found) in zip(unknown, columns, strict=True):
                if any(value not in positions and value not in new for value in found):
                    # A frame may declare categories that no cell has: these are not values.
                    used = used_values(codes, found)
                    new.update(dict.fromkeys(value for value in used if value not in positions))
        if self.categories is not None or not any(unknown):
            return known, unknown
        values = zip(known.values, unknown, strict=True)
        union = tuple(sort_values([*old, *new]) if new else old for old, new in values)
        return Vocabulary(self.columns, union), [{} for _ in self.columns]


def shared_vocabulary(pieces: Sequence[Rows], columns: tuple[str, ...]) -> Vocabulary | None:
    """Return the values that pieces are coded by, where it pays to count them in these codes.

    Pieces of one file often have the same values in the same order. Few counts are then moved to
    their places instead of many cells. Sums of weights would depend on the order of the values.
    """
    first = pieces[0].found
    if first is None or any(rows.weights is not None for rows in pieces):
        return None
    n_rows = sum(len(rows) for rows in pieces)
    if sum(map(len, first)) ** 2 > n_rows or any(rows.found != first for rows in pieces[1:]):
        return None
    return Vocabulary(columns, tuple(map(tuple, first)))


def gather(pieces: Sequence[Rows], vocabulary: Vocabulary) -> Rows:
    """Return pieces as one, in the codes of a vocabulary that has their values."""
    n_rows = sum(len(rows) for rows in pieces)

    def one_column(column: int) -> AnyArray:
        positions, values = vocabulary.positions[column], list(vocabulary.values[column])
        size = len(positions)
        dtype = smallest_unsigned(size)
        result = np.empty(n_rows, dtype)
        start = 0
        for rows in pieces:
            place = result[start : start + len(rows)]
            start += len(rows)
            if rows.found is None or rows.found[column] == values:
                place[:] = rows.codes[column]
                continue
            target = np.array([positions.get(v, size) for v in rows.found[column]], dtype)
            # "clip" lets numpy write straight into the result; no code is out of range.
            np.take(target, rows.codes[column], out=place, mode="clip")
        return result

    columns = range(len(vocabulary.columns))
    codes: Codes = in_threads(one_column, columns, pays(n_rows * len(columns)))
    weights = [rows.weights for rows in pieces if rows.weights is not None]
    return Rows(codes, np.concatenate(weights) if weights else None)


def count_gathered(task: CountTask, pieces: Iterable[Rows]) -> PartialCount:
    """Count pieces that come one after another, in groups of them: several groups at once.

    The first group is counted before the others: it tells them above which number no row is
    sampled. So neither that number nor the groups depend on the threads.
    """
    lists = _lists(task, pieces)
    part = task.count(next(lists, []))

    def groups() -> Iterator[CodedPieces | PartialCount]:
        known = part.counted.vocabulary if part.counted else None
        sample = part.counted.sample if part.counted else None
        limit = sample_limit(sample) if sample else None
        for waiting in lists:
            group = task.group(waiting, known, limit)
            known = group.vocabulary
            is_wide = sum(known.sizes) > PARALLEL_VALUES  # one matrix at a time, to save memory
            yield task.count_group(group) if is_wide else group

    def count_one(item: CodedPieces | PartialCount) -> PartialCount:
        return item if isinstance(item, PartialCount) else task.count_group(item)

    for found in map_ahead(count_one, groups()):
        part += found
    return part


def _lists(task: CountTask, pieces: Iterable[Rows]) -> Iterator[list[Rows]]:
    """Put neighboring pieces together."""
    waiting: list[Rows] = []
    n_bytes = 0
    for rows in pieces:
        waiting.append(rows)
        n_bytes += rows.nbytes
        values = rows.found if task.grouping is None else task.grouping.vocabulary.values
        area = 8 * sum(map(len, values or ())) ** 2
        # A matrix of counts is large, codes are small.
        if n_bytes >= min(max(GATHERED_BYTES, 4 * area), 4 * GATHERED_BYTES):
            yield waiting
            waiting, n_bytes = [], 0
    if waiting:
        yield waiting


AddUp = Callable[[CountTask], PartialCount]
"""Runs a task on every piece of a table and adds the results up, in order."""


def count_pieces(
    add_up: AddUp, head: Table, options: CountOptions, origin: str, is_one_shot: bool
) -> Tally:
    """Find the values of a table, merge rare ones and count the pairs of the rest.

    Parameters
    ----------
    add_up : callable
        Takes a `CountTask` and returns the sum of its parts.
    head : Table
        The columns, that of the weights apart.
    options : CountOptions
        How to count; `sample_weight` is the name of a column.
    origin : str
        Where the rows come from, for messages.
    is_one_shot : bool
        Whether the rows can be read only once.
    """
    weight = options.sample_weight
    categories = check_categories(options.categories, head.names)
    limit = tallies.KEPT_VALUES if options.merges and not is_one_shot else None
    task = CountTask(
        head.names, weight, categories, options.with_sample, limit, known_as=options.known_as
    )
    part = add_up(task)
    counted = part.counted
    if counted is None:
        raise NoRowsError(_explain_no_rows(part.n_rows, origin, weight, is_one_shot))
    if counted.counts.has_pairs:
        tally = tally_counted(counted, options)
    else:
        tally = _second_pass(add_up, task, counted, options, origin)
    table = replace(head, n_rows=part.n_rows)
    return replace(tally, unknown=[list(values) for values in part.unknown], table=table)


def _second_pass(
    add_up: AddUp, task: CountTask, first: CountedTable, options: CountOptions, origin: str
) -> Tally:
    """Count the pairs of the values that are left."""
    grouping = find_rare(first.vocabulary, first.counts, options)
    n_rows = first.counts.n_rows
    options.check_memory(grouping.vocabulary, n_rows)
    second = add_up(CountTask(task.columns, task.weight, grouping=grouping))
    counts = None if second.counted is None else second.counted.counts
    n_again = 0 if counts is None else counts.n_rows
    if counts is None or n_again != n_rows:
        raise ValueError(
            f"{origin} changed while it was read: {n_rows:,} rows that count in the first pass, "
            f"{n_again:,} in the second. Fit again when nothing writes to it."
        )
    sample = first.sample
    ungrouped = CountedTable(grouping.raw, counts, sample) if grouping.is_trivial else None
    return Tally(grouping, counts, ungrouped, sample=sample and grouping.apply_to_sample(sample))


def _explain_no_rows(n_rows: int, origin: str, weight: str | None, is_one_shot: bool) -> str:
    reason = f"{origin} has {n_rows} rows"
    if n_rows:
        reason += f", and {weight!r} is 0 in all of them"
    elif is_one_shot:
        reason += " left; was it read before? It can be read only once, so make a new one"
    else:
        reason += "; look at the filter, or at the file that it came from"
    return (
        "There are no rows to learn from: 0 sample(s) while a minimum of 1 is required, as "
        f"{reason}."
    )
