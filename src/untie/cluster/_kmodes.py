"""K-modes: clusters around typical rows, with any distance of values."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from untie._base import TableInput
from untie._count.grouping import Grouping
from untie._count.memory import check_dense_memory
from untie._count.packed_rows import PackedRows, distinct_rows, grid_error, on_a_grid
from untie._count.tally import CountOptions, Tally, tally_table
from untie._learn.parameters import check_handle_unknown, check_min_frequency
from untie._table import frames
from untie._table.sample_weights import check_weights
from untie._table.table import read_table
from untie._table.vocabulary import Vocabulary
from untie._util.checks import check_integer, check_one_of
from untie._util.seeds import draws_of
from untie._util.types import FloatArray
from untie._util.warn import warn_user
from untie.baselines import ValueDistance
from untie.cluster._measure import fit_distance, needs_pairs, tables_between
from untie.cluster._problem import Modes, Problem, cost
from untie.cluster._run import Run, one_row_a_cluster, run
from untie.cluster._starts import DETERMINISTIC, STARTS, given_modes

TABLE_PARAMETERS = ("categories", "handle_unknown", "min_frequency", "max_categories")
"""How a table is read; a distance that is learned from it reads it the same way."""


class KModes(ClusterMixin, TableInput):
    """K-modes clustering of a categorical table.

    Rows belong to the nearest of `n_clusters` modes, typical rows; a cluster's mode has in each
    column the value that is typical of the cluster. The cost is the sum of the rows' distances
    to their modes, and the distance of two rows the sum of the distances of their values.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, from 2 to some hundreds; time and memory grow with it.
    distance : None, str or ValueDistance, default=None
        Distance of values: None for Hamming, the name of one in `untie.baselines`, or such a
        distance. One that is not fitted is learned from the table itself, read with the
        parameters below, not with its own; one that is fitted (on the same columns) is used as
        it is.
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
    random_state : int, RandomState or None, default=None
        Seed of the starts, and of the rows that are moved into empty clusters; None is 0.
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
    distance_ : ValueDistance
        The fitted distance.
    vocabulary_ : Vocabulary
        The values of each column.

    See Also
    --------
    untie.TableClusterer : Clusters of rows by the vectors of a TableEncoder.
    untie.baselines.ValueDistance : Base of the distances, for one of your own.

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
    >>> KModes(2, distance="Ahmad", init=[["red", "wine"], ["brown", "beer"]]).fit(table).modes()
          x0    x1
    0    red  wine
    1  brown  beer
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        distance: str | ValueDistance | None = None,
        init: Any = "huang",
        n_init: int = 10,
        mode: str = "frequency",
        max_iter: int = 100,
        random_state: Any = None,
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
        sample_weight : array of shape (n_rows,), optional
            How often each row counts.

        Returns
        -------
        self
        """
        self._check_parameters()
        table = read_table(X)
        options = {name: getattr(self, name) for name in TABLE_PARAMETERS}
        counting = CountOptions(
            sample_weight,
            self.categories,
            self.min_frequency,
            self.max_categories,
            with_pairs=needs_pairs(self.distance),
        )
        counted = tally_table(table, counting)
        check_dense_memory(counted.counts.sizes, table.names)
        self._report(table, counted.grouping, counted.unknown)
        distance = fit_distance(self.distance, table, counted, options)
        exact = tables_between(distance, counted.grouping.vocabulary)
        tables = on_a_grid(exact)
        problem = _problem(counted, tables, int(self.n_clusters), self.mode == "median")
        best = self._best_run(problem, counted.grouping)
        self._remember(table)
        self.grouping_ = counted.grouping
        self._tables, self._modes = tables, best.modes
        self.vocabulary_ = counted.grouping.vocabulary
        self.distance_ = distance
        self.cost_ = cost(problem.rows, exact, best.labels, best.modes)
        self.n_iter_ = best.n_iter
        self.cluster_centers_ = _values_of(best.modes, self.vocabulary_)
        self.labels_ = self._label(
            X, table.n_rows, sample_weight, best.labels[problem.rows.positions]
        )
        return self

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Return the cluster of each row: that of the nearest mode, the first of equal ones.

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
        """Return minus the cost: the weighted sum of the rows' distances to the nearest modes.

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

    def modes(self) -> Any:
        """Return the modes as a table.

        Returns
        -------
        frame
            One row per cluster: the labels of its mode's values.
        """
        check_is_fitted(self)
        columns = {
            name: [self.vocabulary_.labels(attribute)[code] for code in self._modes[:, attribute]]
            for attribute, name in enumerate(self.vocabulary_.columns)
        }
        return frames.make_frame(self.library_, columns)

    @property
    def inertia_(self) -> float:
        """The cost, by the name that it has in scikit-learn."""
        check_is_fitted(self)
        return self.cost_

    def _nearest(self, X: Any) -> tuple[NDArray[np.intp], FloatArray]:
        """Return each row's nearest mode and how far it is."""
        rows = PackedRows(self._codes(X), [len(table) for table in self._tables])
        return rows.nearest(self._tables, self._modes, grid_error(self._tables))

    def _best_run(self, problem: Problem, grouping: Grouping) -> Run:
        given = None
        if not isinstance(self.init, str):
            given = given_modes(self.init, problem.n_clusters, grouping)
        n_distinct = len(problem.rows)
        if n_distinct <= problem.n_clusters:
            if n_distinct < problem.n_clusters:
                warn_user(
                    f"The table has {n_distinct} distinct rows but {problem.n_clusters} clusters "
                    "are asked for; those left over are empty. Lower n_clusters.",
                    ConvergenceWarning,
                )
            return one_row_a_cluster(problem)
        rng = draws_of(self.random_state)
        n_runs = 1 if given is not None or self.init in DETERMINISTIC else int(self.n_init)
        runs = (
            run(
                problem,
                STARTS[self.init](problem, rng) if given is None else given,
                int(self.max_iter),
                rng,
            )
            for _ in range(n_runs)
        )
        best = min(runs, key=lambda outcome: outcome.cost)  # the first of equal ones
        if not best.settled:
            warn_user(
                f"The labels still changed after max_iter={self.max_iter} assignments; raise it.",
                ConvergenceWarning,
            )
        return best

    def _label(
        self, X: Any, n_rows: int, sample_weight: Any, found: NDArray[np.intp]
    ) -> NDArray[np.int32]:
        """Return a label for every row, those without weight, which did not count, included."""
        keep = check_weights(sample_weight, n_rows)[1]
        if keep is None:
            return found.astype(np.int32)
        labels = self.predict(X)
        labels[keep] = found
        return labels

    def _check_parameters(self) -> None:
        for name in ("n_clusters", "n_init", "max_iter"):
            check_integer(name, getattr(self, name))
        check_one_of("mode", self.mode, ("frequency", "median"))
        if isinstance(self.init, str) and self.init not in STARTS:
            raise ValueError(
                f"init must be one of {list(STARTS)} or a table of modes, got {self.init!r}."
            )
        check_handle_unknown(self.handle_unknown)
        check_min_frequency(self.min_frequency, self.max_categories)


def _problem(counted: Tally, tables: list[FloatArray], n_clusters: int, median: bool) -> Problem:
    assert counted.rows is not None  # they were read just now
    counts = counted.counts
    widths = [len(table) for table in tables]
    return Problem(
        distinct_rows(counted.rows.codes, widths, counted.rows.weights),
        tables,
        np.split(counts.frequencies, counts.offsets[1:-1]),
        n_clusters,
        median,
    )


def _values_of(modes: Modes, vocabulary: Vocabulary) -> NDArray[np.object_]:
    """Return the values that modes stand for; shape (n_clusters, n_attributes)."""
    values = frames.value_arrays(vocabulary.values)
    return np.stack([array[codes] for array, codes in zip(values, modes.T, strict=True)], axis=1)
