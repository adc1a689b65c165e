"""Named columns -> integer codes, of a vocabulary or of values of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from untie._table.column_codes import factorize
from untie._table.table import Table
from untie._table.vocabulary import Vocabulary, sort_values
from untie._util.parallel import in_threads, pays
from untie._util.types import Codes, FloatArray, Value, smallest_unsigned

T = TypeVar("T")

Keep = NDArray[np.bool_] | None
"""The rows to use, of shape (n_rows,); the others are as if absent. None is all of them."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Coded rows of a table, with their weights.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        One array per column: positions among the values of a vocabulary, or among `found`.
    weights : array of shape (n_rows,) or None
        How often each row counts.
    unknown : list of lists
        The values of each column that the vocabulary does not have.
    n_left_out : int
        Number of rows of weight 0, which are as if absent.
    found : list of lists or None
        For a piece of a table that is coded by values of its own: the values of each column, and
        perhaps some that no cell has.
    """

    codes: Codes
    weights: FloatArray | None = None
    unknown: list[list[Value]] = field(default_factory=list)
    n_left_out: int = 0
    found: list[list[Value]] | None = None

    def __len__(self) -> int:
        return len(self.codes[0])

    @property
    def complete(self) -> bool:
        """Whether every cell of the table has its code here."""
        return not self.n_left_out and not any(self.unknown)

    @property
    def nbytes(self) -> int:
        """Bytes that the codes and weights take."""
        weights = 0 if self.weights is None else self.weights.nbytes
        return weights + sum(column.nbytes for column in self.codes)


def learn_vocabulary(
    table: Table,
    keep: Keep = None,
    categories: Sequence[Sequence[Value]] | None = None,
    weights: FloatArray | None = None,
) -> tuple[Vocabulary, Rows]:
    """Find the values of each column, and code the rows.

    Parameters
    ----------
    table : Table
        The rows.
    keep : boolean array of shape (n_rows,), optional
        The rows to use; the others are as if absent.
    categories : sequence of sequences, optional
        The values of each column, in this order, instead of those that occur.
    weights : array of shape (n_used,), optional
        How often each row that is used counts.
    """

    def one_column(column: int) -> tuple[NDArray[Any], list[Value], tuple[Value, ...]]:
        codes, found = _found(table, keep, column)
        if categories is None:
            values = sort_values(used_values(codes, found))
        else:
            values = tuple(categories[column])
        positions = {value: code for code, value in enumerate(values)}
        return *translate(codes, found, positions), values

    results = map_columns(one_column, table)
    vocabulary = Vocabulary(table.names, tuple(values for *_, values in results))
    unknown = [unknown for _, unknown, _ in results]
    return vocabulary, Rows([codes for codes, *_ in results], weights, unknown, _n_left_out(keep))


def encode(
    table: Table, vocabulary: Vocabulary, keep: Keep = None, weights: FloatArray | None = None
) -> Rows:
    """Code the rows of a table with a vocabulary that is already known."""

    def one_column(column: int) -> tuple[NDArray[Any], list[Value]]:
        return translate(*_found(table, keep, column), vocabulary.positions[column])

    results = map_columns(one_column, table)
    unknown = [unknown for _, unknown in results]
    return Rows([codes for codes, _ in results], weights, unknown, _n_left_out(keep))


def encode_apart(table: Table, keep: Keep = None, weights: FloatArray | None = None) -> Rows:
    """Code the rows of a piece of a table by its own values, in whatever order they are found."""

    def one_column(column: int) -> tuple[NDArray[Any], list[Value]]:
        codes, found = _found(table, keep, column)
        return codes.astype(smallest_unsigned(len(found)), copy=False), found

    results = map_columns(one_column, table)
    found = [found for _, found in results]
    return Rows([codes for codes, _ in results], weights, [], _n_left_out(keep), found)


def _found(table: Table, keep: Keep, column: int) -> tuple[NDArray[Any], list[Value]]:
    codes, found = factorize(table.columns[column], table.names[column])
    return (codes if keep is None else codes[keep]), found


def _n_left_out(keep: Keep) -> int:
    return 0 if keep is None else len(keep) - int(np.count_nonzero(keep))


def translate(
    codes: NDArray[Any],
    found: list[Value],
    positions: dict[Value, int],
) -> tuple[NDArray[Any], list[Value]]:
    """Turn positions in `found` into the vocabulary's codes; list what it does not have."""
    size = len(positions)
    target = [positions.get(value, size) for value in found]
    # A frame may declare categories that no cell has: these are not unknown values.
    unknown = [v for v in used_values(codes, found) if v not in positions] if size in target else []
    return np.array(target, dtype=smallest_unsigned(size)).take(codes), unknown


def used_values(codes: NDArray[Any], found: list[Value]) -> list[Value]:
    """Return the values that some cell has."""
    is_used = np.bincount(codes, minlength=len(found)) > 0
    return [value for value, used in zip(found, is_used, strict=True) if used]


def map_columns(function: Callable[[int], T], table: Table) -> list[T]:
    """Call a function with each column's number, in threads where that pays."""
    columns = range(len(table.names))
    # The libraries' hash tables release the interpreter lock.
    return in_threads(function, columns, pays(table.n_rows * len(columns)))
