"""What has changed between two tables: values, their frequencies, and how columns depend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

from untie import tidy
from untie.core.counts import CountedTable, Counts
from untie.core.dependence import symmetric_uncertainty
from untie.core.types import FloatArray
from untie.core.vocabulary import Vocabulary
from untie.encoder import UNTIE
from untie.explain.corrected import holm
from untie.explain.drift_inputs import count_both
from untie.explain.homogeneity import (
    add_up,
    cells_of_pairs,
    pool,
    same_coupling,
    same_shares,
    share_p_values,
    total_variation,
)
from untie.parameters import check_number


@dataclass(frozen=True, eq=False)
class Drift:
    """What has changed from a reference to a new table.

    Parameters
    ----------
    columns : frame
        One line a column: attribute, moved (the share of the rows that would have to have another
        value for the frequencies to be as before: total variation), p_value, drifted.
    frequencies : frame
        One line a value: attribute, value, share, new_share, change, p_value, drifted.
    new_values, lost_values : frames
        Values that only one of the tables has: attribute, value, count and share in that table,
        and expected, the rows that the other would have if it had the same share. One of less
        than 5 or so may be missing by chance.
    couplings : frame
        One line a pair of columns: attribute, other_attribute, dependence and new_dependence
        (symmetric uncertainty from 0 to 1, less chance), change, moved (the share of the new rows that
        would have to have another combination for the columns to depend on each other as before,
        their own frequencies left as they are), p_value, drifted.
    n, n_new : float
        Weight of the rows of either table.
    alpha, min_effect : float
        `drifted` is a p_value below alpha and a share moved (of a value: a change) of at
        least min_effect.
    ignored : tuple of str
        Columns that only the new table has; they are not looked at.
    """

    columns: Any
    frequencies: Any
    new_values: Any
    lost_values: Any
    couplings: Any
    n: float
    n_new: float
    alpha: float
    min_effect: float
    drifted_columns: tuple[str, ...]
    drifted_couplings: tuple[tuple[str, str], ...]
    n_new_values: int
    ignored: tuple[str, ...] = ()

    @property
    def has_drifted(self) -> bool:
        """Whether frequencies or couplings have changed, or there are new values."""
        return bool(self.drifted_columns or self.drifted_couplings or self.n_new_values)

    @property
    def verdict(self) -> str:
        """What has changed, in a few sentences."""
        said = []
        if self.n_new_values:
            said.append(f"New values: {self.n_new_values}.")
        if self.drifted_columns:
            said.append(f"Shifted frequencies: {', '.join(self.drifted_columns)}.")
        if self.drifted_couplings:
            pairs = ", ".join(f"{a} with {b}" for a, b in self.drifted_couplings)
            said.append(f"Changed couplings: {pairs}.")
        if not said:
            said.append("No drift found.")
        if self.ignored:
            said.append(f"Not looked at, as the reference lacks them: {', '.join(self.ignored)}.")
        return " ".join(said)


def drift(
    reference: Any,
    new: Any,
    *,
    alpha: float = 0.01,
    min_effect: float = 0.05,
) -> Drift:
    """Compare a new table with the one that a model was made for.

    Of two samples of the same source all frequencies differ a little, and of a million rows nearly
    all differences are significant. So a column or a pair of columns counts as drifted if the
    difference is both no accident and large: the p-value, corrected by Holm's method for all columns
    (values, pairs), is below `alpha`, and at least the share `min_effect` of the rows has moved.

    Frequencies are tested by Pearson's chi-square, single values by Fisher's exact test. Couplings are
    tested for equal odds ratios, whatever the frequencies: a column whose values became
    more frequent does not break its couplings. The tests take weights as numbers of rows; weights
    that sum to less than the rows are scaled up to them.

    Parameters
    ----------
    reference : table, CountedTable or fitted UNTIE
        What is usual. An encoder knows the counts of what it was fitted on.
    new : table or CountedTable
        What to look at; tables may be lazy. It must have the columns of the reference, in any order
        if it is a table.
    alpha : float, default=0.01
        Largest p-value of a change.
    min_effect : float, default=0.05
        Smallest share of rows that have moved.

    Returns
    -------
    Drift
        `verdict`, `has_drifted`, and the frames `columns`, `frequencies`, `new_values`,
        `lost_values` and `couplings`.

    Examples
    --------
    >>> from untie.explain import drift
    >>> rows = [["sea", "fish", "a"], ["land", "cow", "a"], ["land", "cow", "b"]] * 100
    >>> drift(rows, rows).verdict
    'No drift found.'
    >>> broken = [[place, "cow" if place == "sea" else "fish", kind] for place, _, kind in rows]
    >>> found = drift(rows, broken)
    >>> found.drifted_couplings
    (('x0', 'x1'),)
    """
    check_number("alpha", alpha, zero=True)
    check_number("min_effect", min_effect, zero=True)
    before, after, backend, ignored = count_both(reference, new)
    judge = _Judge(before, after, backend, alpha, min_effect)
    columns, drifted_columns = judge.columns()
    couplings, drifted_couplings = judge.couplings()
    new_values, n_new_values = judge.only_in(after.counts, before.counts)
    return Drift(
        columns,
        judge.frequencies(),
        new_values,
        judge.only_in(before.counts, after.counts)[0],
        couplings,
        before.counts.n,
        after.counts.n,
        alpha,
        min_effect,
        drifted_columns,
        drifted_couplings,
        n_new_values,
        ignored,
    )


class _Judge:
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
        pairs = [self._margins(attribute) for attribute in range(len(self.vocabulary.columns))]
        moved = np.array([total_variation(*pair) for pair in pairs])
        p_values = holm(np.array([same_shares(*pair) for pair in pairs]))
        drifted = self._drifted(p_values, moved)
        names = self.vocabulary.columns
        order = np.argsort(-moved, kind="stable")
        frame = self._frame(
            {
                "attribute": [names[place] for place in order],
                "moved": moved[order],
                "p_value": p_values[order],
                "drifted": drifted[order],
            }
        )
        return frame, tuple(names[place] for place in order if drifted[place])

    def frequencies(self) -> Any:
        """Return the frame of values, the largest changes first."""
        parts = []
        for attribute in range(len(self.vocabulary.columns)):
            first, second = self._margins(attribute)
            n_first, n_second = self._n(self.before), self._n(self.after)
            p_values = share_p_values(first, n_first, second, n_second)
            parts.append(np.stack([first / n_first, second / n_second, p_values]))
        share, new_share, p_values = np.hstack(parts)
        p_values = holm(p_values)
        attributes, values = self._names()
        change = new_share - share
        order = np.argsort(-np.abs(change), kind="stable")
        return self._frame(
            {
                "attribute": [attributes[place] for place in order],
                "value": [values[place] for place in order],
                "share": share[order],
                "new_share": new_share[order],
                "change": change[order],
                "p_value": p_values[order],
                "drifted": self._drifted(p_values, np.abs(change))[order],
            }
        )

    def only_in(self, some: Counts, other: Counts) -> tuple[Any, int]:
        """Return the frame of values that only one of two tables has, and their number."""
        alone = np.flatnonzero((some.frequencies > 0) & (other.frequencies == 0))
        weights = some.frequencies[alone]
        order = np.argsort(-weights, kind="stable")
        attributes, values = self._names()
        shares = weights[order] / some.n
        frame = self._frame(
            {
                "attribute": [attributes[place] for place in alone[order]],
                "value": [values[place] for place in alone[order]],
                "count": weights[order],
                "share": shares,
                "expected": shares * self._n(other),
            }
        )
        return frame, len(alone)

    def couplings(self) -> tuple[Any, tuple[tuple[str, str], ...]]:
        """Return the frame of pairs of columns and the names of those that drifted."""
        pairs = list(combinations(range(len(self.vocabulary.columns)), 2))
        most = cells_of_pairs(self._n(self.before), self._n(self.after))
        cells = [pool(*self._margins(place), most) for place in range(len(self.vocabulary.columns))]
        moved, p_values = np.zeros(len(pairs)), np.ones(len(pairs))
        for number, (a, b) in enumerate(pairs):
            tables = [
                _pooled(counts, (a, b), (cells[a], cells[b])) * self._scale(counts)
                for counts in (self.before, self.after)
            ]
            moved[number], p_values[number] = same_coupling(*tables)
        p_values = holm(p_values)
        drifted = self._drifted(p_values, moved)
        strength = [
            symmetric_uncertainty(counts, less_chance=True)[tuple(np.array(pairs).T)]
            if pairs
            else np.empty(0)
            for counts in (self.before, self.after)
        ]
        names = self.vocabulary.columns
        order = np.argsort(-moved, kind="stable")
        frame = self._frame(
            {
                "attribute": [names[pairs[place][0]] for place in order],
                "other_attribute": [names[pairs[place][1]] for place in order],
                "dependence": strength[0][order],
                "new_dependence": strength[1][order],
                "change": (strength[1] - strength[0])[order],
                "moved": moved[order],
                "p_value": p_values[order],
                "drifted": drifted[order],
            }
        )
        named = [(names[pairs[place][0]], names[pairs[place][1]]) for place in order]
        return frame, tuple(
            pair for pair, place in zip(named, order, strict=True) if drifted[place]
        )

    def _margins(self, attribute: int) -> tuple[FloatArray, FloatArray]:
        """Return the rows with each value of an attribute, in either table."""
        span = self.before.span(attribute)
        first, second = (
            counts.frequencies[span] * self._scale(counts) for counts in (self.before, self.after)
        )
        return first, second

    def _drifted(self, p_values: FloatArray, moved: FloatArray) -> Any:
        return (p_values < self.alpha) & (moved >= self.min_effect)

    def _n(self, counts: Counts) -> float:
        return counts.n * self._scale(counts)

    def _scale(self, counts: Counts) -> float:
        # Weights may be scaled to any sum; the rows are then the least that there is to go by.
        return max(counts.n, counts.n_rows) / counts.n

    def _names(self) -> tuple[list[str], list[str]]:
        columns = self.vocabulary.columns
        values = [self.vocabulary.labels(attribute) for attribute in range(len(columns))]
        attributes = [name for name, labels in zip(columns, values, strict=True) for _ in labels]
        return attributes, [label for labels in values for label in labels]

    def _frame(self, columns: dict[str, Any]) -> Any:
        return tidy.make_frame(self.backend, columns)


def _pooled(counts: Counts, pair: tuple[int, int], cells: Sequence[Any]) -> FloatArray:
    """Return the counts of pairs of values, rare ones taken together."""
    block: Any = counts.block(*pair)
    left, right = (
        sparse.csr_array((np.ones(len(cell)), (cell, np.arange(len(cell))))) for cell in cells
    )
    found = left @ block @ right.T
    return np.asarray(found.toarray() if sparse.issparse(found) else found, dtype=float)
