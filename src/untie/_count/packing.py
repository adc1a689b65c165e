"""Several attributes as one: joint codes, joint tables, and sums of what is looked up in them.

A table with a row for each value of an attribute is looked up once per row of the data. Where
the numbers of several attributes are added up or put side by side, their tables can be joined
first, one row for every combination of values, and one look-up then serves them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._util.types import Codes, smallest_unsigned


def pack_attributes(widths: Sequence[int], limit: int) -> list[list[int]]:
    """Put neighbouring attributes into packs of at most `limit` joint cells.

    Examples
    --------
    >>> pack_attributes([3, 3, 100, 3, 300, 2], limit=100)
    [[0, 1], [2], [3], [4], [5]]
    """
    packs: list[list[int]] = []
    cells = limit + 1
    for attribute, width in enumerate(widths):
        if cells * width <= limit:
            packs[-1].append(attribute)
            cells *= width
        else:
            packs.append([attribute])
            cells = width
    return packs


def joint_code(
    columns: Sequence[NDArray[Any]], widths: Sequence[int], dtype: Any = None
) -> NDArray[Any]:
    """Return one code for the combination of several codes; that of a lone column is its own.

    Parameters
    ----------
    columns : sequence of integer arrays of shape (n_rows,)
        The codes of each attribute.
    widths : sequence of int
        Number of codes of each attribute.
    dtype : dtype, optional
        Of the result; the smallest that holds all combinations by default.

    Examples
    --------
    >>> joint_code([np.array([0, 1]), np.array([2, 2])], (2, 3))
    array([2, 5], dtype=uint8)
    """
    dtype = np.dtype(smallest_unsigned(prod(widths)) if dtype is None else dtype)
    if len(columns) == 1:
        return columns[0].astype(dtype, copy=False)
    joint = columns[0].astype(dtype)
    for column, width in zip(columns[1:], widths[1:], strict=True):
        joint *= dtype.type(width)
        joint += column.astype(dtype, copy=False)
    return joint


@dataclass(frozen=True)
class Packs:
    """Neighbouring attributes that are looked up as one.

    Parameters
    ----------
    widths : tuple of int
        Number of codes of each attribute.
    limit : int
        Attributes are packed while they have at most this many combinations.

    Examples
    --------
    >>> packs = Packs((2, 3), 6)
    >>> list(packs.join_codes([np.array([0, 1]), np.array([2, 2])]))
    [array([2, 5], dtype=uint8)]
    >>> packs.add_tables([np.array([[0.0], [10.0]]), np.array([[0.0], [1.0], [2.0]])])[0].ravel()
    array([ 0.,  1.,  2., 10., 11., 12.])
    """

    widths: tuple[int, ...]
    limit: int

    @cached_property
    def members(self) -> list[list[int]]:
        """The attributes of each pack."""
        return pack_attributes(self.widths, self.limit)

    @cached_property
    def n_cells(self) -> list[int]:
        """Number of combinations of each pack."""
        return [prod(self.widths[attribute] for attribute in pack) for pack in self.members]

    def join_codes(self, codes: Codes, dtype: Any = None) -> Iterator[NDArray[Any]]:
        """Yield the joint codes of the rows, one array per pack; see `joint_code`."""
        for pack in self.members:
            widths = [self.widths[attribute] for attribute in pack]
            yield joint_code([codes[attribute] for attribute in pack], widths, dtype)

    def add_tables(self, tables: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Add up tables of shape (width, n); shape (combinations, n), one per pack."""
        result = []
        for first, *others in self.members:
            joint = tables[first]
            for attribute in others:
                joint = (joint[:, None] + tables[attribute]).reshape(-1, joint.shape[1])
            result.append(joint)
        return result

    def stack_tables(self, tables: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Put tables side by side; shape (combinations, columns of all), one per pack."""
        result = []
        for first, *others in self.members:
            joint = tables[first]
            for attribute in others:
                left = np.repeat(joint, self.widths[attribute], axis=0)
                right = np.tile(tables[attribute], (len(joint), 1))
                joint = np.hstack([left, right])
            result.append(joint)
        return result

    def split_counts(self, counts: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Turn (n, combinations) counts per pack into (n, width) counts per attribute."""
        result = []
        for pack, joint in zip(self.members, counts, strict=True):
            shaped = joint.reshape(len(joint), *(self.widths[attribute] for attribute in pack))
            axes = range(1, shaped.ndim)
            result += [shaped.sum(axis=tuple(set(axes) - {axis})) for axis in axes]
        return result


def add_up(
    tables: Sequence[NDArray[Any]],
    joint: Sequence[NDArray[np.intp]],
    rows: slice,
    work: NDArray[Any],
) -> NDArray[Any]:
    """Look the rows up in every pack's table and add; shape (n_rows, n).

    Parameters
    ----------
    tables : sequence of arrays of shape (combinations, n)
        What `Packs.add_tables` gives.
    joint : sequence of integer arrays
        What `Packs.join_codes` gives.
    rows : slice
        The rows to look up.
    work : array of shape (2, at least the number of rows, n)
        Memory to work in; the result is part of it.
    """
    # "clip" lets numpy write straight into the given memory; no code is out of range.
    first = joint[0][rows]
    total, part = work[:, : len(first)]
    np.take(tables[0], first, axis=0, out=total, mode="clip")
    for table, codes in zip(tables[1:], joint[1:], strict=True):
        np.take(table, codes[rows], axis=0, out=part, mode="clip")
        total += part
    return total
