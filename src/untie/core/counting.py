"""Coded rows -> counts of all pairs of values, by the fastest of three strategies.

Every strategy goes over the rows once, in blocks, so its working memory does not grow with
their number, and all give the same integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie.core.types import Codes, FloatArray, smallest_unsigned

BLOCK_CELLS = 2**21
"""Numbers in one working block."""

HISTOGRAM_ROW_CELLS = 8
"""A histogram's block has ``BLOCK_CELLS / 8`` rows: their codes stay in the cache."""

PACKED_CELLS = 256
"""Attributes are packed into one joint code while it has at most so many cells."""

COSTS: dict[str, tuple[float, ...]] = {
    "histogram": (11e3, 2.7, 3.2, 3.0),
    "product": (5.1e3, 13.0, 0.012, 3.4),
    "sparse": (470e3, 27.0, 2.6, 31.0, 0.81),
}
"""Nanoseconds per unit of work, fitted by ``benchmarks/counting.py``."""

Strategy = Callable[[Codes, tuple[int, ...], FloatArray | None], FloatArray]


def count_pairs(codes: Codes, sizes: tuple[int, ...], weights: FloatArray | None) -> FloatArray:
    """Count all pairs of values with the strategy that is expected to be fastest.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        One array per attribute; a code equal to the attribute's size is not counted.
    sizes : tuple of int
        Number of values of each attribute.
    weights : array of shape (n_rows,) or None
        How often each row counts.

    Returns
    -------
    array of shape (n_values, n_values)
    """
    return STRATEGIES[fastest_strategy(len(codes[0]), sizes)](codes, sizes, weights)


def fastest_strategy(n_rows: int, sizes: Sequence[int]) -> str:
    """Return the name of the strategy with the lowest expected time.

    The times depend on the shape of the table alone, so the choice is the same on every
    machine and in every run.
    """
    costs = expected_work(n_rows, sizes)
    return min(costs, key=lambda name: float(np.dot(costs[name], COSTS[name])))


def expected_work(n_rows: int, sizes: Sequence[int]) -> dict[str, tuple[float, ...]]:
    """Return the amounts of each strategy's kinds of work; `COSTS` turns them into time."""
    n_values, n_attributes = sum(sizes), len(sizes)
    area = n_values**2
    widths = [math.prod(sizes[a] for a in pack) for pack in pack_attributes(sizes)]
    n_pairs = len(widths) * (len(widths) + 1) / 2
    cells = (sum(widths) ** 2 - sum(w**2 for w in widths)) / 2
    n_blocks = 1 + n_rows * HISTOGRAM_ROW_CELLS // BLOCK_CELLS
    n_dense = 1 + n_rows * n_values // BLOCK_CELLS
    n_known, n_met = n_rows * n_attributes, n_rows * n_attributes**2
    return {
        "histogram": (n_blocks * n_pairs, n_rows * n_pairs, n_blocks * cells, area),
        "product": (n_dense * n_attributes, n_known, n_rows * area, n_dense * area),
        "sparse": (1, n_known, n_met, min(n_met, area), area),
    }


def by_histogram(codes: Codes, sizes: tuple[int, ...], weights: FloatArray | None) -> FloatArray:
    """Count joint codes of packs of attributes, two packs at a time, then add up.

    Ten attributes of three values make two packs of 243 cells, so one histogram replaces
    forty-five.
    """
    # A column without unknown cells needs no place for them.
    widths = [
        size + 1 if len(column) and column.max() >= size else size
        for column, size in zip(codes, sizes, strict=True)
    ]
    packs = [_Pack(sizes, widths, members) for members in pack_attributes(widths)]
    matrix = np.zeros((sum(sizes), sum(sizes)))
    for rows in _blocks(len(codes[0]), HISTOGRAM_ROW_CELLS):
        joint = [pack.joint_code(codes, rows) for pack in packs]
        part = None if weights is None else weights[rows]
        for second, right in enumerate(packs):
            marginal = np.bincount(joint[second], part, minlength=right.n_cells)
            right.add_marginal(matrix[right.span, right.span], marginal)
            for first, left in enumerate(packs[:second]):
                n_cells = left.n_cells * right.n_cells
                pair = joint[first].astype(smallest_unsigned(n_cells)) * right.n_cells
                histogram = np.bincount(pair + joint[second], part, minlength=n_cells)
                by_left = left.add_up(histogram.reshape(left.n_cells, -1))
                matrix[left.span, right.span] += right.add_up(by_left.T).T
    return _mirror(matrix)


def by_product(codes: Codes, sizes: tuple[int, ...], weights: FloatArray | None) -> FloatArray:
    """Multiply blocks of the one-hot matrix with themselves."""
    n_values = sum(sizes)
    # Sums of ones stay exact in single precision within a block; weights need double.
    dtype = np.float32 if weights is None else np.float64
    matrix = np.zeros((n_values, n_values))
    for rows in _blocks(len(codes[0]), n_values):
        block = _one_hot(codes, sizes, rows, dtype)
        weighted = block if weights is None else block * weights[rows, None]
        matrix += weighted.T @ block
    # A product of two arrays need not be symmetric to the last bit, as that of one is.
    return matrix if weights is None else _mirror(matrix)


