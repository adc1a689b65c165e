"""Coded rows -> counts of all pairs of very many values, as a sparse array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie._util.parallel import map_ahead, pays
from untie._util.types import Codes, FloatArray

HISTOGRAM_CELLS, CELLS_PER_ROW = 2**22, 2
"""Pairs of two attributes are counted in an array while it has at most `HISTOGRAM_CELLS` cells, or
`CELLS_PER_ROW` per row; otherwise they are sorted."""


def count_sparse(
    codes: Codes, sizes: tuple[int, ...], weights: FloatArray | None
) -> sparse.csr_array:
    """Count all pairs of values, two attributes at a time.

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
    sparse array of shape (n_values, n_values)

    Examples
    --------
    >>> count_sparse([np.array([0, 1, 1]), np.array([0, 0, 1])], (2, 2), None).toarray()
    array([[1., 0., 1., 0.],
           [0., 2., 1., 1.],
           [1., 1., 2., 0.],
           [0., 1., 0., 1.]])
    """
    n_attributes = len(sizes)
    pairs = [(first, second) for second in range(n_attributes) for first in range(second)]

    def count_pair(pair: tuple[int, int]) -> sparse.csr_array:
        first, second = pair
        return _block(codes[first], codes[second], (sizes[first], sizes[second]), weights)

    blocks: list[list[sparse.csr_array]] = [[] for _ in range(n_attributes)]
    found = map_ahead(count_pair, pairs, pays(len(codes[0]) * n_attributes))
    for (first, second), block in zip(pairs, found, strict=True):
        blocks[first].append(block)
        blocks[second].append(block.T.tocsr())
    for attribute, row in enumerate(blocks):
        row.insert(attribute, _diagonal(codes[attribute], sizes[attribute], weights))
    # Attribute by attribute, and what was joined is freed: the whole is large.
    rows = [sparse.hstack(blocks.pop(0), format="csr") for _ in range(n_attributes)]
    return sparse.vstack(rows, format="csr")


def _diagonal(
    codes: NDArray[np.integer], size: int, weights: FloatArray | None
) -> sparse.csr_array:
    totals = np.bincount(codes, weights, minlength=size + 1)[:size].astype(float)
    return sparse.diags_array(totals, format="csr")


def _block(
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    shape: tuple[int, int],
    weights: FloatArray | None,
) -> sparse.csr_array:
    wide = shape[1] + 1  # a place for unknown values
    joint = first.astype(np.int64) * wide + second
    n_cells = (shape[0] + 1) * wide
    if n_cells <= max(HISTOGRAM_CELLS, CELLS_PER_ROW * len(joint)):
        totals = np.bincount(joint, weights, minlength=n_cells)
        found = np.flatnonzero(totals)
        totals = totals[found].astype(float)
    elif weights is None:
        found, totals = np.unique(joint, return_counts=True)
    else:
        found, places = np.unique(joint, return_inverse=True)
        totals = np.bincount(places, weights)
    rows, columns = np.divmod(found, wide)
    known = (rows < shape[0]) & (columns < shape[1])
    rows, columns, totals = rows[known], columns[known], totals[known].astype(float)
    # The pairs are sorted, so what CSR needs is there but for the rows' starts.
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    index = (totals, columns.astype(np.int32), starts.astype(np.int32))
    return sparse.csr_array(index, shape=shape)
