"""What has changed between two tables: values, their frequencies, and how columns depend.

A reference and a new table of any kind are counted in the codes of one vocabulary. Values with few
rows are merged before Pearson's chi-square tests, which are approximations that hold for counts
that are not small.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import chi2, hypergeom

from untie._count.counts import CountedTable, Counts
from untie._count.grouping import Grouping
from untie._count.memory import check_memory
from untie._count.tally import CountOptions
from untie._encoder_base import EncoderBase
from untie._engines.registry import open_table
from untie._engines.source import Source
from untie._inputs import as_fitted
from untie._learn.columns.explained_entropy import symmetric_uncertainty
from untie._learn.spaces.order_space import coarse_view
from untie._prepare.note import LEFT_OUT, Reason
from untie._table import frames
from untie._table.names import check_names
from untie._table.orders import Orders, find_orders
from untie._table.vocabulary import INFREQUENT, Vocabulary, sort_values
from untie._util import notebook
from untie._util.checks import check_number
from untie._util.types import BoolArray, FloatArray, IntArray, Value
from untie.explain._cluster_profile import holm
from untie.preparer import Preparer

LEAST_EXPECTED = 5.0
"""Rows that a value must have in both tables, if they were alike, to be a cell of its own."""

MOST_CELLS = 30
"""A test of pairs tells at most this many values of an attribute apart."""

STEPS, TOLERANCE = 200, 1e-9
"""Iterative proportional fitting ends after this many steps, or below this change."""


def share_p_values(first: FloatArray, n_first: float, second: FloatArray, n_second: float) -> Any:
    """Return, for each value, the chance of shares this different (Fisher, twice the smaller tail).

    Parameters
    ----------
    first, second : arrays of shape (n_values,)
        Rows with each value.
    n_first, n_second : float
        All rows.
    """
    a, b = np.rint(first), np.rint(second)
    # Rounded weights may be out of step by one row.
    n_a, n_b = max(np.rint(n_first), a.max(initial=0.0)), max(np.rint(n_second), b.max(initial=0.0))
    below = hypergeom.cdf(b, n_a + n_b, a + b, n_b)
    above = hypergeom.sf(b - 1, n_a + n_b, a + b, n_b)
    return np.clip(2.0 * np.minimum(below, above), 0.0, 1.0)


def total_variation(first: FloatArray, second: FloatArray) -> float:
    """Return half the sum of the differences of two distributions: the share that moved."""
    totals = first.sum(), second.sum()
    if not all(totals):
        return 0.0
    return float(np.abs(first / totals[0] - second / totals[1]).sum() / 2.0)


def same_shares(first: FloatArray, second: FloatArray, others: int | None = None) -> float:
    """Return the p-value of the hypothesis that two samples have the same distribution."""
    cells = pool(first, second, others=others)
    table = np.array([add_up(first, cells), add_up(second, cells)])
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    return _p_value(table, expected, table.shape[1] - 1)


def pool(
    first: FloatArray, second: FloatArray, most: int | None = None, others: int | None = None
) -> IntArray:
    """Return the cell of each value: its own or, for rare ones, that of all the others.

    Parameters
    ----------
    first, second : arrays of shape (n_values,)
        Rows with each value.
    most : int, optional
        Largest number of cells.
    others : int, optional
        The value that stands for rare ones that are merged already. It shares the cell of the rare
        values: which of them were merged depends on the first table, where those that were not are
        more frequent by chance.

    Examples
    --------
    >>> pool(np.array([90.0, 1.0, 50.0, 2.0]), np.array([80.0, 0.0, 60.0, 1.0]))
    array([0, 2, 1, 2])
    """
    both = first + second
    smaller = min(first.sum(), second.sum()) / both.sum()
    alone = both * smaller >= LEAST_EXPECTED
    if others is not None:
        alone[others] = False
    if most is not None and np.count_nonzero(alone) >= most:
        frequent = np.argsort(-both, kind="stable")[: most - 1]
        alone &= np.isin(np.arange(len(both)), frequent)
    cells = np.where(alone, np.cumsum(alone) - 1, np.count_nonzero(alone))
    return cells.astype(np.intp)


def add_up(counts: FloatArray, cells: IntArray) -> FloatArray:
    """Add up the counts of values in the same cell."""
    return np.bincount(cells, counts, minlength=int(cells.max()) + 1).astype(float)


def cells_of_pairs(n_first: float, n_second: float) -> int:
    """Return how many values of each attribute a test of pairs may tell apart."""
    return int(np.clip(np.sqrt(min(n_first, n_second) / LEAST_EXPECTED), 2, MOST_CELLS))


def same_coupling(first: FloatArray, second: FloatArray) -> tuple[float, float]:
    """Tell whether two attributes depend on each other in two tables alike.

    Parameters
    ----------
    first, second : arrays of shape (n_values, n_other_values)
        Rows with each pair of values, in either table.

    Returns
    -------
    effect : float
        The share of the second table's rows that would have to have another combination for the
        odds of all pairs of values to be those of the first, with the shares of the
        values as they are: total variation from the first table, raked to the second's margins.
    p_value : float
        Of the hypothesis that the odds ratios are the same (no interaction of three), whatever
        the shares of the values.
    """
    kept = [(first.sum(axis=a) > 0) & (second.sum(axis=a) > 0) for a in (1, 0)]
    first, second = (counts[np.ix_(*kept)] for counts in (first, second))
    if min(first.shape, default=0) < 2 or not first.sum() or not second.sum():
        return 0.0, 1.0
    # One row more, as independent attributes have it, so that no combination is impossible.
    start = first + np.outer(first.sum(axis=1), first.sum(axis=0)) / first.sum() ** 2
    effect = total_variation(_fitted(start, second).ravel(), second.ravel())
    return effect, _no_interaction(first, second)


def _no_interaction(first: FloatArray, second: FloatArray) -> float:
    """Test two tables for equal odds ratios: the log-linear model with all pairs, no triple."""
    observed = np.stack([first, second])
    n_free = (first.shape[0] - 1) * (first.shape[1] - 1)
    # A pair that neither table has is fitted exactly and tests nothing.
    n_free -= int(np.count_nonzero(observed.sum(axis=0) == 0))
    return _p_value(observed, _fitted(np.ones_like(observed), observed), n_free)


def _fitted(table: FloatArray, target: FloatArray) -> FloatArray:
    """Bring a table to the margins of another by iterative proportional fitting.

    Its odds ratios stay as they are. The margins are the sums over one axis.
    """
    for _ in range(STEPS):
        largest = 0.0
        for axis in range(table.ndim):
            wanted, found = (one.sum(axis=axis, keepdims=True) for one in (target, table))
            factors = np.divide(wanted, found, out=np.zeros_like(found), where=found > 0)
            table = table * factors
            largest = max(largest, float(np.abs(factors[wanted > 0] - 1.0).max(initial=0.0)))
        if largest < TOLERANCE:
            break
    return table


def _p_value(observed: FloatArray, expected: FloatArray, n_free: int) -> float:
    """Return that of Pearson's chi-square statistic."""
    if n_free < 1:
        return 1.0
    there = expected > 0
    squares = np.square(observed[there] - expected[there]) / expected[there]
    return float(chi2.sf(squares.sum(), n_free))


