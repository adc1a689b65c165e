"""K-modes: clusters around typical rows, with any distance of values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from untie._base import TableInput
from untie._count.counts import Counts
from untie._count.grouping import Grouping
from untie._count.memory import refuse_large
from untie._count.packed_rows import Distinct, PackedRows, distinct_rows, grid_error, on_a_grid
from untie._count.tally import CountOptions, tally_table
from untie._learn.parameters import check_handle_unknown, check_min_frequency
from untie._persistence.models import Savable
from untie._table import frames
from untie._table.rows import check_weights, encode, split_weights
from untie._table.table import Table, array_names, read_table
from untie._table.vocabulary import Vocabulary
from untie._util.checks import check_integer, check_one_of, draws_of
from untie._util.messages import warn_user
from untie._util.types import AnyArray, BoolArray, Codes, FloatArray, IntArray

Modes = AnyArray
"""Codes of the modes; shape (n_clusters, n_attributes)."""

ROUNDING = 1e-12
"""Summed distances that differ by less than this share of the largest are equal."""

Distance = Callable[[Counts], Any]
"""Takes the counts of a table; returns a matrix of shape (n_values, n_values) for each column."""


@dataclass(frozen=True, eq=False)
class ModesProblem:
    """A table to cluster.

    Parameters
    ----------
    rows : Distinct
        The distinct rows and their weights.
    tables : list of arrays of shape (n_values + 1, n_values)
        Distance of each code, the last one for unknown values, to each value.
    frequencies : list of arrays of shape (n_values,)
        Weight of the rows with each value.
    n_clusters : int
        Number of clusters.
    median : bool
        Whether a mode is the value with the lowest summed distance, or the most frequent one.
    """

    rows: Distinct
    tables: list[FloatArray]
    frequencies: list[FloatArray]
    n_clusters: int
    median: bool

    rounding: ClassVar[float] = 0.0
    """Costs that differ by less than this share are equal; distances on a grid have exact sums."""

    @cached_property
    def packed(self) -> PackedRows:
        """The rows, joined for looking up."""
        return PackedRows(self.rows.codes, [len(table) for table in self.tables])

    @cached_property
    def typical(self) -> Modes:
        """The most frequent value of each attribute; shape (n_attributes,)."""
        return np.array([frequencies.argmax() for frequencies in self.frequencies])

    @cached_property
    def _counting_weights(self) -> FloatArray | None:
        return None if (self.rows.weights == 1).all() else self.rows.weights

    def modes_at(self, chosen: IntArray) -> Modes:
        """Return rows as modes, with typical values instead of unknown ones."""
        modes = np.stack([column[chosen].astype(np.intp) for column in self.rows.codes], axis=1)
        sizes = [len(frequencies) for frequencies in self.frequencies]
        return np.where(modes < sizes, modes, self.typical)

    def nearest(self, modes: Modes) -> tuple[IntArray, float]:
        """Return the rows' labels, ties to the lowest, and their cost."""
        labels, distances = self.packed.nearest(self.tables, modes, grid_error(self.tables))
        return labels, float(distances @ self.rows.weights)

    def cost(self, labels: IntArray, modes: Modes) -> float:
        """Return the weighted sum of the rows' distances to their modes."""
        return cost(self.rows, self.tables, labels, modes)

    def update(self, labels: IntArray) -> Modes:
        """Return the modes of clusters, none of which is empty."""
        counts = self.packed.count(labels, self.n_clusters, self._counting_weights)
        modes = np.empty((self.n_clusters, len(counts)), dtype=np.intp)
        for attribute, found in enumerate(counts):
            frequencies = self.frequencies[attribute]
            if self.median:
                modes[:, attribute] = medians(found, self.tables[attribute], frequencies > 0)
            else:
                known = found[:, : len(frequencies)]
                values = known.argmax(axis=1)
                modes[:, attribute] = np.where(known.any(axis=1), values, self.typical[attribute])
        return modes


