"""What the questions take: rows, positions of rows, labels; and cells as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from narwhals import dependencies
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from untie._count.cluster_entries import Entries, find_entries
from untie._encoder_base import EncoderBase
from untie._prepare.numbers import as_number
from untie._table import frames
from untie._table.column_codes import factorize
from untie._table.orders import AUTO, Positions, declared_orders, find_orders
from untie._table.rows import encode, learn_vocabulary
from untie._table.sample_weights import read_weights
from untie._table.table import read_table
from untie._table.unknown import joins_rare_values
from untie._table.vocabulary import INFREQUENT, Vocabulary, sort_values
from untie._util.types import Codes, FloatArray, Value
from untie.encoder import TableEncoder

NOTHING_KNOWN = "nothing is known of the row"


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
    members: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.names)


def check_labels(labels: Any, n_rows: int) -> Partition:
    """Return the clusters that labels of any type name, one label per row."""
    array = np.asarray(labels)
    if array.shape != (n_rows,):
        raise ValueError(
            f"labels has shape {array.shape}, but the table has {n_rows} rows; pass one label per "
            "row, in the order of the rows."
        )
    codes, found = factorize(array, "labels")
    if None in found:
        row = int(np.flatnonzero(codes == found.index(None))[0])
        raise ValueError(f"labels of row {row} is missing; every row must be in a cluster.")
    names = sort_values(found)
    places = {name: place for place, name in enumerate(names)}
    return Partition(names, np.array([places[value] for value in found], dtype=np.intp)[codes])


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


def read_clusters(
    data: Any, labels: Any, sample_weight: Any = None, ordered: Any = AUTO
) -> ClusteredTable:
    """Count what the rows of each cluster have in each column.

    Parameters
    ----------
    data : table of shape (n_rows, n_columns)
        In memory.
    labels : array of shape (n_rows,)
        The cluster of each row.
    sample_weight : array of shape (n_rows,), optional
        How often each row counts.
    ordered : "auto", bool, sequence of names or mapping from names to values
        Which columns have an order; see `TableEncoder`.
    """
    table = read_table(data)
    clusters = check_labels(labels, table.n_rows)
    weights = check_row_weights(sample_weight, table.n_rows)
    if not weights.any():
        raise ValueError("Every sample weight is zero; at least one row must count.")
    vocabulary, rows = learn_vocabulary(table)
    typed = zip(table.names, table.columns, strict=True)
    declared = declared_orders((name, getattr(cells, "dtype", None)) for name, cells in typed)
    orders = find_orders(vocabulary, ordered, declared)
    entries = []
    for column, (codes, size) in enumerate(zip(rows.codes, vocabulary.sizes, strict=True)):
        cells = clusters.members * size + codes
        counts = np.bincount(cells, weights, minlength=len(clusters) * size).astype(float)
        by_cluster = counts.reshape(len(clusters), size)
        entries.append(find_entries(by_cluster, vocabulary.labels(column), orders[column]))
    sizes = np.bincount(clusters.members, weights, minlength=len(clusters)).astype(float)
    names = vocabulary.columns
    return ClusteredTable(clusters.names, sizes, names, tuple(entries), weights, table.backend)


def check_row_weights(sample_weight: Any, n_rows: int) -> FloatArray:
    """Return one weight per row; ones if none are given."""
    return np.ones(n_rows) if sample_weight is None else read_weights(sample_weight, n_rows)


def check_encoder(encoder: Any) -> TableEncoder:
    """Refuse what is no fitted encoder."""
    is_encoder: bool = isinstance(encoder, EncoderBase)
    if not is_encoder:
        raise TypeError(
            "A fitted TableEncoder or UNTIE is required, got "
            f"{type(encoder).__name__}; of a TableClusterer pass its encoder_, of a pipeline its "
            "last step, with rows that are prepared."
        )
    check_is_fitted(encoder)
    found: TableEncoder = encoder
    return found


def learned_order(encoder: TableEncoder, attribute: int) -> Positions | None:
    """Return the order of a column's values that the encoder learned with, if it did."""
    orders = encoder.model_.orders
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


def one_row(encoder: TableEncoder, row: Any) -> Any:
    """Return a row of any form as a table with one row; refuse one that is not prepared.

    Parameters
    ----------
    row : mapping, pandas Series, sequence of cells or table with one row
        A mapping or Series has the cells by their columns' names.
    """
    found = _one_row(encoder, row)
    table, vocabulary = read_table(found), encoder.vocabulary_
    for name, cells in zip(table.names, table.columns, strict=True):
        place = vocabulary.columns.index(name) if name in vocabulary.columns else None
        if place is None or not _are_ranges(encoder, place):
            continue
        cell = factorize(cells, name)[1][0]
        if as_number(cell) is not None:
            raise ValueError(
                f"Column {name!r} has {cell!r}, but the encoder has learned from ranges such as "
                f"{vocabulary.labels(place)[0]!r}; pass rows that are prepared as those were: "
                "preparer.transform(rows)."
            )
    return found


