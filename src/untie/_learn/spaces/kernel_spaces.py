"""All kernel spaces of a table: every column x coupling x kernel.

A column with very many values has its kernels through landmarks (Nystroem): a kernel matrix K of n
values is never formed. With L landmarks among the values, K is close to C W^+ C^T, where C holds
the kernel between all values and the landmarks and W the kernel between landmarks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import solve_triangular

from untie._count.counts import Counts
from untie._learn import memory
from untie._learn.linalg.eigen import beyond, end_of_equals, first_largest, settling
from untie._learn.spaces.couplings import Coupling
from untie._learn.spaces.kernels import Kernel, Normalization, Pairs, Scale, SelfPairs
from untie._learn.spaces.value_tables import Block, Columns, Dense, Tall, own_directions
from untie._util.threads import one_thread
from untie._util.types import AnyArray, BoolArray, FloatArray, IntArray

LANDMARKS_A_DIMENSION = 32
"""A coupling has at most this many landmarks per dimension; few dimensions need no more."""

LANDMARK_WORK = 1e9
"""A kernel may cost this much: the number of values times the square of that of the landmarks."""

LEFT_OUT = 1e-6
"""The axes that are left out have at most this share of K K', its first axis aside."""

CONSTANT = 1e-6
"""An axis shorter than this share of the longest is left out, and a kernel whose values differ by
less than it is constant: in the square, which learning weighs, that is the energy of rounding."""

INDEFINITE = 1e-8
"""A kernel with an eigenvalue below minus this share of its largest is not semi-definite."""

SPANNED = 1e-10
"""A landmark of which less than this share is new adds nothing: dividing by it would make rounding
more than 1e-9 of the result."""

EQUALLY_FAR = 1e-13
"""Squared distances that differ by less than this share of the longest vector's square are equal;
they are sums of squares of that size, and have no more digits."""

COPY = 1e-12
"""A vector nearer than this to a landmark, in the same measure, is a copy of it."""


def kernel_axes(
    vectors: Any, kernels: Mapping[str, Kernel], normalize: Normalization, shares: FloatArray
) -> Block:
    """Return the leading axes of every kernel of one coupling, and what they miss.

    The error of a space is how much of the kernel the landmarks and the axes kept do not give: the
    trace of K less that of what is kept, as a share of the trace of the centered K.
    In K K', which vectors are made of, axes count by their squares, and less is missing.

    Parameters
    ----------
    vectors : dense or sparse array of shape (n_values, n_dimensions)
        The coupling vectors.
    kernels : mapping from names to kernels
        Each takes `Pairs` whose products have one column for each landmark, not for each value.
    normalize : function
        One of the named normalizations.
    shares : array of shape (n_values,)
        Relative frequencies of the values.

    Raises
    ------
    ValueError
        When a kernel can't be asked for some of its columns, or the normalization is the user's.
    """
    if not isinstance(normalize, Scale):
        raise ValueError(
            "normalization is a function of whole kernel matrices, which are not formed for "
            f"columns with more than {memory.LARGE} values; name one of 'diagonal', 'cosine', "
            "'variance' or None, or group rare values with max_categories."
        )
    chosen = choose_landmarks(vectors, _n_landmarks(*vectors.shape))
    pairs, own = Pairs(vectors, vectors[chosen]), SelfPairs(vectors)
    found: list[tuple[FloatArray, float]] = []
    for name, kernel in kernels.items():
        columns = _asked(kernel, pairs, name, len(chosen))
        diagonal = _asked(kernel, own, name, 1)[:, 0]
        try:
            found.append(_leading_axes(columns, chosen, diagonal, normalize, shares))
        except ValueError as reason:
            raise ValueError(f"kernel {name!r}: {reason}") from None
    basis = _Basis(len(shares))
    # Sets of kernels begin with those that vary least, whose axes have the fewest digits. They come
    # last, so that the others are not expressed by these axes.
    mixes = [basis.express(axes) for axes, _ in found[::-1]][::-1]
    widths = tuple(axes.shape[1] for axes, _ in found)
    return Block(basis.table(mixes), widths, np.array([error for _, error in found]))


def _n_landmarks(n_values: int, n_dimensions: int) -> int:
    affordable = int(np.sqrt(LANDMARK_WORK / n_values))
    return min(memory.MOST_LANDMARKS, LANDMARKS_A_DIMENSION * n_dimensions, affordable)


