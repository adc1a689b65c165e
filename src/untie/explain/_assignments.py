"""New rows: the cluster of each, how well it fits, and values that the model does not know."""

from typing import Any

import numpy as np

from untie._base import nothing_known, unknown_cells
from untie._count.packed_rows import PackedRows
from untie._inputs import (
    NOTHING_KNOWN,
    as_fitted,
    cell_texts,
    with_new_answers,
    with_outside,
)
from untie._learn.clustering.lloyd import ClusterRadius, all_clusters, split_columns
from untie._table import frames
from untie._table.column_codes import factorize, value_text
from untie._table.table import read_table
from untie._util.types import BoolArray, Codes, FloatArray
from untie.clusterer import TableClusterer

N_REASONS = 3
"""A note names at most this many cells."""

UNLIKE = "unlike any cluster"
ROUNDING = 1e-9
"""Distances that differ by less than this share are equal."""


def assignments(model: Any, data: Any) -> Any:
    """Return the cluster of each row, how probable it is, and whether the row fits any cluster.

    A row is unlike any cluster if it is farther from the mean of each than 99 % of the rows that
    this cluster was made of (``cluster_radius_.farthest``). A value that the model has not seen
    counts as far as the column's farthest value is from the mean. So is a row of which nothing is
    known: all of its cells are missing, or hold values that the model has not seen.

    Parameters
    ----------
    model : TableClusterer or Pipeline
        Fitted, or loaded from a file; a pipeline ends in a TableClusterer.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory.

    Returns
    -------
    frame
        One row per row of the table: cluster (as `predict` returns it), probability (of this
        cluster, compared with the others: see `TableClusterer.predict_proba`; that of a row that is
        unlike any cluster may be high), distance (not squared, to the mean of this cluster; that of
        `transform`, but for unknown values), unlike (whether the
        row is unlike any cluster), unknown (the number of values that the model has not seen),
        nothing_known (whether all cells are missing or such values) and note: the cells that make
        the row unlike, or the unknown values, and numbers outside the range, and answers beside
        those, that the preparer has seen; empty for the others.

    See Also
    --------
    unknown_values : Values that the model has not seen.

    Examples
    --------
    >>> from untie import TableClusterer
    >>> from untie.explain import assignments
    >>> rows = [["sea", "fish", "gills"], ["land", "cow", "lungs"]] * 60
    >>> rows += [["sea", "cow", "lungs"], ["sea", "cow", "gills"]]
    >>> clusterer = TableClusterer(2).fit(rows)
    >>> new = [["land", "cow", "lungs"], ["moon", "robot", "lungs"]]
    >>> found = assignments(clusterer, new)
    >>> found[["cluster", "probability", "unlike", "unknown"]].round(2)
       cluster  probability  unlike  unknown
    0        0         0.93   False        0
    1        0         0.68    True        2
    >>> found.note[1]
    'unlike any cluster: x1=robot (unknown), x0=moon (unknown)'
    """
    fitted = as_fitted(model, data)
    clusterer, encoder, rows = fitted.clusters, fitted.encoder, fitted.rows(data)[0]
    codes = encoder._codes(rows)
    # Without the warning of `predict`, as the answer says more.
    labels, probabilities = clusterer._label(codes), clusterer._probabilities(codes)
    unknown = unknown_cells(encoder, rows, codes)
    blank = nothing_known(encoder, rows, codes)
    codes, tables = _with_unknown(clusterer, codes, unknown)
    packed = PackedRows(codes, [len(table) for table in tables])
    distances = np.sqrt(packed.distances(tables, all_clusters(tables)))
    own = distances[np.arange(len(labels)), labels]
    too_far = distances > clusterer.cluster_radius_.farthest * (1 + ROUNDING)
    unlike = np.asarray(too_far.all(axis=1)) | blank
    n_unknown = np.sum(unknown, axis=0, dtype=int)
    noted = np.flatnonzero(unlike | (n_unknown > 0))
    texts = cell_texts(encoder, rows, noted) if len(noted) else []
    names, notes = encoder.vocabulary_.columns, [""] * len(labels)

    def said(place: int, columns: list[int]) -> str:
        return ", ".join(f"{names[one]}={texts[one][place]}" for one in columns)

    for place, row in enumerate(noted.tolist()):
        if blank[row] and not n_unknown[row]:
            notes[row] = f"{UNLIKE}: {NOTHING_KNOWN}"
        elif unlike[row]:
            reasons = _excess(clusterer.cluster_radius_, codes, tables, row, labels[row])
            end = f"; {NOTHING_KNOWN}" if blank[row] else ""
            notes[row] = f"{UNLIKE}: {said(place, reasons)}{end}"
        else:
            new = [column for column, is_unknown in enumerate(unknown) if is_unknown[row]]
            notes[row] = said(place, new)
    if (outside := fitted.outside(data)) is not None:
        notes = with_outside(notes, outside)
    if (new := fitted.new_answers(data)) is not None:
        notes = with_new_answers(notes, new)
    columns = {
        "cluster": labels,
        "probability": probabilities[np.arange(len(labels)), labels],
        "distance": own,
        "unlike": unlike,
        "unknown": n_unknown,
        "nothing_known": blank,
        "note": notes,
    }
    return frames.make_frame(encoder._library, columns)


