"""Tables of value distances and coded rows -> the distances of all pairs of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from untie._count.memory import check_pairs_of_rows
from untie._count.packing import Packs, add_up
from untie._util.types import Codes, FloatArray

JOINT_CELLS = 64
"""Attributes are looked up together while they have at most this many combinations."""

BLOCK_COLUMNS = 64
"""Columns of the result made at a time: joint tables with this many stay in the cache."""

BLOCK_ROWS = 2048
"""This many rows of the result are made at a time."""


def sum_pairwise(
    tables: Sequence[FloatArray], left: Codes, right: Codes | None = None
) -> FloatArray:
    """Return, for all pairs of rows, the sum over the attributes of what the tables hold.

    An entry depends on its two rows alone, to the last bit, and not on the rows around them.

    Parameters
    ----------
    tables : sequence of arrays of shape (width, width)
        One per attribute.
    left, right : lists of integer arrays
        Coded rows; without `right`, all pairs within `left`.

    Returns
    -------
    array of shape (n_left, n_right)

    Examples
    --------
    >>> table = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> sum_pairwise([table, 2 * table], [np.array([0, 1, 1]), np.array([0, 0, 1])])
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """
    check_pairs_of_rows(len(left[0]), len((left if right is None else right)[0]))
    if right is not None and len(right[0]) > len(left[0]):
        # The joint tables are made for one side and looked up by the other, the longer one.
        return sum_pairwise([table.T for table in tables], right, left).T
    mirrored = right is None and all(np.array_equal(table, table.T) for table in tables)
    right = left if right is None else right
    packs = Packs(tuple(len(table) for table in tables), JOINT_CELLS)
    joint = list(packs.join_codes(left, np.intp))
    result = np.empty((len(left[0]), len(right[0])))
    work = np.empty((2, BLOCK_ROWS, min(BLOCK_COLUMNS, result.shape[1])))
    for columns in _blocks(0, result.shape[1], BLOCK_COLUMNS):
        chosen = [table[:, codes[columns]] for table, codes in zip(tables, right, strict=True)]
        added = packs.add_tables(chosen)
        for rows in _blocks(columns.start if mirrored else 0, len(result), BLOCK_ROWS):
            part = add_up(added, joint, rows, work[..., : columns.stop - columns.start])
            result[rows, columns] = part
            if mirrored:
                result[columns, rows] = part.T
    return result


def _blocks(start: int, stop: int, step: int) -> Iterator[slice]:
    for first in range(start, stop, step):
        yield slice(first, min(first + step, stop))