def choose_landmarks(vectors: Any, n_landmarks: int) -> IntArray:
    """Choose the longest vector, then again and again the one farthest from all chosen.

    Every value is then as near to a landmark as this number of landmarks allows, up to a factor of
    2. Of equally far ones the first is chosen: rounding, which differs between processors, decides
    nothing.

    Examples
    --------
    >>> choose_landmarks(np.array([[0.0], [1.0], [1.1], [4.0], [4.0]]), 3)
    array([3, 0, 2])
    """
    lengths = SelfPairs(vectors).products[:, 0]
    longest = float(lengths.max())
    chosen = [first_largest(lengths)]
    distances = np.full(len(lengths), np.inf)
    while len(chosen) < min(n_landmarks, len(lengths)):
        last = chosen[-1]
        products = Pairs(vectors, vectors[[last]]).products[:, 0]
        np.minimum(distances, lengths + lengths[last] - 2.0 * products, out=distances)
        farthest = first_largest(distances, EQUALLY_FAR * longest)
        if distances[farthest] <= COPY * longest:  # all others are copies
            break
        chosen.append(farthest)
    return np.array(chosen)


def _asked(kernel: Kernel, pairs: Pairs, name: str, n_columns: int) -> FloatArray:
    found = np.asarray(kernel(pairs), dtype=float)
    wanted = (pairs.vectors.shape[0], n_columns)
    if found.shape != wanted:
        raise ValueError(
            f"kernel {name!r} returned shape {found.shape} where {wanted} was asked for. For "
            f"columns with more than {memory.LARGE} values a kernel must be an elementwise "
            "function of pairs.products or pairs.squared_distances; or group rare values with "
            "max_categories."
        )
    if not np.isfinite(found).all():
        raise ValueError(f"kernel {name!r} returned numbers that are not finite.")
    return found


def _leading_axes(
    columns: FloatArray, chosen: IntArray, diagonal: FloatArray, scale: Scale, shares: FloatArray
) -> tuple[FloatArray, float]:
    """Return B with B B' as near to K K' as possible, and the part of K that is missing."""
    lengths = scale.lengths(diagonal)
    if lengths is not None:
        columns = columns / lengths[:, None] / lengths[chosen]
        diagonal = diagonal / lengths**2
    factor = _factor(columns, columns[chosen])
    if not factor.shape[1]:  # the kernel is 0
        return np.zeros((len(diagonal), 1)), 0.0
    values, vectors = _eigh(factor.T @ factor)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    n_axes = min(memory.MOST_AXES, _n_needed(np.square(values)))
    # Equally long axes are turned together, and cut after that.
    n_turned = end_of_equals(values, n_axes)
    axes = factor @ (vectors[:, :n_turned] * np.sqrt(values[:n_turned]))
    axes = axes @ settling(axes, values[:n_turned], n_wanted=n_axes)
    trace = float(diagonal.sum())
    varying = trace - float(np.square(factor.sum(axis=0)).sum()) / len(diagonal)
    missing = max(0.0, trace - float(values[:n_axes].sum()))
    # A kernel that is the same for all values has nothing to miss.
    is_constant = varying <= CONSTANT * trace or (values[1:2] <= CONSTANT * values[0]).any()
    error = 0.0 if is_constant else missing / varying
    return axes * (1.0 / scale.divisor(diagonal, axes, shares)), error


def _factor(columns: FloatArray, between: FloatArray) -> FloatArray:
    """Return G with G G' = C W^-1 C'; without columns, if the kernel is 0.

    W is decomposed landmark by landmark (Cholesky's method with pivots), each time the one of
    which most is new. Eigenvectors would have to be divided by eigenvalues that are made of
    rounding.
    """
    between = (between + between.T) / 2.0
    root, pivots = _pivoted_root(between)
    rest = np.abs(between - root @ root.T).max(initial=0.0)
    if rest > 2.0 * SPANNED * between.diagonal().max(initial=0.0):
        _refuse_indefinite(between)
    if not pivots:
        return np.zeros((len(columns), 0))
    return np.ascontiguousarray(
        solve_triangular(root[pivots], columns[:, pivots].T, lower=True, check_finite=False).T
    )