def _with_unknown(
    clusterer: TableClusterer, codes: Codes, unknown: list[BoolArray]
) -> tuple[Codes, list[FloatArray]]:
    """Return the rows and squared distances to the means with one more code for unknown values.

    It is as far from a mean as the farthest value of its column. The code that unknown values have
    in the model is as near to one mean as to another, and missing cells may have it, too.
    """
    model = clusterer.encoder_._model
    centers = split_columns(clusterer.cluster_centers_, model.vectors)
    tables = [
        np.vstack([table, table[:-1].max(axis=0, keepdims=True)])
        for table in model.space.distances_to_points(centers)
    ]
    marked = [
        np.where(is_unknown, len(table) - 1, column.astype(np.intp))
        for column, is_unknown, table in zip(codes, unknown, tables, strict=True)
    ]
    return marked, tables


def _excess(
    reach: ClusterRadius, codes: Codes, tables: list[FloatArray], row: int, cluster: int
) -> list[int]:
    """Return the columns in which a row is farther from its cluster than usual, the worst first."""
    pairs = zip(codes, tables, strict=True)
    parts = np.array([table[column[row], cluster] for column, table in pairs])
    excess = np.round(parts - reach.usual[cluster], 12)
    order = np.argsort(-excess, kind="stable")[:N_REASONS].tolist()
    return [column for column in order if excess[column] > 0] or order[:1]


def unknown_values(model: Any, data: Any) -> Any:
    """Return the values of a table that the encoder has not learned from.

    They are neutral to `transform`: as near to one value as to another. Columns that the encoder
    does not learn from (`column_weights` of 0) are not looked at.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory.

    Returns
    -------
    frame
        One row per value, in the order of the columns, the most frequent first: column, value (as
        text, "missing" for a missing cell) and count, the number of rows that have it.

    See Also
    --------
    outliers : Rows with such values are unusual.
    assignments : New rows to clusters.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import unknown_values
    >>> encoder = TableEncoder(n_clusters=2).fit([["sea", "fish"], ["land", "cow"]] * 5)
    >>> unknown_values(encoder, [["sea", "cow"], ["moon", "cow"], ["moon", None]])
      column    value  count
    0     x0     moon      2
    1     x1  missing      1
    """
    fitted = as_fitted(model, data)
    encoder, rows = fitted.encoder, fitted.rows(data)[0]
    encoder._codes(rows)  # warns as everything does
    table = read_table(rows, min_rows=0)
    found: dict[str, list[Any]] = {"column": [], "value": [], "count": []}
    known = encoder._grouping.raw.positions
    for place, cells in enumerate(table.columns):
        if encoder._model.passive[place]:
            continue
        codes, values = factorize(cells, table.names[place])
        counts = np.bincount(codes, minlength=len(values))
        new = [
            (int(count), "missing" if value is None else value_text(value))
            for value, count in zip(values, counts, strict=True)
            if count and value not in known[place]
        ]
        for count, value in sorted(new, key=lambda entry: (-entry[0], entry[1])):
            found["column"].append(encoder.vocabulary_.columns[place])
            found["value"].append(value)
            found["count"].append(count)
    return frames.make_frame(encoder._library, found)
