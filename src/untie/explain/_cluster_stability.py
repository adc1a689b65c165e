"""Whether clusters come back when rows are drawn anew, and whether there are gaps between them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.random import RandomState

from untie._count.counts import number_of_draws
from untie._count.crosstab import cross_table
from untie._count.row_sample import RowSample, in_canonical_order, row_numbers
from untie._inputs import ClusteredRows, FittedTable, as_fitted
from untie._learn.clustering.lloyd import count_distinct, sample_vectors, weighted_quantile
from untie._learn.clustering.points import VECTORS, PointsOf, of_vectors
from untie._learn.selection.choose_k import distances_of
from untie._learn.selection.k_choice import CONTINUUM, SURE
from untie._table import frames
from untie._table.table import NO_WEIGHT
from untie._util.arrays import ROUNDING
from untie._util.checks import check_integer, draws_of
from untie._util.k_means import best_labels
from untie._util.types import BoolArray, FloatArray, IntArray, LongArray

MOST_ROWS = 2_000
"""Resamples are drawn from at most this many rows."""

N_RESAMPLES = 20
"""Number of resamples, if none is named."""

DRAWS = 1_000
"""A resample has at most this many rows."""

N_STARTS = 5
"""Number of starts of k-means for each resample."""

WORDS = ((0.85, "stable"), (0.75, "fairly stable"), (0.6, "doubtful"), (0.0, "dissolves"))
"""The lowest stability of each verdict; the bounds are those of Hennig (2007)."""


WIDTH = 0.3
"""Rows are counted within this share of the way from one cluster's middle to the other's."""

MOST_BETWEEN = 0.75
"""There is a gap if halfway there are fewer rows than this share of those in the middle of either
cluster."""


def cluster_stability(
    model: Any,
    data: Any,
    *,
    n_resamples: int = N_RESAMPLES,
    labels: Any = None,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> Any:
    """Return how well each cluster comes back in resampled rows.

    Rows are drawn with replacement, and k-means makes as many clusters of their learned vectors
    as there are labels, or of their axes where the model's clusters are made of axes. A cluster's
    stability is the mean, over the resamples, of the Jaccard index of its drawn rows and the new
    cluster that is most like them: 1 if it comes back as it is. Labels that k-means did not make,
    such as those of rows that `TableClusterer` moved after it, are compared all the same, and are
    unstable where it would not make them.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory. Resamples of a large table are drawn from
        2,000 of its rows, so small clusters may lack rows.
    n_resamples : int, default=20
        Number of resamples, from 10 to 100, of as many draws as there are rows but at most 1,000.
        The time grows with it; the means get more precise.
    labels : array of shape (n_rows,) or str, optional
        The cluster of each row, or the column that has it; by default the clusters of the model.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so, which is then not looked at.
    random_state : int, RandomState or None, default=0
        Seed of the draws and of the starts of k-means; None is 0.

    Returns
    -------
    frame
        cluster, share (of all rows), stability, lowest (in any resample) and verdict: "stable"
        from 0.85 on, "fairly stable" from 0.75, "doubtful" from 0.6, else "dissolves"; "not
        sampled" if no resample had a row of it.

    See Also
    --------
    verdict : What is to be thought of all clusters together.
    untie.choose_k : Chooses a number of clusters, and tells whether there are any.

    References
    ----------
    C. Hennig, Cluster-wise assessment of cluster stability, Computational Statistics & Data
    Analysis 52, 258-271, 2007.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import cluster_stability
    >>> rows = [["red", "wine", "glass"]] * 20 + [["brown", "beer", "jug"]] * 10
    >>> encoder = TableEncoder(n_clusters=2).fit(rows)
    >>> cluster_stability(encoder, rows, labels=[0] * 20 + [1] * 10).round(2)
       cluster  share  stability  lowest verdict
    0        0   0.67        1.0     1.0  stable
    1        1   0.33        1.0     1.0  stable
    """
    fitted = as_fitted(model, data)
    n_resamples = check_integer("n_resamples", n_resamples)
    clustered, rng = fitted.clustered(data, labels, sample_weight), draws_of(random_state)
    rows = _some_rows(fitted, clustered, labels is None, rng)
    return _stability_of(rows, clustered, n_resamples, rng, fitted.encoder._library)


def stability_and_gaps(model: Any, data: Any, sample_weight: Any, random_state: Any) -> Any:
    """Return the frames of `cluster_stability` and `cluster_gaps`, from one draw of rows."""
    fitted = as_fitted(model)
    clustered, rng = fitted.clustered(data, None, sample_weight), draws_of(random_state)
    rows, library = _some_rows(fitted, clustered, True, rng), fitted.encoder._library
    return (
        _stability_of(rows, clustered, N_RESAMPLES, rng, library),
        _gaps_of(rows, clustered, library),
    )


def _stability_of(
    rows: _Sample, clustered: ClusteredRows, n_resamples: int, rng: RandomState, library: str
) -> Any:
    clusters = clustered.partition
    found = _jaccards(rows, len(clusters), n_resamples, int(min(rows.n_draws, DRAWS)), rng)
    seen = np.isfinite(found).any(axis=0)
    stability, lowest = np.full((2, len(clusters)), np.nan)
    stability[seen] = np.nanmean(found[:, seen], axis=0)
    lowest[seen] = np.nanmin(found[:, seen], axis=0)
    columns = {
        "cluster": list(clusters.names),
        "share": clustered.sizes / clustered.weights.sum(),
        "stability": stability,
        "lowest": lowest,
        "verdict": [_word(number) for number in stability],
    }
    return frames.make_frame(library, columns)


def cluster_gaps(
    model: Any, data: Any, *, labels: Any = None, sample_weight: Any = None, random_state: Any = 0
) -> Any:
    """Tell whether there is a gap between neighboring clusters, or a continuum.

    The rows of two clusters are put on the line through their means, where the median row of one
    is at 0 and that of the other at 1, and both clusters get the same weight. If they are apart,
    there are fewer rows around 0.5 than around 0 and around 1. k-means also cuts a continuum, and
    its parts may be stable nonetheless.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory; of a large table, 2,000 of its rows are drawn.
    labels : array of shape (n_rows,) or str, optional
        The cluster of each row, or the column that has it; by default the clusters of the model.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so, which is then not looked at.
    random_state : int, RandomState or None, default=0
        Seed of the draw; None is 0.

    Returns
    -------
    frame
        One row for each pair of neighbors, clusters between which no other one is: cluster, other,
        between (rows around 0.5, divided by those around 0 or 1, whichever are fewer) and verdict:
        "gap" if `between` is below 0.75 and below 1 by two standard errors, "continuum" if it is
        at least 0.75 and above 0.5 by two standard errors, else "unclear".

    See Also
    --------
    cluster_stability : How well each cluster comes back.
    verdict : What is to be thought of all clusters together.

    Examples
    --------
    >>> from untie import TableClusterer
    >>> from untie.datasets import load
    >>> from untie.explain import cluster_gaps
    >>> X, y = load("zoo")
    >>> cluster_gaps(TableClusterer().fit(X), X).head(2).round(2)
       cluster  other  between verdict
    0        0      1     0.33     gap
    1        0      2     0.06     gap
    """
    fitted = as_fitted(model, data)
    clustered = fitted.clustered(data, labels, sample_weight)
    rows = _some_rows(fitted, clustered, labels is None, draws_of(random_state))
    return _gaps_of(rows, clustered, fitted.encoder._library)


def _gaps_of(rows: _Sample, clustered: ClusteredRows, library: str) -> Any:
    clusters = clustered.partition
    weights = rows.weights * (rows.n_draws / rows.weights.sum())
    points = rows.points_of(np.arange(len(weights)), weights)(len(clusters))
    columns: dict[str, list[Any]] = {
        name: [] for name in ("cluster", "other", "between", "verdict")
    }
    for one, other in _neighbors(points, weights, rows.members, len(clusters)):
        between, verdict = _gap(points, weights, rows.members == one, rows.members == other)
        found = (clusters.names[one], clusters.names[other], between, verdict)
        for cells, cell in zip(columns.values(), found, strict=True):
            cells.append(cell)
    return frames.make_frame(library, columns)


def _neighbors(
    points: FloatArray, weights: FloatArray, members: IntArray, n_clusters: int
) -> list[tuple[int, int]]:
    """Return the pairs of clusters between whose means no other is: in the ball that joins them."""
    there = [number for number in range(n_clusters) if (members == number).any()]
    which = [members == number for number in there]
    means = np.stack([np.average(points[own], axis=0, weights=weights[own]) for own in which])
    squares = distances_of(means) ** 2
    pairs = []
    for one, other in combinations(range(len(there)), 2):
        around = squares[one] + squares[other]
        around[[one, other]] = np.inf
        if squares[one, other] <= around.min() * (1 + ROUNDING):
            pairs.append((there[one], there[other]))
    return pairs


def _gap(
    points: FloatArray, weights: FloatArray, one: BoolArray, other: BoolArray
) -> tuple[float, str]:
    """Return how many rows are halfway between two clusters, and what that says."""
    first, second = (np.average(points[own], axis=0, weights=weights[own]) for own in (one, other))
    places = points @ (second - first)
    ends = [weighted_quantile(places[own], weights[own], 0.5) for own in (one, other)]
    if ends[1] <= ends[0]:
        return np.nan, "unclear"
    places = (places - ends[0]) / (ends[1] - ends[0])
    # Both clusters count the same, or the edge of a large one would hide what is between.
    sizes = weights[one].sum(), weights[other].sum()
    weights = np.where(one, weights / sizes[0], np.where(other, weights / sizes[1], 0.0))
    weights = weights * min(sizes)

    def around(place: float) -> tuple[float, float]:
        there = weights[np.abs(places - place) <= WIDTH / 2 + ROUNDING]
        return float(there.sum()), float(np.square(there).sum())

    halfway, end = around(0.5), min(around(0.0), around(1.0))
    between = halfway[0] / end[0]
    if between < MOST_BETWEEN and end[0] - halfway[0] > SURE * np.sqrt(end[1] + halfway[1]):
        return between, "gap"
    above = halfway[0] - end[0] / 2
    if between >= MOST_BETWEEN and above > SURE * np.sqrt(halfway[1] + end[1] / 4):
        return between, CONTINUUM
    return between, "unclear"


@dataclass(frozen=True, eq=False)
class _Sample:
    """Some rows that have clusters.

    Parameters
    ----------
    weights : array of shape (n_rows,)
        How often each counts.
    members : integer array of shape (n_rows,)
        Their clusters.
    n_draws : float
        How many independent draws they seem to be.
    points_of : callable
        Returns the points of some of them, which clusters are made of.
    """

    weights: FloatArray
    members: IntArray
    n_draws: float
    points_of: PointsOf


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Some rows that have clusters, in an order that neither names nor places decide.

    Parameters
    ----------
    codes : integer array of shape (n_rows, n_attributes)
        The rows, as the encoder codes them.
    places : integer array of shape (n_rows,)
        The number of each row among the distinct ones, ascending.
    weights : array of shape (n_rows,)
        How often each counts.
    members : integer array of shape (n_rows,)
        Their clusters.
    n_draws : float
        How many independent draws they seem to be.
    """

    codes: LongArray
    places: IntArray
    weights: FloatArray
    members: IntArray
    n_draws: float


