"""What the eigenvectors of S explain, from counts alone.

With Z the one-hot matrix (never formed), B the stacked kernel columns and N = Z'Z:
S = Z M Z' with M = B diag(omega) B' block diagonal, R = M^(1/2), and the eigenpairs of
A = R'NR are those of S. To center the rows, every attribute's mean vector is taken from its
rows of R (and of B): a cell whose value is unknown then stands at the mean, as in
`transform`, and nothing large is subtracted from something large.
"""

from collections.abc import Sequence
from itertools import pairwise, starmap
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from untie._count.counts import Counts
from untie._learn import memory
from untie._learn.linalg.eigen import Eigenspace, Gram
from untie._learn.spaces.kernel_spaces import KernelSpaces
from untie._learn.spaces.value_tables import Columns, Dense, Factor
from untie._util.arrays import symmetric_product
from untie._util.threads import one_thread
from untie._util.types import FloatArray

TINY = 1e-12
"""Below this share of its total, an energy is rounding noise."""

OPERATOR_SIZE = 1500
"""For more values than this, A is not formed: multiplying by its factors is faster."""


SMALL_BLOCK = 32
"""Value vectors of at most this many dimensions, on average, are multiplied all at once."""


def center(tables: Sequence[Columns], counts: Counts) -> list[Factor]:
    """Take its mean vector from every attribute's table."""
    return [table.less_mean(own) for table, own in zip(tables, counts.parts, strict=True)]


def energies(spaces: KernelSpaces, counts: Counts, centered: bool = True) -> FloatArray:
    """Return ||u_d||^2 of every coordinate d over all rows; shape (n_coordinates,)."""
    pairs = zip(spaces.columns, counts.parts, strict=True)
    return np.concatenate([columns.energies(own, centered) for columns, own in pairs])


def roots(spaces: KernelSpaces, omega: FloatArray) -> list[Columns]:
    """Return the symmetric root of B_j diag(omega_j) B_j' for every attribute.

    A value's row is its learned vector: all inner products of rows of Z B diag(omega)^(1/2)
    are kept, in as many dimensions as the attribute has values. An attribute with very many
    values has another root, with a direction for each value and a few that they share.
    """
    tables, weights = spaces.columns, spaces.split(omega)
    result: list[Any] = list(tables)
    with one_thread():
        kinds: set[Any] = set(map(type, tables))
        for kind in kinds:
            places = [place for place, table in enumerate(tables) if type(table) is kind]
            found = kind.weighted_roots([tables[p] for p in places], [weights[p] for p in places])
            for place, root in zip(places, found, strict=True):
                result[place] = root
    return result


def reduced_gram(counts: Counts, factors: Sequence[Factor]) -> Gram:
    """Return A = R'NR for factors R, centered or not; shape (n_columns of R, n_columns of R).

    For many values it is an operator that multiplies by A: forming A would take longer.
    """
    if sum(counts.sizes) > OPERATOR_SIZE or max(counts.sizes) > memory.LARGE:
        return _gram_operator(counts, factors)
    gram = counts.matrix.copy()
    for attribute, factor in enumerate(factors):
        span = counts.span(attribute)
        gram[span] = factor.from_left(gram[span])
    for attribute, factor in enumerate(factors):
        span = counts.span(attribute)
        gram[:, span] = gram[:, span] @ factor.toarray()
    return gram


def spans(factors: Sequence[Factor]) -> list[slice]:
    """Return where the columns of each factor stand among those of all."""
    ends = np.cumsum([factor.shape[1] for factor in factors]).tolist()
    return list(starmap(slice, pairwise([0, *ends])))


def explained(
    spaces: KernelSpaces, counts: Counts, factors: Sequence[Factor], space: Eigenspace
) -> FloatArray:
    """Return ||H'u_d||^2 of every centered coordinate d; shape (n_coordinates,).

    Parameters
    ----------
    spaces : KernelSpaces
        The coordinates.
    counts : Counts
        Counts of all pairs of values.
    factors : sequence of arrays of shape (n_values, n_columns)
        The centered R whose A has the eigenvectors.
    space : Eigenspace
        The eigenvectors that stand for H.
    """
    directions = _multiply(factors, space.vectors)
    directions *= np.sqrt(space.shares / space.values)
    projected = symmetric_product(counts.matrix, directions)
    parts = np.split(projected, counts.offsets[1:-1])
    result = []
    for columns, own, part in zip(spaces.columns, counts.parts, parts, strict=True):
        centered = columns.less_mean(own)  # one attribute at a time, as they are large
        result.append(np.square(centered.from_left(part)).sum(axis=1))
    return np.concatenate(result)


def _multiply(factors: Sequence[Factor], array: FloatArray) -> FloatArray:
    """Multiply by the block diagonal matrix of the factors."""
    parts = zip(factors, spans(factors), strict=True)
    return np.concatenate([factor @ array[span] for factor, span in parts])


def _gram_operator(counts: Counts, factors: Sequence[Factor]) -> LinearOperator:
    size = sum(factor.shape[1] for factor in factors)
    whole = _small_blocks(factors)
    backwards: Any = None if whole is None else whole.T.tocsr()

    def product(array: FloatArray) -> FloatArray:
        if whole is not None:
            return backwards @ symmetric_product(counts.matrix, whole @ array)
        together = symmetric_product(counts.matrix, _multiply(factors, array))
        parts = np.split(together, counts.offsets[1:-1])
        return np.concatenate([f.from_left(own) for f, own in zip(factors, parts, strict=True)])

    return LinearOperator((size, size), matvec=product, matmat=product, dtype=np.float64)


def _small_blocks(factors: Sequence[Factor]) -> sparse.csr_array | None:
    """Return the block diagonal matrix of the factors, if they are many small arrays.

    One product with it is faster than one per attribute then.
    """
    arrays = [factor.array for factor in factors if isinstance(factor, Dense)]
    n_numbers = sum(array.size for array in arrays)
    if len(arrays) < len(factors) or n_numbers > SMALL_BLOCK * sum(map(len, arrays)):
        return None
    return sparse.csr_array(sparse.block_diag(arrays, format="csr"))
