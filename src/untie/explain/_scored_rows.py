"""The scores of all rows of a table, and the rows with the highest; both add up with ``+``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from untie._learn.selection.k_choice import FEW, is_few
from untie._util.types import AnyArray, BoolArray, FloatArray, IntArray, LongArray

DIGITS = 9
"""Scores that differ beyond this digit do so by rounding."""

MOST_SCORES = 2**20
"""At most this many different scores are kept when those of two pieces are added."""

FINEST = 20
"""Where there are more, they are rounded down to multiples of 2^-20, or of a larger part."""

NO_LABEL = -1
"""The label of rows where there are no clusters."""


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """How many rows have each score; ``+`` adds those of other rows.

    Parameters
    ----------
    values : array of shape (n_scores,)
        The scores, ascending.
    sizes : array of shape (n_scores,)
        Number of rows with each.
    bits : int or None
        They are multiples of 2^-bits; None if they are as they were found.
    """

    values: FloatArray
    sizes: FloatArray
    bits: int | None = None

    @classmethod
    def of(cls, scores: FloatArray) -> ScoreCounts:
        """Return those of some rows."""
        values, sizes = np.unique(np.round(scores, DIGITS), return_counts=True)
        return cls(values, sizes.astype(float))

    def __add__(self, other: ScoreCounts) -> ScoreCounts:
        known = [part.bits for part in (self, other) if part.bits is not None]
        pieces = self, other
        both = _merged(pieces, min(known) if known else None)
        while len(both.values) > MOST_SCORES:
            both = _merged([both], FINEST if both.bits is None else both.bits - 1)
        return both

    def place(self, scores: FloatArray) -> FloatArray:
        """Return scores as they are here."""
        return _on_grid(np.round(scores, DIGITS), self.bits)

    @property
    def n_rows(self) -> float:
        """Number of rows."""
        return float(self.sizes.sum())


def _on_grid(scores: FloatArray, bits: int | None) -> FloatArray:
    return scores if bits is None else np.ldexp(np.floor(np.ldexp(scores, bits)), -bits)


def _merged(parts: Any, bits: int | None) -> ScoreCounts:
    values = _on_grid(np.concatenate([part.values for part in parts]), bits)
    found, places = np.unique(values, return_inverse=True)
    sizes = np.bincount(places, np.concatenate([part.sizes for part in parts]), len(found))
    return ScoreCounts(found, sizes.astype(float), bits)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Some rows, with all that is said of them; each field but the last has one item per row.

    Parameters
    ----------
    positions : integer array of shape (n_rows,)
        Their places in the table.
    scores : array of shape (n_rows,)
        Their scores.
    counts : boolean array of shape (n_rows,)
        Whether something is learned from them.
    labels : integer array of shape (n_rows,)
        Their clusters.
    codes : integer array of shape (n_rows, n_columns)
        Their cells, as the encoder codes them.
    alone : array of shape (n_rows, n_columns)
        How far each cell is a surprise of its own.
    texts : array of texts of shape (n_rows, n_columns)
        Their cells.
    outside : array of mappings of shape (n_rows,)
        What is said of cells beyond what was seen, by column.
    names : array of texts of shape (n_rows,) or None
        Their names, if rows have names.
    """

    positions: IntArray
    scores: FloatArray
    counts: BoolArray
    labels: IntArray
    codes: LongArray
    alone: FloatArray
    texts: AnyArray
    outside: AnyArray
    names: AnyArray | None = None

    def __len__(self) -> int:
        return len(self.positions)

    def at(self, rows: AnyArray) -> Candidates:
        """Return some of the rows."""
        own: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        chosen: dict[str, Any] = {k: None if v is None else v[rows] for k, v in own.items()}
        return Candidates(**chosen)

    def worst_first(self, few: IntArray) -> IntArray:
        """Return the order from the most unusual row on.

        Parameters
        ----------
        few : array of labels
            The clusters whose rows come first.
        """
        is_few = np.isin(self.labels, few) & self.counts
        return np.lexsort(
            (self.positions, -np.round(self.scores, DIGITS), ~is_few, ~self.counts)
        ).astype(np.intp)


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """The scores of the rows of a table, and the rows that may be the most unusual.

    Parameters
    ----------
    n : int
        So many rows are asked for.
    rows : Candidates or None
        The rows with the highest scores and those of clusters that are small so far; None if there
        are no rows at all.
    scores : ScoreCounts
        Those of the rows that count.
    uncounted : ScoreCounts
        Those of the others.
    sizes : mapping of int to float
        Number of rows that count of each cluster.
    """

    n: int
    rows: Candidates | None
    scores: ScoreCounts
    uncounted: ScoreCounts
    sizes: Mapping[int, float]

    def __add__(self, other: ScoredRows) -> ScoredRows:
        labels = {**self.sizes, **other.sizes}
        sizes = {one: self.sizes.get(one, 0.0) + other.sizes.get(one, 0.0) for one in labels}
        own = [part.rows for part in (self, other) if part.rows is not None]
        rows = _joined(*own) if len(own) == 2 else next(iter(own), None)
        scores, uncounted = self.scores + other.scores, self.uncounted + other.uncounted
        return ScoredRows(self.n, rows, scores, uncounted, sizes).thinned()

    def thinned(self) -> ScoredRows:
        """Return the same with no more rows than may be among those asked for."""
        if self.rows is None:
            return self
        small = [label for label, size in self.sizes.items() if size < FEW and label != NO_LABEL]
        order = self.rows.worst_first(np.array([], dtype=np.intp))
        is_kept = np.isin(self.rows.labels, small) & self.rows.counts
        is_kept[order[: self.n]] = True
        return self if is_kept.all() else replace(self, rows=self.rows.at(np.flatnonzero(is_kept)))

    @cached_property
    def few(self) -> dict[int, float]:
        """The clusters of so few rows that they are no groups, with their sizes."""
        there = {one: n for one, n in self.sizes.items() if n and one != NO_LABEL}
        total = sum(there.values())
        found = {one: n for one, n in there.items() if is_few(n, total)}
        return found if len(found) < len(there) else {}

    @property
    def usual(self) -> ScoreCounts:
        """The scores of the rows that count, or of all if none does."""
        return self.scores if len(self.scores.values) else self.uncounted


def _joined(first: Candidates, second: Candidates) -> Candidates:
    def join(name: str) -> Any:
        pair = getattr(first, name), getattr(second, name)
        return None if pair[0] is None or pair[1] is None else np.concatenate(pair)

    return Candidates(**{field.name: join(field.name) for field in fields(Candidates)})
