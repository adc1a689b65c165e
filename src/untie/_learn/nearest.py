"""Coded rows -> those nearest to some queries, exactly, piece by piece.

A squared distance is a sum over the attributes, so that of a row to all queries is a sum of lines
of tables. First it is bounded from below, in whole numbers of a small unit: attributes are looked
up several at a time, two bytes per query. Only the few pairs whose bound is below the n-th distance
so far are looked up in double precision, attribute by attribute.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
from numpy.typing import NDArray

from untie._count.packed_rows import Packs, add_up, row_keys
from untie._learn.spaces.value_space import ValueSpace
from untie._util.arrays import ROUNDING, leading_digits
from untie._util.threads import map_ahead
from untie._util.types import AnyArray, Codes, FloatArray, IntArray

DIGITS = 12
"""Squared distances that agree in this many digits are equal."""

JOINT_CELLS = 2048
"""Attributes are looked up together while they have at most this many combinations."""

QUERIES = 1024
"""This many queries are compared with a row at a time."""

BLOCK_NUMBERS = 2**19
"""This many bounds are computed at a time: few enough for the cache, enough for threads, which
wait for each other between blocks."""

CHUNK_ROWS = 2**16
"""Each thread takes this many rows at a time; of those that are equal, it looks up one."""

ROWS_AT_ONCE = 2**20
"""About this many pairs of queries and rows are sorted at a time, those of one query at least."""

TABLE_BYTES = 2**28
"""The tables of queries that are looked for in one pass take this many bytes."""

LARGEST_BOUND = 65_000
"""The largest distance to a query in units; sums of bounds fit 16 bits."""


@dataclass(frozen=True, eq=False)
class Nearest:
    """The rows nearest to each query; ``+`` unites those of two pieces that follow each other.

    Parameters
    ----------
    n : int
        At most this many for each query.
    distinct : bool
        Whether of equal rows only the first is kept.
    n_rows : int
        Number of rows that were seen.
    query, position : integer arrays of shape (n_found,)
        Pairs of queries and rows, sorted by query, distance and position.
    distance : array of shape (n_found,)
        Their squared distances.
    codes : list of integer arrays of shape (n_found,)
        The rows.
    """

    n: int
    distinct: bool
    n_rows: int
    query: IntArray
    position: IntArray
    distance: FloatArray
    codes: Codes

    def __add__(self, other: Nearest) -> Nearest:
        moved = replace(other, position=self.n_rows + other.position)
        both = replace(side_by_side([self, moved]), n_rows=self.n_rows + other.n_rows)
        if self.distinct:  # the first pieces stand first, and so do the first of equal rows
            both = both.take(_first_of_kind([both.query, *both.codes]))
        return both.take(_nearest(both.query, both.position, both.distance, self.n))

    def take(self, places: AnyArray) -> Nearest:
        """Return some of the pairs."""
        return replace(
            self,
            query=self.query[places],
            position=self.position[places],
            distance=self.distance[places],
            codes=[column[places] for column in self.codes],
        )


def side_by_side(parts: Sequence[Nearest]) -> Nearest:
    """Put the pairs of several one after another."""
    columns = zip(*(part.codes for part in parts), strict=True)
    return replace(
        parts[0],
        query=np.concatenate([part.query for part in parts]),
        position=np.concatenate([part.position for part in parts]),
        distance=np.concatenate([part.distance for part in parts]),
        codes=[np.concatenate(column) for column in columns],
    )


class Search:
    """Finds the nearest rows of some queries among rows that come in pieces.

    Parameters
    ----------
    space : ValueSpace
        The vectors of the values.
    queries : list of integer arrays of shape (n_queries,)
        Coded rows.
    n : int
        Number of rows to find for each.
    chosen : sequence of int
        The attributes that count.
    distinct : bool
        Whether of equal rows only the first is of interest.

    Examples
    --------
    >>> space = ValueSpace([np.array([[0.0], [1.0], [3.0], [1.0]])])
    >>> search = Search(space, [np.array([1])], 2, [0])
    >>> found = search([np.array([2, 0, 0])]) + search([np.array([1, 2])])
    >>> found.position.tolist(), found.distance.tolist()
    ([3, 1], [0.0, 1.0])
    """

    def __init__(
        self,
        space: ValueSpace,
        queries: Codes,
        n: int,
        chosen: Sequence[int],
        distinct: bool = False,
    ) -> None:
        self.widths = space.n_codes
        self.n, self.chosen, self.distinct = n, list(chosen), distinct
        self.packs = _packs(space, chosen)
        self.groups = []
        for start in range(0, len(queries[0]), QUERIES):
            tables = space.distances_to_rows([c[start : start + QUERIES] for c in queries])
            self.groups.append(_Group([tables[place] for place in chosen], self.packs, n))

    def __call__(self, codes: Codes, weights: FloatArray | None = None) -> Nearest:
        """Return the nearest rows of a piece, less those that others are known to be nearer than.

        Every row counts, whatever its weight.
        """
        starts = range(0, max(1, len(codes[0])), CHUNK_ROWS)
        chunks = [[column[start : start + CHUNK_ROWS] for column in codes] for start in starts]
        return reduce(add, map_ahead(self._find, chunks))

    def _find(self, codes: Codes) -> Nearest:
        kinds = _Kinds(codes, self.widths, 1 if self.distinct else self.n)
        counted = [kinds.codes[place] for place in self.chosen]
        joint = list(self.packs.join_codes(counted, np.intp))
        found = [group.find(counted, joint, kinds) for group in self.groups]
        query = np.concatenate([pairs[0] + k * QUERIES for k, pairs in enumerate(found)])
        position, distance = (np.concatenate([pairs[k] for pairs in found]) for k in (1, 2))
        rows = [column[position] for column in codes]
        return Nearest(self.n, self.distinct, len(codes[0]), query, position, distance, rows)


def queries_at_once(space: ValueSpace, chosen: Sequence[int]) -> int:
    """Return of how many queries the tables fit in `TABLE_BYTES`."""
    n_codes, n_joint = sum(space.n_codes), sum(_packs(space, chosen).n_cells)
    return max(1, TABLE_BYTES // (8 * n_codes + 2 * n_joint))


def _packs(space: ValueSpace, chosen: Sequence[int]) -> Packs:
    return Packs(tuple(space.n_codes[place] for place in chosen), JOINT_CELLS)


class _Kinds:
    """The distinct rows of a piece, and where each occurs.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        The rows.
    widths : sequence of int
        Number of codes of each attribute.
    n : int
        Of equal rows, at most this many are of interest.
    """

    def __init__(self, codes: Codes, widths: Sequence[int], n: int) -> None:
        keys = row_keys(codes, widths)
        self._order = np.argsort(keys, kind="stable")
        is_new = np.ones(len(keys), dtype=bool)
        is_new[1:] = np.diff(keys[self._order]) != 0
        self._starts = np.flatnonzero(is_new)
        self.sizes = np.minimum(np.diff(self._starts, append=len(keys)), n)
        self.first = self._order[self._starts]
        self.codes = [column[self.first] for column in codes]

    def rows(self, kinds: IntArray) -> tuple[IntArray, IntArray]:
        """Return the first rows of some kinds, and the entry of `kinds` that each belongs to."""
        entry = np.repeat(np.arange(len(kinds)), self.sizes[kinds])
        return self._order[self._starts[kinds[entry]] + _places(entry)], entry


class _Group:
    """Some queries.

    Parameters
    ----------
    tables : list of arrays of shape (n_codes, n_queries)
        Squared distances, one per attribute that counts.
    packs : Packs
        Of the same attributes.
    n : int
        Number of rows to find for each query.
    """

    def __init__(self, tables: list[FloatArray], packs: Packs, n: int) -> None:
        self.tables, self.n, self.n_queries = tables, n, tables[0].shape[1]
        joint = packs.add_tables(tables)
        unit = np.add.reduce([table.max(axis=0) for table in joint]) / LARGEST_BOUND
        self.unit = np.where(unit > 0, unit, 1.0)
        self.bounds = [np.floor(table / self.unit).astype(np.uint16) for table in joint]
        self.limits = np.full(self.n_queries, np.inf)  # the n-th distance within a piece so far

    def find(
        self, codes: Codes, joint: list[IntArray], kinds: _Kinds
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return queries, positions and distances of a piece's nearest rows."""
        best = _Best(self.n, self.limits, kinds)
        for kind, query in self._candidates(joint, best):
            distance = np.zeros(len(kind))
            for table, column in zip(self.tables, codes, strict=True):
                distance += table[column[kind], query]
            # Sums of the same numbers differ by rounding; equally near rows must not.
            best.add(query, kind, leading_digits(distance, DIGITS))
        parts = [self._rows(best, kinds, places) for places in best.portions()]
        query, position, distance = map(np.concatenate, zip(*parts, strict=True))
        self.limits = np.minimum(self.limits, _limits(query, distance, self.n, self.n_queries))
        return query, position, distance

    def _rows(
        self, best: _Best, kinds: _Kinds, places: slice
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return queries, positions and distances of the nearest rows among some distinct ones."""
        position, entry = kinds.rows(best.kind[places])
        query, distance = best.query[places][entry], best.distance[places][entry]
        nearest = _nearest(query, position, distance, self.n)
        return query[nearest], position[nearest], distance[nearest]

    def _candidates(
        self, joint: list[IntArray], best: _Best
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield pairs of distinct rows and queries that may be near each other, many at a time."""
        n_kinds, step = len(joint[0]), max(1, BLOCK_NUMBERS // self.n_queries)
        work = np.empty((2, min(step, n_kinds), self.n_queries), dtype=np.uint16)
        hits: list[IntArray] = []
        n_hits, caps = 0, self._caps(best.limits)
        for start in range(0, n_kinds, step):
            stop = min(start + step, n_kinds)
            total = add_up(self.bounds, joint, slice(start, stop), work)
            hits.append(np.flatnonzero(total <= caps) + start * self.n_queries)
            n_hits += len(hits[-1])
            if n_hits > self.n * self.n_queries or stop == n_kinds:
                kind, query = np.divmod(np.concatenate(hits), self.n_queries)
                yield kind, query
                hits, n_hits, caps = [], 0, self._caps(best.limits)

    def _caps(self, limits: FloatArray) -> NDArray[np.uint16]:
        """Return the largest bound that a row within the limit of each query can have."""
        caps = np.minimum(limits * (1.0 + ROUNDING) / self.unit, LARGEST_BOUND)
        return caps.astype(np.uint16)


class _Best:
    """The nearest distinct rows so far.

    Parameters
    ----------
    n : int
        At most this many for each query.
    limits : array of shape (n_queries,)
        Rows that are farther are of no interest.
    kinds : _Kinds
        The distinct rows.
    """

    def __init__(self, n: int, limits: FloatArray, kinds: _Kinds) -> None:
        self.n, self.limits, self._kinds = n, limits, kinds
        self.query, self.kind = np.empty((2, 0), dtype=np.intp)
        self.distance = np.empty(0)

    def add(self, query: IntArray, kind: IntArray, distance: FloatArray) -> None:
        """Keep the nearest of those so far and of more pairs."""
        near = distance <= self.limits[query]
        query = np.concatenate([self.query, query[near]])
        kind = np.concatenate([self.kind, kind[near]])
        distance = np.concatenate([self.distance, distance[near]])
        places = _nearest(query, self._kinds.first[kind], distance, self.n)
        query, kind, distance = query[places], kind[places], distance[places]
        n_rows = _running_sums(query, self._kinds.sizes[kind])
        found = np.full(len(self.limits), np.inf)
        np.minimum.at(found, query[n_rows >= self.n], distance[n_rows >= self.n])
        self.limits = np.minimum(self.limits, found)
        # Those beyond have n rows before them, as a distinct row may occur many times.
        near = distance <= self.limits[query]
        self.query, self.kind, self.distance = query[near], kind[near], distance[near]

    def portions(self) -> list[slice]:
        """Return parts of the pairs, each all those of some queries, with not too many rows."""
        n_rows = np.cumsum(self._kinds.sizes[self.kind])
        last = np.flatnonzero(np.diff(self.query, append=-1))  # the last pair of each query
        cuts = last[np.flatnonzero(np.diff(n_rows[last] // ROWS_AT_ONCE))] + 1
        return [slice(*ends) for ends in pairwise([0, *cuts.tolist(), len(self.query)])]


def _nearest(query: IntArray, position: IntArray, distance: FloatArray, n: int) -> IntArray:
    """Return the places of each query's `n` nearest, sorted by query, distance and position."""
    order = np.lexsort((position, distance, query))
    return order[_places(query[order]) < n]


def _limits(query: IntArray, distance: FloatArray, n: int, n_queries: int) -> FloatArray:
    """Return the n-th distance of each query; infinity where there are fewer."""
    limits = np.full(n_queries, np.inf)
    last = _places(query) == n - 1
    limits[query[last]] = distance[last]
    return limits


def _places(groups: IntArray) -> IntArray:
    """Return where each entry of a sorted array stands among the equal ones."""
    return np.arange(len(groups)) - np.searchsorted(groups, groups)


def _running_sums(groups: IntArray, numbers: IntArray) -> IntArray:
    """Return the sum of each number and those before it in its group, of a sorted array."""
    before = np.concatenate([[0], np.cumsum(numbers)])
    return before[1:] - before[np.searchsorted(groups, groups)]


def _first_of_kind(columns: Codes) -> IntArray:
    """Return the places of entries that are equal to no earlier one."""
    widths = [int(column.max(initial=0)) + 1 for column in columns]
    return np.unique(row_keys(columns, widths), return_index=True)[1]