def _are_ranges(encoder: TableEncoder, attribute: int) -> bool:
    """Tell whether the values of a column have an order and none of them is a number."""
    values = encoder.vocabulary_.values[attribute]
    no_number = all(as_number(value) is None for value in values)
    return no_number and order_of(encoder, attribute) is not None


def _one_row(encoder: TableEncoder, row: Any) -> Any:
    names = encoder.vocabulary_.columns
    if dependencies.is_pandas_series(row):
        row = {str(name): cell for name, cell in row.items()}
    if isinstance(row, Mapping):
        absent = [name for name in names if name not in row]
        if absent:
            raise ValueError(f"The row has no cell for {absent}; its columns must be {names}.")
        return _frame(encoder, [row[name] for name in names])
    if isinstance(row, list | tuple) and len(row) == len(names) and not _is_nested(row):
        return _frame(encoder, list(row))
    table = read_table(row, min_rows=0)
    if table.n_rows != 1:
        raise ValueError(
            f"One row is required, got a table of {table.n_rows}; pass data[i:i+1] or a dict of "
            "its cells."
        )
    return row


def check_positions(rows: Any) -> NDArray[np.intp] | None:
    """Return positions of rows, or None if `rows` is something else."""
    if isinstance(rows, Integral) and not isinstance(rows, bool | np.bool_):
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


def cell_texts(encoder: TableEncoder, data: Any, positions: NDArray[np.intp] | None = None) -> Any:
    """Return the cells of some rows as text: one list per attribute.

    A rare value that the model merges with others, or one that it does not know, is written as it
    is, with a mark that says so.
    """
    table = read_table(data, min_rows=0)
    if positions is not None:
        table = read_table(frames.rows_at(table.source, positions), min_rows=0)
    raw = encode(table, encoder.grouping_.raw).codes
    model = encoder.grouping_.apply_to_codes(raw)
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


def unknown_cells(
    encoder: TableEncoder, data: Any, codes: Codes | None = None
) -> list[NDArray[np.bool_]]:
    """Tell which cells hold a value that the encoder has not seen; none of a passive column.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted.
    data : table of shape (n_rows, n_columns)
        In memory.
    codes : list of integer arrays of shape (n_rows,), optional
        The rows as `encoder` codes them, which save the work where all values are known.

    Returns
    -------
    list of boolean arrays of shape (n_rows,)
        One array per column.
    """
    raw, passive = encoder.grouping_.raw, encoder.model_.passive
    if codes is not None and not joins_rare_values(encoder.handle_unknown):
        pairs = zip(codes, encoder.vocabulary_.sizes, strict=True)
        if not any((column == size).any() for column, size in pairs):
            return [np.zeros(len(codes[0]), dtype=bool)] * len(codes)
    cells = encode(read_table(data, min_rows=0), raw).codes
    return [
        (column == size) & (not is_passive)
        for column, size, is_passive in zip(cells, raw.sizes, passive, strict=True)
    ]


def nothing_known(encoder: TableEncoder, data: Any, codes: Codes) -> NDArray[np.bool_]:
    """Tell in which rows every cell is missing, or holds a value that the encoder has not seen.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted.
    data : table of shape (n_rows, n_columns)
        In memory.
    codes : list of integer arrays of shape (n_rows,)
        The rows as `encoder` codes them.
    """
    raw, vocabulary, passive = encoder.grouping_.raw, encoder.vocabulary_, encoder.model_.passive
    active = [place for place in range(len(codes)) if not passive[place]]
    may_be = np.full(len(codes[0]), bool(active))
    for place in active:
        positions, size = vocabulary.positions[place], vocabulary.sizes[place]
        suspects = [positions[value] for value in (None, INFREQUENT) if value in positions]
        may_be &= np.isin(codes[place], [*suspects, size])
    rows = np.flatnonzero(may_be)
    if len(rows):
        some = read_table(frames.rows_at(read_table(data, min_rows=0).source, rows), min_rows=0)
        cells = encode(some, raw).codes
        for place in active:
            absent = raw.positions[place].get(None, raw.sizes[place])
            may_be[rows] &= np.isin(cells[place], [absent, raw.sizes[place]])
    return may_be


def with_outside(notes: list[str], outside: Any) -> list[str]:
    """Return the notes of rows with what `Preparer.outside` has found of them."""
    found = frames.columns_of(outside)
    notes = list(notes)
    for row, column, value, lowest, highest in zip(*found.values(), strict=True):
        said = f"{column}={value} (outside {lowest} to {highest})"
        notes[row] = f"{notes[row]}; {said}" if notes[row] else said
    return notes


def encode_rows(encoder: TableEncoder, data: Any) -> Codes:
    """Code the rows of a table in memory."""
    codes = encoder._codes(data)
    if not len(codes[0]):
        raise ValueError("The table has no rows.")
    return codes


def _frame(encoder: TableEncoder, cells: list[Any]) -> Any:
    names = encoder.vocabulary_.columns
    if not hasattr(encoder, "feature_names_in_"):
        return [cells]
    return frames.make_frame(
        encoder.library_, {name: [cell] for name, cell in zip(names, cells, strict=True)}
    )


def _is_nested(row: Any) -> bool:
    return any(isinstance(cell, list | dict | np.ndarray) for cell in row)
