"""K-prototypes: clusters of tables with categories and numbers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import RandomState
from sklearn.utils.validation import check_is_fitted

from untie._base import TakesTables, check_seen, see_columns
from untie._count.packed_rows import PackedRows, distinct_rows, nearest_of, on_a_grid
from untie._persistence.models import Savable
from untie._prepare.unprepared import warn_of_unprepared
from untie._table import frames
from untie._table.numeric import (
    asked_numbers,
    numeric_columns,
    side_by_side,
    standardization,
    without,
)
from untie._table.rows import check_weights, encode, learn_vocabulary, split_weights
from untie._table.table import Table, read_table
from untie._table.vocabulary import Vocabulary, handle_unknown_values
from untie._util.arrays import squared_lengths
from untie._util.checks import check_integer, check_number, draws_of
from untie._util.types import AnyArray, Codes, FloatArray, IntArray
from untie.cluster._kmodes import (
    ROUNDING,
    Modes,
    ModesProblem,
    NearestCenters,
    best_run,
    cost,
    known_codes,
    mismatches,
    random,
    read_start,
)

MOST_VALUES = 10_000
"""A categorical column has at most this many values; their distances take 800 MB."""


class MixedRows:
    """Rows of codes and numbers, to be compared with prototypes again and again.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        One array per categorical column.
    tables : list of arrays of shape (n_values + 1, n_values)
        Distance of each code, the last one for unknown values, to each value.
    numbers : array of shape (n_rows, n_numeric)
        Standardized; NaN for a missing one.
    """

    def __init__(self, codes: Codes, tables: list[FloatArray], numbers: FloatArray) -> None:
        self.tables = tables
        self.packed = PackedRows(codes, [len(table) for table in tables]) if codes else None
        is_known = ~np.isnan(numbers)
        self.known = None if is_known.all() else is_known.astype(float)
        self.numbers = np.where(is_known, numbers, 0.0)
        self._lengths = squared_lengths(self.numbers)
        self._largest = sum(float(table.max()) for table in tables)

    def distances(self, prototypes: Modes) -> FloatArray:
        """Return the distance of each row to each prototype; shape (n_rows, n_clusters)."""
        result = np.empty((len(self.numbers), len(prototypes)))
        for rows, part in self._blocks(prototypes):
            result[rows] = part
        return result

    def nearest(self, prototypes: Modes) -> tuple[IntArray, FloatArray]:
        """Return each row's nearest prototype, the first of equally near ones, and how far it is.

        Parameters
        ----------
        prototypes : array of shape (n_clusters, n_categorical + n_numeric)
            Codes, then standardized numbers.
        """
        centers = prototypes[:, len(self.tables) :]
        farthest = self._largest + float((centers**2).sum(axis=1).max(initial=0.0))
        tolerances = ROUNDING * (self._lengths + farthest)[:, None]
        return nearest_of(self._blocks(prototypes), tolerances)

    def _blocks(self, prototypes: Modes) -> Iterator[tuple[slice, FloatArray]]:
        """Yield distances of some rows at a time."""
        n_categorical = len(self.tables)
        centers = prototypes[:, n_categorical:].astype(float)
        squares = centers**2
        lengths = squares.sum(axis=1)
        if self.packed is None:
            whole = slice(0, len(self.numbers))
            blocks = iter([(whole, np.zeros((len(self.numbers), len(centers))))])
        else:
            modes = prototypes[:, :n_categorical].astype(np.intp)
            blocks = self.packed.blocks(self.tables, modes)
        for rows, part in blocks:
            if centers.shape[1]:
                # (x - c)^2 = x^2 - 2xc + c^2, without the numbers that are missing.
                part -= 2.0 * self.numbers[rows] @ centers.T
                part += self._lengths[rows, None]
                part += lengths if self.known is None else self.known[rows] @ squares.T
                np.maximum(part, 0.0, out=part)
            yield rows, part


@dataclass(frozen=True, eq=False)
class MixedColumns:
    """Which columns are numeric, and how cells become codes and standardized numbers.

    Parameters
    ----------
    names : tuple of str
        All columns.
    positions : tuple of int
        The numeric ones.
    vocabulary : Vocabulary
        The values of the others.
    means, scales : arrays of shape (n_numeric,)
        What is subtracted from numbers, and what they are divided by.
    """

    names: tuple[str, ...]
    positions: tuple[int, ...]
    vocabulary: Vocabulary
    means: FloatArray
    scales: FloatArray

    def numbers_of(self, table: Table) -> FloatArray:
        """Return standardized numbers, NaN for a missing one; shape (n_rows, n_numeric)."""
        found = [asked_numbers(table.columns[j], self.names[j]) for j in self.positions]
        return (side_by_side(found, table.n_rows) - self.means) / self.scales

    def prototypes_of(self, init: Table) -> Modes:
        """Return given rows as prototypes; a missing number becomes the mean of its column."""
        codes = known_codes(without(init, self.positions), self.vocabulary)
        return np.column_stack([*codes, np.nan_to_num(self.numbers_of(init))]).astype(float)

    def values_of(self, prototypes: Modes, as_labels: bool = False) -> list[AnyArray]:
        """Return the values, or their labels, and means of prototypes; an array per column."""
        n_categorical = len(self.names) - len(self.positions)
        codes = prototypes[:, :n_categorical].astype(np.intp)
        values = self.vocabulary.values
        if as_labels:
            values = tuple(tuple(self.vocabulary.labels(j)) for j in range(n_categorical))
        chosen = iter(zip(frames.value_arrays(values), codes.T, strict=True))
        means = iter((prototypes[:, n_categorical:] * self.scales + self.means).T)
        result = []
        for position in range(len(self.names)):
            if position in self.positions:
                result.append(np.array(next(means).tolist(), dtype=object))
            else:
                cells, places = next(chosen)
                result.append(cells[places])
        return result


@dataclass(frozen=True, eq=False)
class PrototypesProblem(ModesProblem):
    """A table with numbers to cluster; a prototype is a row of codes, then of numbers.

    Parameters
    ----------
    numbers : array of shape (n_distinct, n_numeric)
        Standardized numbers of the distinct rows; NaN for a missing one.
    """

    numbers: FloatArray

    rounding: ClassVar[float] = 1e-9
    """Of two runs whose costs differ by less than this share, the first is kept."""

    @cached_property
    def mixed(self) -> MixedRows:
        """The rows, ready to be compared."""
        return MixedRows(self.rows.codes, self.tables, self.numbers)

    @cached_property
    def packed(self) -> PackedRows:
        """The categorical columns, joined for looking up."""
        assert self.mixed.packed is not None  # it is asked for only where there are some
        return self.mixed.packed

    @cached_property
    def _weighted(self) -> list[tuple[FloatArray, FloatArray]]:
        """For each numeric column the weights of its known numbers, and these times the numbers."""
        mixed, weights = self.mixed, self.rows.weights
        if mixed.known is None:
            return [(weights, weights * column) for column in mixed.numbers.T]
        return [
            (weights * known, weights * column)
            for known, column in zip(mixed.known.T, mixed.numbers.T, strict=True)
        ]

    def modes_at(self, chosen: IntArray) -> Modes:
        """Return rows as prototypes; a missing number becomes the mean of its column."""
        numbers = self.mixed.numbers[chosen]
        return np.hstack([super().modes_at(chosen), numbers]) if self.tables else numbers

    def nearest(self, modes: Modes) -> tuple[IntArray, float]:
        """Return the rows' labels, ties to the lowest, and their cost."""
        labels, distances = self.mixed.nearest(modes)
        return labels, float(distances @ self.rows.weights)

    def cost(self, labels: IntArray, modes: Modes) -> float:
        """Return the weighted sum of the rows' distances to their prototypes."""
        n_categorical = len(self.tables)
        total = cost(self.rows, self.tables, labels, modes[:, :n_categorical].astype(np.intp))
        for column, centers in zip(self.numbers.T, modes[:, n_categorical:].T, strict=True):
            total += float(np.nan_to_num((column - centers[labels]) ** 2) @ self.rows.weights)
        return total

    def update(self, labels: IntArray) -> Modes:
        """Return the prototypes of clusters, none of which is empty."""
        centers = np.zeros((self.n_clusters, self.numbers.shape[1]))
        for column, (weights, products) in enumerate(self._weighted):
            totals = np.bincount(labels, weights, minlength=self.n_clusters)
            sums = np.bincount(labels, products, minlength=self.n_clusters)
            np.divide(sums, totals, out=centers[:, column], where=totals > 0)
        return np.hstack([super().update(labels), centers]) if self.tables else centers