def draw_rows(fitted: FittedTable, clustered: ClusteredRows, rng: RandomState) -> DrawnRows:
    """Draw at most `MOST_ROWS` of the rows that count."""
    encoder, members = fitted.encoder, clustered.partition.members
    model, codes = encoder._model, encoder._codes(clustered.rows)
    drawn = np.flatnonzero(clustered.weights)
    if not len(drawn):
        raise ValueError(NO_WEIGHT)
    if len(drawn) > MOST_ROWS:
        # By what the rows hold, so that their order in the table does not count.
        numbers = row_numbers([column[drawn] for column in codes], encoder.vocabulary_)
        order = np.lexsort((clustered.weights[drawn], members[drawn], numbers))
        drawn = drawn[order[rng.choice(len(drawn), MOST_ROWS, replace=False)]]
    rows = np.stack([column[drawn].astype(np.int64) for column in codes], axis=1)
    kinds, which = np.unique(rows, axis=0, return_inverse=True)
    sums = np.bincount(which.ravel(), clustered.weights[drawn]).astype(float)
    distinct = RowSample(np.arange(len(kinds), dtype=np.uint64), kinds, sums)
    distinct = in_canonical_order(distinct, model.orders)
    places = np.argsort(distinct.numbers)[which.ravel()]
    order = np.lexsort((clustered.weights[drawn], members[drawn], places))
    drawn = drawn[order]
    n_draws = number_of_draws(distinct, float(sums.sum()), len(drawn))
    return DrawnRows(rows[order], places[order], clustered.weights[drawn], members[drawn], n_draws)


