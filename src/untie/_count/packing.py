"""Coded rows -> sums of looked-up numbers, several attributes at a time.

A table with a row for each value of an attribute is looked up once a row of the data. Where
the numbers of several attributes are added up, their tables can be added first, one row for
every combination of values, and one look-up then serves them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._count.dense_counting import pack_attributes
from untie._util.types import Codes, FloatArray


@dataclass(frozen=True)
class Packs:
    """Neighbouring attributes that are looked up as one.

    Parameters
    ----------
    widths : tuple of int
        Number of codes of each attribute.
    limit : int
        Attributes are packed while their combinations are at most so many.

    Examples
    --------
    >>> packs = Packs((2, 3), 6)
    >>> packs.join_codes([np.array([0, 1]), np.array([2, 2])])
    [array([2, 5])]
    >>> packs.join_tables([np.array([[0.0], [10.0]]), np.array([[0.0], [1.0], [2.0]])])[0].ravel()
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

    def join_codes(self, codes: Codes) -> list[NDArray[np.intp]]:
        """Return the joint codes of the rows, one array per pack."""
        result = []
        for first, *others in self.members:
            joint = codes[first].astype(np.intp)
            for attribute in others:
                joint *= self.widths[attribute]
                joint += codes[attribute]
            result.append(joint)
        return result

    def join_tables(self, tables: Sequence[FloatArray]) -> list[FloatArray]:
        """Add up tables of shape (width, n); shape (combinations, n), one per pack."""
        result = []
        for first, *others in self.members:
            joint = tables[first]
            for attribute in others:
                joint = (joint[:, None] + tables[attribute]).reshape(-1, joint.shape[1])
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
    tables: Sequence[FloatArray],
    joint: Sequence[NDArray[np.intp]],
    rows: slice,
    work: FloatArray,
) -> FloatArray:
    """Look the rows up in every pack's table and add; shape (n_rows, n).

    Parameters
    ----------
    tables : sequence of arrays of shape (combinations, n)
        What `Packs.join_tables` gives.
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