def count_both(
    reference: Any, new: Any, sample_weight: Any = None
) -> tuple[CountedTable, CountedTable, str]:
    """Count both tables.

    Parameters
    ----------
    reference : TableEncoder or table
        A fitted encoder stands for the rows that it has learned from.
    new : table
        Prepared as those rows were.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row of the new table counts.

    Returns
    -------
    before, after : CountedTable
        With the same vocabulary.
    backend : str
        The library of frames for the user.
    """
    before, grouping, backend = _reference(reference)
    source = _own_columns(new, before.vocabulary.columns, sample_weight)
    after = _count(source, sample_weight)[0]
    # Arrays have no names; what stands in the same place is the same column.
    after = CountedTable(
        Vocabulary(before.vocabulary.columns, after.vocabulary.values),
        after.counts.with_draws(after.sample),
    )
    if grouping is not None:
        after = _grouped(after, grouping)
    union = before.vocabulary.union(after.vocabulary)
    check_memory(union.sizes, union.columns, n_rows=before.counts.n_rows + after.counts.n_rows)
    return before.align(union), after.align(union), backend


def _reference(reference: Any) -> tuple[CountedTable, Grouping | None, str]:
    """Return the counts, how rare values were merged in them, and the library."""
    if isinstance(reference, EncoderBase):
        kept = reference._model.ungrouped
        if kept is not None:
            return CountedTable(kept.vocabulary, kept.counts), None, reference._library
        counted = CountedTable(reference.vocabulary_, reference.counts_)
        return counted, reference._grouping, reference._library
    counted, backend = _count(reference)
    return counted, None, backend