def cost(rows: Distinct, tables: Sequence[FloatArray], labels: IntArray, modes: Modes) -> float:
    """Return the weighted sum of the rows' distances to their clusters' modes."""
    total = np.zeros(len(rows))
    for codes, table, values in zip(rows.codes, tables, modes.T, strict=True):
        total += table[codes, values[labels]]
    return float(total @ rows.weights)


def medians(counts: AnyArray, table: FloatArray, occurs: BoolArray) -> IntArray:
    """Return each cluster's value with the lowest summed distance to the cluster's cells.

    Of equal ones, the one that is more frequent in the cluster, then the first. Values that
    never occur are no candidates.

    Parameters
    ----------
    counts : array of shape (n_clusters, n_values + 1)
        How often each code occurs in each cluster.
    table : array of shape (n_values + 1, n_values)
        Distance of each code to each value.
    occurs : boolean array of shape (n_values,)
        Whether the table has each value.
    """
    sums = counts.astype(float) @ table
    tolerance = ROUNDING * np.abs(sums).max(axis=1, keepdims=True)
    sums[:, ~occurs] = np.inf
    is_lowest = sums <= sums.min(axis=1, keepdims=True) + tolerance
    best: IntArray = np.where(is_lowest, counts[:, :-1], -1).argmax(axis=1)
    return best


@dataclass(frozen=True, eq=False)
class ModesRun:
    """The outcome of a run.

    Parameters
    ----------
    labels : integer array of shape (n_distinct,)
        The cluster of each distinct row.
    modes : integer array of shape (n_clusters, n_attributes)
        The clusters' modes.
    cost : float
        Weighted sum of the distances to the modes.
    n_iter : int
        How often the rows were assigned.
    settled : bool
        Whether the run ended by itself, not by its limit.
    """

    labels: IntArray
    modes: Modes
    cost: float
    n_iter: int
    settled: bool


def run(problem: ModesProblem, modes: Modes, max_iter: int, rng: np.random.RandomState) -> ModesRun:
    """Assign and update in turns.

    Ends when an assignment is that of the time before. Frequent values are not the best modes
    for every distance, and then the modes can come back to where they were; the run ends
    there, too, with the cheapest of those that it would visit again and again.
    """
    costs: list[float] = []
    visited: list[Modes] = []
    places: dict[bytes, int] = {}
    assigned: IntArray | None = None
    labels = np.empty(0, dtype=np.intp)
    settled = False
    for _ in range(max_iter):
        nearest, cost = problem.nearest(modes)
        settled = assigned is not None and np.array_equal(nearest, assigned)
        if not settled:
            assigned, labels = nearest, fill_empty(problem, nearest, rng)
        places[modes.tobytes()] = len(visited)
        visited.append(modes)
        costs.append(cost)
        if settled or len(visited) == max_iter:
            break
        updated = problem.update(labels)
        if np.array_equal(updated, modes):
            settled = True
            break
        start = places.get(updated.tobytes())
        if start is not None:
            settled = True
            modes = visited[start + int(np.argmin(costs[start:]))]
            labels = fill_empty(problem, problem.nearest(modes)[0], rng)
            break
        modes = updated
    return ModesRun(labels, modes, problem.cost(labels, modes), len(visited), settled)


def fill_empty(problem: ModesProblem, labels: IntArray, rng: np.random.RandomState) -> IntArray:
    """Move a random row of the largest cluster into each empty one.

    Parameters
    ----------
    problem : ModesProblem
        A table with more distinct rows than clusters.
    labels : integer array of shape (n_distinct,)
        Clusters, some of which may be empty.
    rng : RandomState
        Draws the rows, each with a probability in proportion to its weight.
    """
    n_rows = np.bincount(labels, minlength=problem.n_clusters)
    if n_rows.all():
        return labels
    labels, weights = labels.copy(), problem.rows.weights
    for empty in np.flatnonzero(n_rows == 0):
        n_rows = np.bincount(labels, minlength=problem.n_clusters)
        sizes = np.bincount(labels, weights, minlength=problem.n_clusters)
        # A cluster of one distinct row would be empty itself without it.
        members = np.flatnonzero(labels == np.where(n_rows > 1, sizes, -1.0).argmax())
        shares = weights[members] / weights[members].sum()
        labels[rng.choice(members, p=shares)] = empty
    return labels


