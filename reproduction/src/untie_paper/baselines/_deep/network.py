"""A learned wide-and-deep network as plain arrays: all that `transform` needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from untie_paper.arrays import Codes, FloatArray
from untie_paper.baselines._deep.features import Features

BLOCK_ROWS = 4096
"""Rows are computed this many at a time."""


@dataclass(frozen=True, eq=False)
class Network:
    """The map WD(x) = c(x) W + h(x) V + b of a table's rows.

    Parameters
    ----------
    features : Features
        The columns of x (one-hot blocks) and c(x) (with their conjunctions).
    embedding : array of shape (n_values, n_dimensions)
        The deep part's vector of every value.
    layers : tuple of pairs (weights, bias)
        The layers of h, each followed by a ReLU.
    deep : array of shape (last layer's width, n_outputs)
        V.
    wide : array of shape (n_columns, n_outputs)
        W.
    bias : array of shape (n_outputs,)
        b.
    bounded : bool
        Whether the outputs go through a tanh.
    """

    features: Features
    embedding: FloatArray
    layers: tuple[tuple[FloatArray, FloatArray], ...]
    deep: FloatArray
    wide: FloatArray
    bias: FloatArray
    bounded: bool = False

    def outputs(self, codes: Codes) -> FloatArray:
        """Return WD of coded rows; shape (n_rows, n_outputs).

        A row's result depends on its own codes alone, to the last bit.
        """
        result = np.empty((len(codes[0]), len(self.bias)))
        for rows in _blocks(len(result)):
            wide = self.features.rows([column[rows] for column in codes])
            hidden = self._hidden(wide[:, : self.features.n_values])
            total = _multiply(wide, self.wide) + _multiply(hidden, self.deep) + self.bias
            result[rows] = np.tanh(total) if self.bounded else total
        return result

    def hidden(self, codes: Codes) -> FloatArray:
        """Return h of coded rows, the layer before the output; shape (n_rows, width)."""
        result = np.empty((len(codes[0]), len(self.deep)))
        for rows in _blocks(len(result)):
            result[rows] = self._hidden(self.features.one_hot([column[rows] for column in codes]))
        return result

    def _hidden(self, one_hot: sparse.csr_array) -> FloatArray:
        hidden = _multiply(one_hot, self.embedding)
        for weights, bias in self.layers:
            hidden = np.maximum(_multiply(hidden, weights) + bias, 0.0)
        return hidden


def _blocks(n_rows: int) -> list[slice]:
    return [slice(start, start + BLOCK_ROWS) for start in range(0, n_rows, BLOCK_ROWS)]


def _multiply(rows: FloatArray | sparse.csr_array, matrix: FloatArray) -> FloatArray:
    """Return rows @ matrix, each row independently.

    Libraries for dense products add up in an order that depends on the number of rows; the
    sparse product goes row by row, column by column.
    """
    return sparse.csr_array(rows) @ np.ascontiguousarray(matrix)
