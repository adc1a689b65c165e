"""How often values occur together: all that learning needs from the rows.

Weights of distinct rows also say how many independent observations they are. A constant factor in
all weights carries no information, and neither does repeating a whole table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from untie._count.counting import count_column, count_pairs, count_sparse
from untie._count.memory import are_dense, check_memory, refuse_large
from untie._count.row_sample import RowSample
from untie._table.names import listed
from untie._table.rows import encode
from untie._table.table import read_table
from untie._table.vocabulary import Vocabulary
from untie._util.arrays import ROUNDING
from untie._util.types import BoolArray, Codes, FloatArray, IntArray

MOST_EXACT = 2.0**53
"""Whole numbers up to this one are exact as floats."""

MOST_UNITS = 1e6
"""Weights with fractions are multiples of a unit only if none is more than this many units: any
numbers are multiples of a small enough one."""

FEWEST = 8
"""Weights of fewer distinct rows than this have no unit. Too often they have a common divisor by
chance: those of four rows in 8% of tables, those of eight in 0.4%."""

MANY_ROWS = 100
"""Among this many distinct rows or more, some occur only once if weights are numbers of rows."""

SINGLE = 0.2
"""At least this share of distinct rows occur once where more could occur than do. In real tables it
is 0.44 or more."""

FILLED = 0.5
"""Distinct rows are a table of counts if they are at least this share of those that can occur."""


def are_whole(weights: FloatArray) -> bool:
    """Tell whether all weights are whole numbers, which stand for rows written out."""
    return bool((weights == np.rint(weights)).all() and weights.max(initial=0.0) <= MOST_EXACT)


def common_unit(weights: FloatArray) -> float | None:
    """Return the largest number that all weights are multiples of, None if there is none.

    Examples
    --------
    >>> common_unit(np.array([200.0, 300.0])), common_unit(np.array([0.5, 0.5]))
    (100.0, 0.5)
    >>> common_unit(np.sqrt([2.0, 3.0])) is None
    True
    """
    if are_whole(weights):
        return float(np.gcd.reduce(weights.astype(np.int64)))
    shares = weights / weights.max()
    unit = 1.0
    for share in np.unique(shares)[::-1].tolist():
        unit = _divisor(unit, share)
        if unit * MOST_UNITS < 1.0:
            return None
    units = np.rint(shares / unit)
    unit = shares.sum() / units.sum()  # Euclid's remainders have the errors of all steps
    if np.abs(shares - units * unit).max() > ROUNDING:
        return None
    return float(weights.sum() / units.sum())


def _divisor(first: float, second: float) -> float:
    """Return the largest common divisor of two shares, by Euclid's algorithm."""
    while second > 0.1 / MOST_UNITS:  # less is the error of the steps before
        first, second = second, abs(first - second * round(first / second))
    return first


def may_be_counts(units: FloatArray, codes: NDArray[np.integer]) -> bool:
    """Tell whether numbers of equal rows are such as independent draws have.

    Either nearly all rows that can occur do, as in a table of counts, or some occur once: where
    many possible rows are missing, some of those that are there must be rare. Survey weights and
    rows that were repeated have no such tail.

    Parameters
    ----------
    units : array of shape (n_sampled,)
        The weights of distinct rows, in units.
    codes : integer array of shape (n_sampled, n_attributes)
        These rows.
    """
    return fill_their_cells(codes) or bool(np.mean(units < 1.5) >= SINGLE)


def fill_their_cells(codes: NDArray[np.integer], related: BoolArray | None = None) -> bool:
    """Tell whether few distinct rows are most of those that can occur.

    Parameters
    ----------
    codes : integer array of shape (n_distinct, n_attributes)
        The distinct rows.
    related : boolean array of shape (n_attributes, n_attributes), optional
        Which attributes say the same; what they say can occur as far as it does.
    """
    if len(codes) >= MANY_ROWS:
        return False
    groups = np.arange(codes.shape[1])
    if related is not None:
        groups = connected_components(related, directed=False)[1]
    possible = 1.0
    for group in np.unique(groups):
        possible *= len(np.unique(codes[:, groups == group], axis=0))
    return len(codes) >= FILLED * possible


