"""One table by several methods: the same clusters asked of all, the same scores."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import RandomState
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score
from threadpoolctl import threadpool_limits

from untie._count.counts import Counts, count
from untie._count.packed_rows import Distinct, distinct_rows
from untie._count.row_sample import RowSample
from untie._learn import memory
from untie._learn.columns.attributes import Attributes
from untie._learn.parameters import AUTO
from untie._learn.selection.choose_k import adjusted_rand, clustering_f_score
from untie._learn.selection.cluster_gain import gain_of, shortened
from untie._learn.spaces.value_tables import Dense
from untie._learn.vectors import look_up_tables
from untie._table.column_codes import is_missing
from untie._table.frames import make_frame, rows_at
from untie._table.rows import check_weights, learn_vocabulary, split_weights, taken_from
from untie._table.table import read_table
from untie._util.checks import check_integer, draws_of
from untie._util.threads import in_threads, one_thread
from untie._util.types import AnyArray, Codes, FloatArray, IntArray
from untie.cluster import KModes, KPrototypes, LatentClasses
from untie.clusterer import TableClusterer, fit_prepared
from untie.decomposition import MCA
from untie.preparer import Preparer, binned_numbers, unfitted_preparer
from untie.untie_method import UNTIE

__all__ = ["Comparison", "compare"]


def __dir__() -> list[str]:
    return __all__


MOST_ROWS = 10_000
"""At most this many rows are clustered, drawn at random from larger tables."""

N_INIT = 10
"""Number of starts of k-means and k-modes."""

MOST_FILLED = 0.2
"""Share of numbers other than 0 up to which long vectors are sparse."""

LARGEST_NUMBER = 1e100
"""Numbers beyond this count as missing, as their squares may be infinite."""


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """Distinct rows of a table.

    Parameters
    ----------
    frame : frame
        The distinct rows.
    weights : array of shape (n_distinct,)
        How often each counts.
    members : integer array of shape (n_rows,)
        Which of them each row is.
    answers : array of shape (n_rows,) or None
        The right cluster of each row.
    numbers : dict of arrays of shape (n_distinct,)
        By the position of some columns, the numbers that ranges were made of: their mean, where
        several rows are the same.
    codes : list of integer arrays of shape (n_distinct,)
        The distinct rows, in the codes of the table's values.
    sizes : tuple of int
        Number of values of each attribute.
    backend : str
        The library of the table.
    preparer : Preparer or None
        Fitted; has made the rows.
    """

    frame: Any
    weights: FloatArray
    members: IntArray
    answers: AnyArray | None
    numbers: dict[int, FloatArray]
    codes: Codes
    sizes: tuple[int, ...]
    backend: str
    preparer: Preparer | None = None

    @cached_property
    def counts(self) -> Counts:
        """Counts of the distinct rows, in the codes of the table's values."""
        return count(self.codes, self.sizes, self.weights)


def read_rows(
    data: Any,
    sample_weight: Any,
    y: Any,
    rng: RandomState,
    numbers: Mapping[str, Any] | None = None,
    preparer: Preparer | None = None,
) -> ComparedRows:
    """Return the distinct rows of a table, or of some of its rows where there are very many."""
    table = read_table(data)
    answers = None if y is None else np.asarray(y, dtype=object)
    if answers is not None and answers.shape != (table.n_rows,):
        raise ValueError(f"y has shape {answers.shape}, but the table has {table.n_rows} rows.")
    weights, keep = check_weights(sample_weight, table.n_rows)
    chosen = np.arange(table.n_rows) if keep is None else np.flatnonzero(keep)
    weights = np.ones(len(chosen)) if weights is None else weights
    if len(chosen) > MOST_ROWS:
        drawn = np.sort(rng.permutation(len(chosen))[:MOST_ROWS])
        chosen, weights = chosen[drawn], weights[drawn]
    vocabulary, encoded = learn_vocabulary(table)
    codes = [column[chosen] for column in encoded.codes]
    kinds = distinct_rows(codes, vocabulary.sizes, weights)
    frame = rows_at(table.source, chosen[kinds.first])
    answers = None if answers is None else answers[chosen]
    means = {
        table.names.index(name): _means(np.asarray(cells, dtype=float)[chosen], kinds, weights)
        for name, cells in (numbers or {}).items()
    }
    found = (kinds.weights, kinds.positions, answers, means)
    return ComparedRows(frame, *found, kinds.codes, vocabulary.sizes, table.backend, preparer)


