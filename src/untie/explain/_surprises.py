"""The surprise of pairs of values and of single cells, from counts of the whole table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations, groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie._table.vocabulary import INFREQUENT
from untie._util.types import Codes, FloatArray, Value
from untie.encoder import TableEncoder

TABLE_CELLS = 2**18
"""Attributes with at most this many pairs of values, on average, are looked up in a table."""

FEW_CELLS = 2**11
"""A table of two attributes with at most this many pairs takes no longer than a few rows."""

LookUp = Callable[[NDArray[Any], NDArray[Any]], FloatArray]
"""Codes of two attributes -> the surprise of each pair."""

BLOCK_ROWS = 2**16
"""Rows are scored this many at a time."""


class Surprises:
    """The surprise of every pair of values, from counts of the whole table.

    Values of passive columns surprise nobody.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted.
    is_new : bool
        Whether the rows are none of those that the encoder has learned from; otherwise one of the
        rows that were counted is the row itself, which does not count.
    """

    def __init__(self, encoder: TableEncoder, is_new: bool) -> None:
        heard = np.flatnonzero(~encoder.model_.passive).tolist()
        if len(heard) < 2:
            raise ValueError("A combination needs two columns; the encoder was fitted on one.")
        counts = self.counts = encoder.counts_
        self.is_new = is_new
        self.pairs = list(combinations(heard, 2))
        self.scale = counts.n_draws / counts.n
        # Of n + 1 numbers, one and no other is the least and one the largest.
        self.of_beyond = max(float(np.log((counts.n * self.scale + 1.0) / 2.0)), 0.0)
        known = encoder.vocabulary_.values
        self.of_new = [self._of_new(place, values) for place, values in enumerate(known)]

    def scores(self, codes: Codes, alone: list[FloatArray]) -> FloatArray:
        """Return the sum of the surprises of each row.

        Parameters
        ----------
        codes : list of integer arrays of shape (n_rows,)
            The rows.
        alone : list of arrays of shape (n_rows,)
            How far each cell is a surprise of its own, one array per attribute; see `alone`.
        """
        total = np.zeros(len(codes[0]))
        for own in alone:
            total += own
        for first, second, look_up in self._look_ups(len(total)):
            for start in range(0, len(total), BLOCK_ROWS):
                rows = slice(start, start + BLOCK_ROWS)
                total[rows] += look_up(codes[first][rows], codes[second][rows])
        return total

    def terms(self, codes: Codes, alone: list[FloatArray]) -> FloatArray:
        """Return the surprise of all pairs; shape (n_rows, n_attributes, n_attributes).

        That of single cells is on the diagonal.
        """
        n_attributes = len(self.counts.sizes)
        terms = np.zeros((len(codes[0]), n_attributes, n_attributes))
        for place, own in enumerate(alone):
            terms[:, place, place] = own
        for first, second, look_up in self._look_ups(len(terms)):
            found = look_up(codes[first], codes[second])
            terms[:, first, second] = terms[:, second, first] = found
        return terms

    def alone(
        self, unknown: list[NDArray[np.bool_]], beyond: list[NDArray[np.bool_]]
    ) -> list[FloatArray]:
        """Return how far each cell is a surprise of its own; one array per attribute.

        Parameters
        ----------
        unknown, beyond : lists of boolean arrays of shape (n_rows,)
            Which rows have a value that was never seen, or a number beyond all that were.
        """
        return [
            np.where(is_new, of_new, np.where(is_beyond, self.of_beyond, 0.0))
            for of_new, is_new, is_beyond in zip(self.of_new, unknown, beyond, strict=True)
        ]

    def cell(self, codes: Codes, row: int, first: int, second: int) -> tuple[float, float]:
        """Return how often two values of a row meet in other rows, and how often expected."""
        some = [codes[place][row : row + 1] for place in (first, second)]
        seen, expected = self._seen(first, second, *some)
        return float(seen[0]), float(expected[0])

    def _of_new(self, attribute: int, values: Sequence[Value]) -> float:
        """Return the surprise of a value that was never seen."""
        seen = self.counts.frequencies[self.counts.span(attribute)] * self.scale
        merged = np.array([value is INFREQUENT for value in values], dtype=bool)
        # Of values that are merged it is not known which were seen once; all might have been.
        once = np.count_nonzero(seen[~merged] <= 1.0) + float(seen[merged].sum())
        return float(np.log((self.counts.n * self.scale + 1.0) / (once + 1.0)))

    def _look_ups(self, n_rows: int) -> Iterator[tuple[int, int, LookUp]]:
        """Yield two attributes and a function of their codes, in the order of the pairs.

        It looks their surprise up where that saves work.
        """
        for first, group in groupby(self.pairs, key=itemgetter(0)):
            others = [second for _, second in group]
            widths = [self.counts.sizes[place] + 1 for place in others]
            n_cells = (self.counts.sizes[first] + 1) * sum(widths)
            most = min(TABLE_CELLS, max(FEW_CELLS, 4 * n_rows))
            if not self.counts.is_sparse and n_cells <= len(others) * most:
                table = self._surprises_of(first, others)
                starts = np.concatenate([[0], np.cumsum(widths)[:-1]]).tolist()
                for second, start in zip(others, starts, strict=True):
                    yield first, second, partial(_looked_up, table, start)
            else:
                for second in others:
                    yield first, second, partial(self._surprise, first, second)

    def _surprises_of(self, first: int, others: list[int]) -> FloatArray:
        """Return the surprise of each value of an attribute with each of others'.

        Those of unknown values, 0, come last.
        """
        counts = self.counts
        spans = [counts.span(place) for place in others]
        at = np.concatenate([np.arange(span.start, span.stop) for span in spans])
        seen = self._others(counts.matrix[counts.span(first)][:, at])
        margins = self._others(counts.frequencies)
        n_others = max(float(self._others(np.array(counts.n))), 1.0)
        expected = margins[counts.span(first), None] * margins[at] / n_others
        known = np.maximum(np.log((expected + 1.0) / (seen + 1.0)), 0.0)
        ends = np.cumsum([counts.sizes[place] for place in others])
        table = np.zeros((counts.sizes[first] + 1, known.shape[1] + len(others)))
        table[:-1, np.arange(len(at)) + np.searchsorted(ends, np.arange(len(at)), "right")] = known
        return table

    def _surprise(
        self, first: int, second: int, left: NDArray[Any], right: NDArray[Any]
    ) -> FloatArray:
        seen, expected = self._seen(first, second, left, right)
        return np.maximum(np.log((expected + 1.0) / (seen + 1.0)), 0.0)

    def _seen(
        self, first: int, second: int, left: NDArray[Any], right: NDArray[Any]
    ) -> tuple[FloatArray, FloatArray]:
        """Return how often values meet in other rows, and how often they would by chance."""
        counts = self.counts
        known = (left < counts.sizes[first]) & (right < counts.sizes[second])
        seen, expected = np.zeros((2, len(left)))
        at = left[known].astype(np.intp), right[known].astype(np.intp)
        found: Any = counts.block(first, second)[at]  # sparse for many values
        found = found.toarray() if sparse.issparse(found) else found
        margins = [
            self._others(counts.frequencies[counts.span(place)][codes])
            for place, codes in zip((first, second), at, strict=True)
        ]
        seen[known] = self._others(np.asarray(found).ravel())
        n_others = max(float(self._others(np.array(counts.n))), 1.0)
        expected[known] = margins[0] * margins[1] / n_others
        return seen, expected

    def _others(self, weights: FloatArray) -> FloatArray:
        """Return the same counts without the row itself, if it is one of those counted."""
        return np.maximum(weights * self.scale - (0.0 if self.is_new else 1.0), 0.0)


def _looked_up(
    table: FloatArray, start: int, left: NDArray[Any], right: NDArray[Any]
) -> FloatArray:
    """Return the cells of some rows of a table and of some columns, counted from one on."""
    return table.ravel().take(left.astype(np.intp) * table.shape[1] + start + right)