def best_run(
    problem: ModesProblem,
    start: Callable[[], Modes],
    n_runs: int,
    max_iter: int,
    rng: np.random.RandomState,
) -> ModesRun:
    """Return the cheapest of several runs, the first of equal ones."""
    n_distinct = len(problem.rows)
    if n_distinct <= problem.n_clusters:
        if n_distinct < problem.n_clusters:
            warn_user(
                f"The table has {n_distinct} distinct rows but {problem.n_clusters} clusters "
                "are asked for; those left over are empty. Lower n_clusters.",
                ConvergenceWarning,
            )
        return one_row_a_cluster(problem)
    best = run(problem, start(), max_iter, rng)
    for _ in range(n_runs - 1):
        found = run(problem, start(), max_iter, rng)
        if found.cost < best.cost * (1.0 - problem.rounding):
            best = found
    if not best.settled:
        warn_user(
            f"The labels still changed after max_iter={max_iter} assignments; raise it.",
            ConvergenceWarning,
        )
    return best


def one_row_a_cluster(problem: ModesProblem) -> ModesRun:
    """Make each distinct row a mode, where they are at most as many as the clusters.

    They are numbered in the order of the table. Clusters that are left over have the modes of
    the first ones once more, and no rows.
    """
    order = np.argsort(problem.rows.first)
    labels = np.empty_like(order)
    labels[order] = np.arange(len(order))
    modes = problem.modes_at(order[np.arange(problem.n_clusters) % len(order)])
    return ModesRun(labels, modes, problem.cost(labels, modes), 1, True)


Start = Callable[[ModesProblem, np.random.RandomState], Modes]


def random(problem: ModesProblem, rng: np.random.RandomState) -> Modes:
    """Draw distinct rows, each with a probability in proportion to its weight."""
    weights = problem.rows.weights
    shares = weights / weights.sum()
    chosen = rng.choice(len(weights), problem.n_clusters, replace=False, p=shares)
    return problem.modes_at(chosen)


def huang(problem: ModesProblem, rng: np.random.RandomState) -> Modes:
    """Draw each attribute's values by their frequency; take the nearest rows, none twice."""
    drawn = np.empty((problem.n_clusters, len(problem.tables)), dtype=np.intp)
    for attribute, frequencies in enumerate(problem.frequencies):
        total = frequencies.sum()
        shares = frequencies / total if total > 0 else None
        drawn[:, attribute] = rng.choice(len(frequencies), problem.n_clusters, p=shares)
    distances = problem.packed.distances(problem.tables, drawn)
    chosen = np.empty(problem.n_clusters, dtype=np.intp)
    for cluster in range(problem.n_clusters):
        chosen[cluster] = distances[:, cluster].argmin()
        distances[chosen[cluster]] = np.inf
    return problem.modes_at(chosen)


def cao(problem: ModesProblem, rng: np.random.RandomState) -> Modes:
    """Take the densest row, then rows that are dense and far from all taken; no randomness.

    A row's density is the sum of its values' frequencies. Distances are numbers of mismatches,
    whatever the distance of the clustering, which may not be 0 for equal rows. Of equally good
    rows, the first in the table is taken.
    """
    order = np.argsort(problem.rows.first)
    codes = [column[order] for column in problem.rows.codes]
    density = np.zeros(len(order))
    for column, frequencies in zip(codes, problem.frequencies, strict=True):
        density += np.append(frequencies, 0.0)[column]
    chosen = [int(density.argmax())]
    lowest = np.full(len(order), np.inf)
    while len(chosen) < problem.n_clusters:
        mismatches = np.zeros(len(order))
        for column in codes:
            mismatches += column != column[chosen[-1]]
        lowest = np.minimum(lowest, density * mismatches)
        chosen.append(int(lowest.argmax()))
    return problem.modes_at(order[chosen])


