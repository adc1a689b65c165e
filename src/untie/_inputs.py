"""What the questions take: fitted estimators, rows, positions of rows, labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals import dependencies
from sklearn.base import ClusterMixin
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from untie._base import TakesTables, VectorTask, check_seen
from untie._count.crosstab import Entries, cross_table, find_entries
from untie._encoder_base import EncoderBase
from untie._engines.memory import MemorySource
from untie._engines.registry import open_table
from untie._engines.source import check_weight_column
from untie._learn.columns.attributes import TableCounts, family_sentences, gap_sentences
from untie._learn.columns.explained_entropy import blank_codes
from untie._learn.spaces.value_space import KnownSpace
from untie._prepare.note import LEFT_OUT
from untie._prepare.numbers import as_number
from untie._table import frames
from untie._table.column_codes import factorize, is_missing, value_text
from untie._table.names import check_names
from untie._table.orders import (
    AUTO,
    Positions,
    declared_orders,
    end_texts,
    find_orders,
    without_order,
)
from untie._table.rows import (
    cells_of,
    encode,
    learn_vocabulary,
    list_of,
    read_weights,
    split_weights,
)
from untie._table.table import array_names, library_of, read_table
from untie._table.vocabulary import INFREQUENT, Vocabulary, sort_values
from untie._util.types import Codes, FloatArray, IntArray, Value
from untie.clusterer import TableClusterer, label_rows
from untie.encoder import TableEncoder
from untie.preparer import (
    Preparer,
    counted_source,
    counted_weights,
    index_of,
    named_categories,
)
from untie.untie_method import UNTIE

NOTHING_KNOWN = "nothing is known of the row"

ESTIMATORS = (TableEncoder, UNTIE, TableClusterer)
"""What questions can be asked of, alone or as the last step of a pipeline."""


@dataclass(frozen=True, eq=False)
class FittedTable:
    """A fitted estimator, taken apart: what prepares raw rows, and what takes prepared ones.

    Parameters
    ----------
    encoder : TableEncoder
        Takes prepared rows.
    clusterer : TableClusterer or None
        Takes prepared rows; None if the estimator makes no clusters.
    steps : tuple of transformers
        What prepares rows, the first step first; empty if nothing does.
    """

    encoder: TableEncoder
    clusterer: TableClusterer | None
    steps: tuple[Any, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of raw rows, as seen in `fit`."""
        first = self.steps[0] if self.steps else self.encoder
        names = getattr(first, "feature_names_in_", None)
        if names is not None:
            return tuple(map(str, names))
        return array_names(first.n_features_in_) if self.steps else self.encoder.vocabulary_.columns

    @property
    def learned_from(self) -> list[str]:
        """The columns of raw rows that are learned from; a foreign step may use all of them."""
        pairs = zip(self.encoder.vocabulary_.columns, self.encoder._model.passive, strict=True)
        names = [name for name, is_passive in pairs if not is_passive]
        for step in reversed(self.steps):
            is_known = isinstance(step, Preparer)
            names = step._columns_read(names) if is_known else list(self.names)
        return names

    @property
    def clusters(self) -> TableClusterer:
        """The clusterer; refuses an estimator that makes no clusters."""
        if self.clusterer is None:
            raise TypeError(
                "A fitted TableClusterer, or a Pipeline that ends in one, is required, got "
                f"{_named(self.encoder)}, which makes no clusters."
            )
        return self.clusterer

    @property
    def ordered(self) -> Any:
        """What the user said of columns with an order; see `TableEncoder`."""
        own = getattr(self.encoder, "ordered", AUTO)
        return own if self.preparer is None else without_order(own, named_categories(self.preparer))

    @property
    def preparer(self) -> Preparer | None:
        """The first preparer, which sees raw rows; None if there is none."""
        first = self.steps[0] if self.steps else None
        return first if isinstance(first, Preparer) else None

    def index_of(self, column: Any) -> int:
        """Return the number of a column that was learned from; refuse others."""
        return index_of(column, self.encoder.vocabulary_, self.preparer)

    def prepared(self, data: Any, keep: Sequence[str] = ()) -> Any:
        """Return raw rows, in memory or lazy, as the encoder has learned from them.

        Parameters
        ----------
        data : table of shape (n_rows, n_columns)
            Rows as they were passed to `fit`.
        keep : sequence of str
            More columns of a lazy table, which stay as they are.
        """
        for step in self.steps:
            if isinstance(step, Preparer):
                data = step.transform(data, keep=keep)
            else:
                data = step.transform(data)
        return data

    def codes(self, data: Any) -> Codes:
        """Return the codes of raw rows in memory."""
        return self.encoder._codes(self.rows(data)[0])

    def _codes(self, X: Any, reported: set[str] | None = None) -> Codes:
        """Code raw rows that come piece by piece; as `TableInput` does."""
        return self.encoder._codes(self.prepared(X), reported)

    def _columns_read(self) -> list[str] | None:
        """Return the columns that raw rows must have, by name; None if they had no names."""
        first = self.steps[0] if self.steps else self.encoder
        if not hasattr(first, "feature_names_in_"):
            return None
        return first._columns_read() if isinstance(first, TakesTables) else list(self.names)

    def _vector_task(self) -> VectorTask:
        """Return what makes vectors of raw rows."""
        task = self.encoder._vector_task()
        return replace(task, encoder=self) if self.steps else task

    def rows(self, data: Any, sample_weight: Any = None, strictly: bool = True) -> tuple[Any, Any]:
        """Return prepared rows, and their weights as they were given; refuse no rows.

        A column with the weights is taken out of a table in memory, and kept in a lazy one. If not
        strictly, the table may have more columns, and named ones in any order.
        """
        check_weight_column(sample_weight, self._columns_read() or ())
        if open_table(data).is_lazy:
            keep = [sample_weight] if isinstance(sample_weight, str) else []
            return self.prepared(data, keep), sample_weight
        data = list(data) if isinstance(data, Iterator) else data
        data, weights = split_weights(data, sample_weight)
        first = self.steps[0] if self.steps else self.encoder
        if isinstance(first, TakesTables):
            table = read_table(data, min_rows=0)
            # A Preparer finds its columns by name.
            if strictly if first is self.encoder else not table.has_names:
                check_seen(first, table)
        rows = self.prepared(data)
        read_table(rows)  # refuses a table without rows
        return rows, weights

    def counted(self, data: Any, sample_weight: Any = None) -> tuple[Any, Any]:
        """Return prepared rows, and weights that are 0 for rows that nothing is learned from.

        As in learning: parameters are as of `rows`, and weights that need no change are as given.
        """
        data = list(data) if isinstance(data, Iterator) else data
        source, preparer = open_table(data), self.preparer
        rows, weights = self.rows(data, sample_weight)
        if preparer is None:
            return rows, weights
        if not source.is_lazy:
            return rows, counted_weights(preparer, split_weights(data, sample_weight)[0], weights)
        if len(self.steps) > 1:
            return rows, weights
        return counted_source(preparer, source, sample_weight, may_have_uncounted=True)

    def clustered(self, data: Any, labels: Any = None, sample_weight: Any = None) -> ClusteredRows:
        """Return prepared rows in memory with their clusters and weights.

        Parameters
        ----------
        data : table of shape (n_rows, n_columns)
            Rows as they were passed to `fit`.
        labels : array of shape (n_rows,), str or None
            The cluster of each row, or the column that says so; None for the model's own.
        sample_weight : array of shape (n_rows,), str or None
            How often each row counts, or the column that says so.
        """
        data, labels = self.take_labels(data, labels)
        rows, weights = self.counted(data, sample_weight)
        if labels is None and self.clusterer is None:
            raise ValueError(
                f"labels is required, as {_named(self.encoder)} makes no clusters: pass one label "
                "per row or the name of a column, or a fitted TableClusterer instead."
            )
        n_rows = read_table(rows).n_rows
        weights = np.ones(n_rows) if weights is None else read_weights(weights, n_rows)
        if labels is None:
            labels = label_rows(self.clusters, rows, weights)
        partition = check_labels(labels, n_rows)
        return ClusteredRows(rows, partition, weights, self.encoder._library)

    def take_labels(self, data: Any, labels: Any) -> tuple[Any, Any]:
        """Return raw rows and labels; a column of labels leaves rows that are not learned from it.

        Parameters
        ----------
        data : table of shape (n_rows, n_columns)
            In memory.
        labels : array of shape (n_rows,), str or None
            One label per row, or the name of a column.
        """
        if not isinstance(labels, str):
            return data, labels
        table = read_table(data)
        remedy = "Or pass one label per row."
        check_names([labels], table.names, "the table", ", which labels names", remedy)
        cells = table.columns[table.names.index(labels)]
        return (data if labels in self.names else split_weights(data, labels)[0]), cells

    @property
    def row_names(self) -> str | None:
        """The column of raw rows that names them, if there is one."""
        return None if self.preparer is None else self.preparer.row_names_

    def names_at(self, data: Any, positions: IntArray) -> list[str] | None:
        """Return the names of some raw rows, in memory or lazy; None if rows have no names.

        Rows that can be read only once have none, nor have those without the column of the names.
        """
        name = self.row_names
        if name is None or self.preparer is None or isinstance(data, Iterator):
            return None
        source = open_table(data)
        if isinstance(source, MemorySource):
            table = self.preparer._named(read_table(source.data, min_rows=0))
            if name not in table.names:
                return None
            cells = list_of(table.columns[table.names.index(name)][positions])
        elif source.is_one_shot or name not in source.columns:
            return None
        else:
            wanted, places = np.unique(positions, return_inverse=True)
            pieces = source.select([name]).rows_at(wanted)
            found = [cell for piece in pieces for cell in cells_of(read_table(piece), name)]
            cells = [found[place] for place in places]
        return ["" if is_missing(cell) else value_text(cell) for cell in cells]

    def outside(self, data: Any) -> Any:
        """Return what `Preparer.outside` finds of raw rows; None without a preparer."""
        return None if self.preparer is None else self.preparer.outside(data)

    def new_answers(self, data: Any) -> Any:
        """Return what `Preparer.new_answers` finds of raw rows; None without a preparer."""
        return None if self.preparer is None else self.preparer.new_answers(data)