def spread(problem: PrototypesProblem, rng: RandomState) -> Modes:
    """Draw rows far from each other: k-means++, the best of a few draws each time."""
    weights, shares = problem.rows.weights, problem.rows.weights / problem.rows.weights.sum()
    chosen = [int(rng.choice(len(weights), p=shares))]
    nearest = problem.mixed.distances(problem.modes_at(np.array(chosen)))[:, 0]
    n_draws = 2 + int(np.log(problem.n_clusters))
    while len(chosen) < problem.n_clusters:
        chances = np.cumsum(weights * nearest)
        if chances[-1] > 0:
            drawn = np.searchsorted(chances, rng.random_sample(n_draws) * chances[-1], "right")
            drawn = np.minimum(drawn, len(weights) - 1)
        else:  # no distance is left: rows that differ only in what is missing
            drawn = rng.choice(len(weights), n_draws, p=shares)
        reached = problem.mixed.distances(problem.modes_at(drawn))
        np.minimum(reached, nearest[:, None], out=reached)
        best = int(np.argmin(weights @ reached))
        chosen.append(int(drawn[best]))
        nearest = reached[:, best].copy()
    return problem.modes_at(np.array(chosen))


STARTS: dict[str, Callable[[Any, RandomState], Modes]] = {"k-means++": spread, "random": random}