def _some_rows(
    fitted: FittedTable, clustered: ClusteredRows, is_own: bool, rng: RandomState
) -> _Sample:
    """Draw rows and their points; `is_own` tells whether the clusters are those of the model."""
    model, drawn = fitted.encoder._model, draw_rows(fitted, clustered, rng)
    choice = fitted.clusterer.k_choice_ if is_own and fitted.clusterer else None
    if choice is None or choice.made_of == VECTORS:
        numbers = np.arange(len(drawn.weights), dtype=np.uint64)
        sample = RowSample(numbers, drawn.codes, drawn.weights)
        points_of = of_vectors(sample_vectors(model.vectors, sample))
    else:
        points_of = model.points_on_axes(drawn.codes, len(clustered.partition))
    return _Sample(drawn.weights, drawn.members, drawn.n_draws, points_of)


def _jaccards(
    rows: _Sample, n_clusters: int, n_resamples: int, n_draws: int, rng: RandomState
) -> FloatArray:
    """Return the best Jaccard index of each cluster in each resample; NaN where it has no row."""
    result = np.full((n_resamples, n_clusters), np.nan)
    for line in result:
        draws = rng.multinomial(n_draws, rows.weights / rows.weights.sum()).astype(float)
        drawn = np.flatnonzero(draws)
        points = rows.points_of(drawn, draws[drawn])(n_clusters)
        k = min(n_clusters, count_distinct(points))
        seed = RandomState(rng.randint(2**31 - 1))
        new = best_labels(points, draws[drawn], k, N_STARTS, seed)
        joint = cross_table(rows.members[drawn], new, (n_clusters, k), draws[drawn])
        old_sizes, new_sizes = joint.sum(axis=1), joint.sum(axis=0)
        either = old_sizes[:, None] + new_sizes - joint
        there = old_sizes > 0
        line[there] = (joint[there] / either[there]).max(axis=1)
    return result


def _word(stability: float) -> str:
    return next((word for least, word in WORDS if stability >= least), "not sampled")