def as_fitted(model: Any, *asked: Any) -> FittedTable:
    """Take a fitted estimator, or a pipeline that ends in one, apart.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted.
    *asked : tables
        What the model is asked about. Answers come in the library of the first that is a frame; if
        none is, in that of the table that was passed to `fit`.

    Raises
    ------
    TypeError
        If it is no such estimator, or a pipeline that ends in something else.
    NotFittedError
        If it is not fitted.
    """
    *before, last = _steps(model) or [model]
    if not isinstance(last, ESTIMATORS):
        got = _named(last) if last is model else f"a Pipeline that ends in {_named(last)}"
        remedy = "fit one to the table first: TableClusterer().fit(table)."
        if before and isinstance(last, ClusterMixin) and isinstance(before[-1], EncoderBase):
            remedy = (
                "pass the steps before it, and its clusters as labels: model=pipeline[:-1], "
                f"labels=pipeline[-1].{'labels_' if hasattr(last, 'labels_') else 'predict(...)'}."
            )
        elif isinstance(last, ClusterMixin):
            remedy = (
                "to ask about its clusters, pass them as labels: model=TableEncoder().fit(table), "
                "labels=..., one per row."
            )
        raise TypeError(
            "A fitted TableEncoder, UNTIE or TableClusterer, or a scikit-learn Pipeline that ends "
            f"in one, is required, got {got}; {remedy}"
        )
    for step in (*before, last):
        try:
            check_is_fitted(step)
        except NotFittedError as error:
            if step is model:
                raise
            raise NotFittedError(
                f"This Pipeline is not fitted yet, as its {_named(step)} is not; fit it to the "
                "table first: pipeline.fit(table)."
            ) from error
    steps = before
    clusterer = last if isinstance(last, TableClusterer) else None
    encoder = last if clusterer is None else clusterer.encoder_
    for estimator in (clusterer, encoder):
        preparer = getattr(estimator, "preparer_", None)
        steps += [] if preparer is None else [preparer]
    taker = None if clusterer is None else clusterer._of_prepared()
    encoder = encoder._of_prepared()
    library = next(filter(None, map(library_of, asked)), encoder._library)
    if library != encoder._library:
        encoder = _with(encoder, _library=library)
        taker = None if taker is None else _with(taker, encoder_=encoder)
    return FittedTable(encoder, taker, tuple(steps))


