"""Unusual rows, and what makes them so.

A row is unusual where it has values together that are frequent and yet hardly ever meet. For two
of its values, seen together o times in the other rows where e times are expected if the columns
were independent, the surprise is log((e + 1) / (o + 1)), and 0 if that is negative; a row's score
is the sum over its pairs of values. The 1 stands for what one row more or less may be: rare
values, which are expected nowhere, surprise nobody by what they meet.

Typical pairs do not make up for odd ones (negative terms are 0), and rarity by itself does not
count: ``benchmarks/outliers.py`` measures what else could be done. With the negative terms, rows
with odd combinations are found a little better and a class made rare not at all; the sum of
rarities and the distance to the mean vector hardly see odd combinations, and find a rare class
a little better.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie._inputs import cell_texts, check_encoder, encode_rows, one_row
from untie._table import frames
from untie._util.checks import check_integer
from untie._util.types import Codes, FloatArray
from untie.encoder import UNTIE

TABLE_CELLS = 2**18
"""Two attributes with at most this many pairs of values are looked up in a table."""

N_REASONS = 3
"""A reason names at most this many pairs of values."""

BLOCK_ROWS = 2**16
"""Rows are scored this many at a time."""


def outliers(encoder: UNTIE, data: Any, n: int = 20) -> Any:
    """Return the rows with the most surprising combinations of values.

    The surprise of two values of a row is log((e + 1) / (o + 1)) if that is positive: o other rows
    that the encoder has learned from have both, and e would if the columns were independent. A
    row's score adds them up, in nats; `why_outlier` shows the terms. Unknown values, of which
    nothing is expected, add nothing. The time grows with the number of rows and with the square of
    the number of columns.

    Parameters
    ----------
    encoder : UNTIE
        Fitted; its counts say what is usual.
    data : table of shape (n_rows, n_columns)
        In memory: the table that was learned from, or new rows. One of the rows that have a
        combination is taken to be the row itself, so one that was seen once is as good as unseen.
    n : int, default=20
        Number of rows; it hardly matters for the time.

    Returns
    -------
    frame
        The most unusual row first: position, score, share (of the table's rows with at
        least this score) and reason, its most surprising pairs in words.

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
    'x0=sea with x1=cow: 0 times, 10.0 expected'
    """
    check_encoder(encoder)
    n = check_integer("n", n)
    codes = encode_rows(encoder, data)
    surprises = _Surprises(encoder)
    scores = surprises.scores(codes)
    worst = np.lexsort((np.arange(len(scores)), -np.round(scores, 9)))[:n]
    ordered = np.sort(np.round(scores, 9))
    texts = cell_texts(encoder, data, worst)
    chosen = [column[worst] for column in codes]
    terms = surprises.terms(chosen)
    columns = {
        "position": worst,
        "score": scores[worst],
        "share": 1.0 - np.searchsorted(ordered, np.round(scores[worst], 9)) / len(scores),
        "reason": [
            _reason(encoder, surprises, [cells[row] for cells in texts], chosen, terms[row], row)
            for row in range(len(worst))
        ],
    }
    return frames.make_frame(encoder.library_, columns)


def why_outlier(encoder: UNTIE, row: Any) -> Any:
    """Return what each column adds to a row's outlier score.

    A column has half of the surprise of each pair that it is in.

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
    terms = surprises.terms(codes)[0]
    parts = terms.sum(axis=1) / 2.0
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

    def scores(self, codes: Codes) -> FloatArray:
        """Return the sum of the surprises of each row."""
        total = np.zeros(len(codes[0]))
        for first, second in self.pairs:
            look_up = self._look_up(first, second, len(total))
            for start in range(0, len(total), BLOCK_ROWS):
                rows = slice(start, start + BLOCK_ROWS)
                total[rows] += look_up(codes[first][rows], codes[second][rows])
        return total

    def terms(self, codes: Codes) -> FloatArray:
        """Return the surprise of all pairs; shape (n_rows, n_attributes, n_attributes)."""
        n_attributes = len(self.counts.sizes)
        terms = np.zeros((len(codes[0]), n_attributes, n_attributes))
        for first, second in self.pairs:
            found = self._surprise(first, second, codes[first], codes[second])
            terms[:, first, second] = terms[:, second, first] = found
        return terms

    def cell(self, codes: Codes, row: int, first: int, second: int) -> tuple[float, float]:
        """Return how often two values of a row meet in other rows, and how often expected."""
        some = [codes[place][row : row + 1] for place in (first, second)]
        seen, expected = self._seen(first, second, *some)
        return float(seen[0]), float(expected[0])

    def _look_up(self, first: int, second: int, n_rows: int) -> Any:
        """Return a function of codes, which looks their surprise up where that saves work."""
        widths = [self.counts.sizes[place] + 1 for place in (first, second)]
        if widths[0] * widths[1] > min(TABLE_CELLS, 4 * n_rows):
            return lambda left, right: self._surprise(first, second, left, right)
        left, right = (index.ravel() for index in np.indices(widths))
        table = self._surprise(first, second, left, right)
        return lambda left, right: table.take(left.astype(np.intp) * widths[1] + right)

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


def _reason(
    encoder: UNTIE,
    surprises: _Surprises,
    texts: list[str],
    codes: Codes,
    terms: FloatArray,
    row: int,
) -> str:
    """Name the most surprising pairs of a row."""
    names = encoder.vocabulary_.columns
    worst = sorted(surprises.pairs, key=lambda pair: -round(float(terms[pair]), 9))[:N_REASONS]
    said = []
    for first, second in worst:
        if terms[first, second] > 0:
            seen, expected = surprises.cell(codes, row, first, second)
            said.append(
                f"{names[first]}={texts[first]} with {names[second]}={texts[second]}: "
                f"{seen:,.0f} times, {expected:,.1f} expected"
            )
    return "; ".join(said)


def _partner(terms: FloatArray, attribute: int) -> int:
    """Return the attribute that another one is most surprising with."""
    line = terms[attribute].copy()
    line[attribute] = -1.0
    return int(np.argmax(np.round(line, 12)))