def _is_design(codes: NDArray[np.integer]) -> bool:
    """Tell whether rows occur equally often because they were made so, and not repeated as a whole.

    So do the cells of a planned experiment, and the ranges of one number that the other columns
    follow from.
    """
    most = max(len(np.unique(column)) for column in codes.T)
    return fill_their_cells(codes) or len(codes) == most < MANY_ROWS


def number_of_draws(sample: RowSample, n: float, n_rows: int) -> float:
    """Return how many independent draws a table seems to be, whatever the unit of its weights.

    Whole weights are rows written out. Others may be counts in another unit; if they are not, there
    are no more draws than rows.

    Parameters
    ----------
    sample : RowSample
        Distinct rows and their weights.
    n : float
        Weight of all rows.
    n_rows : int
        Number of rows with a positive weight.
    """
    weights = sample.weights
    if len(weights) < FEWEST:
        return float(max(n, n_rows))
    unit = common_unit(weights)
    if unit is None:
        return float(n_rows)
    if weights.max() < 1.5 * unit and _is_design(sample.codes):
        return float(n_rows)
    found = n / unit
    nearest = float(np.rint(found))
    found = nearest if abs(found - nearest) <= ROUNDING * found else found
    is_count = are_whole(weights) or may_be_counts(weights / unit, sample.codes)
    return found if is_count else min(found, float(n_rows))


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of all pairs of values; those of chunks of rows add up with ``+``.

    Memory grows with the square of the number of values, and not with the rows.

    Parameters
    ----------
    sizes : tuple of int
        Number of values of each column (an attribute, where it is meant by its number).
    matrix : array of shape (n_values, n_values)
        Weight of the rows that have both values; on the diagonal, of those that have one.
        The values of all columns stand one after another. Sparse (CSR) where there are
        more than 4,096 values and most pairs cannot occur. Or, where pairs were too many to count,
        the diagonal alone, of shape (n_values,).
    n : float
        Weight of all rows.
    n_rows : int
        Number of rows with a positive weight.
    draws : float, optional
        How many independent draws the rows are, where a sample of them told; see `n_draws`.

    See Also
    --------
    count_table : Counts a table.
    CountedTable : Counts with the values that they are of.

    Examples
    --------
    >>> import numpy as np
    >>> codes = [np.array([0, 1, 1]), np.array([0, 0, 1])]
    >>> first, rest = count([c[:1] for c in codes], (2, 2)), count([c[1:] for c in codes], (2, 2))
    >>> (first + rest).block(0, 1)
    array([[1., 0.],
           [1., 1.]])
    """

    sizes: tuple[int, ...]
    matrix: Any
    n: float
    n_rows: int
    draws: float | None = None

    def __post_init__(self) -> None:
        # One form for one table, however it was counted and wherever it was kept.
        if self.has_pairs and self.is_sparse == are_dense(self.sizes, self.n_rows):
            matrix = self.matrix.toarray() if self.is_sparse else sparse.csr_array(self.matrix)
            object.__setattr__(self, "matrix", matrix)

    @property
    def has_pairs(self) -> bool:
        """Whether pairs of values were counted, and not the values alone."""
        return bool(self.matrix.ndim == 2)

    @property
    def is_sparse(self) -> bool:
        """Whether the matrix is sparse."""
        return bool(sparse.issparse(self.matrix))

    @property
    def n_draws(self) -> float:
        """How many independent draws the rows are, whatever the unit of their weights.

        Where nothing is known, the sum of the weights, and at least the number of rows.
        """
        return float(max(self.n, self.n_rows)) if self.draws is None else self.draws

    @cached_property
    def offsets(self) -> IntArray:
        """Position of each attribute's first value, and the number of all values."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.intp)

    @cached_property
    def frequencies(self) -> FloatArray:
        """Weight of the rows that have each value; shape (n_values,)."""
        return np.asarray(self.matrix.diagonal() if self.has_pairs else self.matrix)

    @cached_property
    def parts(self) -> list[FloatArray]:
        """The frequencies of each attribute's values."""
        return np.split(self.frequencies, self.offsets[1:-1])

    def span(self, attribute: int) -> slice:
        """Return where the values of an attribute stand."""
        return slice(int(self.offsets[attribute]), int(self.offsets[attribute + 1]))

    def block(self, first: int, second: int) -> FloatArray:
        """Return the counts of one attribute's values (rows) with another's, as a dense array."""
        return self._dense(self.span(first), self.span(second))

    def dense(self) -> FloatArray:
        """Return the whole matrix as a dense array, or refuse one of more than 4 GiB."""
        return self._dense(slice(None), slice(None))

    def _dense(self, rows: slice, columns: slice) -> FloatArray:
        if not self.is_sparse:
            return self.matrix[rows, columns]
        part = self.matrix[rows, columns]
        refuse_large(8 * part.shape[0] * part.shape[1], self.sizes, "pairs as a dense array")
        return part.toarray()

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        if self.sizes != other.sizes:
            raise ValueError(
                f"The counts are of different vocabularies: {self.sizes} and {other.sizes} "
                "values. Add tables made by untie.count_table, which unite vocabularies."
            )
        matrix = self.matrix + other.matrix
        return Counts(self.sizes, matrix, self.n + other.n, self.n_rows + other.n_rows)

    def with_draws(self, sample: RowSample | None) -> Counts:
        """Return counts that know how many independent draws they are of, by a sample of rows."""
        if sample is None or not len(sample.weights):
            return self
        return replace(self, draws=number_of_draws(sample, self.n, self.n_rows))

    def without_pairs(self) -> Counts:
        """Return how often the values occur, whatever they occur with."""
        return replace(self, matrix=self.frequencies)

    def relabel(self, targets: Sequence[IntArray], sizes: tuple[int, ...]) -> Counts:
        """Move every value to a new code; values with the same code are added up.

        Parameters
        ----------
        targets : sequence of integer arrays, one per attribute
            The new code of each value within its attribute; one of the attribute's new size
            leaves the value out.
        sizes : tuple of int
            Number of new values of each attribute.

        Returns
        -------
        Counts
            New counts; these are as they were.
        """
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.concatenate([t + o for t, o in zip(targets, offsets[:-1], strict=True)])
        kept = np.concatenate([t < size for t, size in zip(targets, sizes, strict=True)])
        if not self.has_pairs:
            singles = np.bincount(rows[kept], self.matrix[kept], minlength=int(offsets[-1]))
            return replace(self, sizes=sizes, matrix=singles)
        check_memory(sizes, n_rows=self.n_rows)
        shape = (len(rows), int(offsets[-1]))
        places = np.flatnonzero(kept)
        move = sparse.csr_array((np.ones(len(places)), (places, rows[kept])), shape=shape)
        # Two values of one attribute never meet, so a block's diagonal is all there is.
        old = self.matrix
        if not are_dense(sizes, self.n_rows):  # before it grows
            old = sparse.csr_array(old)
        matrix = move.T @ (move.T @ old).T
        if sparse.issparse(matrix):
            matrix = matrix.tocsr()
            matrix.sort_indices()
        else:
            matrix = np.ascontiguousarray(matrix)
        return replace(self, sizes=sizes, matrix=matrix)