def _with(estimator: Any, **attributes: Any) -> Any:
    """Return a shallow copy of an estimator with other attributes."""
    other = copy(estimator)
    other.__dict__ |= attributes
    return other


def _steps(model: Any) -> list[Any]:
    """Return what a model is made of: the steps of a pipeline, those of pipelines in it too."""
    if not isinstance(model, Pipeline):
        is_none = model is None or (isinstance(model, str) and model == "passthrough")
        return [] if is_none else [model]
    return [part for _, step in model.steps for part in _steps(step)]


def _named(estimator: Any) -> str:
    name = type(estimator).__name__
    return f"the class {estimator.__name__}" if isinstance(estimator, type) else name


@dataclass(frozen=True, eq=False)
class Partition:
    """Clusters of rows.

    Parameters
    ----------
    names : tuple
        The clusters, sorted.
    members : integer array of shape (n_rows,)
        The number of each row's cluster.
    """

    names: tuple[Value, ...]
    members: IntArray

    def __len__(self) -> int:
        return len(self.names)


def check_labels(labels: Any, n_rows: int, may_be_missing: bool = False) -> Partition:
    """Return the clusters that labels of any type name, one label per row."""
    array = labels if isinstance(labels, nw.Series) else np.asarray(labels)
    if array.shape != (n_rows,):
        raise ValueError(
            f"labels has shape {array.shape}, but the table has {n_rows} rows; pass one label per "
            "row, in the order of the rows."
        )
    codes, found = factorize(array, "labels")
    if None in found and not may_be_missing:
        row = int(np.flatnonzero(codes == found.index(None))[0])
        raise ValueError(f"labels of row {row} is missing; every row must be in a cluster.")
    names = sort_values(found)
    places = {name: place for place, name in enumerate(names)}
    return Partition(names, np.array([places[value] for value in found], dtype=np.intp)[codes])