def _count(data: Any, sample_weight: Any = None) -> tuple[CountedTable, str]:
    """Return the counts of a table, and its library."""
    tally = open_table(data).count(CountOptions(sample_weight))
    assert tally.ungrouped is not None  # nothing was merged
    assert tally.table is not None
    return tally.ungrouped, tally.table.backend


def _own_columns(new: Any, names: tuple[str, ...], sample_weight: Any) -> Source:
    """Return the columns of the reference, by name where there are names."""
    source = open_table(new)
    if source.has_names:
        check_names(names, source.columns, "the new table", ", which the reference has")
        weight = [sample_weight] if isinstance(sample_weight, str) else []
        return source.select([*names, *weight])
    if len(source.columns) != len(names):
        raise ValueError(
            f"The new table has {len(source.columns)} columns, the reference {len(names)}: {names}."
        )
    return source


def _grouped(counted: CountedTable, grouping: Grouping) -> CountedTable:
    """Merge the values that the reference has merged."""
    values, targets = [], []
    for place, found in enumerate(counted.vocabulary.values):
        positions = grouping.raw.positions[place]
        rare = {v for v in found if v in positions and grouping.rare[place][positions[v]]}
        kept = sort_values([INFREQUENT if v in rare else v for v in dict.fromkeys(found)])
        kept = tuple(dict.fromkeys(kept))
        code = {value: number for number, value in enumerate(kept)}
        values.append(kept)
        targets.append(np.array([code[INFREQUENT if v in rare else v] for v in found], np.intp))
    vocabulary = Vocabulary(counted.vocabulary.columns, tuple(values))
    return CountedTable(vocabulary, counted.counts.relabel(targets, vocabulary.sizes))


