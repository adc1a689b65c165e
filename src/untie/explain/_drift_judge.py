"""Two counted tables -> frames of what differs between them, and which of it matters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie._count.counts import CountedTable, Counts
from untie._learn.dependence import symmetric_uncertainty
from untie._learn.order_space import coarse_view
from untie._table import frames
from untie._table.orders import find_orders
from untie._table.vocabulary import Vocabulary
from untie._util.types import FloatArray
from untie.explain._corrected import holm
from untie.explain._homogeneity import (
    cells_of_pairs,
    pool,
    same_coupling,
    same_shares,
    share_p_values,
    total_variation,
)


class Judge:
    """Two counted tables of one vocabulary, and what counts as a change."""

    def __init__(
        self,
        before: CountedTable,
        after: CountedTable,
        backend: str,
        alpha: float,
        min_effect: float,
    ) -> None:
        self.vocabulary: Vocabulary = before.vocabulary
        self.before, self.after = before.counts, after.counts
        self.backend, self.alpha, self.min_effect = backend, alpha, min_effect

    def columns(self) -> tuple[Any, tuple[str, ...]]:
        """Return the frame of columns and the names of those that drifted."""
        both, columns = (self.before, self.after), range(len(self.vocabulary.columns))
        pairs = [self._margins(attribute, *both) for attribute in columns]
        moved = np.array([total_variation(*pair) for pair in pairs])
        p_values = holm(np.array([same_shares(*pair) for pair in pairs]))
        drifted = self._drifted(p_values, moved)
        names = self.vocabulary.columns
        order = _largest_first(moved)
        frame = self._frame(
            {
                "column": [names[place] for place in order],
                "moved": moved[order],
                "p_value": p_values[order],
                "drifted": drifted[order],
            }
        )
        return frame, tuple(names[place] for place in order if drifted[place])

    def frequencies(self) -> Any:
        """Return the frame of values, the largest changes first."""
        attributes, values = self._names()
        share, new_share, p_values = self._values
        change = new_share - share
        order = _largest_first(np.abs(change))
        return self._frame(
            {
                "column": [attributes[place] for place in order],
                "value": [values[place] for place in order],
                "share": share[order],
                "new_share": new_share[order],
                "change": change[order],
                "p_value": p_values[order],
                "drifted": self._drifted(p_values, np.abs(change))[order],
            }
        )

    def only_in(self, some: Counts, other: Counts) -> tuple[Any, tuple[str, ...]]:
        """Return the frame of values that one table alone has, and names of those that matter."""
        alone = np.flatnonzero((some.frequencies > 0) & (other.frequencies == 0))
        alone = alone[np.argsort(-some.frequencies[alone], kind="stable")]
        attributes, values = self._names()
        shares = some.frequencies[alone] / some.n
        p_values = self._values[2][alone]
        drifted = p_values < self.alpha
        frame = self._frame(
            {
                "column": [attributes[place] for place in alone],
                "value": [values[place] for place in alone],
                "count": some.frequencies[alone],
                "share": shares,
                "expected": shares * self._n(other),
                "p_value": p_values,
                "drifted": drifted,
            }
        )
        named = [f"{attributes[place]}={values[place]}" for place in alone[drifted]]
        return frame, tuple(named)

    def couplings(self) -> tuple[Any, tuple[tuple[str, str], ...]]:
        """Return the frame of pairs of columns and the names of those that drifted."""
        both = before, after = self._coarse
        pairs = list(combinations(range(len(self.vocabulary.columns)), 2))
        most = cells_of_pairs(self._n(before), self._n(after))
        columns = range(len(self.vocabulary.columns))
        cells = [pool(*self._margins(place, *both), most) for place in columns]
        moved, p_values = np.zeros(len(pairs)), np.ones(len(pairs))
        for number, (a, b) in enumerate(pairs):
            tables = [
                _pooled(counts, (a, b), (cells[a], cells[b])) * self._scale(counts)
                for counts in both
            ]
            moved[number], p_values[number] = same_coupling(*tables)
        p_values = holm(p_values)
        drifted = self._drifted(p_values, moved)
        first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        strength, new_strength = (
            symmetric_uncertainty(counts, less_chance=True)[first, second] for counts in both
        )
        names = self.vocabulary.columns
        order = _largest_first(moved)
        frame = self._frame(
            {
                "column": [names[pairs[place][0]] for place in order],
                "other_column": [names[pairs[place][1]] for place in order],
                "dependence": strength[order],
                "new_dependence": new_strength[order],
                "change": (new_strength - strength)[order],
                "moved": moved[order],
                "p_value": p_values[order],
                "drifted": drifted[order],
            }
        )
        named = [(names[pairs[place][0]], names[pairs[place][1]]) for place in order]
        return frame, tuple(
            pair for pair, place in zip(named, order, strict=True) if drifted[place]
        )

    @cached_property
    def _values(self) -> FloatArray:
        """Share, new share and corrected p-value of every value; shape (3, n_values)."""
        parts = []
        n, n_new = self._n(self.before), self._n(self.after)
        for attribute in range(len(self.vocabulary.columns)):
            first, second = self._margins(attribute, self.before, self.after)
            p_values = share_p_values(first, n, second, n_new)
            parts.append(np.stack([first / n, second / n_new, p_values]))
        found = np.hstack(parts)
        found[2] = holm(found[2])
        return found

    @cached_property
    def _coarse(self) -> tuple[Counts, Counts]:
        """The counts with neighbouring ranges together: tens of them have too few rows each."""
        orders = find_orders(self.vocabulary)
        if all(positions is None for positions in orders):
            return self.before, self.after
        view = coarse_view(self.before + self.after, orders)
        if view.targets is None:
            return self.before, self.after
        targets = [target[:-1] for target in view.targets]  # without that of an unknown value
        sizes = view.counts.sizes
        return self.before.relabel(targets, sizes), self.after.relabel(targets, sizes)

    def _margins(
        self, attribute: int, before: Counts, after: Counts
    ) -> tuple[FloatArray, FloatArray]:
        """Return the rows with each value of an attribute, in either table."""
        span = before.span(attribute)
        first, second = (
            counts.frequencies[span] * self._scale(counts) for counts in (before, after)
        )
        return first, second

    def _drifted(self, p_values: FloatArray, moved: FloatArray) -> Any:
        return (p_values < self.alpha) & (moved >= self.min_effect)

    def _n(self, counts: Counts) -> float:
        return counts.n * self._scale(counts)

    def _scale(self, counts: Counts) -> float:
        return counts.n_draws / counts.n

    def _names(self) -> tuple[list[str], list[str]]:
        columns = self.vocabulary.columns
        values = [self.vocabulary.labels(attribute) for attribute in range(len(columns))]
        attributes = [name for name, labels in zip(columns, values, strict=True) for _ in labels]
        return attributes, [label for labels in values for label in labels]

    def _frame(self, columns: dict[str, Any]) -> Any:
        return frames.make_frame(self.backend, columns)


def _pooled(counts: Counts, pair: tuple[int, int], cells: Sequence[Any]) -> FloatArray:
    """Return the counts of pairs of values, rare ones merged."""
    block: Any = counts.block(*pair)
    left, right = (
        sparse.csr_array((np.ones(len(cell)), (cell, np.arange(len(cell))))) for cell in cells
    )
    found = left @ block @ right.T
    return np.asarray(found.toarray() if sparse.issparse(found) else found, dtype=float)


def _largest_first(numbers: FloatArray) -> NDArray[np.intp]:
    """Return the order from the largest on; equal ones, but for rounding, keep theirs."""
    return np.argsort(-np.round(numbers, 9), kind="stable")
