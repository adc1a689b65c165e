"""What the eigenvectors of S explain, from counts alone.

With Z the one-hot matrix (never formed), B the stacked kernel columns and N = Z'Z:
S = Z M Z' with M = B diag(omega) B' block diagonal, R = M^(1/2), and the eigenpairs of
A = R'NR are those of S. To centre the rows, every attribute's mean vector is taken from its
rows of R (and of B): a cell whose value is unknown then stands at the mean, as in
`transform`, and nothing large is subtracted from something large.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from scipy.sparse.linalg import LinearOperator

from untie._count.counts import Counts
from untie._learn.eigen import Eigenspace, Gram
from untie._learn.spaces import KernelSpaces
from untie._learn.tall import Centred, Columns, Factor, Tall, from_left
from untie._util.threads import one_thread
from untie._util.types import FloatArray

TINY = 1e-12
"""Below this share of its total, an energy is rounding noise."""

OPERATOR_SIZE = 1500
"""For more values than this, A is not formed: multiplying by its factors is faster."""


def mean_vector(table: Columns, frequencies: FloatArray) -> FloatArray:
    """Return the mean over the rows of an attribute's vectors, unknown cells apart."""
    if not frequencies.any():  # every cell of the column was unknown
        frequencies = np.ones_like(frequencies)
    if isinstance(table, Tall):
        return table.mean(frequencies)
    return frequencies @ table / frequencies.sum()


def centre(tables: Sequence[Columns], counts: Counts) -> list[Factor]:
    """Take its mean vector from every attribute's table."""
    return [
        _less_mean(table, counts.frequencies[counts.span(attribute)])
        for attribute, table in enumerate(tables)
    ]


def _less_mean(table: Columns, frequencies: FloatArray) -> Factor:
    mean = mean_vector(table, frequencies)
    return Centred(table, mean) if isinstance(table, Tall) else table - mean


def energies(spaces: KernelSpaces, counts: Counts, centred: bool = True) -> FloatArray:
    """Return ||u_d||^2 of every coordinate d over all rows; shape (n_coordinates,).

    Every weighting asks for them again, so they are computed once for the spaces of a table.
    """
    known = _energies.setdefault(spaces, WeakKeyDictionary()).setdefault(counts, {})
    if centred not in known:
        known[centred] = _compute_energies(spaces, counts, centred)
        known[centred].flags.writeable = False  # it is shared
    return known[centred]


_energies: WeakKeyDictionary[KernelSpaces, WeakKeyDictionary[Counts, dict[bool, FloatArray]]] = (
    WeakKeyDictionary()
)


def _compute_energies(spaces: KernelSpaces, counts: Counts, centred: bool) -> FloatArray:
    result = []
    for attribute, columns in enumerate(spaces.columns):
        frequencies = counts.frequencies[counts.span(attribute)]
        if isinstance(columns, Tall):
            result.append(columns.energies(frequencies, centred))
            continue
        if centred:
            columns = columns - mean_vector(columns, frequencies)
        result.append(frequencies @ np.square(columns))
    return np.concatenate(result)


def roots(spaces: KernelSpaces, omega: FloatArray) -> list[Columns]:
    """Return the symmetric root of B_j diag(omega_j) B_j' for every attribute.

    A value's row is its learned vector: all inner products of rows of Z B diag(omega)^(1/2)
    are kept, in as many dimensions as the attribute has values. An attribute with very many
    values has another root, with a direction for each value and a few that they share.
    """
    with one_thread(max(len(columns) for columns in spaces.columns)):
        result: list[Columns] = [
            columns.scaled(np.sqrt(weights)).root()
            if isinstance(columns, Tall)
            else (columns * weights) @ columns.T
            for columns, weights in zip(spaces.columns, spaces.split(omega), strict=True)
        ]
        return _square_roots(result)


def reduced_gram(counts: Counts, factors: Sequence[Factor]) -> Gram:
    """Return A = R'NR for factors R, centred or not; shape (n_columns of R, n_columns of R).

    For many values it is an operator that multiplies by A: forming A would take longer.
    """
    if sum(counts.sizes) > OPERATOR_SIZE or not all(isinstance(f, np.ndarray) for f in factors):
        return _gram_operator(counts, factors)
    gram = counts.matrix.copy()
    for attribute, factor in enumerate(factors):
        span = counts.span(attribute)
        gram[span] = from_left(factor, gram[span])
    for attribute, factor in enumerate(factors):
        span = counts.span(attribute)
        gram[:, span] = gram[:, span] @ factor
    return gram


def spans(factors: Sequence[Factor]) -> list[slice]:
    """Return where the columns of each factor stand among those of all."""
    ends = np.cumsum([factor.shape[1] for factor in factors]).tolist()
    return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]


def explained(
    spaces: KernelSpaces, counts: Counts, factors: Sequence[Factor], space: Eigenspace
) -> FloatArray:
    """Return ||H'u_d||^2 of every centred coordinate d; shape (n_coordinates,).

    Parameters
    ----------
    spaces : KernelSpaces
        The coordinates.
    counts : Counts
        Counts of all pairs of values.
    factors : sequence of arrays of shape (n_values, n_columns)
        The centred R whose A has the eigenvectors.
    space : Eigenspace
        The eigenvectors that stand for H.
    """
    directions = _multiply(factors, space.vectors)
    directions *= np.sqrt(space.shares / space.values)
    projected = counts.matrix @ directions
    result = []
    for attribute, columns in enumerate(spaces.columns):
        span = counts.span(attribute)
        centred = _less_mean(columns, counts.frequencies[span])
        result.append(np.square(from_left(centred, projected[span])).sum(axis=1))
    return np.concatenate(result)


def _square_roots(squares: list[Columns]) -> list[Columns]:
    """Return the roots of matrices; tables of very many values are roots already."""
    by_size: dict[int, dict[int, FloatArray]] = defaultdict(dict)
    for attribute, square in enumerate(squares):
        if isinstance(square, np.ndarray):
            by_size[len(square)][attribute] = square
    result = list(squares)
    for of_size in by_size.values():
        # One call for all attributes of a size: small matrices are all overhead.
        values, vectors = np.linalg.eigh(np.stack(list(of_size.values())))
        lengths = np.sqrt(np.maximum(values, 0.0))[:, None, :]
        stacked = (vectors * lengths) @ np.swapaxes(vectors, 1, 2)
        for attribute, root in zip(of_size, stacked, strict=True):
            result[attribute] = root
    return result


def _multiply(factors: Sequence[Factor], array: FloatArray) -> FloatArray:
    """Multiply by the block diagonal matrix of the factors."""
    parts = zip(factors, spans(factors), strict=True)
    return np.concatenate([factor @ array[span] for factor, span in parts])


def _gram_operator(counts: Counts, factors: Sequence[Factor]) -> LinearOperator:
    def product(array: FloatArray) -> FloatArray:
        together = counts.matrix @ _multiply(factors, array)
        return np.concatenate(
            [
                from_left(factor, together[counts.span(attribute)])
                for attribute, factor in enumerate(factors)
            ]
        )

    size = sum(factor.shape[1] for factor in factors)
    return LinearOperator((size, size), matvec=product, matmat=product, dtype=np.float64)
