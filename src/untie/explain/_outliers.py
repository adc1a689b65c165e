"""Unusual rows, and what makes them so.

The score of a row is high where it combines values that are frequent and yet hardly ever occur
together: the surprise of a pair of values compares how often it occurs with how often it would by
chance. The row is unusual if its score is too high to be the highest of as many ordinary rows.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations, groupby
from operator import itemgetter
from typing import Any

import numpy as np
from scipy.special import gammaincc, gammaln, xlogy

from untie._base import unknown_cells
from untie._count.chunked import PiecePlace
from untie._engines.registry import open_table
from untie._engines.source import Source
from untie._inputs import (
    FittedTable,
    as_fitted,
    cell_texts,
    named_rows,
    one_raw_row,
    one_row,
)
from untie._learn.clustering.lloyd import weighted_quantile
from untie._learn.selection.k_choice import FEW, is_few
from untie._table import frames
from untie._table.table import NO_ROWS, NoRowsError, read_table
from untie._table.vocabulary import INFREQUENT
from untie._util.checks import check_integer, check_one_of
from untie._util.messages import warn_user
from untie._util.types import AnyArray, BoolArray, Codes, FloatArray, IntArray, Value
from untie.encoder import TableEncoder
from untie.explain._scored_rows import DIGITS, NO_LABEL, Candidates, ScoreCounts, ScoredRows
from untie.preparer import columns_seen

TABLE_CELLS = 2**18
"""Attributes with at most this many pairs of values, on average, are looked up in a table."""

FEW_CELLS = 2**11
"""A table of two attributes with at most this many pairs takes no longer than a few rows."""

LookUp = Callable[[AnyArray, AnyArray], FloatArray]
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
        heard = np.flatnonzero(~encoder._model.passive).tolist()
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

    def alone(self, unknown: list[BoolArray], beyond: list[BoolArray]) -> list[FloatArray]:
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

    def chances(
        self, codes: Codes, alone: list[FloatArray], scores: FloatArray, n: float
    ) -> FloatArray:
        """Return how likely `n` rows of independent columns have one with at least each score.

        Approximately: the sum is taken for gamma distributed, and the rows are added up. The cells
        are those of the row itself, so rare values do not make it unlikely. Parameters are as of
        `scores`, which returned them.
        """
        margins = [
            self._others(np.append(self.counts.frequencies[self.counts.span(place)], 0.0))[column]
            for place, column in enumerate(codes)
        ]
        n_others = max(float(self._others(np.array(self.counts.n))), 1.0)
        mean, variance = np.zeros((2, len(scores)))
        for own in alone:  # a value is new with the probability exp(-own)
            mean += np.where(own > 0, own * np.exp(-own), 0.0)
            variance += np.where(own > 0, own**2 * np.exp(-own) * -np.expm1(-own), 0.0)
        for first, second in self.pairs:
            of_pair = chance_surprise(margins[first] * margins[second] / n_others)
            mean += of_pair[0]
            variance += of_pair[1]
        return np.minimum(n * gamma_tail(scores, mean, variance), 1.0)

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

    def _surprise(self, first: int, second: int, left: AnyArray, right: AnyArray) -> FloatArray:
        seen, expected = self._seen(first, second, left, right)
        return np.maximum(np.log((expected + 1.0) / (seen + 1.0)), 0.0)

    def _seen(
        self, first: int, second: int, left: AnyArray, right: AnyArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return how often values meet in other rows, and how often they would by chance."""
        counts = self.counts
        known = (left < counts.sizes[first]) & (right < counts.sizes[second])
        seen, expected = np.zeros((2, len(left)))
        at = left[known].astype(np.intp), right[known].astype(np.intp)
        margins = [
            self._others(counts.frequencies[counts.span(place)][codes])
            for place, codes in zip((first, second), at, strict=True)
        ]
        seen[known] = self._others(counts.block(first, second)[at])
        n_others = max(float(self._others(np.array(counts.n))), 1.0)
        expected[known] = margins[0] * margins[1] / n_others
        return seen, expected

    def _others(self, weights: FloatArray) -> FloatArray:
        """Return the same counts without the row itself, if it is one of those counted."""
        return np.maximum(weights * self.scale - (0.0 if self.is_new else 1.0), 0.0)