def _pivoted_root(matrix: FloatArray) -> tuple[FloatArray, list[int]]:
    """Return R with R R' = matrix but for a share of `SPANNED`, and the lines it is made of."""
    left = matrix.diagonal().copy()
    least = SPANNED * max(float(left.max()), 0.0)
    root = np.zeros_like(matrix)
    pivots: list[int] = []
    while len(pivots) < len(matrix):
        pivot, n_found = first_largest(left), len(pivots)
        if left[pivot] <= least:
            break
        column = matrix[:, pivot] - root[:, :n_found] @ root[pivot, :n_found]
        root[:, n_found] = column / np.sqrt(left[pivot])
        left -= np.square(root[:, n_found])
        pivots.append(pivot)
        left[pivot] = 0.0
    return root[:, : len(pivots)], pivots


def _refuse_indefinite(matrix: FloatArray) -> None:
    values, _ = _eigh(matrix)
    if values[0] < -INDEFINITE * np.abs(values).max():
        raise ValueError(
            f"a kernel is not positive semi-definite (among {len(values)} values, an eigenvalue of "
            f"its matrix is {values[0]:.2g} and the largest {values[-1]:.2g}), and can't be taken "
            f"through landmarks, as it must be for columns with more than {memory.LARGE} values. "
            "Choose another kernel, or group rare values with max_categories."
        )


