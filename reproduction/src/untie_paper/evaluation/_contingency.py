"""A table and labels of its rows -> how often each value occurs with each label."""

from __future__ import annotations

from typing import Any

import numpy as np

from untie._table.rows import learn_vocabulary
from untie._table.table import read_table
from untie._util.types import FloatArray
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
    table = read_table(X)
    codes = read_labels(labels, name, table.n_rows)
    n_labels = int(codes.max()) + 1
    vocabulary, encoded = learn_vocabulary(table)
    return [
        np.bincount(column.astype(np.intp) * n_labels + codes, minlength=size * n_labels)
        .reshape(size, n_labels)
        .astype(float)
        for column, size in zip(encoded.codes, vocabulary.sizes, strict=True)
    ]