STARTS: dict[str, Start] = {"huang": huang, "cao": cao, "random": random}


def given_modes(init: Any, n_clusters: int, grouping: Grouping) -> Modes:
    """Code the modes that the user starts from.

    Parameters
    ----------
    init : table of shape (n_clusters, n_attributes)
        Values of the table that is clustered.
    n_clusters : int
        Number of clusters.
    grouping : Grouping
        The values of the table that is clustered.
    """
    codes = known_codes(read_start(init, n_clusters, grouping.raw.columns), grouping.raw)
    return np.stack(grouping.apply_to_codes(codes), axis=1).astype(np.intp)


def read_start(init: Any, n_clusters: int, columns: tuple[str, ...]) -> Table:
    """Read the rows to start from; refuse another shape, other names or another order."""
    table = read_table(init)
    shape, wanted = (table.n_rows, len(table.names)), (n_clusters, len(columns))
    if shape != wanted:
        raise ValueError(
            f"init has {shape[0]} modes of {shape[1]} values, but n_clusters={wanted[0]} and "
            f"the table has {wanted[1]} columns; pass a table of shape {wanted}."
        )
    names = tuple(getattr(nw.from_native(table.source, pass_through=True), "columns", ()))
    names = table.names if table.is_structured else names
    has_names = names and all(isinstance(name, str) for name in names)
    if has_names and columns not in (names, array_names(len(columns))):
        raise ValueError(
            f"init has the columns {names}, but the table has {columns}; name and order them as in "
            "the table."
        )
    return table


def known_codes(init: Table, vocabulary: Vocabulary) -> Codes:
    """Code rows to start from; refuse values that no row of the table has."""
    encoded = encode(init, vocabulary)
    for column, unknown in zip(vocabulary.columns, encoded.unknown, strict=True):
        if unknown:
            raise ValueError(
                f"init has the value {unknown[0]!r} in column {column!r}, which no row of "
                "the table has there; start from values of the table."
            )
    return encoded.codes


def value_distances(distance: Distance, counts: Counts) -> list[FloatArray]:
    """Return what the user's distance says of each column; shapes (n_values, n_values)."""
    found = [np.asarray(table, dtype=float) for table in distance(counts)]
    shapes, wanted = [table.shape for table in found], [(size, size) for size in counts.sizes]
    if shapes != wanted:
        raise ValueError(
            f"distance returned matrices of the shapes {shapes}; for the values of these columns "
            f"they must be {wanted}."
        )
    if not all(np.isfinite(table).all() for table in found):
        raise ValueError("distance returned numbers that are not finite.")
    return found


def with_unknown(
    distances: Sequence[FloatArray], frequencies: Sequence[FloatArray]
) -> list[FloatArray]:
    """Append the distances of an unknown value: the mean of those of the rows' own values.

    Parameters
    ----------
    distances : sequence of arrays of shape (n_values, n_values)
        The distances of each column's values.
    frequencies : sequence of arrays of shape (n_values,)
        Weight of the rows with each value.

    Returns
    -------
    list of arrays of shape (n_values + 1, n_values)
    """
    tables = []
    for table, known in zip(distances, frequencies, strict=True):
        weights = known if known.any() else np.ones_like(known)
        tables.append(np.vstack([table, (weights / weights.sum()) @ table]))
    return tables


def mismatches(frequencies: Sequence[FloatArray]) -> list[FloatArray]:
    """Return 0 for equal values and 1 for others; an unknown one is as far as the rows are.

    Parameters
    ----------
    frequencies : sequence of arrays of shape (n_values,)
        Weight of the rows with each value.

    Returns
    -------
    list of arrays of shape (n_values + 1, n_values)
    """
    return with_unknown([1.0 - np.eye(len(known)) for known in frequencies], frequencies)