@dataclass(frozen=True, eq=False)
class FittedPrototypes:
    """What k-prototypes has learned.

    Parameters
    ----------
    columns : MixedColumns
        Which columns are numeric, and how cells become codes and standardized numbers.
    distances : list of arrays of shape (n_values + 1, n_values)
        Distance of each code, the last one for unknown values, to each value.
    prototypes : array of shape (n_clusters, n_categorical + n_numeric)
        Codes, then standardized numbers.
    """

    columns: MixedColumns
    distances: list[FloatArray]
    prototypes: Modes

    @cached_property
    def tables(self) -> list[FloatArray]:
        """The distances, rounded so that sums of them are exact."""
        return on_a_grid(self.distances)

    def nearest(self, codes: Codes, numbers: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return each row's nearest prototype and how far it is."""
        return MixedRows(codes, self.tables, numbers).nearest(self.prototypes)


class KPrototypes(Savable, NearestCenters, TakesTables):
    """K-prototypes clustering of a table with categories and numbers.

    Rows belong to the nearest of `n_clusters` prototypes. A prototype has the mean of its cluster
    in a numeric column and the most frequent value in a categorical one. The distance of a row to
    a prototype is the sum of the squared differences of the numbers, which are standardized, and
    of `gamma` for each categorical column in which they differ.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, from 2 to some hundreds; time and memory grow with it.
    gamma : float, default=0.5
        How much a difference in a categorical column counts; typically 0.1 to 2. The default is
        half the standard deviation of a standardized number, as in the package kmodes. More makes
        clusters follow the categories, less the numbers.
    numeric : sequence of str or int, default=()
        Columns that must hold numbers, by name or position.
    categorical : sequence of str or int, default=()
        Columns whose numbers are names, such as codes. All other columns are numeric if
        their type is (integers, floats, decimals), else categorical.
    init : {"k-means++", "random"} or table of shape (n_clusters, n_columns), default="k-means++"
        The first prototypes: rows far from each other; random distinct rows; or the rows given,
        with numbers in the units of the table.
    n_init : int, default=10
        Number of runs with different starts, of which the cheapest is kept; 1 to 20. The time grows
        with it. Given prototypes are run once.
    max_iter : int, default=100
        At most this many assignments per run; most runs end after ten to thirty.
    random_state : int, RandomState or None, default=0
        Seed of the starts, and of the rows that are moved into empty clusters; None is 0 as well.

    Attributes
    ----------
    labels_ : array of shape (n_rows,)
        The cluster of each row.
    cluster_centers_ : array of shape (n_clusters, n_columns)
        The prototypes: values and means in the units of the table, in the order of its columns.
        `prototypes()` makes a frame of them.
    cost_ : float
        Weighted sum of the rows' distances to their prototypes; also as `inertia_`.
    n_iter_ : int
        Assignments of the run that was kept.
    numeric_, categorical_ : tuple of str
        The names of the columns of each kind.
    means_, scales_ : arrays of shape (n_numeric,)
        What is subtracted from numbers, and what they are then divided by: the mean and the
        standard deviation of each numeric column. The scale of a constant column is 1.
    vocabulary_ : Vocabulary
        The values of each categorical column.
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : array of shape (`n_features_in_`,)
        Their names, if the table has names.

    See Also
    --------
    KModes : The same for tables without numbers.
    untie.TableClusterer : Learns which columns matter, and chooses the number of clusters.

    Notes
    -----
    A missing number does not count: neither in distances nor in means. A missing category is a
    value like others. A category not seen in `fit` is neutral: its distance to a value is the mean
    distance of the rows' own values to it.

    The order of rows changes nothing, and a row of weight 3 counts as three equal rows. A row that
    is equally near to several prototypes belongs to the first; distances and costs that differ
    only by rounding are equal. Empty clusters and tables with too few distinct rows are treated as
    in `KModes`.

    References
    ----------
    Z. Huang, Extensions to the k-means algorithm for clustering large data sets with categorical
    values, Data Mining and Knowledge Discovery 2, 283-304, 1998.

    Examples
    --------
    >>> from untie.cluster import KPrototypes
    >>> wines = [["red", 13.5], ["red", 14.0], ["white", 11.0], ["white", None], ["red", 14.5]]
    >>> clusters = KPrototypes(2, random_state=0).fit(wines)
    >>> clusters.labels_
    array([0, 0, 1, 1, 0], dtype=int32)
    >>> clusters.prototypes()
          x0    x1
    0    red  14.0
    1  white  11.0
    >>> clusters.predict([["white", 10.0]])
    array([1], dtype=int32)
    """

    _kind = "kprototypes"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        gamma: float = 0.5,
        numeric: Sequence[str | int] = (),
        categorical: Sequence[str | int] = (),
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 100,
        random_state: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.numeric = numeric
        self.categorical = categorical
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters of a table's rows.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            A pandas, polars or pyarrow table, an array or a list of rows.
        y : ignored
        sample_weight : array of shape (n_rows,) or str, optional
            How often each row counts, or the column that says so.

        Returns
        -------
        self
        """
        self._check_parameters()
        X, sample_weight = split_weights(X, sample_weight)
        table = read_table(X)
        weights, keep = check_weights(sample_weight, table.n_rows)
        found = numeric_columns(table, self.numeric, self.categorical)
        part = without(table, found)
        vocabulary, coded = learn_vocabulary(part, keep, None, weights)
        _check_sizes(vocabulary)
        warn_of_unprepared(part, vocabulary)
        numbers = side_by_side(list(found.values()), table.n_rows)
        numbers = numbers if keep is None else numbers[keep]
        # Distinct rows in an order of their own: that of the table does not even decide rounding.
        ranks = [np.unique(column, return_inverse=True) for column in numbers.T]
        widths = [*(size + 1 for size in vocabulary.sizes), *(len(known) for known, _ in ranks)]
        rows = distinct_rows([*coded.codes, *(places for _, places in ranks)], widths, weights)
        rows, numbers = replace(rows, codes=rows.codes[: len(part.names)]), numbers[rows.first]
        means, scales = standardization(numbers, rows.weights)
        columns = MixedColumns(table.names, tuple(found), vocabulary, means, scales)
        frequencies = [
            np.bincount(codes, rows.weights, minlength=size).astype(float)
            for codes, size in zip(rows.codes, vocabulary.sizes, strict=True)
        ]
        exact = [self.gamma * distances for distances in mismatches(frequencies)]
        n_clusters, n_runs = int(self.n_clusters), int(self.n_init)
        rng = draws_of(self.random_state)
        standard = (numbers - means) / scales
        problem = PrototypesProblem(
            rows, on_a_grid(exact), frequencies, n_clusters, median=False, numbers=standard
        )
        if isinstance(self.init, str):
            start: Callable[[], Modes] = partial(STARTS[self.init], problem, rng)
        else:
            given = columns.prototypes_of(read_start(self.init, n_clusters, table.names))
            start, n_runs = partial(np.copy, given), 1
        best = best_run(problem, start, n_runs, int(self.max_iter), rng)
        see_columns(self, table)
        self._library = table.backend
        self._adopt(FittedPrototypes(columns, exact, best.modes))
        self.cost_ = replace(problem, tables=exact).cost(best.labels, best.modes)
        self.n_iter_ = best.n_iter
        self.labels_ = self._label(X, keep, best.labels[rows.positions])
        return self

    def prototypes(self) -> Any:
        """Return the prototypes as a table.

        Returns
        -------
        frame
            One row per cluster: the labels of the most frequent values, and the means.
        """
        check_is_fitted(self)
        model = self._model
        cells = model.columns.values_of(model.prototypes, as_labels=True)
        columns = {
            name: column.tolist() for name, column in zip(model.columns.names, cells, strict=True)
        }
        return frames.make_frame(self._library, columns)

    def _restore(self, learned: dict[str, Any]) -> None:
        model = learned.pop("_model")
        super()._restore(learned)
        columns = MixedColumns(**vars(model.columns))
        self._adopt(FittedPrototypes(columns, model.distances, model.prototypes))

    def _adopt(self, model: FittedPrototypes) -> None:
        self._model, columns = model, model.columns
        self.vocabulary_, self.categorical_ = columns.vocabulary, columns.vocabulary.columns
        self.numeric_ = tuple(columns.names[position] for position in columns.positions)
        self.means_, self.scales_ = columns.means, columns.scales
        self.cluster_centers_ = np.stack(columns.values_of(model.prototypes), axis=1)

    def _nearest(self, X: Any) -> tuple[IntArray, FloatArray]:
        """Return each row's nearest prototype and how far it is."""
        table, columns = read_table(X, min_rows=0), self._model.columns
        check_seen(self, table)
        encoded = encode(without(table, columns.positions), self.vocabulary_)
        handle_unknown_values(encoded.unknown, self.vocabulary_, "ignore", "predict")
        return self._model.nearest(encoded.codes, columns.numbers_of(table))

    def _check_parameters(self) -> None:
        for name in ("n_clusters", "n_init", "max_iter"):
            check_integer(name, getattr(self, name))
        check_number("gamma", self.gamma)
        if isinstance(self.init, str) and self.init not in STARTS:
            raise ValueError(
                f"init must be one of {list(STARTS)} or a table of prototypes, got {self.init!r}."
            )


def _check_sizes(vocabulary: Vocabulary) -> None:
    """Refuse a column whose distances of values would not fit in memory."""
    for name, size in zip(vocabulary.columns, vocabulary.sizes, strict=True):
        if size > MOST_VALUES:
            raise ValueError(
                f"Column {name!r} has {size:,} distinct values, which are too many (limit "
                f"{MOST_VALUES:,}). Leave it out if it is an id, convert it if it holds numbers, "
                "or merge rare values, as untie.Preparer() does."
            )