def _means(cells: FloatArray, kinds: Distinct, weights: FloatArray) -> FloatArray:
    """Return the mean number of each distinct row; NaN where all are missing."""
    is_known = np.abs(cells) <= LARGEST_NUMBER  # False for NaN
    known = np.where(is_known, weights, 0.0)
    sums = np.bincount(kinds.positions, known * np.where(is_known, cells, 0.0))
    totals = np.bincount(kinds.positions, known)
    return np.divide(sums, totals, out=np.full(len(totals), np.nan), where=totals > 0)


def resample(weights: FloatArray, n_resamples: int, rng: RandomState) -> list[FloatArray]:
    """Draw as many rows as there are, each time anew."""
    n_draws = max(len(weights), round(float(weights.sum())))
    shares = weights / weights.sum()
    return [rng.multinomial(n_draws, shares).astype(float) for _ in range(n_resamples)]


Partition = Callable[[FloatArray], IntArray]
"""Weights of the distinct rows -> the cluster of each; rows of weight 0 are not learned from."""


def by_clusterer(fitted: TableClusterer, rows: ComparedRows, seed: int) -> Partition:
    """Return the clusters of a fitted TableClusterer; of rows drawn anew, those it makes of them.

    They are made in the same way, of vectors or of axes, with the encoder that is fitted.
    """
    encoder, choice = fitted.encoder_, fitted.k_choice_
    codes = encoder._codes(rows.frame)

    def by_fitting(weights: FloatArray) -> IntArray:
        again = fitted
        if weights is not rows.weights:  # which the clusters are of
            again = TableClusterer(
                fitted.n_clusters_,
                preparer=None,
                n_init=fitted.n_init,
                max_iter=fitted.max_iter,
                random_state=seed,
            )
            again._fit_codes(encoder, codes, weights, choice)
        return np.asarray(again._label(codes), dtype=np.intp)

    return by_fitting


def by_estimator(estimator: Any, frame: Any) -> Partition:
    """Return the clusters of an estimator, which is fitted on the rows that count."""

    def by_fitting(weights: FloatArray) -> IntArray:
        drawn = np.flatnonzero(weights)
        fitted = clone(estimator).fit(rows_at(frame, drawn), sample_weight=weights[drawn])
        return np.asarray(fitted.predict(frame), dtype=np.intp)

    return by_fitting


def by_means(vectors: FloatArray, weights: FloatArray, n_clusters: int, seed: int) -> Partition:
    """Return the clusters of k-means of vectors."""
    points = _points(vectors, weights)

    def by_k_means(weights: FloatArray) -> IntArray:
        drawn = np.flatnonzero(weights)
        means = KMeans(n_clusters, n_init=N_INIT, random_state=seed)
        with threadpool_limits(1, user_api="openmp"):  # the same sums in the same order
            means.fit(points[drawn], sample_weight=weights[drawn])
            return np.asarray(means.predict(points), dtype=np.intp)

    return by_k_means


def one_hot(rows: ComparedRows) -> FloatArray:
    """Return a column for each value: 1 where a row has it."""
    tables = [Dense(np.eye(size)) for size in rows.sizes]
    return look_up_tables(tables, rows.counts).rows(rows.codes, np.float64)


def _points(vectors: FloatArray, weights: FloatArray) -> Any:
    """Return vectors with the same distances, in the form that k-means is fastest with."""
    # A column with very many values makes vectors long, and nearly all of their numbers 0.
    if vectors.shape[1] > memory.LARGE and np.count_nonzero(vectors) < MOST_FILLED * vectors.size:
        return sparse.csr_matrix(vectors)
    return shortened(vectors - weights @ vectors / weights.sum())


SILHOUETTE_ROWS = 2_000
"""Silhouettes are computed from at most this many rows, and all their distances."""

UNTIE_VALUES = 1_000
"""UNTIE, which takes long for many values, is left out for tables with more than this."""

