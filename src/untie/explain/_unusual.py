"""Unusual rows, and what makes them so.

A row is unusual where it has values together that are frequent and yet hardly ever meet. For two
of its values, seen together o times in the other rows where e times are expected if the columns
were independent, the surprise is log((e + 1) / (o + 1)), and 0 if that is negative; a row's score
is the sum over its pairs of values. The 1 stands for what one row more or less may be: rare
values, which are expected nowhere, surprise nobody by what they meet.

A value that none of n rows had is a surprise of its own: log((n + 1) / (u + 1)), where u values of
its column were seen once. By the rule of Good and Turing, u / n is the chance of a value not seen
before: of a column of names one expects them, and of one with two values one does not.

So is a number beyond all that the n rows had: log((n + 1) / 2), as the chance that one more is the
least or the largest of n + 1 is at most 2 / (n + 1).

Typical pairs do not make up for odd ones (negative terms are 0), and rarity by itself does not
count: ``benchmarks/outliers.py`` measures what else could be done. With the negative terms, rows
with odd combinations are found a little better and a class made rare not at all; the sum of
rarities and the distance to the mean vector hardly see odd combinations, and find a rare class
a little better.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._inputs import (
    FittedTable,
    as_fitted,
    cell_texts,
    codes_of,
    encode_rows,
    one_raw_row,
    one_row,
    unknown_cells,
)
from untie._table import frames
from untie._util.checks import check_integer, check_one_of
from untie._util.types import Codes, FloatArray
from untie._util.warn import warn_user
from untie.encoder import TableEncoder
from untie.explain._surprises import Surprises

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

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
        Its counts say what is usual.
    data : table of shape (n_rows, n_columns)
        In memory: the rows that were passed to `fit`, or new ones.
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
        The most unusual row first: position, score, share (of the rows with at least this score)
        and reason, its most surprising pairs and values in words.

    See Also
    --------
    why_outlier : What makes a row unusual.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import outliers
    >>> rows = [["sea", "fish"], ["land", "cow"]] * 20 + [["sea", "cow"]]
    >>> encoder = TableEncoder(n_clusters=2).fit(rows)
    >>> found = outliers(encoder, rows, n=1)
    >>> found.position[0], found.score.round(2)[0]
    (np.int64(40), np.float64(2.4))
    >>> found.reason[0]
    'x0=sea with x1=cow: in no other row, 10.0 expected'
    """
    fitted = as_fitted(model)
    n = check_integer("n", n)
    check_one_of("share_of", share_of, (DATA, MODEL))
    encoder, rows = fitted.encoder, fitted.rows(data)[0]
    codes = encode_rows(encoder, rows)
    surprises = Surprises(encoder, share_of == MODEL)
    unknown = unknown_cells(encoder, rows, codes)
    beyond, said = _read_outside(fitted, data, len(codes[0]))
    alone = surprises.alone(unknown, beyond)
    scores = surprises.scores(codes, alone)
    worst = np.lexsort((np.arange(len(scores)), -np.round(scores, 9)))[:n]
    texts = cell_texts(encoder, rows, worst)
    chosen = [column[worst] for column in codes]
    terms = surprises.terms(chosen, [column[worst] for column in alone])
    usual = scores, np.ones(len(scores))
    if share_of == MODEL:
        usual = _scores_of_model(encoder) or usual
    columns = {
        "position": worst,
        "score": scores[worst],
        "share": _share_above(scores[worst], *usual),
        "reason": [
            _reason(surprises, encoder, [c[row] for c in texts], chosen, terms, row, said[position])
            for row, position in enumerate(worst.tolist())
        ],
    }
    return frames.make_frame(encoder.library_, columns)


def why_outlier(model: Any, row: Any, *, share_of: str = DATA) -> Any:
    """Return what each column adds to a row's outlier score.

    A column has half of the surprise of each pair that it is in, and all of its own value's, if the
    model has never seen that or anything beyond it.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    row : row
        As passed to `fit`: a table with one row, a dict or pandas Series with the cells by name, or
        the list of cells.
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
    fitted = as_fitted(model)
    check_one_of("share_of", share_of, (DATA, MODEL))
    encoder, raw = fitted.encoder, one_raw_row(fitted, row)
    table = one_row(fitted, raw)
    codes = codes_of(encoder, table)
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
    return frames.make_frame(encoder.library_, columns)


def _read_outside(
    fitted: FittedTable, data: Any, n_rows: int
) -> tuple[list[NDArray[np.bool_]], list[dict[int, str]]]:
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
        if place is not None and not encoder.model_.passive[place]:
            beyond[place][row] = True
            said[row][place] = "{}={}: outside {} to {}".format(column, *texts)
    return beyond, said


def _reason(
    surprises: Surprises,
    encoder: TableEncoder,
    texts: list[str],
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


def _share_above(scores: FloatArray, others: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the share of the weight of other rows that have at least each score."""
    order = np.argsort(others, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    places = np.searchsorted(np.round(others[order], 9), np.round(scores, 9))
    return 1.0 - below[places] / below[-1]


def _scores_of_model(encoder: TableEncoder) -> tuple[FloatArray, FloatArray] | None:
    """Return the scores of rows that the encoder was fitted on and their weights, if it has any."""
    kept = encoder.model_.ungrouped
    if kept is None or kept.sample is None:
        warn_user(
            "The model keeps none of the rows that it was fitted on (it merged values of very "
            "many, or has another solver than 'auto'), so that share is of the new rows."
        )
        return None
    codes = encoder.grouping_.apply_to_codes(list(kept.sample.codes.T))
    surprises = Surprises(encoder, is_new=False)
    return surprises.scores(codes, [np.zeros(len(codes[0]))]), kept.sample.weights


def _partner(terms: FloatArray, attribute: int) -> int:
    """Return the attribute that another one is most surprising with."""
    line = terms[attribute].copy()
    line[attribute] = -1.0
    return int(np.argmax(np.round(line, 12)))