@dataclass(frozen=True, eq=False)
class ClusteredRows:
    """Prepared rows in memory, and the cluster and weight of each.

    Parameters
    ----------
    rows : table of shape (n_rows, n_columns)
        As the encoder takes them.
    partition : Partition
        The clusters.
    weights : array of shape (n_rows,)
        How often each row counts.
    library : str
        What frames for the user are made with.
    """

    rows: Any
    partition: Partition
    weights: FloatArray
    library: str

    @property
    def sizes(self) -> FloatArray:
        """Weight of each cluster's rows; shape (n_clusters,)."""
        members, n_clusters = self.partition.members, len(self.partition)
        return np.bincount(members, self.weights, minlength=n_clusters).astype(float)


@dataclass(frozen=True, eq=False)
class ClusteredTable:
    """What there is to say of clusters, column by column.

    Parameters
    ----------
    names : tuple
        The clusters, sorted.
    sizes : array of shape (n_clusters,)
        Weight of each cluster's rows.
    columns : tuple of str
        The columns.
    entries : tuple of Entries
        For each column its values, or runs of them.
    weights : array of shape (n_rows,)
        How often each row counts.
    library : str
        What frames for the user are made with.
    """

    names: tuple[Value, ...]
    sizes: FloatArray
    columns: tuple[str, ...]
    entries: tuple[Entries, ...]
    weights: FloatArray
    library: str


def read_clusters(clustered: ClusteredRows, ordered: Any = AUTO) -> ClusteredTable:
    """Count what the rows of each cluster have in each column.

    Parameters
    ----------
    clustered : ClusteredRows
        Prepared rows, their clusters and weights.
    ordered : "auto", bool, sequence of names or mapping from names to values
        Which columns have an order; see `TableEncoder`.
    """
    table, clusters = read_table(clustered.rows), clustered.partition
    weights, sizes = clustered.weights, clustered.sizes
    if not weights.any():
        raise ValueError("Every sample weight is zero; at least one row must count.")
    vocabulary, rows = learn_vocabulary(table)
    orders = find_orders(vocabulary, ordered, declared_orders(table))
    entries = []
    for column, (codes, size) in enumerate(zip(rows.codes, vocabulary.sizes, strict=True)):
        by_cluster = cross_table(clusters.members, codes, (len(clusters), size), weights)
        entries.append(find_entries(by_cluster, vocabulary.labels(column), orders[column]))
    names = vocabulary.columns
    return ClusteredTable(clusters.names, sizes, names, tuple(entries), weights, clustered.library)


