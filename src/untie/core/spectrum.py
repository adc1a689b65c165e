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

import numpy as np
from scipy.sparse.linalg import LinearOperator

from untie.core.counts import Counts
from untie.core.eigen import Eigenspace, Gram, eigenvalues
from untie.core.spaces import KernelSpaces
from untie.core.threads import one_thread
from untie.core.types import FloatArray

TINY = 1e-12
"""Below this share of its total, an energy is rounding noise."""

OPERATOR_SIZE = 1500
"""For more values than this, A is not formed: multiplying by its factors is faster."""


def mean_vector(table: FloatArray, frequencies: FloatArray) -> FloatArray:
    """Return the mean over the rows of an attribute's vectors, unknown cells apart."""
    if not frequencies.any():  # every cell of the column was unknown
        return table.mean(axis=0)
    return frequencies @ table / frequencies.sum()


def centre(tables: Sequence[FloatArray], counts: Counts) -> list[FloatArray]:
    """Take its mean vector from every attribute's table."""
    return [
        table - mean_vector(table, counts.frequencies[counts.span(attribute)])
        for attribute, table in enumerate(tables)
    ]


def energies(spaces: KernelSpaces, counts: Counts, centred: bool = True) -> FloatArray:
    """Return ||u_d||^2 of every coordinate d over all rows; shape (n_coordinates,)."""
    result = []
    for attribute, columns in enumerate(spaces.columns):
        frequencies = counts.frequencies[counts.span(attribute)]
        if centred:
            columns = columns - mean_vector(columns, frequencies)
        result.append(frequencies @ np.square(columns))
    return np.concatenate(result)


def roots(spaces: KernelSpaces, omega: FloatArray) -> list[FloatArray]:
    """Return the symmetric root of B_j diag(omega_j) B_j' for every attribute.

    A value's row is its learned vector: all inner products of rows of Z B diag(omega)^(1/2)
    are kept, in as many dimensions as the attribute has values.
    """
    with one_thread(max(len(columns) for columns in spaces.columns)):
        squares = [
            (columns * weights) @ columns.T
            for columns, weights in zip(spaces.columns, spaces.split(omega), strict=True)
        ]
        return _square_roots(squares)


def reduced_gram(counts: Counts, factors: Sequence[FloatArray]) -> Gram:
    """Return A = R'NR for factors R, centred or not; shape (n_values, n_values).

    For many values it is an operator that multiplies by A: forming A would take longer.
    """
    if len(counts.matrix) > OPERATOR_SIZE:
        return _gram_operator(counts, factors)
    gram = counts.matrix.copy()
    for attribute, factor in enumerate(factors):
        span = counts.span(attribute)
        gram[span] = factor.T @ gram[span]
    for attribute, factor in enumerate(factors):
        span = counts.span(attribute)
        gram[:, span] = gram[:, span] @ factor
    return gram


def explained(
    spaces: KernelSpaces, counts: Counts, factors: Sequence[FloatArray], space: Eigenspace
) -> FloatArray:
    """Return ||H'u_d||^2 of every centred coordinate d; shape (n_coordinates,).

    Parameters
    ----------
    spaces : KernelSpaces
        The coordinates.
    counts : Counts
        Counts of all pairs of values.
    factors : sequence of arrays of shape (n_values, n_values)
        The centred R whose A has the eigenvectors.
    space : Eigenspace
        The eigenvectors that stand for H.
    """
    directions = _multiply(counts, factors, space.vectors)
    directions *= np.sqrt(space.shares / space.values)
    projected = directions.T @ counts.matrix
    result = []
    for attribute, columns in enumerate(spaces.columns):
        span = counts.span(attribute)
        centred = columns - mean_vector(columns, counts.frequencies[span])
        result.append(np.square(projected[:, span] @ centred).sum(axis=0))
    return np.concatenate(result)


def choose_n_clusters(counts: Counts, largest: int) -> int:
    """Choose the number of clusters from the spectrum of the standardised counts.

    With every attribute scaled to the identity (as in correspondence analysis), independent
    attributes have all eigenvalues at 1 but for the noise of n rows, which random matrix
    theory puts below (1 + sqrt(p / n))^2 for p free dimensions. Eigenvalues above that edge
    come from what attributes share. The widest relative gap in their excess over 1 ends the
    list; k clusters span k - 1 directions.
    """
    seen = counts.frequencies > 0
    scale = np.zeros(len(seen))
    scale[seen] = 1.0 / np.sqrt(counts.frequencies[seen])
    blocks = [np.diag(scale[counts.span(a)]) for a in range(len(counts.sizes))]
    n_free = max(1, int(np.count_nonzero(seen)) - len(counts.sizes))
    # Weights may be scaled to any sum; the rows are then the least that there is to go by.
    edge = np.square(1.0 + np.sqrt(n_free / max(counts.n, counts.n_rows)))
    excess = eigenvalues(reduced_gram(counts, centre(blocks, counts)), largest) - 1.0
    n_shared = int(np.count_nonzero(excess[: largest - 1] > edge - 1.0))
    if not n_shared:
        return min(2, largest)
    following = np.maximum(np.append(excess, 0.0)[1 : n_shared + 1], edge - 1.0)
    return int(np.argmax(np.round(excess[:n_shared] / following, 9))) + 2


def _square_roots(squares: list[FloatArray]) -> list[FloatArray]:
    by_size = defaultdict(list)
    for attribute, square in enumerate(squares):
        by_size[len(square)].append(attribute)
    result = list(squares)
    for attributes in by_size.values():
        # One call for all attributes of a size: small matrices are all overhead.
        values, vectors = np.linalg.eigh(np.stack([squares[a] for a in attributes]))
        lengths = np.sqrt(np.maximum(values, 0.0))[:, None, :]
        stacked = (vectors * lengths) @ np.swapaxes(vectors, 1, 2)
        for attribute, root in zip(attributes, stacked, strict=True):
            result[attribute] = root
    return result


def _multiply(counts: Counts, factors: Sequence[FloatArray], array: FloatArray) -> FloatArray:
    """Multiply by the block diagonal matrix of the factors."""
    return np.concatenate(
        [factor @ array[counts.span(attribute)] for attribute, factor in enumerate(factors)]
    )


def _gram_operator(counts: Counts, factors: Sequence[FloatArray]) -> LinearOperator:
    turned = [factor.T for factor in factors]

    def product(array: FloatArray) -> FloatArray:
        return _multiply(counts, turned, counts.matrix @ _multiply(counts, factors, array))

    size = len(counts.matrix)
    return LinearOperator((size, size), matvec=product, matmat=product, dtype=np.float64)
