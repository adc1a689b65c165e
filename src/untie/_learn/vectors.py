"""omega -> value vectors, and coded rows -> X by looking them up."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from untie._count.counting import sparse_one_hot
from untie._count.counts import Counts
from untie._count.memory import MEMORY_LIMIT, check_pairs_of_rows, refuse_large
from untie._count.packed_rows import Packs
from untie._learn.linalg.eigen import Eigenspace, settling
from untie._learn.linalg.spectrum import center, spans
from untie._learn.spaces.kernel_spaces import KernelSpaces
from untie._learn.spaces.value_tables import Columns
from untie._util.threads import in_threads
from untie._util.types import AnyArray, Codes, FloatArray

BLOCK_ROWS = 8192
"""This many rows are looked up at a time; their codes and their output stay in the cache."""

JOINT_CELLS = 1024
"""Attributes are looked up together while their joint table has at most this many rows."""

PARALLEL_NUMBERS = 1_000_000
"""Threads cost more than they save for fewer numbers of output than this."""


@dataclass(frozen=True, eq=False)
class LookUp:
    """Tables of value vectors: all that `transform` needs.

    Parameters
    ----------
    tables : tuple of arrays of shape (n_values + 1, width)
        One per attribute; the last row is the attribute's mean, for an unknown value. Sparse for
        an attribute with very many values.
    summed : bool
        Whether a row's vector is the sum of its values' vectors, or their concatenation.
    """

    tables: tuple[Any, ...]
    summed: bool = False

    @cached_property
    def is_sparse(self) -> bool:
        """Whether a table has a column for each of very many values, most of them 0."""
        return any(sparse.issparse(table) for table in self.tables)

    @property
    def widths(self) -> list[int]:
        """Number of columns of each table."""
        return [table.shape[1] for table in self.tables]

    @property
    def n_columns(self) -> int:
        """Number of columns of X."""
        return self.widths[0] if self.summed else sum(self.widths)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of values of each attribute."""
        return tuple(table.shape[0] - 1 for table in self.tables)

    def check_dense(self, n_rows: int) -> None:
        """Refuse dense rows that would not fit in memory, where a column has very many values."""
        needed = 8 * n_rows * self.n_columns
        if self.is_sparse and needed > MEMORY_LIMIT:
            raise ValueError(
                f"{n_rows:,} dense rows of {self.n_columns:,} columns would take "
                f"{needed / 2**30:,.0f} GiB (limit {MEMORY_LIMIT / 2**30:.0f}), as one column of "
                f"the table has {max(self.sizes):,} values. Set n_components (64, say), "
                "sparse_output=True, or max_categories to group rare values."
            )

    def rows(self, codes: Codes, dtype: Any) -> AnyArray:
        """Return the vectors of coded rows; shape (n_rows, n_columns).

        A row's vector depends on its own codes alone, to the last bit.
        """
        if self.is_sparse:
            self.check_dense(len(codes[0]))
            return self.sparse_rows(codes, dtype).toarray()
        result = np.empty((len(codes[0]), self.n_columns), dtype=dtype)
        tables = [table.astype(dtype, copy=False) for table in self.tables]
        if self.summed:
            _in_blocks(result, lambda rows: _add_up(result, tables, codes, rows))
        else:
            tables, codes = _join(tables, codes, self.sizes)
            _in_blocks(result, lambda rows: _put_side_by_side(result, tables, codes, rows))
        return result

    def columns(self, codes: Codes, dtype: Any) -> list[AnyArray]:
        """Return the same numbers as `rows`, one array per column, as column stores have them."""
        if self.summed or self.is_sparse:
            return list(np.ascontiguousarray(self.rows(codes, dtype).T))
        return [
            values.take(column)
            for table, column in zip(self.tables, codes, strict=True)
            for values in np.ascontiguousarray(table.T, dtype=dtype)
        ]

    def sparse_rows(self, codes: Codes, dtype: Any) -> sparse.csr_array:
        """Return the vectors of coded rows as a sparse array."""
        stack = sparse.vstack if self.summed else sparse.block_diag
        tables = stack([sparse.csr_array(table) for table in self.tables], format="csr")
        sizes = [size + 1 for size in self.sizes]  # an unknown value has its row, too
        return (sparse_one_hot(codes, sizes) @ tables).astype(dtype)

    def similarity(self, left: Codes, right: Codes | None = None) -> FloatArray:
        """Return the inner products of the vectors of coded rows."""
        check_pairs_of_rows(len(left[0]), len((left if right is None else right)[0]))
        look_up: Any = self.sparse_rows if self.is_sparse else self.rows
        first = look_up(left, np.float64)
        second = first if right is None else look_up(right, np.float64)
        return (first @ second.T).toarray() if self.is_sparse else first @ second.T

    def value_similarity(self, attribute: int) -> FloatArray:
        """Return the inner products of the vectors of an attribute's values."""
        known = self.tables[attribute][:-1]
        refuse_large(8 * known.shape[0] ** 2, self.sizes, "the similarities of all pairs")
        products = known @ known.T
        return products.toarray() if sparse.issparse(products) else products

    def value_rows(self) -> FloatArray:
        """Return the vector of every value in the columns of X; shape (n_values, n_columns)."""
        if self.is_sparse:
            self.check_dense(sum(self.sizes))
        known = [
            table[:-1].toarray() if sparse.issparse(table) else table[:-1] for table in self.tables
        ]
        if self.summed:
            return np.concatenate(known)
        result = np.zeros((sum(self.sizes), self.n_columns))
        row = column = 0
        for table in known:
            result[row : row + len(table), column : column + table.shape[1]] = table
            row, column = row + len(table), column + table.shape[1]
        return result


