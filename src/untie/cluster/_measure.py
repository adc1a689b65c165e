"""The user's choice of a distance -> the tables of value distances that k-modes looks up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from untie._count.counts import Counts
from untie._util.types import FloatArray

Distance = Callable[[Counts], Any]
"""Takes the counts of a table; returns a matrix of shape (n_values, n_values) for each column."""


def check_distance(distance: Any) -> None:
    """Refuse what is no distance."""
    if distance is not None and (isinstance(distance, type) or not callable(distance)):
        raise ValueError(
            "distance must be None (Hamming) or a function of the counts that returns a matrix for "
            f"each column, got {distance!r}."
        )


def value_distances(distance: Distance | None, counts: Counts) -> list[FloatArray]:
    """Return the distances of each column's values; shapes (n_values, n_values)."""
    if distance is None:
        return [1.0 - np.eye(size) for size in counts.sizes]
    found = [np.asarray(table, dtype=float) for table in distance(counts)]
    shapes, wanted = [table.shape for table in found], [(size, size) for size in counts.sizes]
    if shapes != wanted:
        raise ValueError(
            f"distance returned matrices of the shapes {shapes}; for the values of these columns "
            f"they must be {wanted}."
        )
    if not all(np.isfinite(table).all() for table in found):
        raise ValueError("distance returned numbers that are not finite.")
    return found


def with_unknown(distances: list[FloatArray], counts: Counts) -> list[FloatArray]:
    """Append the distances of an unknown value: the mean of those of the rows' own values.

    Returns
    -------
    list of arrays of shape (n_values + 1, n_values)
    """
    tables = []
    for attribute, table in enumerate(distances):
        frequencies = counts.frequencies[counts.span(attribute)]
        if not frequencies.any():  # every cell of the column was unknown
            frequencies = np.ones_like(frequencies)
        tables.append(np.vstack([table, frequencies / frequencies.sum() @ table]))
    return tables