@dataclass(frozen=True, eq=False)
class Judge:
    """Two counted tables of one vocabulary, and what counts as a change.

    Parameters
    ----------
    vocabulary : Vocabulary
        Theirs.
    before, after : Counts
        The tables.
    backend : str
        The library of frames for the user.
    alpha, min_effect : float
        See `drift`.
    merged : mapping of names of columns to values
        The value that stands for rare ones of the reference.
    """

    vocabulary: Vocabulary
    before: Counts
    after: Counts
    backend: str
    alpha: float
    min_effect: float
    merged: Mapping[str, Value]

    @cached_property
    def others(self) -> list[int | None]:
        """For each column, the code of the value that stands for rare ones."""
        columns = zip(self.vocabulary.columns, self.vocabulary.positions, strict=True)
        return [places.get(self.merged.get(name, INFREQUENT)) for name, places in columns]

    @cached_property
    def margins(self) -> list[tuple[FloatArray, FloatArray]]:
        """For each column, the rows with each value in either table."""
        return list(zip(_margins(self.before), _margins(self.after), strict=True))

    def columns(self) -> tuple[Any, tuple[str, ...]]:
        """Return the frame of columns and the names of those that drifted."""
        moved = np.array([total_variation(*pair) for pair in self.margins])
        tested = zip(self.margins, self.others, strict=True)
        p_values = holm(np.array([same_shares(*pair, others) for pair, others in tested]))
        drifted = self._drifted(p_values, moved)
        names, order = self.vocabulary.columns, _largest_first(moved)
        medians = {
            name: [
                self._median(attribute, pair[side]) for attribute, pair in enumerate(self.margins)
            ]
            for side, name in enumerate(("median", "new_median"))
        }
        found = {"column": names, "moved": moved, "p_value": p_values, "drifted": drifted} | medians
        return self._frame(found, order), tuple(names[place] for place in order if drifted[place])

    def frequencies(self) -> Any:
        """Return the frame of values, the largest changes first."""
        attributes, values = self._names()
        share, new_share, p_values = self._values
        change = new_share - share
        found = {
            "column": attributes,
            "value": values,
            "share": share,
            "new_share": new_share,
            "change": change,
            "p_value": p_values,
            "drifted": self._drifted(p_values, np.abs(change)),
        }
        return self._frame(found, _largest_first(np.abs(change)))

    def only_in(
        self, some: Counts, other: Counts, with_ranges: bool = True
    ) -> tuple[Any, tuple[str, ...]]:
        """Return the frame of values that one table alone has, and names of those that matter."""
        is_alone = (some.frequencies > 0) & (other.frequencies == 0)
        alone = np.flatnonzero(is_alone if with_ranges else is_alone & ~self._are_ranges)
        alone = alone[np.argsort(-some.frequencies[alone], kind="stable")]
        attributes, values = self._names()
        shares, p_values = some.frequencies / some.n, self._values[2]
        drifted = p_values < self.alpha
        found = {
            "column": attributes,
            "value": values,
            "count": some.frequencies,
            "share": shares,
            "expected": shares * (other.n * _scale(other)),
            "p_value": p_values,
            "drifted": drifted,
        }
        named = [f"{attributes[place]}={values[place]}" for place in alone[drifted[alone]]]
        return self._frame(found, alone), tuple(named)

    def couplings(self) -> tuple[Any, tuple[tuple[str, str], ...]]:
        """Return the frame of pairs of columns and the names of those that drifted."""
        both = before, after = self._coarse
        pairs = list(combinations(range(len(self.vocabulary.columns)), 2))
        most = cells_of_pairs(before.n * _scale(before), after.n * _scale(after))
        cells = [pool(*pair, most) for pair in zip(_margins(before), _margins(after), strict=True)]
        moved, p_values = np.zeros(len(pairs)), np.ones(len(pairs))
        for number, (a, b) in enumerate(pairs):
            tables = [_pooled(counts, (a, b), (cells[a], cells[b])) for counts in both]
            moved[number], p_values[number] = same_coupling(*tables)
        p_values = holm(p_values)
        drifted = self._drifted(p_values, moved)
        first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        strength, new_strength = (
            symmetric_uncertainty(counts, less_chance=True)[first, second] for counts in both
        )
        names = [[self.vocabulary.columns[place] for place in side] for side in (first, second)]
        found = {
            "column": names[0],
            "other_column": names[1],
            "dependence": strength,
            "new_dependence": new_strength,
            "change": new_strength - strength,
            "moved": moved,
            "p_value": p_values,
            "drifted": drifted,
        }
        order = _largest_first(moved)
        named = [(names[0][place], names[1][place]) for place in order if drifted[place]]
        return self._frame(found, order), tuple(named)

    @cached_property
    def _values(self) -> FloatArray:
        """Share, new share and corrected p-value of every value; shape (3, n_values)."""
        parts = []
        n, n_new = (counts.n * _scale(counts) for counts in (self.before, self.after))
        for (first, second), others in zip(self.margins, self.others, strict=True):
            p_values = share_p_values(first, n, second, n_new)
            if others is not None:  # with the rare values that are not merged
                cells = pool(first, second, others=others)
                in_cells = share_p_values(add_up(first, cells), n, add_up(second, cells), n_new)
                p_values[others] = in_cells[cells[others]]
            parts.append(np.stack([first / n, second / n_new, p_values]))
        found = np.hstack(parts)
        found[2] = holm(found[2])
        return found

    @cached_property
    def _orders(self) -> Orders:
        return find_orders(self.vocabulary)

    @cached_property
    def _are_ranges(self) -> BoolArray:
        """Which values have a place in an order; shape (n_values,)."""
        sizes = self.vocabulary.sizes
        return np.concatenate(
            [
                np.zeros(size, dtype=bool) if positions is None else positions >= 0
                for size, positions in zip(sizes, self._orders, strict=True)
            ]
        )

    def _median(self, attribute: int, weights: FloatArray) -> str | None:
        """Return the label of the median of a column with an order, missing cells left out."""
        positions = self._orders[attribute]
        if positions is None or not weights[positions >= 0].sum():
            return None
        order = np.argsort(positions, kind="stable")
        order = order[positions[order] >= 0]
        below = np.cumsum(weights[order])
        middle = int(np.searchsorted(below, below[-1] / 2.0))
        return self.vocabulary.labels(attribute)[order[middle]]

    @cached_property
    def _coarse(self) -> tuple[Counts, Counts]:
        """The counts with neighboring ranges together: tens of them have too few rows each."""
        if all(positions is None for positions in self._orders):
            return self.before, self.after
        view = coarse_view(self.before + self.after, self._orders)
        if view.targets is None:
            return self.before, self.after
        targets = [target[:-1] for target in view.targets]  # without that of an unknown value
        sizes = view.counts.sizes
        return self.before.relabel(targets, sizes), self.after.relabel(targets, sizes)

    def _drifted(self, p_values: FloatArray, moved: FloatArray) -> Any:
        return (p_values < self.alpha) & (moved >= self.min_effect)

    def _names(self) -> tuple[list[str], list[str]]:
        columns = self.vocabulary.columns
        values = [self.vocabulary.labels(attribute) for attribute in range(len(columns))]
        attributes = [name for name, labels in zip(columns, values, strict=True) for _ in labels]
        return attributes, [label for labels in values for label in labels]

    def _frame(self, columns: dict[str, Any], order: IntArray) -> Any:
        """Return a frame of columns with their cells in an order."""
        chosen = {
            name: cells[order] if isinstance(cells, np.ndarray) else [cells[one] for one in order]
            for name, cells in columns.items()
        }
        return frames.make_frame(self.backend, chosen)