def learned_order(encoder: TableEncoder, attribute: int) -> Positions | None:
    """Return the order of a column's values that the encoder learned with, if it did."""
    orders = encoder._model.orders
    return orders[attribute] if orders else None


def order_of(encoder: TableEncoder, attribute: int) -> Positions | None:
    """Return where a column's values stand in its order, if it has one.

    It is what the encoder learned with; ranges have their order even if it learned without.
    """
    learned = learned_order(encoder, attribute)
    if learned is not None:
        return learned
    values = encoder.vocabulary_.values[attribute]
    return find_orders(Vocabulary(("",), (values,)))[0]


def labels_in_order(encoder: TableEncoder, attribute: int) -> list[str]:
    """Return a column's values as text, in the order that they have."""
    labels = encoder.vocabulary_.labels(attribute)
    positions = order_of(encoder, attribute)
    if positions is None:
        return labels
    last = len(labels)
    places = [int(place) if place >= 0 else last for place in positions]
    return [labels[code] for code in sorted(range(last), key=lambda code: (places[code], code))]


def one_row(fitted: FittedTable, row: Any, data: Any = None) -> Any:
    """Return a raw row of any form as a prepared table with one row.

    Parameters
    ----------
    fitted : FittedTable
        A fitted estimator.
    row : mapping, pandas Series, sequence of cells, table with one row, or int
        A mapping or Series has the cells by their columns' names; a number is a position in `data`.
    data : table of shape (n_rows, n_columns), optional
        What positions are in.
    """
    encoder = fitted.encoder
    found = fitted.rows(one_raw_row(fitted, row, data))[0]
    table, vocabulary = read_table(found), encoder.vocabulary_
    for name, cells in () if fitted.steps else zip(table.names, table.columns, strict=True):
        place = vocabulary.columns.index(name) if name in vocabulary.columns else None
        if place is None or not _are_ranges(encoder, place):
            continue
        cell = factorize(cells, name)[1][0]
        is_known = cell in vocabulary.values[place]
        if as_number(cell) is not None and not is_known:
            raise ValueError(
                f"Column {name!r} has {cell!r}, but the encoder has learned from ranges such as "
                f"{vocabulary.labels(place)[0]!r}, which were prepared before; pass a pipeline of "
                "the preparer and the encoder, and rows as they come."
            )
    return found


def _are_ranges(encoder: TableEncoder, attribute: int) -> bool:
    """Tell whether the values of a column have an order, and one of them is a range."""
    values = encoder.vocabulary_.values[attribute]
    has_range = any(
        isinstance(value, str) and as_number(value) is None and end_texts(value) is not None
        for value in values
    )
    return has_range and order_of(encoder, attribute) is not None


def one_raw_row(fitted: FittedTable, row: Any, data: Any = None) -> Any:
    """Return a raw row of any form as a raw table with one row; parameters as of `one_row`."""
    names = fitted.names
    positions = check_positions(row) if is_position(row) else None
    if positions is not None:
        if data is None:
            raise TypeError(
                f"{row!r} is the position of a row, but the table is not known; name it, with "
                "data=table, or pass the row itself."
            )
        (row,) = open_table(data).rows_at(positions)
        return row
    if dependencies.is_pandas_series(row):
        row = {str(name): cell for name, cell in row.items()}
    if isinstance(row, Mapping):
        notes = fitted.preparer.notes_ if fitted.preparer is not None else ()
        spared = {note.column for note in notes if note.action == LEFT_OUT}
        absent = [name for name in names if name not in row and name not in spared]
        if absent:
            raise ValueError(f"The row has no cell for {absent}; its columns must be {names}.")
        return _frame(fitted, {name: row.get(name) for name in names})
    if is_one_row(fitted, row):
        return _frame(fitted, dict(zip(names, row, strict=True)))
    table = read_table(row, min_rows=0)
    if table.n_rows != 1:
        raise ValueError(
            f"One row is required, got a table of {table.n_rows}; pass data[i:i+1] or a dict of "
            "its cells."
        )
    return row


