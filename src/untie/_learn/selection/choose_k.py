"""Vectors of sampled rows -> the number of clusters, and how certain it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

from untie._count.counts import FEWEST, SINGLE, are_whole, common_unit, fill_their_cells
from untie._count.crosstab import cross_table
from untie._count.memory import SAMPLE_ROWS
from untie._count.row_sample import RowSample
from untie._learn.clustering.lloyd import count_distinct, sample_vectors
from untie._learn.clustering.points import AXES, VECTORS, Points, PointsOf, of_axes, of_vectors
from untie._learn.columns.attributes import Attributes, Turn, hidden_together, in_turns
from untie._learn.selection.cluster_gain import likelihood_costs, number_of_starts
from untie._learn.selection.k_choice import STABLE, KChoice, is_above, is_sure
from untie._learn.spaces.order_space import CoarseView
from untie._learn.spaces.value_space import ValueSpace, count_members
from untie._learn.vectors import LookUp
from untie._util.arrays import ROUNDING, squared_lengths
from untie._util.checks import check_integer
from untie._util.k_means import best_labels
from untie._util.threads import in_threads, one_thread, pays
from untie._util.types import BoolArray, FloatArray, IntArray, LongArray


def adjusted_rand(first: IntArray, second: IntArray, weights: FloatArray) -> float:
    """Return the adjusted Rand index of two partitions of weighted rows.

    The weights are numbers of equal rows, which are in one cluster together.

    Examples
    --------
    >>> adjusted_rand(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]), np.ones(4))
    1.0
    """
    table = cross_table(first, second, (int(first.max()) + 1, int(second.max()) + 1), weights)
    rows, columns = (_n_pairs(table.sum(axis=axis)) for axis in (1, 0))
    both, total = _n_pairs(table), _n_pairs(table.sum())
    expected = rows * columns / total if total > 0 else 0.0
    most = (rows + columns) / 2.0
    return float((both - expected) / (most - expected)) if most > expected else 1.0


def _n_pairs(counts: Any) -> float:
    return float(np.sum(counts * np.maximum(counts - 1.0, 0.0)) / 2.0)


def clustering_f_score(y_true: Any, labels: Any) -> float:
    """Return the macro F1 after matching each cluster to at most one class.

    The matching is one to one and maximizes the number of rows whose cluster is matched to their
    class; among matchings that are equal in this, the one with the highest F counts. A class
    without a cluster has F1 = 0.

    Parameters
    ----------
    y_true, labels : array of shape (n_rows,)
        The class and the cluster of each row.

    Examples
    --------
    >>> clustering_f_score(["low", "low", "low", "low", "high", "high"], [0, 0, 0, 1, 0, 1])
    0.625
    """
    classes, clusters = (np.asarray(given).astype(str) for given in (y_true, labels))
    shared: FloatArray = contingency_matrix(classes, clusters).astype(float)
    sizes = shared.sum(axis=1, keepdims=True) + shared.sum(axis=0)
    f_scores = 2.0 * shared / sizes
    # The F of all matches together is worth less than one row, so it decides only between
    # matchings with equally many rows.
    worth = shared + f_scores / (2 * min(shared.shape) + 2)
    matched = linear_sum_assignment(worth, maximize=True)
    return float(f_scores[matched].sum() / len(shared))


def purity(y_true: Any, labels: Any) -> float:
    """Return the share of rows that are of the most frequent class of their cluster.

    Parameters
    ----------
    y_true, labels : array of shape (n_rows,)
        The class and the cluster of each row.

    Examples
    --------
    >>> purity(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.75
    """
    shared = contingency_matrix(np.asarray(y_true).astype(str), np.asarray(labels))
    return float(shared.max(axis=0).sum() / shared.sum())


def distances_of(rows: FloatArray) -> FloatArray:
    """Return the distances of all pairs of vectors; shape (n_rows, n_rows)."""
    lengths = squared_lengths(rows)
    distances = rows @ rows.T
    distances *= -2.0  # in place, as new arrays of this size take longer than what is done to them
    distances += lengths
    distances += lengths[:, None]
    np.maximum(distances, 0.0, out=distances)
    np.fill_diagonal(distances, 0.0)
    return np.sqrt(distances, out=distances)


def silhouette(distances: FloatArray, weights: FloatArray, labels: IntArray) -> float:
    """Return the weighted mean silhouette; copies of a row are at distance 0 of it.

    Parameters
    ----------
    distances : array of shape (n_rows, n_rows)
        Of distinct rows.
    weights : array of shape (n_rows,)
        How often each counts.
    labels : integer array of shape (n_rows,)
        Their clusters.

    Examples
    --------
    >>> rows, labels = np.array([[0.0], [1.0], [10.0]]), np.array([0, 0, 1])
    >>> round(silhouette(distances_of(rows), np.ones(3), labels), 3)
    0.596
    """
    members = np.zeros((len(labels), int(labels.max()) + 1))
    members[np.arange(len(labels)), labels] = weights
    sizes = members.sum(axis=0)
    sums = distances @ members
    every = np.arange(len(labels))
    others = sizes[labels] - np.minimum(weights, 1.0)
    alone = others <= 1e-12
    own = sums[every, labels] / np.where(alone, 1.0, others)
    means = np.divide(sums, sizes, out=np.full_like(sums, np.inf), where=sizes > 0)
    means[every, labels] = np.inf
    nearest = means.min(axis=1)
    larger = np.maximum(own, nearest)
    usable = ~alone & np.isfinite(nearest) & (larger > 0)
    widths = np.zeros(len(labels))
    widths[usable] = (nearest - own)[usable] / larger[usable]
    return float(weights @ widths / weights.sum())


PRIOR = 10.0
"""A cluster's shares are drawn toward those of all rows as by this many rows."""

DECIMALS = 9
"""Distances that agree in this many decimals, relative to the largest, are equal."""

MOST_DRAWN = 2**53
"""At most this many equal rows are drawn one by one; of more, the halves have the same shares."""

Labels = IntArray


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Rows whose cells are to be predicted.

    Parameters
    ----------
    space : ValueSpace or None
        The value vectors, which distances of rows to clusters are made of; without them, a row is
        far from a cluster in which its cells are unlikely.
    codes : integer array of shape (n_rows, n_attributes)
        The rows, in the codes of the space; those of the cells without it.
    cells : integer array of shape (n_rows, n_attributes)
        What is predicted: the rows, perhaps in coarser codes.
    sizes : tuple of int
        Number of values of each attribute in these codes; a code equal to it is unknown and is not
        predicted.
    weights : array of shape (n_rows,)
        How often each row counts.
    draws : array of shape (n_rows,)
        How many of the equal rows that each stands for were drawn independently of each other: the
        weights, or 1 where equal rows were drawn together.
    votes : array of shape (n_attributes,)
        How much each attribute counts.
    related : boolean array of shape (n_attributes, n_attributes)
        Which attributes are hidden together with each; all with itself.
    """

    space: ValueSpace | None
    codes: LongArray
    cells: LongArray
    sizes: tuple[int, ...]
    weights: FloatArray
    draws: FloatArray
    votes: FloatArray
    related: BoolArray

    @cached_property
    def turns(self) -> list[Turn]:
        """The attributes that are hidden with the same others, one turn after another."""
        return in_turns(hidden_together(self.related), len(self.sizes))

    @property
    def n_codes(self) -> list[int]:
        """Number of codes of each attribute, with that of an unknown value."""
        return [n + 1 for n in self.sizes] if self.space is None else self.space.n_codes

    def distances(self, counts: list[FloatArray]) -> list[FloatArray]:
        """Return how far each code is from each cluster, by what the clusters' rows have."""
        if self.space is not None:
            return self.space.distances_to_points(self.space.centers(counts))
        sizes = counts[0].sum(axis=1)
        # The share of the clusters has a part in each column that counts.
        share = np.log(sizes / sizes.sum()) / max(np.count_nonzero(self.votes), 1)
        return [
            likelihood_costs(joint[:, :-1], vote) - share * (vote > 0)
            for joint, vote in zip(counts, self.votes, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class HalfFit:
    """Clusters of some of the rows.

    Parameters
    ----------
    weights : array of shape (n_rows,)
        How often each row was counted; 0 for those of the other half.
    labels : integer array of shape (n_rows,)
        The cluster of each row that was counted; anything for the others.
    distances : list of arrays of shape (n_codes, n_clusters)
        For each attribute, squared distances of its codes to the clusters' means.
    """

    weights: FloatArray
    labels: Labels
    distances: list[FloatArray]

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.distances[0].shape[1])


class Gains(NamedTuple):
    """What clusters tell of hidden cells.

    Parameters
    ----------
    of_rows : array of shape (n_rows,)
        The gain of each row that was predicted, in nats times its weight, over all attributes.
    of_attributes : array of shape (n_attributes,)
        The same over the rows, for each attribute.
    squares : array of shape (n_attributes,)
        Sums over independent draws of squared gains, for the attributes' standard errors.
    """

    of_rows: FloatArray
    of_attributes: FloatArray
    squares: FloatArray


def sum_of_gains(gains: Sequence[Gains], divisor: int = 1) -> Gains:
    """Add up gains, and divide them by a number, such as that of the splits."""
    return Gains(*(reduce(add, parts) / divisor for parts in zip(*gains, strict=True)))


def halves(
    weights: FloatArray, rng: RandomState, whole_rows: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Give every single row to one of two halves; equal rows may go to both.

    Parameters
    ----------
    weights : array of shape (n_rows,)
        Numbers of equal rows; a fraction goes to one half as a whole.
    rng : RandomState
        Where they are drawn from.
    whole_rows : bool
        Whether equal rows stay together.

    Examples
    --------
    >>> one, other = halves(np.array([10.0, 1.0, 0.5]), RandomState(0))
    >>> one + other
    array([10. ,  1. ,  0.5])
    """
    if whole_rows:
        first = weights * (rng.random_sample(len(weights)) < 0.5)
        return first, weights - first
    whole = np.floor(weights)
    n_drawn = np.minimum(whole, MOST_DRAWN).astype(np.int64)
    first = rng.binomial(n_drawn, 0.5) * (whole / np.maximum(n_drawn, 1))
    first += (weights - whole) * (rng.random_sample(len(weights)) < 0.5)
    return first, weights - first


def fit_half(rows: JudgedRows, weights: FloatArray, drawn: Labels, found: Labels) -> HalfFit:
    """Return the means of clusters of some rows.

    Parameters
    ----------
    rows : JudgedRows
        All rows.
    weights : array of shape (n_rows,)
        How often each is counted.
    drawn : integer array
        The rows with a positive weight.
    found : integer array of the same shape
        Their clusters; some numbers may be unused.
    """
    if not len(drawn):  # of a few rows, all may be in the other half: there is nothing to tell
        labels = np.zeros(len(weights), dtype=np.intp)
        return HalfFit(weights, labels, [np.zeros((n, 1)) for n in rows.n_codes])
    _, members = np.unique(found, return_inverse=True)
    labels = np.zeros(len(weights), dtype=np.intp)
    labels[drawn] = members
    k = int(members.max()) + 1
    codes = [column[drawn] for column in rows.codes.T]
    counts = count_members(codes, rows.n_codes, members, k, weights[drawn])
    return HalfFit(weights, labels, rows.distances(counts))


def all_labels(rows: JudgedRows, fit: HalfFit) -> Labels:
    """Return the nearest cluster of every row, by all of its columns."""
    distances = _distances(rows.codes, fit, range(len(rows.sizes)))
    return _nearest(distances, _scale(distances))


def hidden_gains(
    rows: JudgedRows,
    fit: HalfFit,
    test: FloatArray,
    *,
    refit: bool = False,
    never: BoolArray | None = None,
) -> Gains:
    """Predict each cell of the other half from the rest of its row.

    Parameters
    ----------
    rows : JudgedRows
        All rows.
    fit : HalfFit
        Clusters of one half.
    test : array of shape (n_rows,)
        How often each row is in the other half.
    refit : bool
        Whether the clusters' shares of a column's values are those of the rows that would join them
        without the column. Otherwise they are those of the clusters as they were made, so that
        clusters which need the column lose where they are not recognized without it.
    never : boolean array of shape (n_attributes,), optional
        Attributes that are hidden all the time, and not predicted.
    """
    tested, trained = np.flatnonzero(test > 0), np.flatnonzero(fit.weights > 0)
    asked = np.arange(len(test)) if refit else tested
    predicted = np.arange(len(rows.sizes)) if never is None else np.flatnonzero(~never)
    of_rows, (of_attributes, squares) = np.zeros(len(test)), np.zeros((2, len(rows.sizes)))
    if not len(predicted):
        return Gains(of_rows, of_attributes, squares)
    labels = _labels_without(rows, fit, asked, predicted)
    members = labels[trained] if refit else fit.labels[trained, None]
    table, starts = _log_ratios(rows, fit, predicted, members, trained)
    joined = labels[tested] if refit else labels
    cells = rows.cells[np.ix_(tested, predicted)] + starts
    found = table.ravel().take(joined * table.shape[1] + cells) * rows.votes[predicted]
    of_rows[tested] = found.sum(axis=1) * test[tested]
    of_attributes[predicted] = test[tested] @ found
    in_each = test[tested] * (rows.weights / rows.draws)[tested]
    squares[predicted] = in_each @ np.square(found)
    return Gains(of_rows, of_attributes, squares)


def _labels_without(rows: JudgedRows, fit: HalfFit, asked: IntArray, predicted: IntArray) -> Labels:
    """Return the clusters that some rows join without each of the attributes that are shown.

    Returns
    -------
    array of shape (n_asked, n_predicted)
    """
    places = np.full(len(rows.sizes), -1)
    places[predicted] = np.arange(len(predicted))
    total = _distances(rows.codes, fit, predicted)
    scale, total, codes = _scale(total), total[asked], rows.codes[asked]
    labels = np.empty((len(asked), len(predicted)), dtype=np.intp)
    shown = {-1: total}
    for number, turn in enumerate(rows.turns):
        more, fewer, without = (
            group[places[group] >= 0] for group in (turn.more, turn.fewer, turn.predicted)
        )
        left = shown[turn.before] - _distances(codes, fit, more)
        if len(fewer):
            left += _distances(codes, fit, fewer)
        shown[number] = left
        for done in turn.is_last_after:
            del shown[done]
        if len(without):
            labels[:, places[without]] = _nearest(left.copy(), scale)[:, None]
    return labels


def _distances(codes: LongArray, fit: HalfFit, attributes: Iterable[int]) -> FloatArray:
    """Add up the distances of rows to the clusters over some attributes."""
    total = np.zeros((len(codes), fit.n_clusters))
    for attribute in attributes:
        total += fit.distances[attribute].take(codes[:, attribute], axis=0)
    return total


def _scale(total: FloatArray) -> float:
    """Return what distances are rounded relative to: the largest in all columns.

    Of rows whose other columns say nothing, nothing but rounding is left.
    """
    return float(total.max(initial=0.0)) or 1.0


def _nearest(distances: FloatArray, scale: float) -> Labels:
    """Return the nearest cluster; sums that differ by rounding are equal, and the first wins."""
    distances *= 10.0**DECIMALS / scale
    return np.rint(distances, out=distances).argmin(axis=1)


def _log_ratios(
    rows: JudgedRows, fit: HalfFit, predicted: IntArray, members: Labels, trained: Labels
) -> tuple[FloatArray, IntArray]:
    """Return ln(share in the cluster / share in all rows) of the values of some attributes.

    0 for values that the trained rows do not have, of which the clusters know nothing, and for
    unknown ones, which come last.

    Parameters
    ----------
    members : array of shape (n_trained, n_predicted) or (n_trained, 1)
        The clusters, which may depend on the attribute that is predicted.

    Returns
    -------
    array of shape (n_clusters, n_values + 1 of all attributes), where each attribute starts
    """
    sizes = np.array([rows.sizes[attribute] + 1 for attribute in predicted.tolist()])
    ends = np.cumsum(sizes)
    starts, shape = ends - sizes, (fit.n_clusters, int(ends[-1]))
    cells = rows.cells[np.ix_(trained, predicted)] + (starts + members * shape[1])
    weights = np.repeat(fit.weights[trained], len(predicted))
    sums = np.bincount(cells.ravel(), weights, minlength=shape[0] * shape[1])
    joint = sums.reshape(shape).astype(float, copy=False)
    joint[:, ends - 1] = 0.0
    totals = joint.sum(axis=0)
    known = np.repeat(np.add.reduceat(totals, starts), sizes)
    shares = np.divide(totals, known, out=np.zeros_like(totals), where=known > 0)
    within = joint + PRIOR * shares
    within /= np.repeat(np.add.reduceat(joint, starts, axis=1) + PRIOR, sizes, axis=1)
    ratios = np.divide(within, shares, out=np.ones(shape), where=totals > 0)
    return np.log(ratios, out=ratios), starts


AUTO_KS = range(2, 11)
"""Numbers of clusters that ``n_clusters="auto"`` chooses from."""

MORE_KS = (15, 20, 30)
"""Numbers that are tried besides, one after the other, as long as the largest number before is the
best of those whose clusters are stable, or of all if none are."""

POWER, CLOSE = 6, 0.92
"""The worth of a number of clusters is its gain times its stability to this power. Of the numbers
whose clusters are stable, the smallest is taken that is worth at least this share of the best. Over
116 tables, powers from 1 to 12 and shares from 0.8 to 0.95 agree with the classes equally well; in
this range, few choices change when a row is left out, and planted clusters are still counted."""

N_SPLITS = 24
"""At most this many splits of the rows for ``n_clusters="auto"``."""

STAGES = (6, 12)
"""After this many splits, numbers of clusters that can no longer be chosen drop out, and no more
splits are made if the choice is certain."""

N_RESAMPLES, CERTAIN, UNLIKELY = 200, 0.98, 0.01
"""The splits made so far are resampled this often. The choice is certain if so large a share of the
resamples make it; a number that at most this share of them prefers or finds best drops out."""

AUTO_SEED = 0
"""Where the splits for ``n_clusters="auto"`` are drawn from, whatever the user's seed: the number
of clusters is the table's, not the seed's."""

HALF_STARTS = 3
"""k-means has at least this many starts per half, and one for each cluster."""

MATTERING = 3
"""This many columns are tried as the one that the clusters can't do without."""

MOST_WRITTEN_OUT = 10
"""Whole weights of rows that recur are survey weights, not repetitions, if their mean is above
this."""

FEW_PATTERNS = 20
"""Fewer distinct rows than this may all recur: clear clusters of few columns have few patterns."""

LEFT_ONCE, LEFT_OF_FEW = 1.0, 3.0
"""Clusters of rows that recur must have a gain of `LEFT_ONCE` standard errors if each distinct row
is one draw, which takes most of the rows away. Few patterns need `LEFT_OF_FEW`, as their error is
badly known: clear clusters of them reach 4, repeated noise rarely 2."""

ONCE_SPLITS = 48
"""So many splits tell that: a row with many copies is in one half or the other, and a few splits
are chance."""

REPEATED = 0.8
"""Clusters are the values of a column if they agree this much with what the column tells of them
(adjusted Rand index)."""

ROWS_PER_VALUE = 10
"""A column whose values have fewer rows on average tells any clusters, by chance."""


def choose_number(
    vectors: LookUp,
    view: CoarseView,
    attributes: Attributes,
    sample: RowSample,
    columns: Sequence[str],
    ks: Iterable[int] | None,
    n_splits: int,
    rng: RandomState,
    methods: Sequence[str] = (VECTORS,),
    library: str = "pandas",
    n_rows: int | None = None,
    votes: FloatArray | None = None,
) -> KChoice:
    """Choose the number of clusters of sampled rows; :func:`untie.choose_k` says how.

    Parameters
    ----------
    vectors : LookUp
        The compact vectors of the values.
    view : CoarseView
        The cells that are predicted.
    attributes : Attributes
        Of the whole table, in this view: how much each counts, and which are redundant.
    sample : RowSample
        Rows of the table.
    columns : sequence of str
        The table's columns.
    ks : iterable of int or None
        The numbers to try; None is `AUTO_KS`, and `MORE_KS` as needed.
    n_splits : int
        Number of splits into halves, at most.
    rng : RandomState
        Where they are drawn from.
    methods : sequence of str
        What clusters are made of, `VECTORS` or `AXES`: what comes first, unless only a later one
        has stable clusters, or structure at all.
    library : str
        The library of the choice's table.
    n_rows : int, optional
        How many rows the sampled ones are of; by default those that `view` has counted.
    votes : array of shape (n_attributes,), optional
        How much each attribute counts in the sample; by default as in the table.
    """
    check_integer("n_splits", n_splits, 1, "a positive integer")
    rows = sample_vectors(vectors, sample)
    n_distinct = count_distinct(rows)
    numbers = _check_ks(AUTO_KS if ks is None else ks, n_distinct)
    more = [] if ks is not None else [k for k in MORE_KS if k < n_distinct]
    judged = JudgedRows(
        ValueSpace(vectors.tables),
        sample.codes,
        view.cells(sample.codes),
        view.counts.sizes,
        *_drawn(sample, attributes, view.counts.n_rows if n_rows is None else n_rows),
        attributes.votes if votes is None else votes,
        attributes.related,
    )
    if ks is not None and len(numbers) == 1:
        methods = methods[:1]  # what is judged are the clusters of this number
    distances = distances_of(rows)
    choices: list[KChoice] = []
    with one_thread():  # many products of small matrices
        for made_of in methods:
            given = (judged, of_vectors(rows))
            if made_of == AXES:
                judged = replace(judged, space=None, codes=judged.cells)
                n_most = max(numbers + more)
                given = (judged, of_axes(judged.cells, judged.sizes, judged.votes, n_most))
            tried = _try(*given, numbers, more, n_splits, rng)
            choices.append(_as_choice(tried, distances, columns, made_of, library))
            if choices[-1].found_clusters:
                return replace(choices[-1], tried=tuple(c.made_of for c in choices))
    best = max(choices, key=lambda choice: choice.found_structure)  # the first of equals
    return replace(best, tried=tuple(choice.made_of for choice in choices))


def _as_choice(
    tried: _Tried, distances: FloatArray, columns: Sequence[str], made_of: str, library: str
) -> KChoice:
    trial, numbers, found, place, evidence = tried
    total = trial.judged.weights.sum()
    return KChoice(
        k=numbers[place],
        ks=tuple(numbers),
        gain=np.array([result.gains.of_rows.sum() / total for result in found]),
        error=np.array([_error(result.gains.of_rows, trial.judged) for result in found]),
        stability=np.array([np.mean(result.agreement) for result in found]),
        n_splits=np.array([result.n_splits for result in found]),
        silhouette=np.array([silhouette(distances, trial.weights, r.labels) for r in found]),
        columns=tuple(columns),
        tells=evidence.told.of_attributes / total,
        tells_error=np.sqrt(np.maximum(evidence.told.squares, 0.0)) / total,
        without=evidence.without,
        without_error=evidence.error,
        without_columns=tuple(columns[a] for a in np.flatnonzero(evidence.hidden).tolist()),
        repeats=_repeated(trial, found[place].labels, columns),
        n_sampled=len(trial.weights),
        made_of=made_of,
        library=library,
    )


class _Tried(NamedTuple):
    """What was found for all numbers of clusters, and the place of the one to take."""

    trial: _Trial
    numbers: list[int]
    found: list[_Result]
    place: int
    evidence: _Evidence


def _try(
    judged: JudgedRows,
    points_of: PointsOf,
    numbers: list[int],
    more: list[int],
    n_splits: int,
    rng: RandomState,
) -> _Tried:
    """Try all numbers, and again with every distinct row once if repetition may be all there is."""
    tried = _try_numbers(_Trial(judged, points_of, n_splits, rng), numbers, more)
    if not _may_be_repetition(judged, tried):
        return tried
    once = _counted_once(judged)
    check = _Trial(once, points_of, ONCE_SPLITS, rng)
    result = check.start(tried.numbers[tried.place])
    check.judge([result], check.n_splits)
    gain = result.gains.of_rows
    least = LEFT_OF_FEW if len(once.weights) < FEW_PATTERNS else LEFT_ONCE
    if gain.sum() / once.weights.sum() > least * _error(gain, once):
        return tried
    return _try_numbers(_Trial(once, points_of, n_splits, rng), numbers, more)


def _try_numbers(trial: _Trial, numbers: list[int], more: list[int]) -> _Tried:
    # The largest, which take longest, first.
    worth = pays(len(numbers) * trial.judged.codes.size)
    found = in_threads(trial.start, numbers[::-1], worth)[::-1]
    tried = list(numbers)
    left = np.ones(len(found), dtype=bool)
    running = _settle(trial, found, left)
    for number in more:
        if not _Figures.of(trial, found).may_have_more:
            break
        found.append(trial.start(number))
        tried.append(number)
        left = np.ones(len(found), dtype=bool)
        running = _settle(trial, found, left)
    return _Tried(trial, tried, found, *_choose(trial, found, running))


def _settle(trial: _Trial, found: Sequence[_Result], left: BoolArray) -> BoolArray:
    """Make splits until it is certain which of some numbers is preferred, or all are made.

    Returns
    -------
    boolean array of shape (n_ks,)
        The numbers that may still be preferred. All of them were judged on the same splits; the
        others on fewer.
    """
    running = left
    made = max(found[place].n_splits for place in np.flatnonzero(left).tolist())
    for n in [*(n for n in STAGES if made <= n < trial.n_splits), trial.n_splits]:
        trial.judge([found[place] for place in np.flatnonzero(running).tolist()], n)
        chosen, likely = _resampled(trial, found, running, n)
        if chosen >= CERTAIN:
            break
        running = likely
    return running


def _resampled(
    trial: _Trial, found: Sequence[_Result], running: BoolArray, n: int
) -> tuple[float, BoolArray]:
    """Choose again with the splits resampled, all `n` of which were made for these numbers.

    Returns
    -------
    chosen : float
        The share of the resamples in which the same number is preferred, and is as stable.
    likely : boolean array of shape (n_ks,)
        The numbers that are preferred, or worth most, in some of them.
    """
    drawn = RandomState(trial.seed).randint(n, size=(N_RESAMPLES, n))
    places = np.flatnonzero(running)
    asked = [found[place] for place in places.tolist()]
    now = _Figures.of(trial, asked)
    stability = np.array([result.agreement for result in asked]).reshape(len(asked), n, 2)
    stability = stability.mean(axis=2)
    gains = np.array([result.gain for result in asked])
    gains, stability = (part[:, drawn].mean(axis=2).T for part in (gains, stability))
    every = _Figures.rounded(gains, stability, now.errors)
    all_left = np.ones(len(places), dtype=bool)
    preferred = every.preferred(all_left)
    is_same = every.kind == now.kind
    if now.kind:  # else it does not matter which
        is_same &= preferred == now.preferred(all_left)
    is_stable = every.stable.any(axis=-1)
    n_likely = np.zeros(len(places))
    for named in (preferred, every.best[is_stable]):
        n_likely = np.maximum(n_likely, np.bincount(named, minlength=len(places)))
    likely = np.zeros(len(found), dtype=bool)
    likely[places[n_likely > UNLIKELY * N_RESAMPLES]] = True
    return float(is_same.mean()), likely


def _may_be_repetition(judged: JudgedRows, tried: _Tried) -> bool:
    """Tell whether clusters were found that equal rows in both halves may have made.

    In a table of counts nearly all rows that can occur do, and equal rows are all there is; so they
    are where hardly any are distinct. In other tables clusters must be there as well if every row
    counts once.
    """
    recurs = judged.draws is judged.weights and bool(judged.weights.max() > 1)
    return (
        recurs
        and tried.evidence.holds
        and _is_gain(tried.found[tried.place].gains.of_rows, judged)
        and len(judged.weights) >= FEWEST
        and not fill_their_cells(judged.codes, judged.related)
    )


def _counted_once(judged: JudgedRows) -> JudgedRows:
    """Return the same rows, with equal ones drawn together."""
    weights = judged.weights * (len(judged.weights) / judged.weights.sum())
    return replace(judged, weights=weights, draws=np.ones_like(weights))


@dataclass(eq=False)
class _Result:
    """What was found for one number of clusters, so far.

    Parameters
    ----------
    k : int
        The number.
    labels : integer array of shape (n_rows,)
        The clusters of all rows.
    fits : list of (HalfFit, weights of the other half)
        Clusters of both halves of each split.
    gain : list of float
        What those of each split gain on hidden cells, in nats per row.
    agreement : list of float
        How much the clusters of each half agree with those of all rows.
    total : Gains or None
        The sum of the gains of all halves.
    """

    k: int
    labels: Labels
    fits: list[tuple[HalfFit, FloatArray]] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)
    agreement: list[float] = field(default_factory=list)
    total: Gains | None = None

    @property
    def n_splits(self) -> int:
        """On how many splits the number was judged."""
        return len(self.gain)

    @property
    def gains(self) -> Gains:
        """The mean over the splits."""
        assert self.total is not None  # it was judged
        return sum_of_gains([self.total], self.n_splits)


@dataclass(frozen=True, eq=False)
class _Evidence:
    """What clusters tell of the columns, and what is left without the most important of them."""

    told: Gains
    without: float
    error: float
    hidden: BoolArray

    @property
    def holds(self) -> bool:
        return is_sure(self.without, self.error)


class _Trial:
    """Rows to be clustered into several numbers of clusters, and halves of them.

    Parameters
    ----------
    judged : JudgedRows
        The rows whose cells are predicted.
    points_of : callable
        Returns the points of some of them, which are clustered.
    n_splits : int
        Number of splits.
    rng : RandomState
        Where they are drawn from.
    """

    def __init__(
        self, judged: JudgedRows, points_of: PointsOf, n_splits: int, rng: RandomState
    ) -> None:
        self.judged, self.weights = judged, judged.weights
        whole_rows = judged.draws is not judged.weights
        splits = [halves(self.weights, rng, whole_rows) for _ in range(n_splits)]
        self.n_splits = n_splits
        self.halves = [half for split in splits for half in (split, split[::-1])]
        self.seed = rng.randint(2**31 - 1)

        def points(weights: FloatArray) -> Points:
            drawn = np.flatnonzero(weights > 0)
            return points_of(drawn, weights[drawn])

        self._points_of = points
        self._points = points(self.weights)
        self._half_points: list[Points] = []

    def start(self, k: int) -> _Result:
        """Cluster all rows."""
        points = self._points(k)
        starts = number_of_starts(points, k)
        labels = best_labels(points, self.weights, k, starts, RandomState(self.seed))
        return _Result(k, labels)

    def judge(self, results: Sequence[_Result], n_splits: int) -> None:
        """Cluster both halves of the first splits, as far as that was not done, and judge them."""
        todo = [
            (result, number)
            for result in sorted(results, key=lambda result: -result.k)
            for number in range(len(result.fits), 2 * n_splits)
        ]
        new = self.halves[len(self._half_points) : 2 * n_splits]
        trained = [train for train, _ in new]
        self._half_points += in_threads(self._points_of, trained, self._pays(len(new)))
        found = in_threads(lambda task: self._judge(*task), todo, self._pays(len(todo)))
        total = self.weights.sum()
        for (result, number), (fit, gains, agreement) in zip(todo, found, strict=True):
            gain = float(gains.of_rows.sum() / total)
            if number % 2:
                result.gain[-1] += gain
            else:
                result.gain.append(gain)
            result.agreement.append(agreement)
            result.fits.append((fit, self.halves[number][1]))
            result.total = gains if result.total is None else sum_of_gains([result.total, gains])

    def _judge(self, result: _Result, number: int) -> tuple[HalfFit, Gains, float]:
        """Cluster one half of a split, and return what its clusters are like."""
        train, test = self.halves[number]
        fit = self._fit(train, self._half_points[number], result.k)
        found = all_labels(self.judged, fit)
        agreement = adjusted_rand(result.labels, found, self.weights)
        return fit, hidden_gains(self.judged, fit, test), agreement

    def _pays(self, n_halves: int) -> bool:
        return pays(n_halves * self.judged.codes.size)

    def evidence(self, result: _Result) -> _Evidence:
        """Ask what the clusters tell of the columns, and what without the best of them."""
        told = self._gains(result)
        worst: _Evidence | None = None
        for hidden in self._mattering(told):
            left = self._gains(result, never=hidden)
            mean = float(left.of_rows.sum() / self.weights.sum())
            if worst is None or mean < worst.without - ROUNDING:
                worst = _Evidence(told, mean, _error(left.of_rows, self.judged), hidden)
        assert worst is not None  # there is a column
        return worst

    def _gains(self, result: _Result, never: BoolArray | None = None) -> Gains:
        """Return what the clusters of the halves tell, the mean over the splits."""
        gains_of = partial(hidden_gains, self.judged, refit=True, never=never)
        found = in_threads(lambda half: gains_of(*half), result.fits, self._pays(len(result.fits)))
        return sum_of_gains(found, result.n_splits)

    def _mattering(self, told: Gains) -> list[BoolArray]:
        """Return the columns of which most is told, each with those that say the same."""
        tried: list[BoolArray] = []
        for attribute in np.argsort(-np.round(told.of_attributes, 9), kind="stable"):
            hidden = self.judged.related[attribute]
            if not any((hidden == other).all() for other in tried):
                tried.append(hidden)
            if len(tried) == MATTERING:
                break
        return tried

    def _fit(self, train: FloatArray, points: Points, k: int) -> HalfFit:
        drawn = np.flatnonzero(train > 0)
        found = np.zeros(len(drawn), dtype=np.intp)
        if len(drawn) >= k:
            rng = RandomState(self.seed)
            found = best_labels(points(k), train[drawn], k, max(HALF_STARTS, k), rng)
        return fit_half(self.judged, train, drawn, found)


def _drawn(sample: RowSample, attributes: Attributes, n_rows: int) -> tuple[FloatArray, FloatArray]:
    """Return the weights of distinct rows, in draws, and how many draws each row stands for.

    Equal rows are one draw in a sample of a table's distinct rows, each with all that are equal to
    it, and where weights are not numbers of rows. In halves that have equal rows, the chance that
    brought these and no others looks like a rule.
    """
    weights = sample.weights
    n_distinct, total = len(weights), float(weights.sum())
    if n_distinct < SAMPLE_ROWS and (unit := _weight_of_draw(sample, attributes, n_rows)):
        drawn = weights / unit
        drawn = np.where(np.isclose(drawn, np.rint(drawn), rtol=ROUNDING), np.rint(drawn), drawn)
        return drawn, drawn
    return weights * (n_distinct / total), np.ones(n_distinct)


def _weight_of_draw(sample: RowSample, attributes: Attributes, n_rows: int) -> float | None:
    """Return the weight of one of the equal rows that were drawn independently, None if none was.

    Parameters
    ----------
    sample : RowSample
        All distinct rows of a table.
    attributes : Attributes
        Which of its columns say the same.
    n_rows : int
        Number of rows of the table.
    """
    weights = sample.weights
    n_distinct, total = len(weights), float(weights.sum())
    fills = fill_their_cells(sample.codes, attributes.related)
    if n_distinct < FEWEST:
        is_constant = weights.max() <= weights.min() * (1 + ROUNDING)
        return float(weights[0]) if is_constant else min(1.0, total / n_rows)
    unit = common_unit(weights)
    if fills and n_rows > n_distinct:
        # Rows that recur and have weights are those of a survey, and each is one draw. Small whole
        # weights are rows written out.
        n_most = n_rows * (MOST_WRITTEN_OUT if are_whole(weights) else 1 + ROUNDING)
        return total / n_rows if unit is None or total / unit > n_most else unit
    is_few = fills or n_distinct < FEW_PATTERNS
    if unit is None or not (is_few or np.mean(weights < 1.5 * unit) >= SINGLE):
        return None
    return unit


class _Figures(NamedTuple):
    """What the choice among several numbers of clusters goes by; the last axis is the numbers.

    Parameters
    ----------
    gains : array of shape (..., n_ks)
    stability : array of shape (..., n_ks)
    sure : boolean array of shape (..., n_ks)
        Whether the gain is above 0 for certain.
    errors : array of shape (n_ks,)
        The standard errors of the gains.
    """

    gains: FloatArray
    stability: FloatArray
    sure: BoolArray
    errors: FloatArray

    @classmethod
    def of(cls, trial: _Trial, found: Sequence[_Result]) -> _Figures:
        means = [result.gains.of_rows for result in found]
        gains = np.array([of_rows.sum() / trial.weights.sum() for of_rows in means])
        errors = np.array([_error(of_rows, trial.judged) for of_rows in means])
        stability = np.array([np.mean(result.agreement) for result in found])
        return cls.rounded(gains, stability, errors)

    @classmethod
    def rounded(cls, gains: FloatArray, stability: FloatArray, errors: FloatArray) -> _Figures:
        """Drop the digits that depend on the processor, and ask which gains are sure."""
        sure = is_above(gains, errors)
        return cls(np.round(gains, 9), np.round(stability, 9), sure, errors)

    @property
    def stable(self) -> BoolArray:
        """Which numbers have a sure gain and stable clusters."""
        return self.sure & (self.stability >= STABLE)

    @property
    def kind(self) -> IntArray:
        """2 where a number is stable, else 1 where one has a sure gain, else 0."""
        return np.add(self.sure.any(axis=-1), self.stable.any(axis=-1), dtype=np.intp)

    @property
    def worth(self) -> FloatArray:
        """Gain times stability to the power of `POWER`."""
        return np.maximum(self.gains, 0.0) * np.maximum(self.stability, 0.0) ** POWER

    @property
    def best(self) -> IntArray:
        """The place of the stable number that is worth most; 0 if none is stable."""
        return np.asarray(np.where(self.stable, self.worth, -1.0).argmax(axis=-1))

    @property
    def may_have_more(self) -> bool:
        """Whether the last number is the best of the stable ones, or of all if none are."""
        compared = self.stable if self.stable.any() else self.sure
        return bool(compared[-1] and self.worth[-1] >= self.worth[compared].max())

    def preferred(self, left: BoolArray) -> IntArray:
        """Return the place of the number to take among those that are left.

        Of the stable numbers, the smallest that is worth nearly as much as the best. If none is
        stable, the most stable one that has a sure gain; if none has, that with the highest gain.

        Examples
        --------
        >>> gains, stability = np.array([0.1, 0.99, 1.0, 1.2]), np.array([0.9, 0.9, 0.9, 0.5])
        >>> every = np.ones(4, dtype=bool)
        >>> int(_Figures(gains, stability, every, np.zeros(4)).preferred(every))
        1
        """
        stable, sure = self.stable & left, self.sure & left
        worth = np.where(stable, self.worth, -np.inf)
        is_close = stable & (worth >= CLOSE * worth.max(axis=-1, keepdims=True))
        steadiest = np.where(sure, self.stability, -np.inf)
        highest = np.where(left, self.gains, -np.inf)
        places = [which.argmax(axis=-1) for which in (is_close, steadiest, highest)]
        which = np.select([stable.any(axis=-1), sure.any(axis=-1)], [0, 1], 2)
        return np.asarray(np.choose(which, places), dtype=np.intp)


def _choose(trial: _Trial, found: Sequence[_Result], running: BoolArray) -> tuple[int, _Evidence]:
    """Return the place of the number to take, and what its clusters rest on.

    Numbers whose clusters rest on one column are passed over, as long as others have a sure gain.

    Parameters
    ----------
    trial : _Trial
    found : sequence of _Result
    running : boolean array of shape (n_ks,)
        The numbers that may be preferred.
    """
    left = np.ones(len(found), dtype=bool)
    first: tuple[int, _Evidence] | None = None
    while True:
        figures = _Figures.of(trial, found)
        place = int(figures.preferred(running))
        evidence = trial.evidence(found[place])
        if evidence.holds and figures.sure[place]:
            return place, evidence
        first = (place, evidence) if first is None else first
        left[place] = False
        if not (figures.sure & left).any():
            return first
        running = _settle(trial, found, left)


def _is_gain(of_rows: FloatArray, judged: JudgedRows) -> bool:
    return is_sure(of_rows.sum() / judged.weights.sum(), _error(of_rows, judged))


def _error(of_rows: FloatArray, judged: JudgedRows) -> float:
    """Return the standard error of a mean over single rows, from the sums over equal ones."""
    total = judged.weights.sum()
    off = of_rows - judged.weights * (of_rows.sum() / total)
    return float(np.sqrt(np.sum(np.square(off) / judged.draws)) / total)


def _repeated(trial: _Trial, labels: Labels, columns: Sequence[str]) -> str | None:
    """Return the column from whose values the clusters nearly follow, if there is one."""
    judged, weights = trial.judged, trial.weights
    best, name = REPEATED, None
    for column, codes, n_codes in zip(columns, judged.codes.T, judged.n_codes, strict=True):
        if ROWS_PER_VALUE * len(np.unique(codes)) > weights.sum():
            continue
        (joint,) = count_members([codes], [n_codes], labels, int(labels.max()) + 1, weights)
        told = joint.argmax(axis=0)[codes]
        agreement = adjusted_rand(labels, told, weights)
        if agreement > best + ROUNDING:
            best, name = agreement, column
    return name


class TooFewRowsError(ValueError):
    """There are no more distinct rows than clusters, so no number can be judged."""


def _check_ks(ks: Iterable[int], n_distinct: int) -> list[int]:
    if not isinstance(ks, Iterable):
        raise TypeError(
            f"ks must be several numbers, such as range(2, 11), got {ks!r}; for this one: [{ks!r}]."
        )
    numbers = sorted(set(ks))
    if not numbers:
        raise ValueError("ks is empty; name at least one number of clusters.")
    for k in numbers:
        check_integer("ks", k, 2, "integers from 2 on")
    able = [int(k) for k in numbers if k < n_distinct]
    if not able:
        raise TooFewRowsError(
            f"The sample has {n_distinct} distinct row{'s' * (n_distinct != 1)}, too few for "
            f"{numbers[0]} clusters or more to be compared; name the number of clusters instead of "
            "choosing it."
        )
    return able
