"""The likely values of missing cells, from the known cells of the same row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import RandomState

from untie._count.row_sample import canonical_order, row_numbers
from untie._inputs import FittedTable, as_fitted, known_space, order_of
from untie._learn.columns.explained_entropy import blank_codes
from untie._learn.filling import KnownRows, blank_probabilities, blend_weights
from untie._table import frames
from untie._table.column_codes import factorize
from untie._table.orders import Positions
from untie._table.rows import read_weights
from untie._table.table import NO_WEIGHT, read_table
from untie._table.vocabulary import INFREQUENT
from untie._util.checks import draws_of, is_number
from untie._util.threads import one_thread
from untie._util.types import BoolArray, FloatArray, IntArray, LongArray
from untie.preparer import merged_values

MOST_ROWS = 10_000
"""Of larger tables, this many rows predict the missing cells."""

DECIMALS = 9
"""Probabilities that agree in this many decimals are equal; of equally likely values the first is
taken."""

ALL_MISSING = "all of its cells are missing in the rows that predict"
ONE_VALUE = "it has one value, and a missing cell may be the other"
"""Why the missing cells of a column are not predicted."""


def likely_values(
    model: Any, data: Any, *, min_probability: float = 0.0, random_state: Any = 0
) -> Any:
    """Return the likeliest value of each missing cell, and how probable it is.

    Four predictors look at the known cells of the row: the shares of values in all rows, in
    the clusters that the row may belong to (if the model has clusters), among the rows nearest by
    the learned vectors, and where the other cells have the same values. They are blended
    column by column, with the weights that make held-out known cells likeliest. The probabilities
    are calibrated: of the cells with a probability of 70%, about 70% are right, as long as cells
    are missing at random. A mean of the table's probabilities is the share of cells to expect to be
    right.

    Cells that are missing because nothing was asked, or because there is nothing to say, such as
    the age of a spouse, have no true value: leave these columns out of what you fill. Where
    cells are missing for what is in them, as large incomes may be, the likely values are off, and
    so are the probabilities. Filled cells repeat what the rest of the table says, so do not take
    them for new evidence.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three. Best is a `TableClusterer`, as clusters are one
        of the predictors.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory. Known cells predict missing ones, of a
        large table those of 10,000 rows. Of a table with fewer rows than the model keeps of the one
        that it was fitted on, these predict instead, so that a single new row can be filled. A
        model keeps at most 2,000 distinct rows; `UNTIE` keeps none, unless it chose the number of
        clusters.
    min_probability : float, default=0
        Leave out cells whose likeliest value is less probable; 0.5 leaves those that are more
        likely right than wrong.
    random_state : int, RandomState or None, default=0
        Seed of the cells that are held out; None is 0.

    Returns
    -------
    frame
        One row per missing cell, in the order of the rows, then of the columns: row (its position,
        from 0), column, value (as text; of numbers and dates, the range that they were binned
        into) and probability. Columns that were left out have none, nor do columns whose cells are
        all missing, columns with a single value (a missing cell may be the other), and rows
        without any cells. Rare values that are merged are never the answer.

    See Also
    --------
    neighbors : The rows that are nearest to a row.
    missing_together : Columns whose cells are missing in the same rows.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import likely_values
    >>> rows = [["sea", "fish", "gills"], ["land", "cow", "lungs"]] * 20
    >>> rows += [["sea", "fish", None], [None, "cow", "lungs"]]
    >>> encoder = TableEncoder(n_clusters=2).fit(rows)
    >>> likely_values(encoder, rows).round(1)
       row column  value  probability
    0   40     x2  gills          1.0
    1   41     x0   land          1.0
    """
    fitted = as_fitted(model, data)
    if not (is_number(min_probability) and 0 <= min_probability <= 1):
        raise ValueError(f"min_probability must be from 0 to 1, got {min_probability!r}.")
    cells, _ = likely_cells(fitted, *fitted.counted(data), random_state)
    encoder = fitted.encoder
    names, labels = encoder.vocabulary_.columns, encoder.vocabulary_.labels
    found = [cell.take(cell.probability >= min_probability) for cell in cells]
    row = _joined([cell.rows for cell in found], np.intp)
    place = _joined([np.full(len(cell.rows), cell.attribute) for cell in found], np.intp)
    texts = [labels(cell.attribute)[code] for cell in found for code in cell.codes.tolist()]
    order = np.lexsort((place, row))
    columns = {
        "row": row[order],
        "column": [names[one] for one in place[order].tolist()],
        "value": [texts[one] for one in order.tolist()],
        "probability": _joined([cell.probability for cell in found], float)[order],
    }
    return frames.make_frame(encoder._library, columns)


def _joined(parts: Sequence[Any], dtype: Any) -> Any:
    return np.concatenate([np.empty(0, dtype), *parts]).astype(dtype)


@dataclass(frozen=True, eq=False)
class LikelyCells:
    """The likely values of a column's missing cells.

    Parameters
    ----------
    attribute : int
        The column.
    rows : integer array of shape (n_cells,)
        Positions of the rows, ascending.
    codes : integer array of shape (n_cells,)
        The likeliest values.
    probability : array of shape (n_cells,)
        How probable these are.
    middle : integer array of shape (n_cells,)
        The medians of what is likely, of a column with an order; else the likeliest values.
    """

    attribute: int
    rows: IntArray
    codes: IntArray
    probability: FloatArray
    middle: IntArray

    def take(self, which: BoolArray) -> LikelyCells:
        """Return some of the cells."""
        return LikelyCells(
            self.attribute,
            self.rows[which],
            self.codes[which],
            self.probability[which],
            self.middle[which],
        )


def likely_cells(
    fitted: FittedTable, rows: Any, weights: Any, random_state: Any = 0
) -> tuple[list[LikelyCells], dict[str, str]]:
    """Return the likely values column by column, and which columns have none, and why.

    Parameters
    ----------
    fitted : FittedTable
        A fitted estimator.
    rows : table of shape (n_rows, n_columns)
        Prepared rows in memory.
    weights : array of shape (n_rows,) or None
        Rows of weight 0 have nothing to tell, and are not filled.
    random_state : int, RandomState or None
        Seed of the cells that are held out.
    """
    encoder, rng = fitted.encoder, draws_of(random_state)
    table = read_table(rows)
    codes, is_missing = _coded(fitted, table)
    counts = np.ones(table.n_rows, dtype=bool)
    if weights is not None:
        counts = read_weights(weights, table.n_rows) > 0
        if not counts.any():
            raise ValueError(NO_WEIGHT)
    sizes = np.array(encoder.vocabulary_.sizes)
    is_missing &= (counts & (codes < sizes).any(axis=1))[:, None]
    is_blank = is_missing & (codes == sizes)
    able, rows_known = np.flatnonzero(counts), codes
    kept = _kept_codes(fitted)
    if encoder.counts_.n_rows > len(able) and len(kept) > len(able):
        able, rows_known = np.arange(len(kept)), kept
    some = _known_rows(fitted, rows_known, able, rng)
    skipped, chosen = {}, []
    for place in np.flatnonzero(is_missing.any(axis=0)).tolist():
        own = [code for code in set(some.codes[:, place].tolist()) if code < sizes[place]]
        n_known = len([code for code in own if encoder.vocabulary_.values[place][code] is not None])
        if n_known > 1 and is_blank[:, place].any() and _may_be(fitted, place).any():
            chosen.append(place)
        else:
            reason = ALL_MISSING if not n_known else ONE_VALUE
            skipped[encoder.vocabulary_.columns[place]] = reason
    asked = np.flatnonzero(is_blank[:, chosen].any(axis=1))
    if not len(asked):
        return [], skipped
    with one_thread():
        return _likeliest(fitted, some, codes, is_blank, asked, chosen, rng), skipped


def _coded(fitted: FittedTable, table: Any) -> tuple[LongArray, BoolArray]:
    """Return the codes of rows, in which missing cells are unknown, and which cells are missing.

    Of a column with a single value, missing cells are the other one, and stay a value.
    """
    encoder = fitted.encoder
    codes = np.stack(encoder._codes(table.source), axis=1).astype(np.int64)
    is_missing = np.zeros(codes.shape, dtype=bool)
    vocabulary = encoder.vocabulary_
    blanks = blank_codes(encoder.counts_, vocabulary.missing)
    for place, (name, cells) in enumerate(zip(table.names, table.columns, strict=True)):
        own, found = factorize(cells, name)
        is_missing[:, place] = np.array([value is None for value in found], dtype=bool)[own]
        if blanks[place] is not None or vocabulary.missing[place] is None:
            codes[is_missing[:, place], place] = vocabulary.sizes[place]
    return codes, is_missing


def _kept_codes(fitted: FittedTable) -> LongArray:
    """Return the rows that a model keeps of its table, as often as they count; as `_coded`."""
    encoder = fitted.encoder
    sizes, counts = encoder.vocabulary_.sizes, encoder.counts_
    of_table = encoder._model.ungrouped
    if of_table is None or of_table.sample is None:
        return np.empty((0, len(sizes)), np.int64)
    sample = of_table.sample
    found = encoder._grouping.apply_to_codes(list(sample.codes.T))
    codes = np.stack(found, axis=1).astype(np.int64)
    for place, blank in enumerate(blank_codes(counts, encoder.vocabulary_.missing)):
        if blank is not None:
            codes[codes[:, place] == blank, place] = sizes[place]
    times = sample.weights * (counts.n_draws / counts.n)
    times *= min(1.0, MOST_ROWS / times.sum())
    return np.repeat(codes, np.maximum(np.rint(times), 1.0).astype(np.intp), axis=0)


def _known_rows(fitted: FittedTable, codes: LongArray, able: IntArray, rng: RandomState) -> Any:
    """Return at most `MOST_ROWS` rows, in an order that the table's does not decide."""
    encoder = fitted.encoder
    model, vocabulary = encoder._model, encoder.vocabulary_
    if len(able) > MOST_ROWS:
        numbers = row_numbers(list(codes[able].T), vocabulary)
        drawn = rng.choice(len(able), MOST_ROWS, replace=False)
        able = able[np.argsort(numbers, kind="stable")[drawn]]
    kinds, which = np.unique(codes[able], axis=0, return_inverse=True)
    order = canonical_order(kinds, np.bincount(which.ravel()).astype(float), model.orders)
    codes = codes[able[np.argsort(np.argsort(order)[which.ravel()], kind="stable")]]
    members = None
    if fitted.clusterer is not None:
        members = fitted.clusterer._label(list(codes.T)).astype(np.intp)
    targets = model.coarse.targets or tuple(np.arange(n + 1) for n in vocabulary.sizes)
    votes = model.attributes.votes
    space = known_space(encoder)
    return KnownRows(codes, vocabulary.sizes, members, votes, targets, space)