def _eigh(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    with one_thread():
        values, vectors = np.linalg.eigh(matrix)
    return values, vectors


def _n_needed(parts: FloatArray) -> int:
    """Return how many of the parts, the first of them and others, are more than is left out."""
    left = np.cumsum(parts[::-1])[::-1]  # of each part and all after it
    is_needed = left[1:] > LEFT_OUT * left[1:].max(initial=0.0)
    return 1 + int(np.count_nonzero(is_needed & (parts[1:] > CONSTANT**2 * parts[0])))


class _Basis:
    """Orthonormal columns that the axes of several kernels share, as they are much alike.

    The first is the same for all values: it is most of many kernels, and what is left of them then
    keeps its digits.
    """

    def __init__(self, n_values: int) -> None:
        self._columns = np.full((n_values, 1), n_values**-0.5)

    def express(self, axes: FloatArray) -> FloatArray:
        """Return axes as mixtures of the basis, which grows where it must; shape (n, n_axes)."""
        mix = self._columns.T @ axes
        rest = axes - self._columns @ mix
        values, vectors = _eigh(rest.T @ rest)
        # The first axis is nearly the same for all values; the others are what matters.
        lengths = np.square(axes).sum(axis=0)
        others = lengths[1:].sum() or lengths[0]
        new = values > LEFT_OUT * others / axes.shape[1]
        directions = beyond(rest @ (vectors[:, new] / np.sqrt(values[new])), self._columns)
        self._columns = np.hstack([self._columns, directions])
        return np.concatenate([mix, directions.T @ rest])

    def table(self, mixes: list[FloatArray]) -> Tall:
        """Return the axes of all kernels, side by side."""
        n_basis = self._columns.shape[1]
        padded = [np.vstack([mix, np.zeros((n_basis - len(mix), mix.shape[1]))]) for mix in mixes]
        return Tall(None, self._columns, np.hstack(padded))


@dataclass(frozen=True, eq=False)
class KernelSpaces:
    """The kernel matrices of every attribute, block by block.

    The stacked kernel columns form a matrix that is block diagonal by attribute; only the
    blocks are held. A column of a block is a *coordinate* and has one weight, omega. An attribute
    with very many values has the leading axes of its kernel matrices in the place of their columns.

    Parameters
    ----------
    labels : tuple of (coupling, kernel)
        Names of the kernel spaces, the same for all attributes.
    blocks : tuple of Block
        One per attribute.
    """

    labels: tuple[tuple[str, str], ...]
    blocks: tuple[Block, ...]

    @cached_property
    def columns(self) -> tuple[Columns, ...]:
        """For each attribute, a table of shape (n_values, n_coordinates of the attribute)."""
        return tuple(block.table for block in self.blocks)

    @cached_property
    def widths(self) -> tuple[tuple[int, ...], ...]:
        """For each attribute, the number of coordinates of each of its spaces."""
        return tuple(block.widths for block in self.blocks)

    @cached_property
    def errors(self) -> dict[int, FloatArray]:
        """For each attribute with axes: how much of each kernel is missing."""
        return {
            attribute: block.errors
            for attribute, block in enumerate(self.blocks)
            if block.errors is not None
        }

    @cached_property
    def _cuts(self) -> IntArray:
        return np.cumsum([columns.shape[1] for columns in self.columns])

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates, and so of weights, of all attributes."""
        return int(self._cuts[-1])

    def split(self, vector: AnyArray) -> list[AnyArray]:
        """Cut a vector over all coordinates into one per attribute."""
        return np.split(vector, self._cuts[:-1])

    def are(self, coupling: str) -> BoolArray:
        """Tell, for every coordinate, whether it is of a coupling."""
        of_spaces = [name == coupling for name, _ in self.labels]
        return np.concatenate([np.repeat(of_spaces, widths) for widths in self.widths])

    def beside(self, other: KernelSpaces) -> KernelSpaces:
        """Return the spaces of both, these before those of the other."""
        blocks = map(Block.beside, self.blocks, other.blocks)
        return KernelSpaces(self.labels + other.labels, tuple(blocks))

    def of_values(self, weights: list[FloatArray], frequencies: list[FloatArray]) -> FloatArray:
        """Give every kernel column the number of its value; an axis, the mean of all rows.

        Parameters
        ----------
        weights : list of arrays of shape (n_values,)
            A number for each value of each attribute.
        frequencies : list of arrays of shape (n_values,)
            How often the values occur.
        """
        parts = []
        for widths, own, weight in zip(self.widths, frequencies, weights, strict=True):
            mean = float(own @ weight / own.sum()) if own.any() else float(weight.mean())
            parts += [weight if width == len(weight) else np.full(width, mean) for width in widths]
        return np.concatenate(parts)


def build_spaces(
    counts: Counts,
    couplings: Mapping[str, Coupling],
    kernels: Mapping[str, Kernel],
    normalize: Normalization,
) -> KernelSpaces:
    """Compute every kernel matrix of a table.

    Raises
    ------
    ValueError
        When a user's own coupling or kernel returns the wrong shape or numbers that are not
        finite; the message names it.
    """
    labels = tuple((coupling, kernel) for coupling in couplings for kernel in kernels)
    blocks = []
    with one_thread():
        for attribute, own in enumerate(counts.parts):
            build = kernel_axes if len(own) > memory.LARGE else kernel_matrices
            vectors = (_vectors(counts, attribute, *named) for named in couplings.items())
            found = [build(part, kernels, normalize, own / counts.n) for part in vectors]
            blocks.append(reduce(Block.beside, found))
    return KernelSpaces(labels, tuple(blocks))


def kernel_matrices(
    vectors: Any, kernels: Mapping[str, Kernel], normalize: Normalization, shares: FloatArray
) -> Block:
    """Return every whole kernel matrix of one coupling; `kernel_axes` has the parameters."""
    size, pairs = len(shares), Pairs(vectors)
    block = np.empty((size, len(kernels), size))
    for space, (name, kernel) in enumerate(kernels.items()):
        values = _checked(kernel(pairs), f"kernel {name!r}", size, size)
        scaled = normalize(values, shares)
        block[:, space] = _checked(scaled, "normalization", size, size)
    return Block(Dense(block.reshape(size, -1)), (size,) * len(kernels))


VALUES = "matching"
"""The coupling that keeps all values of an attribute equally far apart."""


def identity_spaces(counts: Counts) -> KernelSpaces:
    """Return spaces in which every value is a direction of its own (one-hot)."""
    blocks = []
    for size in counts.sizes:
        errors = np.zeros(1) if size > memory.LARGE else None
        blocks.append(Block(own_directions(np.ones(size)), (size,), errors))
    return KernelSpaces(((VALUES, "identity"),), tuple(blocks))


def _vectors(counts: Counts, attribute: int, name: str, coupling: Coupling) -> Any:
    found = coupling(counts, attribute)
    size = counts.sizes[attribute]
    if not sparse.issparse(found):
        return _checked(found, f"coupling {name!r}", size)
    _checked(found.data[None], f"coupling {name!r}", 1)
    return found


def _checked(array: object, what: str, n_values: int, n_columns: int | None = None) -> FloatArray:
    result = np.asarray(array, dtype=float)
    wanted = (n_values, n_columns if n_columns is not None else "n_dimensions")
    if result.ndim != 2 or len(result) != n_values or n_columns not in (None, result.shape[1]):
        raise ValueError(f"{what} returned shape {result.shape}; it must be {wanted}.")
    if not np.isfinite(result).all():
        raise ValueError(f"{what} returned numbers that are not finite.")
    return result