def _looked_up(table: FloatArray, start: int, left: AnyArray, right: AnyArray) -> FloatArray:
    """Return the cells of some rows of a table and of some columns, counted from one on."""
    return table.ravel().take(left.astype(np.intp) * table.shape[1] + start + right)


FALSE_ALARMS = 0.05
"""The chance that any row of a table of independent columns is said to be unusual."""

FALSE_DISCOVERIES = 0.1
"""Of the rows that are said to be unusual, the share that may be the tail of the others."""

TAIL = 0.1
"""The highest scores that the height of the largest is extrapolated from, as a share of all."""

SMALL_EXCESS = float(np.log(2.0))
"""Scores closer than this are alike: that of a pair met half as often as expected, in nats."""

SOME = 0.01
"""Fewer rows than this part of all that stand out beside rows alike do not say what is usual."""

EXACT = 400
"""Pairs that are expected more often than this deviate as normal numbers do."""


@cache
def _chance_surprises() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return expected counts with the mean and the variance of the surprise that chance makes."""
    expected = np.linspace(0.0, np.sqrt(EXACT), 401) ** 2
    seen = np.arange(EXACT)
    chances = np.exp(xlogy(seen, expected[:, None]) - expected[:, None] - gammaln(seen + 1.0))
    surprise = np.maximum(np.log((expected[:, None] + 1.0) / (seen + 1.0)), 0.0)
    mean = (chances * surprise).sum(axis=1)
    return expected, mean, (chances * surprise**2).sum(axis=1) - mean**2


def chance_surprise(expected: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the variance of the surprise of pairs that meet by chance.

    That is max(log((e + 1) / (o + 1)), 0) for o with the Poisson distribution of mean e.

    Parameters
    ----------
    expected : array of shape (n_pairs,)
        How often they are expected.

    Examples
    --------
    >>> mean, variance = chance_surprise(np.array([0.0, 1.0, 100.0]))
    >>> mean.round(3).tolist(), variance.round(3).tolist()
    ([0.0, 0.255, 0.042], [0.0, 0.112, 0.004])
    """
    known, means, variances = _chance_surprises()
    at = np.sqrt(np.minimum(expected, EXACT)) * ((len(known) - 1) / np.sqrt(EXACT))
    mean, variance = (np.interp(at, np.arange(len(known)), line) for line in (means, variances))
    # Half of a normal number with the standard deviation sqrt(1 / e).
    large = np.maximum(expected, EXACT)
    is_large = expected > EXACT
    mean = np.where(is_large, 1.0 / np.sqrt(2.0 * np.pi * large), mean)
    return mean, np.where(is_large, (0.5 - 0.5 / np.pi) / large, variance)


def gamma_tail(scores: FloatArray, mean: FloatArray, variance: FloatArray) -> FloatArray:
    """Return how likely gamma numbers of given means and variances are at least some scores.

    Examples
    --------
    >>> gamma_tail(np.array([3.0, 0.0]), np.array([1.0, 0.0]), np.array([1.0, 0.0])).round(3)
    array([0.05, 1.  ])
    """
    has_any = (mean > 0) & (variance > 0)
    mean, variance = np.where(has_any, mean, 1.0), np.where(has_any, variance, 1.0)
    found = gammaincc(mean**2 / variance, scores * mean / variance)
    return np.where(has_any, found, (scores <= 0).astype(float))