Method = Callable[[ComparedRows, int, int], Partition]
"""Takes the rows, the number of clusters and a seed."""


def _table_clusterer(rows: ComparedRows, k: int, seed: int) -> Partition:
    clusterer = TableClusterer(k, preparer=None, random_state=seed)
    fitted = fit_prepared(clusterer, rows.frame, rows.weights, rows.preparer)
    return by_clusterer(fitted, rows, seed)


def _untie(rows: ComparedRows, k: int, seed: int) -> Partition:
    encoder = UNTIE(k, solver="exact", random_state=seed)
    vectors = encoder.fit(rows.frame, sample_weight=rows.weights).transform(rows.frame)
    return by_means(np.asarray(vectors, dtype=float), rows.weights, k, seed)


def _axes(rows: ComparedRows, n_axes: int) -> FloatArray:
    axes: FloatArray = MCA(n_axes).fit_transform(rows.frame, sample_weight=rows.weights)
    return axes


def _k_prototypes(rows: ComparedRows, k: int, seed: int) -> Partition:
    columns = [rows.numbers.get(place, codes) for place, codes in enumerate(rows.codes)]
    names = [place for place in range(len(columns)) if place not in rows.numbers]
    estimator = KPrototypes(k, categorical=names, n_init=N_INIT, random_state=seed)
    return by_estimator(estimator, np.column_stack(columns))


METHODS: dict[str, Method] = {
    "TableClusterer": _table_clusterer,
    "UNTIE": _untie,
    "one-hot": lambda rows, k, seed: by_means(one_hot(rows), rows.weights, k, seed),
    "MCA": lambda rows, k, seed: by_means(_axes(rows, max(k - 1, 2)), rows.weights, k, seed),
    "k-modes": lambda rows, k, seed: by_estimator(
        KModes(k, n_init=N_INIT, random_state=seed), rows.frame
    ),
    "k-prototypes": _k_prototypes,
    "latent classes": lambda rows, k, seed: by_estimator(
        LatentClasses(k, n_init=N_INIT, random_state=seed), rows.frame
    ),
}
"""The methods by name; the vectors of UNTIE, one-hot and MCA are clustered by k-means."""


@dataclass(frozen=True)
class Scores:
    """How good a method's clusters are.

    Parameters
    ----------
    method : str
        Its name.
    gain : float
        Description gain: by how many nats per row its clusters describe the table better than none.
    silhouette : float
        Mean silhouette by the share of columns in which rows differ, from -1 to 1.
    stability : float
        Mean adjusted Rand index of its clusters and those of resampled rows; 1 is the same.
    f_score, ari : float or None
        Clustering F and adjusted Rand index with the label, if there is one.
    """

    method: str
    gain: float
    silhouette: float
    stability: float
    f_score: float | None = None
    ari: float | None = None


@dataclass(frozen=True)
class Comparison:
    """The scores of all methods.

    Parameters
    ----------
    n_clusters : int
        Number of clusters asked of each.
    n_rows : int
        Rows that were compared; fewer than the table's if it is large.
    scores : tuple of Scores
        In the order of the methods.
    skipped : tuple of str
        Methods that were left out, and why.
    backend : str
        The library of `table`.

    Examples
    --------
    >>> from untie.comparison import compare
    >>> from untie.datasets import load
    >>> X, y = load("zoo")
    >>> comparison = compare(X, 7, methods=["TableClusterer", "k-modes"])
    >>> comparison.n_rows, comparison.skipped
    (101, ())
    >>> comparison.table()[["method", "stability"]].round(1)
               method  stability
    0  TableClusterer        0.9
    1         k-modes        0.6
    """

    n_clusters: int
    n_rows: int
    scores: tuple[Scores, ...]
    skipped: tuple[str, ...]
    backend: str = "pandas"

    def table(self) -> Any:
        """Return the scores as a table.

        Returns
        -------
        frame
            One row per method: method, gain, silhouette, stability and, where there is a label,
            f_score and ari; the more the better.
        """
        names = [field.name for field in fields(Scores)]
        if all(score.f_score is None for score in self.scores):
            names = names[:4]
        columns = {name: [getattr(score, name) for score in self.scores] for name in names}
        return make_frame(self.backend, columns)