def _scale(counts: Counts) -> float:
    """Return how many rows a weight of 1 is."""
    return counts.n_draws / counts.n


def _margins(counts: Counts) -> list[FloatArray]:
    """Return for each attribute the rows with each of its values."""
    return [own * _scale(counts) for own in counts.parts]


def _pooled(counts: Counts, pair: tuple[int, int], cells: Sequence[IntArray]) -> FloatArray:
    """Return the rows with pairs of values, rare ones merged."""
    left, right = (
        sparse.csr_array((np.ones(len(cell)), (cell, np.arange(len(cell))))) for cell in cells
    )
    return np.asarray(left @ counts.block(*pair) @ right.T) * _scale(counts)


def _largest_first(numbers: FloatArray) -> IntArray:
    """Return the order from the largest on; equal ones, but for rounding, keep theirs."""
    return np.argsort(-np.round(numbers, 9), kind="stable")


MOVED = ("column", "moved", "median", "new_median", "p_value")
COUPLED = ("column", "other_column", "dependence", "new_dependence", "moved", "p_value")
OCCURRING = ("column", "value", "count", "share", "p_value")
"""What a notebook shows of the frames of a `Drift`."""

NAMES = ("column", "other_column", "value")
"""The columns of these that name something; a value that is a number is not rounded."""

N_NAMED = 5
"""A list in the verdict has at most this many names."""