def tail_chances(scores: FloatArray, usual: FloatArray, weights: FloatArray) -> FloatArray:
    """Return how likely a row is to have at least each score, by the tail of the usual ones.

    Beyond the score that a tenth of the rows exceed, the excess is taken for exponential. Its
    median, and with it the result, does not depend on how high the scores of a few odd rows are.
    Where half of that tenth have scores that are alike, these say nothing of an excess: the rows
    further beyond are the tail, but for scores that only a few rows are half as far beyond.

    Parameters
    ----------
    scores : array of shape (n_scores,)
        The scores.
    usual : array of shape (n_usual,)
        Those of the rows that say what is usual.
    weights : array of shape (n_usual,)
        How often each counts.

    Returns
    -------
    array of shape (n_scores,)
        1 for those that are not in the tail.

    Examples
    --------
    >>> usual = np.append(np.linspace(0.0, 10.0, 20), 1e6)
    >>> tail_chances(np.array([5.0, 10.0, 20.0, 1e6]), usual, np.ones(21)).round(4).tolist()
    [1.0, 0.0714, 0.0, 0.0]

    One row of a hundred stands out, but not each of five:

    >>> for n in (1, 5):
    ...     usual = np.repeat([0.0, 3.0], [100 - n, n])
    ...     tail_chances(np.array([3.0]), usual, np.ones(100)).tolist()
    [0.0]
    [0.025]
    """
    if not weights.any():
        return np.ones(len(scores))
    start = weighted_quantile(usual, weights, 1.0 - TAIL)
    above = usual >= start
    excess, sizes, total = usual[above] - start, weights[above], float(weights.sum())
    median = weighted_quantile(excess, sizes, 0.5)
    beyond = np.maximum(scores - start, 0.0)
    chances = np.where(scores >= start, _exponential(beyond, median, sizes.sum() / total), 1.0)
    further = excess >= SMALL_EXCESS
    if median >= SMALL_EXCESS or not further.any():
        return chances
    order = np.argsort(excess)
    at_least = np.append(np.cumsum(sizes[order][::-1])[::-1], 0.0)
    half = np.maximum(beyond / 2.0, SMALL_EXCESS)
    counts, which = np.unique(at_least[np.searchsorted(excess[order], half)], return_inverse=True)
    are_few = np.array([n < SOME * total or is_few(n, total) for n in counts.tolist()])[which]
    median = weighted_quantile(excess[further], sizes[further], 0.5)
    of_many = _exponential(beyond, median, sizes[further].sum() / total)
    return np.where(are_few, chances, np.where(beyond >= SMALL_EXCESS, of_many, 1.0))


def _exponential(beyond: FloatArray, median: float, share: float) -> FloatArray:
    """Return how likely a row is in a tail of so many, and at least so far beyond its start."""
    halvings = beyond / median if median > 0 else np.where(beyond > 0, np.inf, 0.0)
    return np.asarray(min(share, 1.0) * np.exp2(-halvings))


N_REASONS = 3
"""A reason names at most this many pairs of values."""

DATA, MODEL = "data", "model"
"""What rows shares are of."""


def outliers(model: Any, data: Any, *, n: int = 20, share_of: str = DATA) -> Any:
    """Return the rows with the most surprising combinations of values.

    The surprise of two values of a row is log((e + 1) / (o + 1)) if that is positive: o other rows
    that the encoder has learned from have both, and e would if the columns were independent. A
    row's score adds them up, in nats; `why_outlier` shows the terms. A value that the encoder has
    never seen adds log((n + 1) / (u + 1)), of n rows and u values of the column that were seen
    once; a number outside the range that the preparer has seen adds log((n + 1) / 2). The time
    grows with the number of rows and with the square of the number of columns.

    Some row has the highest score of every table, so the column `unusual` says which scores are
    higher than ordinary rows have them, by two criteria. If the columns were independent, any of
    the n rows would have such a score with a probability of at most 5%: the sum over the pairs is
    given a gamma distribution, with the mean and variance that it has if the numbers o are Poisson,
    and the rows are added up (Bonferroni). And the score is beyond the tail of those of the table:
    the excess over the score that a tenth of the rows exceed is taken for exponential, with its
    median, and at most 10% of the rows beyond are expected to belong to it (Benjamini-Hochberg).
    So rows are not unusual for being between clusters, if many are. Where half of that tenth have
    scores within log(2), the rows further beyond are the tail, but for scores that less than 1% of
    the rows, or no more than in a cluster of a few (see below), are half as far beyond. Fewer than
    20 rows say little of each other; compare them with those of a model (``share_of="model"``): n
    is then the number of its rows, if these are more. Rows that nothing is learned from, such as
    those without cells or with the totals of others, come last and are not unusual.

    A cluster of the model with fewer than 5 rows that are less than 5% of all, or fewer than 20
    that are less than 0.1%, is no group: its rows are unusual, and come first.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
        Its counts say what is usual.
    data : table of shape (n_rows, n_columns)
        The rows that were passed to `fit`, or new ones, in memory or lazy. A lazy table is read
        once; the workers of a Dask or Spark frame read it twice, first a single column to number
        the rows. With more than a million different scores, `share` is of scores rounded down to
        multiples of 2^-20, or of a larger part.
    n : int, default=20
        Number of rows; it hardly matters for the time.
    share_of : {"data", "model"}, default="data"
        "data" where `data` is the table that was learned from: `share` is of its rows, and one of
        the rows that have a combination is the row itself, so one that was seen once is as good as
        unseen. "model" for new rows: all rows that were learned from are others, and `share` is of
        these. A `TableEncoder` keeps up to 2,000 distinct ones, unless it merges values of very
        many; without them, a warning says so and `share` is of `data`.

    Returns
    -------
    frame
        The highest score first, after rows of clusters of a few rows: position (from 0), name (if
        rows have names: see `Preparer`), score, share (of the rows with at least this score),
        unusual (whether it is one) and reason, its most surprising pairs and values in words.

    See Also
    --------
    why_outlier : What makes a row unusual.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import outliers
    >>> rows = [["sea", "fish"], ["land", "cow"]] * 20 + [["sea", "cow"]]
    >>> encoder = TableEncoder(n_clusters=2).fit(rows)
    >>> found = outliers(encoder, rows, n=2)
    >>> found[["position", "score", "unusual"]].round(2)
       position  score  unusual
    0        40    2.4     True
    1         0    0.0    False
    >>> found.reason[0]
    'x0=sea with x1=cow: in no other row, 10.0 expected'
    """
    fitted = as_fitted(model, data)
    n = check_integer("n", n)
    check_one_of("share_of", share_of, (DATA, MODEL))
    if (source := open_table(data)).is_lazy:
        found = _score_lazy(fitted, source, n, share_of)
    else:
        rows, weights = fitted.counted(data)
        counts = None if weights is None else np.asarray(weights) > 0
        labels = None
        if share_of == DATA and fitted.clusterer is not None:
            labels = fitted.clusterer.predict(rows)
        found = _score(fitted, data, rows, n, share_of, labels, counts)
    few = {label: few_said(label, int(size)) for label, size in found.few.items()}
    return _judged(fitted, found, share_of, few)


