"""Labels of any library -> integer codes."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals import dependencies
from numpy.typing import NDArray

from untie import count_table

Labels = NDArray[np.intp]
"""One code per object, from 0 to the number of distinct labels; every code occurs."""


def read_labels(labels: Any, name: str, n_objects: int | None = None) -> Labels:
    """Code a list, an array or a series of labels.

    Parameters
    ----------
    labels : array-like of shape (n_objects,)
        Labels of any hashable type; none may be missing.
    name : str
        What they are called in messages.
    n_objects : int, optional
        How many there must be.
    """
    column = _column(labels, name)
    if not len(column):
        raise ValueError(f"{name} is empty; pass one label per object.")
    counted = count_table(column)
    codes, values = counted.codes(column)[0], counted.vocabulary.values[0]
    if n_objects is not None and len(codes) != n_objects:
        raise ValueError(
            f"{name} has {len(codes)} labels for {n_objects} objects; pass one label per object."
        )
    if None in values:
        missing = np.flatnonzero(codes == values.index(None))
        if len(missing):
            raise ValueError(
                f"{name}, row {missing[0]}: the label is missing. Drop the row, or give it a "
                "label of its own."
            )
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)


def read_label_pair(y_true: Any, labels: Any) -> tuple[Labels, Labels]:
    """Code the classes and the clusters of the same objects."""
    classes = read_labels(y_true, "y_true")
    return classes, read_labels(labels, "labels", len(classes))


def _column(labels: Any, name: str) -> Any:
    if dependencies.is_into_series(labels):
        series = nw.from_native(labels, series_only=True)
        return series.alias(name).to_frame().to_native()
    if isinstance(labels, str | bytes | dict) or not hasattr(labels, "__len__"):
        raise TypeError(f"{name} must be a list, an array or a series, got {labels!r:.60}.")
    if isinstance(labels, list | tuple):
        # Cell by cell, so that numpy neither turns 1 into "1" nor takes a tuple apart.
        return np.fromiter(labels, dtype=object, count=len(labels))[:, None]
    array = np.asarray(labels)
    if isinstance(labels, np.ma.MaskedArray):
        array = array.astype(object)
        array[np.ma.getmaskarray(labels)] = None
    if array.ndim != 1:
        raise ValueError(
            f"{name} must have one dimension, got shape {array.shape}; pass one column."
        )
    return array[:, None]