def look_up_tables(tables: Sequence[Columns], counts: Counts, summed: bool = False) -> LookUp:
    """Return a look-up of any value vectors, with their means for unknown values."""
    pairs = zip(tables, counts.parts, strict=True)
    return LookUp(tuple(table.with_mean(own) for table, own in pairs), summed)


def full_lookup(spaces: KernelSpaces, omega: FloatArray, counts: Counts) -> LookUp:
    """Return the paper's coordinates: sqrt(omega) times the kernel columns (the paper's Eq. 21).

    A weight scales a coordinate of every value, as in the paper's Eqs. 11, 13 and 21; with rows of
    T_p K_p (Eq. 8) it would scale a value's whole vector instead
    (docs/how_it_works/method.md, section 3).
    """
    pairs = zip(spaces.columns, spaces.split(omega), strict=True)
    return look_up_tables([columns.scaled(np.sqrt(own)) for columns, own in pairs], counts)


def component_lookup(
    roots: Sequence[Columns], counts: Counts, space: Eigenspace, n_components: int
) -> LookUp:
    """Return the projection onto leading eigenvectors: the best in `n_components` dimensions.

    Centered, so that an unknown value has the vector 0. Dimensions beyond the rank are 0.
    `settling` says which way dimensions point that the table leaves open.
    """
    pairs = zip(center(roots, counts), spans(roots), strict=True)
    tables = [table @ space.vectors[span] for table, span in pairs]
    lengths = np.sqrt(space.values)
    turn = settling(np.concatenate(tables), lengths, counts.frequencies, n_components)
    directions = np.pad(turn, ((0, 0), (0, n_components - turn.shape[1])))
    unknown = np.zeros(n_components)
    return LookUp(tuple(np.vstack([table @ directions, unknown]) for table in tables), summed=True)


def _in_blocks(result: AnyArray, work: Any) -> None:
    blocks = [slice(start, start + BLOCK_ROWS) for start in range(0, len(result), BLOCK_ROWS)]
    in_threads(work, blocks, result.size >= PARALLEL_NUMBERS)


def _add_up(result: AnyArray, tables: Sequence[Any], codes: Codes, rows: slice) -> None:
    part = result[rows]
    part[:] = 0
    for table, column in zip(tables, codes, strict=True):
        part += table.take(column[rows], axis=0)


def _put_side_by_side(result: AnyArray, tables: Sequence[Any], codes: Codes, rows: slice) -> None:
    start = 0
    for table, column in zip(tables, codes, strict=True):
        result[rows, start : start + table.shape[1]] = table.take(column[rows], axis=0)
        start += table.shape[1]


def _join(
    tables: list[AnyArray], codes: Codes, sizes: Sequence[int]
) -> tuple[list[AnyArray], Codes]:
    """Make one look-up of several small ones, where there are rows enough to pay for it."""
    if len(codes[0]) < 4 * JOINT_CELLS:
        return tables, codes
    packs = Packs(tuple(size + 1 for size in sizes), JOINT_CELLS)
    return packs.stack_tables(tables), list(packs.join_codes(codes))