class NearestCenters(ClusterMixin):
    """Base of estimators whose clusters have centers: modes or prototypes.

    A subclass has a method `_nearest`: the nearest center of each row, and how far it is.
    """

    cost_: float
    _nearest: Callable[[Any], tuple[IntArray, FloatArray]]

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Return the cluster of each row: that of the nearest center, the first of equal ones.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`.

        Returns
        -------
        integer array of shape (n_rows,)
        """
        check_is_fitted(self)
        return self._nearest(X)[0].astype(np.int32)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return minus the cost: the weighted sum of the rows' distances to the nearest centers.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`.
        y : ignored
        sample_weight : array of shape (n_rows,), optional
            How often each row counts.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        distances = self._nearest(X)[1]
        weights, keep = check_weights(sample_weight, len(distances))
        counted = distances if keep is None else distances[keep]
        return -float(counted.sum() if weights is None else weights @ counted)

    @property
    def inertia_(self) -> float:
        """The cost, by the name that it has in scikit-learn."""
        check_is_fitted(self)
        return self.cost_

    def _label(self, X: Any, keep: BoolArray | None, found: IntArray) -> NDArray[np.int32]:
        """Return a label for every row, those without weight, which did not count, included."""
        if keep is None:
            return found.astype(np.int32)
        labels = self.predict(X)
        labels[keep] = found
        return labels


@dataclass(frozen=True, eq=False)
class FittedModes:
    """What k-modes has learned.

    Parameters
    ----------
    grouping : Grouping
        The values of each column.
    distances : list of arrays of shape (n_values + 1, n_values)
        Distance of each code, the last one for unknown values, to each value.
    modes : integer array of shape (n_clusters, n_columns)
        Codes of the modes.
    """

    grouping: Grouping
    distances: list[FloatArray]
    modes: Modes

    @cached_property
    def tables(self) -> list[FloatArray]:
        """The distances, rounded so that sums of them are exact."""
        return on_a_grid(self.distances)

    def nearest(self, codes: Codes) -> tuple[IntArray, FloatArray]:
        """Return each row's nearest mode and how far it is."""
        rows = PackedRows(codes, [len(table) for table in self.tables])
        return rows.nearest(self.tables, self.modes, grid_error(self.tables))