def _may_be(fitted: FittedTable, attribute: int) -> BoolArray:
    """Tell which values of a column may be in a cell: not several that were merged."""
    vocabulary = fitted.encoder.vocabulary_
    merged = {} if fitted.preparer is None else merged_values(fitted.preparer)
    other = merged.get(vocabulary.columns[attribute])
    values = vocabulary.values[attribute]
    return np.array(
        [not (value is None or value is INFREQUENT or value == other) for value in values],
        dtype=bool,
    )


def _likeliest(
    fitted: FittedTable,
    some: KnownRows,
    codes: LongArray,
    is_blank: BoolArray,
    asked: IntArray,
    chosen: list[int],
    rng: RandomState,
) -> list[LikelyCells]:
    weights = blend_weights(some, chosen, rng)
    kinds, which = np.unique(codes[asked], axis=0, return_inverse=True)
    best, middle = np.full((2, *kinds.shape), -1)
    probability = np.zeros(kinds.shape)
    for attribute, places, found in blank_probabilities(some, kinds, chosen, weights):
        able = np.where(_may_be(fitted, attribute), np.round(found, DECIMALS), -1.0)
        best[places, attribute] = able.argmax(axis=1)
        probability[places, attribute] = able.max(axis=1)
        positions = order_of(fitted.encoder, attribute)
        middle[places, attribute] = _medians(able, positions)
    result = []
    for attribute in chosen:
        own = np.flatnonzero(is_blank[asked, attribute])
        kind = which.ravel()[own]
        cells = kind, np.full(len(kind), attribute)
        parts = (best[cells], probability[cells], middle[cells])
        result.append(LikelyCells(attribute, asked[own], *parts))
    return result


def _medians(able: FloatArray, positions: Positions | None) -> IntArray:
    """Return the median of each row's values by their order; without one, the likeliest.

    Parameters
    ----------
    able : array of shape (n_rows, n_values)
        How probable values are; below 0 for those that are out of the question.
    positions : integer array of shape (n_values,) or None
        Where values are in their order; below 0 for those without a place.

    Examples
    --------
    >>> _medians(np.array([[0.4, 0.3, 0.3]]), np.array([0, 1, 2])).tolist()
    [1]
    """
    if positions is None or not (positions >= 0).any():
        return able.argmax(axis=1)
    codes = np.flatnonzero(positions >= 0)
    codes = codes[np.argsort(positions[codes], kind="stable")]
    sums = np.cumsum(np.maximum(able[:, codes], 0.0), axis=1)
    return codes[(sums >= sums[:, -1:] / 2).argmax(axis=1)]