@dataclass(frozen=True, eq=False)
class CountedTable:
    """A table as its counts and the values that they are of; chunks add up with ``+``.

    Parameters
    ----------
    vocabulary : Vocabulary
        The values of each column.
    counts : Counts
        How often they occur together.
    sample : RowSample or None
        At most 2,000 distinct rows, in the codes of the vocabulary, if they were kept; what
        `TableEncoder` and ``n_clusters="auto"`` compare clusters on.

    See Also
    --------
    count_table : Counts a table.
    TableEncoder.fit_counts : Learns from it.

    Examples
    --------
    >>> from untie import count_table
    >>> whole = count_table([["red"], ["blue"]]) + count_table([["red"], ["green"]])
    >>> whole.vocabulary.values, whole.counts.frequencies.tolist()
    ((('blue', 'green', 'red'),), [1.0, 1.0, 2.0])
    """

    vocabulary: Vocabulary
    counts: Counts
    sample: RowSample | None = None

    def codes(self, data: Any) -> Codes:
        """Return the codes of a table's rows: the places of their values in the vocabulary.

        Parameters
        ----------
        data : table of shape (n_rows, n_columns)
            In memory, with the columns that were counted.

        Returns
        -------
        list of integer arrays of shape (n_rows,)
            One array per column. A value that was not counted has the number of the column's
            values.

        Examples
        --------
        >>> from untie import count_table
        >>> count_table([["red"], ["blue"]]).codes([["red"], ["green"], ["blue"]])
        [array([1, 2, 0], dtype=uint8)]
        """
        table = read_table(data, min_rows=0)
        if table.names != self.vocabulary.columns:
            raise ValueError(
                f"The table has the columns {listed(table.names)}, but those counted are "
                f"{listed(self.vocabulary.columns)}; select and order them as they were counted."
            )
        return encode(table, self.vocabulary).codes

    def __add__(self, other: CountedTable) -> CountedTable:
        if not isinstance(other, CountedTable):
            return NotImplemented
        return self.plus(other)

    def plus(self, other: CountedTable, most_values: int | None = None) -> CountedTable:
        """Unite two tables; with more than `most_values` values, without the pairs."""
        vocabulary, first, second = self.vocabulary, self, other
        if vocabulary != other.vocabulary:
            vocabulary = vocabulary.union(other.vocabulary)
        have_pairs = self.counts.has_pairs and other.counts.has_pairs
        if not have_pairs or (most_values is not None and sum(vocabulary.sizes) > most_values):
            first, second = first.without_pairs(), second.without_pairs()
        elif vocabulary is not self.vocabulary:
            n_rows = self.counts.n_rows + other.counts.n_rows
            check_memory(vocabulary.sizes, vocabulary.columns, n_rows=n_rows)
        first, second = first.align(vocabulary), second.align(vocabulary)
        # Half a sample is none: the rows of the other chunk would be missing.
        sample = first.sample + second.sample if first.sample and second.sample else None
        return CountedTable(vocabulary, first.counts + second.counts, sample)

    def without_pairs(self) -> CountedTable:
        """Return the same values and sample, without what occurs together."""
        return replace(self, counts=self.counts.without_pairs())

    def plus_chunk(self, chunk: CountedTable) -> CountedTable:
        """Add a chunk whose columns are these, in this order, whatever their names.

        Its rows were sampled under these names.
        """
        vocabulary = chunk.vocabulary.renamed(self.vocabulary.columns)
        return self + CountedTable(vocabulary, chunk.counts, chunk.sample)

    def align(self, union: Vocabulary) -> CountedTable:
        """Return the same counts in the codes of a vocabulary that has all values that occur."""
        if union == self.vocabulary:
            return self
        attributes = range(len(union.columns))
        targets = [self.vocabulary.translate(union, attribute) for attribute in attributes]
        sample = self.sample and self.sample.relabel(targets, union.sizes)
        return CountedTable(union, self.counts.relabel(targets, union.sizes), sample)


def count(codes: Codes, sizes: Sequence[int], weights: FloatArray | None = None) -> Counts:
    """Count all pairs of values in coded rows.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        One array per attribute; a code equal to the attribute's size is not counted.
    sizes : sequence of int
        Number of values of each attribute.
    weights : array of shape (n_rows,), optional
        How often each row counts.
    """
    n_rows = len(codes[0])
    check_memory(sizes, n_rows=n_rows)
    n = float(n_rows if weights is None else weights.sum())
    counter = count_pairs if are_dense(sizes, n_rows) else count_sparse
    return Counts(tuple(sizes), counter(codes, tuple(sizes), weights), n, n_rows)


def count_values(codes: Codes, sizes: Sequence[int], weights: FloatArray | None = None) -> Counts:
    """Count the values in coded rows, and no pairs; see `count`."""
    found = [count_column(*pair, weights) for pair in zip(codes, sizes, strict=True)]
    n_rows = len(codes[0])
    n = float(n_rows if weights is None else weights.sum())
    return Counts(tuple(sizes), np.concatenate(found), n, n_rows)