def few_said(cluster: Any, n: int) -> str:
    """Return why a row of a cluster of a few rows is unusual.

    Examples
    --------
    >>> few_said(3, 2)
    'one of 2 rows in cluster 3, unlike all others'
    """
    which = "the only row" if n == 1 else f"one of {n} rows"
    return f"{which} in cluster {cluster}, unlike all others"


def unusual_rows(
    fitted: FittedTable,
    data: Any,
    n: int,
    labels: IntArray,
    few: Mapping[int, str],
    counts: BoolArray,
) -> Any:
    """Return the frame of `outliers` of rows in memory that were learned from.

    Parameters
    ----------
    fitted : FittedTable
        The model.
    data, n
        As in `outliers`.
    labels : integer array of shape (n_rows,)
        The cluster of each row.
    few : mapping of int to str
        The clusters whose rows come first, and why they are unusual.
    counts : boolean array of shape (n_rows,)
        Which rows something is learned from; others come last.
    """
    found = _score(fitted, data, fitted.rows(data)[0], n, DATA, labels, counts, list(few))
    return _judged(fitted, found, DATA, few)


def _score_lazy(fitted: FittedTable, source: Source, n: int, share_of: str) -> ScoredRows:
    """Score the rows of a lazy table in one pass, or in two where they are with workers."""
    names = fitted._columns_read() or source.columns
    if fitted.preparer is not None:
        more = [name for name in columns_seen(fitted.preparer) if name in source.columns]
        names = list(dict.fromkeys([*names, *more]))
    own = source.own_columns(names)
    starts = own.count_rows(names[0]).starts if own.has_workers else {}
    found = own.add_up(ScoreTask(fitted, n, share_of, starts))
    if found.rows is None:
        raise NoRowsError(NO_ROWS.format(""))
    return found