class KModes(Savable, NearestCenters, TableInput):
    """K-modes clustering of a categorical table.

    Rows belong to the nearest of `n_clusters` modes, typical rows; a cluster's mode has in each
    column the value that is typical of the cluster. The cost is the sum of the rows' distances
    to their modes, and the distance of two rows the sum of the distances of their values.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, from 2 to some hundreds; time and memory grow with it.
    distance : None or function, default=None
        Distance of two values of a column. None counts mismatches: 0 for equal values, 1 for
        different ones. A function takes the `Counts` of the table and returns, for each column, a
        symmetric matrix of shape (n_values, n_values); counting pairs of values takes more time.
    init : {"huang", "cao", "random"} or table of shape (n_clusters, n_columns), default="huang"
        The first modes: rows near values drawn by their frequency; dense rows that are far from
        each other, without randomness; random distinct rows; or the modes themselves.
    n_init : int, default=10
        Number of runs with different starts, of which the cheapest is kept; 1 to 20. The time grows
        with it. Cao's start and given modes are the same every time and are run once.
    mode : {"frequency", "median"}, default="frequency"
        The value of a mode: the most frequent in the cluster, or the one with the lowest sum of
        distances to the cluster's values. They are the same for Hamming; for other distances the
        cost never rises with "median", and "frequency" is what was published.
    max_iter : int, default=100
        At most this many assignments per run; most runs end after a few.
    random_state : int, RandomState or None, default=0
        Seed of the starts, and of the rows that are moved into empty clusters; None is 0 as well.
    categories : "auto" or list of lists, default="auto"
        The values of each column, if they are known beforehand.
    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="ignore"
        What to do about a value not seen in `fit`; an ignored one is neutral: its distance to a
        value is the mean distance of the rows' own values to it.
    min_frequency : int or float, default=None
        Values with less weight (int, such as 5) or a lower share of it (float, such as 0.01) are
        merged into one per column.
    max_categories : int, default=None
        At most this many values per column, such as 100; the rarest are merged into one of them.
        Memory grows with the square of the number of all values.

    Attributes
    ----------
    labels_ : array of shape (n_rows,)
        The cluster of each row.
    cluster_centers_ : array of shape (n_clusters, n_columns)
        The modes: values of the table, None for a missing one. `modes()` makes a frame of them.
    cost_ : float
        Weighted sum of the rows' distances to their modes; also as `inertia_`.
    n_iter_ : int
        Assignments of the run that was kept.
    distances_ : list of arrays of shape (n_values, n_values)
        The distances of each column's values.
    vocabulary_ : Vocabulary
        The values of each column.
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : array of shape (`n_features_in_`,)
        Their names, if the table has names.

    See Also
    --------
    KPrototypes : The same for tables with numbers.
    LatentClasses : Clusters with probabilities.
    untie.Counts : What a distance of your own is made of.
    untie.TableClusterer : Learns which columns matter, and chooses the number of clusters.

    Notes
    -----
    A row that is equally near to several modes belongs to the first. Equal rows always have
    equal labels, and a row of weight 3 counts as three equal rows. An empty cluster is given a
    random row of the largest one; where distances do not tell rows apart, that row is then in
    its cluster in `labels_`, but in the first of the nearest in `predict`. A table with fewer
    distinct rows than clusters has each of them as a mode; clusters that are left over repeat
    the first modes, stay empty, and a warning says so.

    While rows are compared with modes, distances are rounded to 2^-40 of the largest, so that
    sums do not depend on the order of columns; sums that differ by less than this rounding are
    ties.

    References
    ----------
    Z. Huang, Extensions to the k-means algorithm for clustering large data sets with categorical
    values, Data Mining and Knowledge Discovery 2, 283-304, 1998.

    F. Cao, J. Liang and L. Bai, A new initialization method for categorical data clustering, Expert
    Systems with Applications 36, 10223-10228, 2009.

    Examples
    --------
    >>> from untie.cluster import KModes
    >>> table = [["red", "wine"], ["white", "wine"], ["red", "wine"], ["brown", "beer"]]
    >>> kmodes = KModes(2, random_state=0).fit(table)
    >>> kmodes.cost_
    1.0
    >>> kmodes.predict([["pale", "beer"]]) == kmodes.labels_[3]
    array([ True])
    >>> KModes(2, init=[["red", "wine"], ["brown", "beer"]]).fit(table).modes()
          x0    x1
    0    red  wine
    1  brown  beer

    A distance of your own: frequent values are farther from each other.

    >>> def by_frequency(counts):
    ...     spans = [counts.span(column) for column in range(len(counts.sizes))]
    ...     shares = [counts.frequencies[span] / counts.n for span in spans]
    ...     return [(1 - np.eye(len(p))) * np.add.outer(p, p) for p in shares]
    >>> KModes(2, distance=by_frequency, random_state=0).fit(table).distances_[1]
    array([[0., 1.],
           [1., 0.]])
    """

    _kind = "kmodes"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        distance: Distance | None = None,
        init: Any = "huang",
        n_init: int = 10,
        mode: str = "frequency",
        max_iter: int = 100,
        random_state: Any = 0,
        categories: Any = "auto",
        handle_unknown: str = "ignore",
        min_frequency: float | None = None,
        max_categories: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.distance = distance
        self.init = init
        self.n_init = n_init
        self.mode = mode
        self.max_iter = max_iter
        self.random_state = random_state
        self.categories = categories
        self.handle_unknown = handle_unknown
        self.min_frequency = min_frequency
        self.max_categories = max_categories

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
        counting = CountOptions(
            sample_weight,
            self.categories,
            self.min_frequency,
            self.max_categories,
            with_pairs=self.distance is not None,
        )
        counted = tally_table(table, counting)
        sizes = counted.counts.sizes
        refuse_large(24 * sum(sizes) ** 2, sizes, "learning from their pairs", table.names)
        self._report(table, counted.grouping, counted.unknown)
        counts = counted.counts
        frequencies = np.split(counts.frequencies, counts.offsets[1:-1])
        if self.distance is None:
            exact = mismatches(frequencies)
        else:
            exact = with_unknown(value_distances(self.distance, counts), frequencies)
        tables = on_a_grid(exact)
        assert counted.rows is not None  # they were read just now
        rows = distinct_rows(counted.rows.codes, list(map(len, tables)), counted.rows.weights)
        n_clusters, rng = int(self.n_clusters), draws_of(self.random_state)
        problem = ModesProblem(rows, tables, frequencies, n_clusters, self.mode == "median")
        if isinstance(self.init, str):
            start: Callable[[], Modes] = partial(STARTS[self.init], problem, rng)
            n_runs = 1 if self.init == "cao" else int(self.n_init)
        else:
            start, n_runs = partial(given_modes, self.init, n_clusters, counted.grouping), 1
            start()  # which refuses modes that are none
        best = best_run(problem, start, n_runs, int(self.max_iter), rng)
        self._remember(table)
        self._adopt(FittedModes(counted.grouping, exact, best.modes))
        self.cost_ = cost(problem.rows, exact, best.labels, best.modes)
        self.n_iter_ = best.n_iter
        keep = check_weights(sample_weight, table.n_rows)[1]
        self.labels_ = self._label(X, keep, best.labels[rows.positions])
        return self

    def modes(self) -> Any:
        """Return the modes as a table.

        Returns
        -------
        frame
            One row per cluster: the labels of its mode's values.
        """
        check_is_fitted(self)
        modes = self._model.modes
        columns = {
            name: [self.vocabulary_.labels(attribute)[code] for code in modes[:, attribute]]
            for attribute, name in enumerate(self.vocabulary_.columns)
        }
        return frames.make_frame(self._library, columns)

    def _restore(self, learned: dict[str, Any]) -> None:
        model = FittedModes(**vars(learned.pop("_model")))
        super()._restore(learned)
        self._adopt(model)

    def _adopt(self, model: FittedModes) -> None:
        self._model, self._grouping = model, model.grouping
        self.vocabulary_ = model.grouping.vocabulary
        self.distances_ = [table[:-1] for table in model.distances]
        self.cluster_centers_ = _values_of(model.modes, self.vocabulary_)

    def _nearest(self, X: Any) -> tuple[IntArray, FloatArray]:
        """Return each row's nearest mode and how far it is."""
        return self._model.nearest(self._codes(X))

    def _check_parameters(self) -> None:
        for name in ("n_clusters", "n_init", "max_iter"):
            check_integer(name, getattr(self, name))
        check_one_of("mode", self.mode, ("frequency", "median"))
        if isinstance(self.init, str) and self.init not in STARTS:
            raise ValueError(
                f"init must be one of {list(STARTS)} or a table of modes, got {self.init!r}."
            )
        is_class = isinstance(self.distance, type)
        if self.distance is not None and (is_class or not callable(self.distance)):
            raise ValueError(
                "distance must be None, which counts mismatches, or a function of the counts that "
                f"returns a matrix for each column, got {self.distance!r}."
            )
        check_handle_unknown(self.handle_unknown)
        check_min_frequency(self.min_frequency, self.max_categories)


def _values_of(modes: Modes, vocabulary: Vocabulary) -> NDArray[np.object_]:
    """Return the values that modes stand for; shape (n_clusters, n_attributes)."""
    values = frames.value_arrays(vocabulary.values)
    return np.stack([array[codes] for array, codes in zip(values, modes.T, strict=True)], axis=1)
