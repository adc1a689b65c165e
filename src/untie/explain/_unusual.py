"""Unusual rows, and what makes them so.

A row is unusual where it has values together that are frequent and yet hardly ever meet. For two
of its values, seen together o times in the other rows where e times are expected if the columns
were independent, the surprise is log((e + 1) / (o + 1)), and 0 if that is negative; a row's score
is the sum over its pairs of values. The 1 stands for what one row more or less may be: rare
values, which are expected nowhere, surprise nobody by what they meet.

A value that none of n rows had is a surprise of its own: log((n + 1) / (u + 1)), where u values of
its column were seen once. By the rule of Good and Turing, u / n is the chance of a value not seen
before: of a column of names one expects them, and of one with two values one does not.

Typical pairs do not make up for odd ones (negative terms are 0), and rarity by itself does not
count: ``benchmarks/outliers.py`` measures what else could be done. With the negative terms, rows
with odd combinations are found a little better and a class made rare not at all; the sum of
rarities and the distance to the mean vector hardly see odd combinations, and find a rare class
a little better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations, groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie._inputs import cell_texts, check_encoder, encode_rows, one_row, unknown_cells
from untie._table import frames
from untie._table.vocabulary import INFREQUENT
from untie._util.checks import check_integer, check_one_of
from untie._util.types import Codes, FloatArray, Value
from untie._util.warn import warn_user
from untie.encoder import UNTIE

TABLE_CELLS = 2**18
"""Attributes with at most this many pairs of values, on average, are looked up in a table."""

FEW_CELLS = 2**11
"""A table of two attributes with at most this many pairs takes no longer than a few rows."""

N_REASONS = 3
"""A reason names at most this many pairs of values."""

DATA, MODEL = "data", "model"
"""What rows shares are of."""

Unknown = list[NDArray[np.bool_]]
"""Which rows have a value that was never seen, one array per attribute."""

LookUp = Callable[[NDArray[Any], NDArray[Any]], FloatArray]
"""Codes of two attributes -> the surprise of each pair."""

BLOCK_ROWS = 2**16
"""Rows are scored this many at a time."""


def outliers(encoder: UNTIE, data: Any, n: int = 20, *, share_of: str = DATA) -> Any:
    """Return the rows with the most surprising combinations of values.

    The surprise of two values of a row is log((e + 1) / (o + 1)) if that is positive: o other rows
    that the encoder has learned from have both, and e would if the columns were independent. A
    row's score adds them up, in nats; `why_outlier` shows the terms. A value that the encoder has
    never seen adds log((n + 1) / (u + 1)), of n rows and u values of the column that were seen
    once. The time grows with the number of rows and with the square of the number of columns.

    Parameters
    ----------
    encoder : UNTIE
        Fitted; its counts say what is usual.
    data : table of shape (n_rows, n_columns)
        In memory: the table that was learned from, or new rows. One of the rows that have a
        combination is taken to be the row itself, so one that was seen once is as good as unseen.
    n : int, default=20
        Number of rows; it hardly matters for the time.
    share_of : {"data", "model"}, default="data"
        Which rows `share` is of: those of `data`, or those that the encoder was fitted on, for new
        rows. Of the latter it keeps up to 2,000 distinct ones, with the solver "auto" and without
        merging values of very many; without them, a warning says so and `share` is of `data`.

    Returns
    -------
    frame
        The most unusual row first: position, score, share (of the rows with at least this score)
        and reason, its most surprising pairs and values in words.

    See Also
    --------
    why_outlier : What makes a row unusual.

    Examples
    --------
    >>> from untie import UNTIE
    >>> from untie.explain import outliers
    >>> rows = [["sea", "fish"], ["land", "cow"]] * 20 + [["sea", "cow"]]
    >>> encoder = UNTIE(n_clusters=2).fit(rows)
    >>> found = outliers(encoder, rows, n=1)
    >>> found.position[0], found.score.round(2)[0]
    (np.int64(40), np.float64(2.4))
    >>> found.reason[0]
    'x0=sea with x1=cow: in no other row, 10.0 expected'
    """
    check_encoder(encoder)
    n = check_integer("n", n)
    check_one_of("share_of", share_of, (DATA, MODEL))
    codes = encode_rows(encoder, data)
    surprises = _Surprises(encoder)
    unknown = unknown_cells(encoder, data, codes)
    scores = surprises.scores(codes, unknown)
    worst = np.lexsort((np.arange(len(scores)), -np.round(scores, 9)))[:n]
    texts = cell_texts(encoder, data, worst)
    chosen = [column[worst] for column in codes]
    terms = surprises.terms(chosen, [column[worst] for column in unknown])
    usual = scores, np.ones(len(scores))
    if share_of == MODEL:
        usual = _scores_of_model(encoder, surprises) or usual
    columns = {
        "position": worst,
        "score": scores[worst],
        "share": _share_above(scores[worst], *usual),
        "reason": [
            _reason(encoder, surprises, [cells[row] for cells in texts], chosen, terms[row], row)
            for row in range(len(worst))
        ],
    }
    return frames.make_frame(encoder.library_, columns)


def why_outlier(encoder: UNTIE, row: Any) -> Any:
    """Return what each column adds to a row's outlier score.

    A column has half of the surprise of each pair that it is in, and all of its own value's, if the
    encoder has never seen that.

    Parameters
    ----------
    encoder : UNTIE
        Fitted.
    row : row
        A table with one row, a dict or pandas Series with the cells by name, or the list of cells.

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
    >>> from untie import UNTIE
    >>> from untie.explain import why_outlier
    >>> rows = [["sea", "fish", "a"], ["land", "cow", "a"]] * 20 + [["sea", "cow", "a"]]
    >>> encoder = UNTIE(n_clusters=2).fit(rows)
    >>> why_outlier(encoder, rows[-1])[["column", "value", "part", "with_value"]].round(2)
         column value  part with_value
    0        x0   sea   1.2        cow
    1        x1   cow   1.2        sea
    2        x2     a   0.0        sea
    """
    check_encoder(encoder)
    table = one_row(encoder, row)
    codes = encoder.codes(table)
    surprises = _Surprises(encoder)
    texts = [cells[0] for cells in cell_texts(encoder, table)]
    terms = surprises.terms(codes, unknown_cells(encoder, table))[0]
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
    return frames.make_frame(encoder.library_, columns)


class _Surprises:
    """The surprise of every pair of values, from counts of the whole table.

    Values of passive columns surprise nobody.
    """

    def __init__(self, encoder: UNTIE) -> None:
        heard = np.flatnonzero(~encoder.model_.passive).tolist()
        if len(heard) < 2:
            raise ValueError("A combination needs two columns; the encoder was fitted on one.")
        counts = self.counts = encoder.counts_
        self.pairs = list(combinations(heard, 2))
        # Weights may be scaled to any sum; the rows are then the least that there is to go by.
        self.scale = max(counts.n, counts.n_rows) / counts.n
        known = encoder.vocabulary_.values
        self.of_new = [self._of_new(place, values) for place, values in enumerate(known)]

    def scores(self, codes: Codes, unknown: Unknown) -> FloatArray:
        """Return the sum of the surprises of each row."""
        total = np.zeros(len(codes[0]))
        for of_new, is_new in zip(self.of_new, unknown, strict=True):
            total[is_new] += of_new
        for first, second, look_up in self._look_ups(len(total)):
            for start in range(0, len(total), BLOCK_ROWS):
                rows = slice(start, start + BLOCK_ROWS)
                total[rows] += look_up(codes[first][rows], codes[second][rows])
        return total

    def terms(self, codes: Codes, unknown: Unknown) -> FloatArray:
        """Return the surprise of all pairs; shape (n_rows, n_attributes, n_attributes).

        That of a value which was never seen is on the diagonal.
        """
        n_attributes = len(self.counts.sizes)
        terms = np.zeros((len(codes[0]), n_attributes, n_attributes))
        for place, is_new in enumerate(unknown):
            terms[:, place, place] = self.of_new[place] * is_new
        for first, second, look_up in self._look_ups(len(terms)):
            found = look_up(codes[first], codes[second])
            terms[:, first, second] = terms[:, second, first] = found
        return terms

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

    def _surprise(
        self, first: int, second: int, left: NDArray[Any], right: NDArray[Any]
    ) -> FloatArray:
        seen, expected = self._seen(first, second, left, right)
        return np.maximum(np.log((expected + 1.0) / (seen + 1.0)), 0.0)

    def _seen(
        self, first: int, second: int, left: NDArray[Any], right: NDArray[Any]
    ) -> tuple[FloatArray, FloatArray]:
        """Return how often values meet in other rows, and how often they would by chance."""
        counts = self.counts
        known = (left < counts.sizes[first]) & (right < counts.sizes[second])
        seen, expected = np.zeros((2, len(left)))
        at = left[known].astype(np.intp), right[known].astype(np.intp)
        found: Any = counts.block(first, second)[at]  # sparse for many values
        found = found.toarray() if sparse.issparse(found) else found
        margins = [
            self._others(counts.frequencies[counts.span(place)][codes])
            for place, codes in zip((first, second), at, strict=True)
        ]
        seen[known] = self._others(np.asarray(found).ravel())
        n_others = max(float(self._others(np.array(counts.n))), 1.0)
        expected[known] = margins[0] * margins[1] / n_others
        return seen, expected

    def _others(self, weights: FloatArray) -> FloatArray:
        """Return the same counts without the row itself."""
        return np.maximum(weights * self.scale - 1.0, 0.0)


def _looked_up(
    table: FloatArray, start: int, left: NDArray[Any], right: NDArray[Any]
) -> FloatArray:
    """Return the cells of some rows of a table and of some columns, counted from one on."""
    return table.ravel().take(left.astype(np.intp) * table.shape[1] + start + right)


def _reason(
    encoder: UNTIE,
    surprises: _Surprises,
    texts: list[str],
    codes: Codes,
    terms: FloatArray,
    row: int,
) -> str:
    """Name the most surprising pairs of a row, and values that were never seen."""
    names = encoder.vocabulary_.columns
    every = np.arange(len(names))
    places = np.concatenate([np.stack([every, every], axis=1), surprises.pairs])
    order = np.argsort(-np.round(terms[places[:, 0], places[:, 1]], 9), kind="stable")
    said = []
    for first, second in places[order[:N_REASONS]].tolist():
        if terms[first, second] > 0:
            cell = f"{names[first]}={texts[first]}"
            if first == second:
                said.append(f"{cell}: never seen in {surprises.counts.n_rows:,} rows")
                continue
            seen, expected = surprises.cell(codes, row, first, second)
            said.append(
                f"{cell} with {names[second]}={texts[second]}: {_times(seen)}, "
                f"{expected:,.1f} expected"
            )
    return "; ".join(said)


def _times(n: float) -> str:
    """Return how many rows have a pair besides the row that is spoken of."""
    some = {"0": "no other row", "1": "1 other row"}
    return f"in {some.get(f'{n:,.0f}', f'{n:,.0f} other rows')}"


def _share_above(scores: FloatArray, others: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the share of the weight of other rows that have at least each score."""
    order = np.argsort(others, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    places = np.searchsorted(np.round(others[order], 9), np.round(scores, 9))
    return 1.0 - below[places] / below[-1]


def _scores_of_model(encoder: UNTIE, surprises: _Surprises) -> tuple[FloatArray, FloatArray] | None:
    """Return the scores of rows that the encoder was fitted on and their weights, if it has any."""
    kept = encoder.model_.ungrouped
    if kept is None or kept.sample is None:
        warn_user(
            "The model keeps none of the rows that it was fitted on (it merged values of very "
            "many, or has another solver than 'auto'), so that share is of the new rows."
        )
        return None
    codes = encoder.grouping_.apply_to_codes(list(kept.sample.codes.T))
    nothing = [np.zeros(len(column), dtype=bool) for column in codes]
    return surprises.scores(codes, nothing), kept.sample.weights


def _partner(terms: FloatArray, attribute: int) -> int:
    """Return the attribute that another one is most surprising with."""
    line = terms[attribute].copy()
    line[attribute] = -1.0
    return int(np.argmax(np.round(line, 12)))