@dataclass(frozen=True, eq=False)
class ScoreTask:
    """Scores the rows of a piece of a table; can be sent to a worker.

    Parameters
    ----------
    fitted : FittedTable
        The model.
    n, share_of
        As in `outliers`.
    starts : mapping of int to int
        The number of the first row of each partition.
    """

    fitted: FittedTable
    n: int
    share_of: str
    starts: Mapping[int, int]

    def __call__(self, frame: Any, place: PiecePlace) -> ScoredRows:
        """Score a piece."""
        if not read_table(frame, min_rows=0).n_rows:
            nothing = ScoreCounts.of(np.empty(0))
            return ScoredRows(self.n, None, nothing, nothing, {})
        rows, weights = self.fitted.counted(frame)
        counts = None if weights is None else np.asarray(weights) > 0
        labels = None
        if self.share_of == DATA and self.fitted.clusterer is not None:
            codes = self.fitted.encoder._codes(rows)
            labels = self.fitted.clusterer._label(codes).astype(np.intp)
        found = _score(self.fitted, frame, rows, self.n, self.share_of, labels, counts)
        assert found.rows is not None
        positions = found.rows.positions + self.starts.get(place.part, 0) + place.row
        return replace(found, rows=replace(found.rows, positions=positions))


def _score(
    fitted: FittedTable,
    data: Any,
    rows: Any,
    n: int,
    share_of: str,
    labels: IntArray | None,
    counts: BoolArray | None,
    first: Sequence[int] | None = None,
) -> ScoredRows:
    """Score rows in memory; keep those that may be the most unusual.

    Parameters
    ----------
    fitted, data, n, share_of
        As in `outliers`.
    rows : table
        The same rows, prepared.
    labels : integer array of shape (n_rows,), optional
        The cluster of each row.
    counts : boolean array of shape (n_rows,), optional
        Which rows something is learned from; all by default.
    first : sequence of int, optional
        The clusters whose rows come first; by default those with few rows.
    """
    encoder, n_rows = fitted.encoder, read_table(rows).n_rows
    codes = encoder._codes(rows)
    surprises = Surprises(encoder, share_of == MODEL)
    beyond, said = _read_outside(fitted, data, n_rows)
    alone = surprises.alone(unknown_cells(encoder, rows, codes), beyond)
    scores = surprises.scores(codes, alone)
    counts = np.ones(n_rows, dtype=bool) if counts is None else counts
    labels = np.full(n_rows, NO_LABEL) if labels is None else labels
    own, sizes = np.unique(labels[counts], return_counts=True)
    small = own[sizes < FEW] if first is None else np.array(first, dtype=np.intp)
    every = np.arange(n_rows)
    high = np.lexsort((every, -np.round(scores, DIGITS), ~counts))[:n]
    is_small = np.isin(labels, small[small != NO_LABEL]) & counts
    chosen = np.union1d(high, every[is_small])
    names = fitted.names_at(data, chosen)
    kept = Candidates(
        chosen,
        scores[chosen],
        counts[chosen],
        labels[chosen],
        np.stack([column[chosen] for column in codes], axis=1).astype(np.intp),
        np.stack([column[chosen] for column in alone], axis=1),
        np.array(cell_texts(encoder, rows, chosen), dtype=object).T,
        np.array([*(said[row] for row in chosen.tolist()), None], dtype=object)[:-1],
        None if names is None else np.array(names, dtype=object),
    )
    by_label = dict(zip(own.tolist(), sizes.astype(float).tolist(), strict=True))
    return ScoredRows(
        n, kept, ScoreCounts.of(scores[counts]), ScoreCounts.of(scores[~counts]), by_label
    )


def _judged(fitted: FittedTable, found: ScoredRows, share_of: str, few: Mapping[int, str]) -> Any:
    """Return the frame of the most unusual of scored rows.

    Parameters
    ----------
    fitted, share_of
        As in `outliers`.
    found : ScoredRows
        All rows.
    few : mapping of int to str
        The clusters whose rows come first, and why they are unusual.
    """
    encoder, surprises = fitted.encoder, Surprises(fitted.encoder, share_of == MODEL)
    assert found.rows is not None
    rows = found.rows.at(found.rows.worst_first(np.array(list(few), dtype=np.intp))[: found.n])
    codes, alone = list(rows.codes.T), list(rows.alone.T)
    terms = surprises.terms(codes, alone)
    usual, n_judged = found.usual, found.scores.n_rows
    if share_of == MODEL:
        usual = _scores_of_model(encoder) or usual
        # Rows asked about one by one are as many as those they are compared with.
        n_judged = max(n_judged, encoder.counts_.n_draws)
    is_few = np.isin(rows.labels, list(few)) & rows.counts
    is_unusual = is_few.copy()
    is_high = _are_beyond(rows, found.scores, usual, n_judged)
    high = rows.at(is_high)
    chances = surprises.chances(list(high.codes.T), list(high.alone.T), high.scores, n_judged)
    is_unusual[is_high] |= chances <= FALSE_ALARMS
    reasons = [
        (
            few[label] if is_first else None,
            _reason(surprises, encoder, rows.texts[row], codes, terms, row, rows.outside[row]),
        )
        for row, (label, is_first) in enumerate(zip(rows.labels, is_few, strict=True))
    ]
    columns = {
        **named_rows(rows.positions, None if rows.names is None else rows.names.tolist()),
        "score": rows.scores,
        "share": _share_above(rows.scores, usual),
        "unusual": is_unusual,
        "reason": ["; ".join(filter(None, reason)) for reason in reasons],
    }
    return frames.make_frame(encoder._library, columns)


