"""A table that comes in chunks -> its vocabulary and counts; codes stay while values are added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._count.counts import CountedTable, Counts, count
from untie._count.memory import check_memory
from untie._count.row_sample import RowSample, sample_rows
from untie._table.column_codes import factorize
from untie._table.table import Table, map_columns, used_values
from untie._table.vocabulary import Vocabulary, sort_values
from untie._util.parallel import in_threads, pays
from untie._util.types import Codes, FloatArray, Value, smallest_unsigned

GATHERED_BYTES = 2**25
"""Chunks are gathered up to so many bytes of codes and weights, then counted at once."""


class GrowingVocabulary:
    """Values in the order in which they were met, so that no code ever changes.

    Parameters
    ----------
    names : sequence of str
        The columns.
    categories : sequence of sequences, optional
        The values of each column, if they are known beforehand; then none is added.
    """

    def __init__(
        self, names: Sequence[str], categories: Sequence[Sequence[Value]] | None = None
    ) -> None:
        self._names = tuple(names)
        self._is_fixed = categories is not None
        self._positions: list[dict[Value, int]] = [
            {value: code for code, value in enumerate(values)}
            for values in (categories or [()] * len(self._names))
        ]

    def learn(self, rows: RawRows) -> tuple[list[NDArray[Any]], list[list[Value]]]:
        """Add the values that some rows bring.

        Returns
        -------
        targets : list of integer arrays
            For each column, the code of each of the rows' own values.
        unknown : list of lists
            The values of each column that the user's categories do not have.
        """
        results = [
            self._learn_column(*column)
            for column in zip(self._positions, rows.codes, rows.found, strict=True)
        ]
        return [targets for targets, _ in results], [unknown for _, unknown in results]

    def _learn_column(
        self, positions: dict[Value, int], codes: NDArray[Any], found: list[Value]
    ) -> tuple[NDArray[Any], list[Value]]:
        is_new = [value not in positions for value in found]
        # A frame may declare categories that no cell has: these are not values.
        new = [v for v in used_values(codes, found) if v not in positions] if any(is_new) else []
        if not self._is_fixed:
            for value in new:
                positions[value] = len(positions)
            new = []
        size = len(positions)
        targets = [positions.get(value, size) for value in found]
        return np.array(targets, dtype=smallest_unsigned(size)), new

    def so_far(self) -> Vocabulary:
        """Return the values met, in the order of their codes."""
        return Vocabulary(self._names, tuple(tuple(values) for values in self._positions))

    def in_order(self) -> Vocabulary:
        """Return the values met, sorted; the user's own in the user's order."""
        if self._is_fixed:
            return self.so_far()
        values = tuple(sort_values(positions) for positions in self._positions)
        return Vocabulary(self._names, values)


@dataclass(frozen=True, eq=False)
class RawRows:
    """Rows in codes of their own.

    Parameters
    ----------
    codes : list of integer arrays
        One array per column: positions in the column's list of values.
    found : list of lists
        The values of each column, and perhaps some that no cell has.
    weights : array of shape (n_rows,) or None
        How often each row counts.
    """

    codes: Codes
    found: list[list[Value]]
    weights: FloatArray | None = None


def raw_rows(
    chunk: Table, weights: FloatArray | None = None, keep: NDArray[np.bool_] | None = None
) -> RawRows:
    """Code the rows of a chunk by its own values; `keep`, as `positive_weights` gives it."""

    def one_column(column: int) -> tuple[NDArray[Any], list[Value]]:
        codes, found = factorize(chunk.columns[column], chunk.names[column])
        if keep is not None:
            codes = codes[keep]
        return codes.astype(smallest_unsigned(len(found)), copy=False), found

    results = map_columns(one_column, chunk)
    return RawRows([codes for codes, _ in results], [found for _, found in results], weights)


class GatheredRows:
    """Coded chunks that wait to be counted together: a matrix of counts is large, codes small."""

    def __init__(self) -> None:
        self._clear()

    @property
    def is_full(self) -> bool:
        """Whether it is time to `take` the rows."""
        return self._n_bytes >= GATHERED_BYTES

    def add(
        self,
        codes: Codes,
        weights: FloatArray | None,
        targets: Sequence[NDArray[Any] | None] | None = None,
    ) -> None:
        """Take in a chunk; `targets` are the codes to write for those of its own."""
        if not len(codes[0]):
            return
        self._chunks.append((codes, [None] * len(codes) if targets is None else targets))
        self._n_bytes += sum(column.nbytes for column in codes)
        if weights is not None:
            self._weights.append(weights)
            self._n_bytes += weights.nbytes

    def take(self) -> tuple[Codes, FloatArray | None] | None:
        """Return all rows as one chunk, if there are any, and forget them."""
        if not self._chunks:
            return None
        columns = range(len(self._chunks[0][0]))
        codes = in_threads(self._column, columns, pays(self._n_bytes))
        weights = np.concatenate(self._weights) if self._weights else None
        self._clear()
        return codes, weights

    def _column(self, column: int) -> NDArray[Any]:
        parts = [(codes[column], targets[column]) for codes, targets in self._chunks]
        dtypes = [(codes if target is None else target).dtype for codes, target in parts]
        result = np.empty(sum(len(codes) for codes, _ in parts), np.result_type(*dtypes))
        start = 0
        for codes, target in parts:
            place = result[start : start + len(codes)]
            if target is None or np.array_equal(target, np.arange(len(target))):
                place[:] = codes
            else:
                # "clip" lets numpy write straight into the result; no code is out of range.
                np.take(target.astype(result.dtype), codes, out=place, mode="clip")
            start += len(codes)
        return result

    def _clear(self) -> None:
        self._chunks: list[tuple[Codes, Sequence[NDArray[Any] | None]]] = []
        self._weights: list[FloatArray] = []
        self._n_bytes = 0


class GrowingTable:
    """Counts of chunks, equal to those of one table with all their rows.

    Parameters
    ----------
    names : sequence of str
        The columns.
    categories : sequence of sequences, optional
        The values of each column, if they are known beforehand.
    with_sample : bool
        Whether to keep a sample of the rows.
    max_values : int, optional
        With more values than these, pairs are no longer counted, only the values themselves:
        for tables whose rare values are to be taken together first.

    Attributes
    ----------
    vocabulary : GrowingVocabulary
        The values met.
    unknown : list of dicts
        The values of each column that the user's categories do not have.
    n : float
        Weight of all rows that were taken in.
    has_pairs : bool
        Whether pairs of values were counted to the end.
    """

    def __init__(
        self,
        names: Sequence[str],
        categories: Sequence[Sequence[Value]] | None = None,
        with_sample: bool = False,
        max_values: int | None = None,
    ) -> None:
        self.vocabulary = GrowingVocabulary(names, categories)
        self.unknown: list[dict[Value, None]] = [{} for _ in names]
        self.n = 0.0
        self.has_pairs = True
        self._with_sample = with_sample
        self._max_values = max_values
        self._gathered = GatheredRows()
        self._counts: Counts | None = None
        self._frequencies = [np.zeros(0) for _ in names]
        self._sample: RowSample | None = None

    def add(
        self,
        chunk: Table,
        weights: FloatArray | None = None,
        keep: NDArray[np.bool_] | None = None,
    ) -> None:
        """Take in the rows of a chunk; `weights`, `keep` as `positive_weights` gives them."""
        self.add_raw(raw_rows(chunk, weights, keep))

    def add_raw(self, rows: RawRows) -> None:
        """Take in rows; reading and coding them, which comes before, may go on meanwhile."""
        targets, unknown = self.vocabulary.learn(rows)
        for all_unknown, new in zip(self.unknown, unknown, strict=True):
            all_unknown.update(dict.fromkeys(new))
        weights = rows.weights
        self.n += float(len(rows.codes[0]) if weights is None else weights.sum())
        self._gathered.add(rows.codes, weights, targets)
        if self._gathered.is_full:
            self._count()

    def finish(self) -> None:
        """Count the rows that still wait; after this, `has_pairs` is final."""
        self._count()

    def counted(self) -> CountedTable:
        """Return the counts of all chunks, values in order."""
        assert self._counts is not None  # there were rows, and pairs were counted
        table = CountedTable(self.vocabulary.so_far(), self._counts, self._sample)
        return table.align(self.vocabulary.in_order())

    def frequencies(self) -> tuple[Vocabulary, list[FloatArray], RowSample | None]:
        """Return the values in order, the weight of each, and the sample in their codes."""
        old, new = self.vocabulary.so_far(), self.vocabulary.in_order()
        targets = [old.translate(new, attribute) for attribute in range(len(old.columns))]
        frequencies = [np.zeros(size) for size in new.sizes]
        for array, target, found in zip(frequencies, targets, self._frequencies, strict=True):
            array[target] = found
        return new, frequencies, self._sample and self._sample.relabel(targets, new.sizes)

    def _count(self) -> None:
        rows = self._gathered.take()
        if rows is None:
            return
        codes, weights = rows
        vocabulary = self.vocabulary.so_far()
        sizes = vocabulary.sizes
        if self._with_sample:
            self._sample = sample_rows(codes, vocabulary, weights, self._sample)
        if self._max_values is not None:
            self._count_values(codes, sizes, weights)
            if sum(sizes) > self._max_values:
                self.has_pairs, self._counts = False, None
        if self.has_pairs:
            n_before = self._counts.n_rows if self._counts else 0
            check_memory(sizes, vocabulary.columns, n_rows=n_before + len(codes[0]))
            counts = count(codes, sizes, weights)
            if self._counts is not None:
                counts += widen(self._counts, sizes)
            self._counts = counts

    def _count_values(
        self, codes: Codes, sizes: tuple[int, ...], weights: FloatArray | None
    ) -> None:
        for attribute, (column, size) in enumerate(zip(codes, sizes, strict=True)):
            # The code after the last is that of unknown values.
            total = np.bincount(column, weights, minlength=size + 1)[:size].astype(float)
            total[: len(self._frequencies[attribute])] += self._frequencies[attribute]
            self._frequencies[attribute] = total


def widen(counts: Counts, sizes: tuple[int, ...]) -> Counts:
    """Make room for values that were added after those counted."""
    if counts.sizes == sizes:
        return counts
    return counts.relabel([np.arange(size) for size in counts.sizes], sizes)