@dataclass(frozen=True, eq=False)
class Drift:
    """What has changed from a reference to a new table.

    Parameters
    ----------
    columns : frame
        One row per column: column, moved (the share of the rows that would have to have another
        value for the frequencies to be as before: total variation), p_value, drifted; median and
        new_median, the values in the middle of the rows of either table, of a column of ranges.
    frequencies : frame
        One row per value: column, value, share, new_share, change, p_value, drifted.
    new_values, lost_values : frames
        Values that only one of the tables has: column, value, count and share in that table,
        expected (the rows that the other would have with the same share: few may be missing by
        chance), p_value, drifted (by the p_value alone: a new value matters however few have it).
        Ranges without rows are no lost values: that a number has shifted is said of its column.
    couplings : frame
        One row per pair of columns: column, other_column, dependence and new_dependence
        (symmetric uncertainty from 0 to 1, less chance), change, moved (the share of the new rows
        that would have to have another combination for the columns to depend on each other as
        before, their own frequencies left as they are), p_value, drifted.
    n, n_new : float
        Weight of the rows of either table.
    alpha, min_effect : float
        `drifted` is a p_value below alpha and a share moved (of a value: a change) of at
        least min_effect.
    drifted_columns : tuple of str
        The columns whose frequencies have drifted, the most first.
    drifted_couplings : tuple of pairs of str
        The pairs of columns whose dependence has drifted, the most first.
    appeared, disappeared : tuple of str
        The new and lost values that are no accident, as ``column=value``, the most frequent first.
    ignored : tuple of str
        Columns that only the new table has; they are not looked at.
    left_out : tuple of str
        Columns that the model does not learn from, and why; they are not compared. To compare them,
        name them in ``Preparer(columns=...)``, which leaves none of these out.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import drift
    >>> rows = [["sea", "fish", "a"], ["land", "cow", "a"], ["sea", "fish", "b"]] * 100
    >>> found = drift(TableEncoder(2).fit(rows), [["sea", "whale", "b"]] * 12 + rows)
    >>> found.has_drifted, found.drifted_columns, found.appeared
    (True, (), ('x1=whale',))
    >>> found.new_values[["column", "value", "count"]]
      column  value  count
    0     x1  whale   12.0
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
    appeared: tuple[str, ...]
    disappeared: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def has_drifted(self) -> bool:
        """Whether anything has changed that is no accident and not small."""
        values = self.appeared or self.disappeared
        return bool(values or self.drifted_columns or self.drifted_couplings)

    @property
    def verdict(self) -> str:
        """What has changed, in a few sentences."""
        pairs = [f"{first} with {second}" for first, second in self.drifted_couplings]
        changes = {
            "New values": self.appeared,
            "Lost values": self.disappeared,
            "Shifted frequencies": self._shifted,
            "Changed couplings": pairs,
            "Not looked at, as the reference lacks them": self.ignored,
        }
        said = [f"{what}: {_listed(names)}." for what, names in changes.items() if names]
        if self.left_out:  # all of them: nothing else says so
            said.append(f"Not compared: {', '.join(self.left_out)}.")
        return " ".join(said if self.has_drifted else ["No drift found.", *said])

    def _repr_html_(self) -> str:
        """Show in a notebook what has changed: the verdict, and tables of what has drifted."""
        compared = (
            f"{self.n_new:,.0f} new rows were compared with {self.n:,.0f}. Drifted is what has a "
            f"p-value below {self.alpha:g} and a change of at least {self.min_effect:g}."
        )
        tables = (
            ("Columns whose frequencies have drifted", self.columns, MOVED),
            ("Pairs of columns whose dependence has drifted", self.couplings, COUPLED),
            ("New values", self.new_values, OCCURRING),
            ("Lost values", self.lost_values, OCCURRING),
        )
        parts = [notebook.table(caption, _drifted(*rest)) for caption, *rest in tables]
        title = "Drift found" if self.has_drifted else "No drift found"
        said = self.verdict.removeprefix("No drift found.").strip()
        return notebook.block(f"{title}.", *map(notebook.paragraph, (said, compared)), *parts)

    @property
    def _shifted(self) -> list[str]:
        """The drifted columns; of ranges, with the median of either table where they differ."""
        columns = frames.columns_of(self.columns)
        medians = {
            name: (old, new)
            for name, old, new in zip(
                columns["column"], columns["median"], columns["new_median"], strict=True
            )
            if isinstance(old, str) and isinstance(new, str) and old != new  # not missing
        }
        return [
            f"{name} (median {' -> '.join(medians[name])})" if name in medians else name
            for name in self.drifted_columns
        ]


def drift(
    model: Any,
    data: Any,
    *,
    alpha: float = 0.01,
    min_effect: float = 0.05,
    sample_weight: Any = None,
) -> Drift:
    """Compare a new table with the one that a model was fitted on.

    Of two samples of the same source all frequencies differ a little, and of a million rows nearly
    all differences are significant. So a column or a pair of columns counts as drifted if the
    difference is both no accident and large: the p-value, corrected by Holm's method for all
    columns (values, pairs), is below `alpha`, and at least the share `min_effect` of the rows has
    moved.

    Frequencies are tested by Pearson's chi-square, single values by Fisher's exact test. Couplings
    are tested for equal odds ratios, whatever the frequencies: a column whose values became more
    frequent does not break its couplings. The tests take weights as numbers of rows; weights that
    sum to less than the rows are scaled up to them.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
        What is usual: it keeps the counts of the rows that it was fitted on.
    data : table of shape (n_rows, n_columns)
        New rows, in memory or lazy, with the columns seen in `fit`; named ones in any order. A lazy
        table is read once; the rows of a Dask or Spark frame stay with its workers.
    alpha : float, default=0.01
        Largest p-value of a change, from 0.001 to 0.05; a smaller one gives fewer false alarms.
    min_effect : float, default=0.05
        Smallest share of rows that must have moved, from 0 (all that is significant) to 0.2.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each new row counts, or the column that says so, which is then not looked at; lazy
        tables take a name only.

    Returns
    -------
    Drift
        `verdict`, `has_drifted`, and the frames `columns`, `frequencies`, `new_values`,
        `lost_values` and `couplings`.

    See Also
    --------
    assignments : New rows to the clusters of a model, and which of them fit none.
    unknown_values : Values that a model has not seen.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import drift
    >>> rows = [["sea", "fish", "a"], ["land", "cow", "a"], ["sea", "fish", "b"]] * 100
    >>> encoder = TableEncoder(2).fit(rows)
    >>> drift(encoder, rows).verdict
    'No drift found.'
    >>> drift(encoder, [["sea", "whale", "b"]] * 12 + rows).verdict
    'New values: x1=whale.'
    """
    fitted = as_fitted(model, data)
    rows, weights = fitted.rows(data, sample_weight, strictly=False)
    source = open_table(data)
    known = (*fitted.names, *([sample_weight] if isinstance(sample_weight, str) else []))
    return changes_between(
        fitted.encoder,
        rows,
        alpha=alpha,
        min_effect=min_effect,
        sample_weight=weights,
        preparer=fitted.preparer,
        ignored=[name for name in source.columns if source.has_names and name not in known],
    )


def changes_between(
    reference: Any,
    new: Any,
    *,
    alpha: float,
    min_effect: float,
    sample_weight: Any = None,
    preparer: Preparer | None = None,
    ignored: Sequence[str] = (),
) -> Drift:
    """Compare two tables, both prepared; a fitted encoder may stand for the first.

    Parameters
    ----------
    reference, new, sample_weight
        See `count_both`.
    alpha, min_effect : float
        See `drift`.
    preparer : Preparer, optional
        What has prepared both; it knows which columns are left out and which values are merged.
    ignored : sequence of str
        The columns that only the new table has.
    """
    check_number("alpha", alpha, zero=True)
    check_number("min_effect", min_effect, zero=True)
    before, after, backend = count_both(reference, new, sample_weight)
    tables = (before.vocabulary, before.counts, after.counts)
    notes = () if preparer is None else preparer.notes_
    left_out = (f"{note.column} ({note.reason})" for note in notes if note.action == LEFT_OUT)
    merged = {note.column: note.argument(Reason.MERGED, "other") for note in notes}
    known = {name: other for name, other in merged.items() if other is not None}
    judge = Judge(*tables, backend, alpha, min_effect, known)
    columns, drifted_columns = judge.columns()
    couplings, drifted_couplings = judge.couplings()
    new_values, appeared = judge.only_in(after.counts, before.counts)
    lost_values, disappeared = judge.only_in(before.counts, after.counts, with_ranges=False)
    found = (columns, judge.frequencies(), new_values, lost_values, couplings)
    asked = (before.counts.n, after.counts.n, alpha, min_effect)
    drifted = (drifted_columns, drifted_couplings, appeared, disappeared)
    return Drift(*found, *asked, *drifted, tuple(ignored), tuple(left_out))


def _drifted(frame: Any, names: Sequence[str]) -> dict[str, list[Any]]:
    """Return some columns of a frame, of the lines that have drifted."""
    columns = frames.columns_of(frame)
    places = np.flatnonzero(np.array(columns["drifted"], dtype=bool)).tolist()
    found = {name: [columns[name][place] for place in places] for name in names}
    return {name: list(map(str, c)) if name in NAMES else c for name, c in found.items()}


def _listed(names: Any) -> str:
    more = len(names) - N_NAMED
    return ", ".join(names[:N_NAMED]) + (f" and {more} more" if more > 0 else "")