def _are_beyond(rows: Candidates, scores: ScoreCounts, usual: ScoreCounts, n: float) -> BoolArray:
    """Return which rows that count are beyond the tail of the usual ones, as some of `n` rows.

    Parameters
    ----------
    rows : Candidates
        The rows in question.
    scores : ScoreCounts
        Those of all rows that count.
    usual : ScoreCounts
        Those that say what is usual.
    n : float
        Of so many rows, the others of which are taken to be ordinary.
    """
    if not len(scores.values):
        return np.zeros(len(rows), dtype=bool)
    in_tail = tail_chances(scores.values, usual.values, usual.sizes)
    order = np.argsort(in_tail, kind="stable")
    # Benjamini and Hochberg's method, where each score is that of so many rows.
    ranks = np.cumsum(scores.sizes[order])
    found = np.minimum.accumulate((in_tail[order] * (ranks[-1] / ranks))[::-1])[::-1]
    corrected = np.empty(len(found))
    corrected[order] = np.clip(found, 0.0, 1.0) * (n / scores.n_rows)
    places = np.searchsorted(scores.values, scores.place(rows.scores))
    own = corrected[np.minimum(places, len(corrected) - 1)]
    return rows.counts & (own <= FALSE_DISCOVERIES)


def why_outlier(model: Any, row: Any, *, data: Any = None, share_of: str = DATA) -> Any:
    """Return what each column adds to a row's outlier score.

    A column has half of the surprise of each pair that it is in, and all of its own value's, if the
    model has never seen that or anything beyond it.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    row : row or int
        As passed to `fit`: a table with one row, a dict or pandas Series with the cells by name, or
        the list of cells. Or its position in `data`, from 0, as `outliers` gives it.
    data : table of shape (n_rows, n_columns), optional
        The table that a position is in, in memory or lazy.
    share_of : {"data", "model"}, default="data"
        As in `outliers`: "model" for a row that is none of those that were learned from.

    Returns
    -------
    frame
        One row per column, the largest part first: column, value, part (they add up to the
        score), and the column and value that it is most surprising with: with_column,
        with_value, count (of other rows that have both) and expected.

    See Also
    --------
    outliers : The most unusual rows.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import why_outlier
    >>> rows = [["sea", "fish", "a"], ["land", "cow", "a"]] * 20 + [["sea", "cow", "a"]]
    >>> encoder = TableEncoder(n_clusters=2, preparer=None).fit(rows)
    >>> why_outlier(encoder, rows[-1])[["column", "value", "part", "with_value"]].round(2)
         column value  part with_value
    0        x0   sea   1.2        cow
    1        x1   cow   1.2        sea
    2        x2     a   0.0        sea
    """
    fitted = as_fitted(model, data, row)
    check_one_of("share_of", share_of, (DATA, MODEL))
    encoder, raw = fitted.encoder, one_raw_row(fitted, row, data)
    table = one_row(fitted, raw)
    codes = encoder._codes(table)
    surprises = Surprises(encoder, share_of == MODEL)
    texts = [cells[0] for cells in cell_texts(encoder, table)]
    unknown = unknown_cells(encoder, table)
    terms = surprises.terms(codes, surprises.alone(unknown, _read_outside(fitted, raw, 1)[0]))[0]
    parts = (terms.sum(axis=1) + terms.diagonal()) / 2.0
    order = np.argsort(-np.round(parts, 12), kind="stable")
    partners = np.array([_partner(terms, place) for place in order])
    cells = [surprises.cell(codes, 0, *pair) for pair in zip(order, partners, strict=True)]
    names = encoder.vocabulary_.columns
    columns = {
        "column": [names[place] for place in order],
        "value": [texts[place] for place in order],
        "part": parts[order],
        "with_column": [names[place] for place in partners],
        "with_value": [texts[place] for place in partners],
        "count": [seen for seen, _ in cells],
        "expected": [expected for _, expected in cells],
    }
    return frames.make_frame(encoder._library, columns)