def compare(
    data: Any,
    n_clusters: int | str,
    *,
    y: Any = None,
    sample_weight: Any = None,
    preparer: Preparer | str | None = "auto",
    methods: Iterable[str] | None = None,
    n_resamples: int = 5,
    random_state: Any = 0,
) -> Comparison:
    """Cluster a table with several methods and score the clusters.

    Parameters
    ----------
    data : table of shape (n_rows, n_columns)
        In memory. From more than 10,000 rows, 10,000 are drawn.
    n_clusters : int or "auto"
        Number of clusters, at least 2, the same for all methods. "auto" takes the number that
        ``TableClusterer()`` chooses, whose clusters may then be made of axes (`KChoice.made_of`);
        those of ``TableClusterer(3)`` never are.
    y : array of shape (n_rows,) or str, optional
        The right answer, to score the clusters with, or the column that has it, which is not
        learned from; rows where it is missing do not count there.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so.
    preparer : "auto", Preparer or None, default="auto"
        Prepares the table for all methods, as in `TableClusterer`; None takes it as it is.
    methods : iterable of str, optional
        Some of "TableClusterer", "UNTIE", "one-hot", "MCA", "k-modes", "k-prototypes" and "latent
        classes"; all by default, but "k-prototypes" only if the preparer makes ranges of numbers.
        UNTIE is left out if there are more than 1,000 values.
    n_resamples : int, default=5
        Number of resamples that stability is the mean over, from 1 to 20. Every method clusters
        each of them anew, so the time grows with it.
    random_state : int, RandomState or None, default=0
        Seed of everything that is drawn; None is 0.

    Returns
    -------
    Comparison
        ``table()`` makes a frame of it; `skipped` names the methods that were left out.

    Raises
    ------
    ValueError
        If the table has fewer distinct rows than `n_clusters`.

    Examples
    --------
    >>> from untie.comparison import compare
    >>> from untie.datasets import load
    >>> X, y = load("zoo")
    >>> compare(X, 7, y=y, methods=["TableClusterer", "one-hot"]).table().columns.tolist()
    ['method', 'gain', 'silhouette', 'stability', 'f_score', 'ari']
    """
    data, y = split_weights(data, taken_from(read_table(data), y), "y")
    data, sample_weight = split_weights(data, sample_weight)
    fresh = unfitted_preparer(preparer)
    numbers: dict[str, FloatArray] = {}
    if fresh is not None:
        frame = fresh.fit_transform(data, sample_weight=sample_weight)
        numbers, data = binned_numbers(fresh, data), frame
    return compare_prepared(
        data,
        n_clusters,
        y=y,
        sample_weight=sample_weight,
        numbers=numbers,
        preparer=fresh,
        methods=methods,
        n_resamples=n_resamples,
        random_state=random_state,
    )