def is_one_row(fitted: FittedTable, row: Any) -> bool:
    """Tell whether something is a row whose cells have names, or a list of all its cells."""
    if isinstance(row, Mapping) or dependencies.is_pandas_series(row):
        return True
    is_list = isinstance(row, list | tuple) and len(row) == len(fitted.names)
    return is_list and not _is_nested(row)


def is_position(row: Any) -> bool:
    """Tell whether something is a single position."""
    return isinstance(row, Integral) and not isinstance(row, bool | np.bool_)


def check_positions(rows: Any) -> IntArray | None:
    """Return positions of rows, or None if `rows` is something else."""
    if is_position(rows):
        rows = [rows]
    if isinstance(rows, range | list | tuple | np.ndarray) and np.ndim(rows) == 1:
        array = np.asarray(rows)
        if not len(array):
            raise ValueError("rows is empty; name at least one row.")
        if array.dtype.kind in "iu":
            if array.min() < 0:
                raise ValueError(f"There is no row {array.min()}; rows are counted from 0.")
            return array.astype(np.intp)
    return None


def named_rows(positions: IntArray, names: list[str] | None) -> dict[str, Any]:
    """Return columns of a frame that say which rows it is about."""
    return {"position": positions, **({} if names is None else {"name": names})}


def cell_texts(encoder: TableEncoder, data: Any, positions: IntArray | None = None) -> Any:
    """Return the cells of some rows as text: one list per attribute.

    A rare value that the model merges with others, or one that it does not know, is written as it
    is, with a mark that says so.
    """
    table = read_table(data, min_rows=0)
    if positions is not None:
        table = read_table(frames.rows_at(table.source, positions), min_rows=0)
    raw = encode(table, encoder._grouping.raw).codes
    model = encoder._grouping.apply_to_codes(raw)
    texts = []
    for attribute, column in enumerate(table.columns):
        cells, found = factorize(column, table.names[attribute])
        labels = encoder.vocabulary_.labels(attribute)
        values = encoder.vocabulary_.values[attribute]
        line = []
        for cell, code in zip(cells, model[attribute], strict=True):
            if code < len(values) and values[code] is not INFREQUENT:
                line.append(labels[code])
            else:
                text = "missing" if found[cell] is None else str(found[cell])
                line.append(text + (" (rare)" if code < len(values) else " (unknown)"))
        texts.append(line)
    return texts


def redundant_said(encoder: TableEncoder, names: Sequence[str]) -> list[str]:
    """Say which columns say the same, and which are missing together, by what they are called."""
    counts, vocabulary = encoder.counts_, encoder.vocabulary_
    table = TableCounts.of(counts, vocabulary.missing)
    return [
        *family_sentences(encoder._model.attributes, names, table),
        *gap_sentences(counts, vocabulary, names),
    ]


def with_outside(notes: list[str], outside: Any) -> list[str]:
    """Return the notes of rows with what `Preparer.outside` has found of them."""
    found = frames.columns_of(outside)
    notes = list(notes)
    for row, column, value, lowest, highest in zip(*found.values(), strict=True):
        said = f"{column}={value} (outside {lowest} to {highest})"
        notes[row] = f"{notes[row]}; {said}" if notes[row] else said
    return notes


def with_new_answers(notes: list[str], new: Any) -> list[str]:
    """Return the notes of rows with what `Preparer.new_answers` has found of them."""
    found = frames.columns_of(new)
    notes = list(notes)
    for row, column, answer in zip(*found.values(), strict=True):
        said = f"{column}={answer} (new answer)"
        notes[row] = f"{notes[row]}; {said}" if notes[row] else said
    return notes


def known_space(encoder: TableEncoder) -> KnownSpace:
    """Return the vectors of an encoder for comparing rows by the cells that are known."""
    counts, space = encoder.counts_, encoder._model.space
    return KnownSpace(space, counts.parts, blank_codes(counts, encoder.vocabulary_.missing))


def _frame(fitted: FittedTable, cells: Mapping[str, Any]) -> Any:
    first = fitted.steps[0] if fitted.steps else fitted.encoder
    if not hasattr(first, "feature_names_in_"):
        return [list(cells.values())]
    return frames.make_frame(
        fitted.encoder._library, {name: [cell] for name, cell in cells.items()}
    )


def _is_nested(row: Any) -> bool:
    return any(isinstance(cell, list | tuple | dict | np.ndarray) for cell in row)
