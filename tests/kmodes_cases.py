"""Small k-modes problems made from columns of codes."""

import numpy as np

from untie._count.packed_rows import distinct_rows
from untie.cluster._problem import Problem

TOY = [[0, 1, 1, 0, 1, 0], [0, 1, 1, 2, 2, 3], [0, 0, 1, 2, 1, 2]]
"""The paper's toy table, with values in the order in which they first occur."""


def make_problem(columns, sizes, n_clusters, weights=None, tables=None, median=False):
    """Return a problem with Hamming's distances unless others are given."""
    codes = [np.array(column) for column in columns]
    rows = distinct_rows(codes, [size + 1 for size in sizes], weights)
    if tables is None:
        tables = [np.vstack([1 - np.eye(size), np.full(size, 1 - 1 / size)]) for size in sizes]
    frequencies = [
        np.bincount(column, weights, minlength=size + 1)[:size].astype(float)
        for column, size in zip(codes, sizes, strict=True)
    ]
    return Problem(rows, tables, frequencies, n_clusters, median)