def compare_prepared(
    data: Any,
    n_clusters: int | str,
    *,
    y: Any,
    sample_weight: Any,
    numbers: Mapping[str, Any] | None = None,
    preparer: Preparer | None = None,
    methods: Iterable[str] | None = None,
    clusterer: TableClusterer | None = None,
    n_resamples: int = 5,
    random_state: Any = 0,
    watch: Callable[[list[str]], Iterable[str]] | None = None,
) -> Comparison:
    """Compare methods on prepared rows in memory; parameters that are not here are of `compare`.

    Parameters
    ----------
    data : table of shape (n_rows, n_columns)
        Prepared, without columns of answers or weights.
    n_clusters, methods, n_resamples, random_state
        As in `compare`.
    y, sample_weight : array of shape (n_rows,) or None
        The answer, and how often each row counts.
    numbers : mapping from names to arrays of shape (n_rows,), optional
        The numbers of columns that have ranges, for "k-prototypes".
    preparer : Preparer, optional
        Fitted; has prepared the rows.
    clusterer : TableClusterer, optional
        Fitted, with `n_clusters` clusters: what "TableClusterer" is; without it one is fitted.
    watch : callable, optional
        Takes the methods and gives them one after another, to show progress.
    """
    check_integer("n_resamples", n_resamples)
    if n_clusters != AUTO:
        check_integer("n_clusters", n_clusters, 2, "an integer of at least 2, or 'auto'")
    able = [name for name in METHODS if numbers or name != "k-prototypes"]
    chosen = able if methods is None else list(methods)
    unknown = [name for name in chosen if name not in METHODS]
    if unknown:
        raise ValueError(f"There is no method {unknown[0]!r}; choose among {list(METHODS)}.")
    if "k-prototypes" in chosen and not numbers:
        raise ValueError(
            "'k-prototypes' compares numbers, and the table has no column of them that was "
            "prepared; leave it out, or pass the table as it is, with preparer='auto'."
        )
    rng = draws_of(random_state)
    # The given seed is that of the methods, so that they find what they find alone.
    is_seed = random_state is None or isinstance(random_state, Integral)
    seed = int(random_state or 0) if is_seed else int(rng.randint(2**31 - 1))
    if n_clusters == AUTO:
        clusterer = TableClusterer(preparer=None, random_state=seed)
        n_clusters = fit_prepared(clusterer, data, sample_weight, preparer).n_clusters_
    k = int(n_clusters)
    rows = read_rows(data, sample_weight, y, rng, numbers, preparer)
    if len(rows.weights) < k:
        raise ValueError(
            f"The table has {len(rows.weights)} distinct rows, too few for {k} clusters; "
            "ask for fewer."
        )
    skipped = []
    n_values = int(np.count_nonzero(rows.counts.frequencies))
    if "UNTIE" in chosen and n_values > UNTIE_VALUES:
        chosen.remove("UNTIE")
        skipped.append(f"UNTIE, as it takes long for {n_values:,} values")
    draws = resample(rows.weights, n_resamples, rng)
    n_fewest = min(int(np.count_nonzero(weights)) for weights in draws)
    if n_fewest < k:  # some rows are drawn twice
        raise ValueError(
            f"Methods are compared on rows drawn anew, of which {n_fewest} are distinct: too few "
            f"for {k} clusters; ask for fewer."
        )
    judge = _ClusterScores(rows, seed)
    scores = []
    for name in watch(chosen) if watch else chosen:
        if name == "TableClusterer" and clusterer is not None:
            partition = by_clusterer(clusterer, rows, seed)
        else:
            partition = METHODS[name](rows, k, seed)
        scores.append(judge.score(name, partition, draws))
    return Comparison(k, len(rows.members), tuple(scores), tuple(skipped), rows.backend)


class _ClusterScores:
    """Scores clusters of the rows of one table.

    Parameters
    ----------
    rows : ComparedRows
        The rows.
    seed : int
        For the rows that silhouettes are computed of.
    """

    def __init__(self, rows: ComparedRows, seed: int) -> None:
        self.rows = rows
        self.codes = np.column_stack(rows.codes).astype(np.int64)
        numbers = np.arange(len(self.codes), dtype=np.uint64)
        self.gain = gain_of(RowSample(numbers, self.codes, rows.weights), Attributes(rows.counts))
        n_rows = len(rows.members)
        self.looked_at = np.sort(RandomState(seed).permutation(n_rows)[:SILHOUETTE_ROWS])

    def score(self, name: str, partition: Partition, draws: list[FloatArray]) -> Scores:
        """Return the scores of a method."""
        rows = self.rows
        with one_thread():  # each of them uses one core
            labels, *found = in_threads(partition, [rows.weights, *draws])
        again = [adjusted_rand(labels, others, rows.weights) for others in found]
        f_score, ari = None, None
        if rows.answers is not None:
            known = np.array([not is_missing(answer) for answer in rows.answers])
            truth, clusters = rows.answers[known], labels[rows.members][known]
            f_score = clustering_f_score(truth, clusters)
            ari = float(adjusted_rand_score(truth.astype(str), clusters))
        gain = self.gain(labels, len(np.unique(labels)))
        return Scores(name, gain, self._silhouette(labels), float(np.mean(again)), f_score, ari)

    def _silhouette(self, labels: IntArray) -> float:
        members = self.rows.members[self.looked_at]
        n_found = len(np.unique(labels[members]))
        if not 1 < n_found < len(members):
            return float("nan")
        return float(silhouette_score(self.codes[members], labels[members], metric="hamming"))
