"""A table and labels of its rows -> how often each value occurs with each label."""

from __future__ import annotations

from typing import Any

import numpy as np

from untie import count_table
from untie_paper.arrays import FloatArray
from untie_paper.evaluation._labels import read_labels


def values_by_label(X: Any, labels: Any, name: str) -> list[FloatArray]:
    """Count the values of each column by label.

    Parameters
    ----------
    X : table of shape (n_objects, n_columns)
        The objects; a missing cell is a value of its own.
    labels : array-like of shape (n_objects,)
        The label of each object.
    name : str
        What the labels are called in messages.

    Returns
    -------
    list of arrays of shape (n_values, n_labels)
        One per column.
    """
    counted = count_table(X)
    columns = counted.codes(X)
    codes = read_labels(labels, name, len(columns[0]))
    n_labels = int(codes.max()) + 1
    return [
        np.bincount(column.astype(np.intp) * n_labels + codes, minlength=size * n_labels)
        .reshape(size, n_labels)
        .astype(float)
        for column, size in zip(columns, counted.vocabulary.sizes, strict=True)
    ]