def by_sparse(codes: Codes, sizes: tuple[int, ...], weights: FloatArray | None) -> FloatArray:
    """Multiply blocks of the sparse one-hot matrix with themselves."""
    n_values = sum(sizes)
    matrix = np.zeros((n_values, n_values))
    for rows in _blocks(len(codes[0]), len(sizes)):
        block = sparse_one_hot([column[rows] for column in codes], sizes)
        weighted = block if weights is None else sparse.diags_array(weights[rows]) @ block
        product = (weighted.T @ block).tocoo()
        matrix[product.row, product.col] += product.data
    return matrix


STRATEGIES: dict[str, Strategy] = {
    "histogram": by_histogram,
    "product": by_product,
    "sparse": by_sparse,
}


def sparse_one_hot(codes: Codes, sizes: Sequence[int]) -> sparse.csr_array:
    """Return the one-hot matrix of coded rows; an unknown cell has no entry."""
    n_rows, n_attributes = len(codes[0]), len(codes)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    columns = np.empty((n_rows, n_attributes), dtype=np.int64)
    for attribute, column in enumerate(codes):
        columns[:, attribute] = column + offsets[attribute]
    known = np.stack([column < size for column, size in zip(codes, sizes, strict=True)], axis=1)
    starts = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
    data = np.ones(int(starts[-1]))
    return sparse.csr_array((data, columns[known], starts), shape=(n_rows, int(offsets[-1])))


def pack_attributes(widths: Sequence[int], limit: int = PACKED_CELLS) -> list[list[int]]:
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


class _Pack:
    """Neighbouring attributes that are counted as one.

    Attributes
    ----------
    span : slice
        Where their values stand among all values.
    n_cells : int
        Number of combinations of their codes.
    cells : array of shape (n_cells, n_values of the pack) or None
        Which values a combination stands for; none for an unknown cell. A single attribute's
        combinations are its values, and it may have thousands: it does without.
    """

    def __init__(self, sizes: Sequence[int], widths: Sequence[int], members: list[int]) -> None:
        self._widths = [widths[attribute] for attribute in members]
        self._members = members
        self.span = slice(sum(sizes[: members[0]]), sum(sizes[: members[-1] + 1]))
        self.n_cells = math.prod(self._widths)
        self.cells: FloatArray | None = None
        if len(members) == 1:
            return
        combinations = np.indices(self._widths).reshape(len(members), -1)
        self.cells = np.concatenate(
            [
                np.eye(width)[codes, : sizes[attribute]]
                for attribute, width, codes in zip(members, self._widths, combinations, strict=True)
            ],
            axis=1,
        )

    def add_up(self, histogram: NDArray[Any]) -> NDArray[Any]:
        """Turn rows for combinations into rows for values."""
        if self.cells is None:
            return histogram[: self.span.stop - self.span.start]
        return self.cells.T @ histogram

    def add_marginal(self, block: FloatArray, marginal: NDArray[Any]) -> None:
        """Add the pack's own pairs to its block of the counts, in place."""
        if self.cells is None:
            block[np.diag_indices(len(block))] += marginal[: len(block)]
        else:
            block += (self.cells.T * marginal) @ self.cells

    def joint_code(self, codes: Codes, rows: slice) -> NDArray[Any]:
        joint = codes[self._members[0]][rows].astype(smallest_unsigned(self.n_cells))
        for attribute, width in zip(self._members[1:], self._widths[1:], strict=True):
            joint *= width
            joint += codes[attribute][rows].astype(joint.dtype, copy=False)
        return joint


def _mirror(matrix: FloatArray) -> FloatArray:
    """Copy the upper triangle onto the lower one, in place."""
    for row in range(1, len(matrix)):
        matrix[row, :row] = matrix[:row, row]
    return matrix


def _one_hot(
    codes: Codes, sizes: Sequence[int], rows: slice, dtype: type[np.floating[Any]]
) -> NDArray[Any]:
    n_rows = rows.stop - rows.start
    block = np.zeros((n_rows, sum(sizes)), dtype=dtype)
    positions = np.arange(n_rows)
    offset = 0
    for column, size in zip(codes, sizes, strict=True):
        part = column[rows]
        known = part < size
        if known.all():
            block[positions, part + np.intp(offset)] = 1
        else:
            block[positions[known], part[known] + np.intp(offset)] = 1
        offset += size
    return block


def _blocks(n_rows: int, row_cells: int) -> Iterator[slice]:
    step = max(256, BLOCK_CELLS // max(1, row_cells))
    for start in range(0, n_rows, step):
        yield slice(start, min(n_rows, start + step))