def _read_outside(
    fitted: FittedTable, data: Any, n_rows: int
) -> tuple[list[BoolArray], list[dict[int, str]]]:
    """Return which cells are numbers beyond those seen, by column, and their words, by row."""
    encoder, outside = fitted.encoder, fitted.outside(data)
    names = encoder.vocabulary_.columns
    beyond = [np.zeros(n_rows, dtype=bool) for _ in names]
    said: list[dict[int, str]] = [{} for _ in range(n_rows)]
    if outside is None:
        return beyond, said
    places = {name: place for place, name in enumerate(names)}
    for row, column, *texts in zip(*frames.columns_of(outside).values(), strict=True):
        place = places.get(column)
        if place is not None and not encoder._model.passive[place]:
            beyond[place][row] = True
            said[row][place] = "{}={}: outside {} to {}".format(column, *texts)
    return beyond, said


def _reason(
    surprises: Surprises,
    encoder: TableEncoder,
    texts: Sequence[str],
    codes: Codes,
    terms: FloatArray,
    row: int,
    outside: dict[int, str],
) -> str:
    """Name the most surprising pairs of a row, and values that were never seen."""
    names = encoder.vocabulary_.columns
    every = np.arange(len(names))
    places = np.concatenate([np.stack([every, every], axis=1), surprises.pairs])
    own = terms[row]
    order = np.argsort(-np.round(own[places[:, 0], places[:, 1]], 9), kind="stable")
    n_rows = f"{surprises.counts.n_rows:,} rows"
    said = []
    for first, second in places[order[:N_REASONS]].tolist():
        cell = f"{names[first]}={texts[first]}"
        if own[first, second] <= 0:
            break
        if first != second:
            seen, expected = surprises.cell(codes, row, first, second)
            met = f"{_times(seen, surprises.is_new)}, {expected:,.1f} expected"
            said.append(f"{cell} with {names[second]}={texts[second]}: {met}")
        elif first in outside:
            said.append(f"{outside[first]}, all that was seen in {n_rows}")
        else:
            said.append(f"{cell}: never seen in {n_rows}")
    return "; ".join(said)


def _times(n: float, is_new: bool) -> str:
    """Return how many rows have a pair besides the row that is spoken of."""
    number = f"{n:,.0f}"
    rows = "row" if number in ("0", "1") else "rows"
    count = "no" if number == "0" else number
    return f"in {count} {rows} of the model" if is_new else f"in {count} other {rows}"


def _share_above(scores: FloatArray, others: ScoreCounts) -> FloatArray:
    """Return the share of other rows that have at least each score."""
    below = np.concatenate([[0.0], np.cumsum(others.sizes)])
    return 1.0 - below[np.searchsorted(others.values, others.place(scores))] / below[-1]


def _scores_of_model(encoder: TableEncoder) -> ScoreCounts | None:
    """Return the scores of rows that the encoder was fitted on, as often as they count, if any."""
    kept = encoder._model.ungrouped
    if kept is None or kept.sample is None:
        warn_user(
            "The model keeps none of the rows that it was fitted on (it merged values of very "
            "many, or has another solver than 'auto'), so that share is of the new rows."
        )
        return None
    codes = encoder._grouping.apply_to_codes(list(kept.sample.codes.T))
    surprises = Surprises(encoder, is_new=False)
    found = surprises.scores(codes, [np.zeros(len(codes[0]))])
    values, places = np.unique(np.round(found, DIGITS), return_inverse=True)
    sizes = np.bincount(places, kept.sample.weights * surprises.scale)
    return ScoreCounts(values, sizes.astype(float))


def _partner(terms: FloatArray, attribute: int) -> int:
    """Return the attribute that another one is most surprising with."""
    line = terms[attribute].copy()
    line[attribute] = -1.0
    return int(np.argmax(np.round(line, 12)))
