"""Leading eigenvectors of a symmetric matrix, or of an operator that multiplies by one.

Large matrices take block Lanczos iterations: many vectors are multiplied at a time, so a matrix
larger than the processor's cache is read few times, and equal eigenvalues are found up to the size
of the block, where single vectors see one direction of them.

scipy's solvers do not serve. `eigsh`, on a par in time, returned too few of eight and more equal
eigenvalues of all of 20 random matrices; which of them depends on rounding. `lobpcg` took 1.7 to 3
times as long for 1,600 values, and 1 to 1.4 times for more than 12,000. Neither stops at a gap or a
limit: where none of 30 eigenvalues is above the noise of 4,000 and 8,000 values, `eigsh` took 5 and
3 times as long to find all of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from scipy.linalg import eigh, qr
from scipy.sparse.linalg import LinearOperator

from untie._util.arrays import ROUNDING
from untie._util.types import BoolArray, FloatArray

Gram: TypeAlias = "FloatArray | LinearOperator"
"""A symmetric, positive semi-definite matrix, or an operator that multiplies by one."""

LANCZOS_ROUNDING = 1e-10
"""Vectors of which no more than this share of their length is left have nothing new."""

MOST_BLOCKS = 20
"""A basis of this many blocks is cut down to the best vectors in it."""


class Krylov:
    """The eigenpairs of a matrix within the span of a block and of its products with the matrix.

    Parameters
    ----------
    gram : matrix or operator of shape (n, n)
        What has eigenpairs.
    n_block : int
        Number of vectors that are multiplied at a time.
    most_blocks : int
        Number of blocks that are kept; beyond, a quarter of them, the best, are.
    n_wanted : int
        Of the best vectors, a block more than this many are kept at least. With fewer, the last of
        those that are wanted would be lost and found again without end.

    Attributes
    ----------
    values : array of shape (n_found,)
        Eigenvalues, largest first, all at most the true ones.
    errors : array of shape (n_found,)
        The length of A x - value x for the unit vector x of each: a true eigenvalue is no farther
        than this.
    n_products : int
        Number of vectors that were multiplied so far.

    Examples
    --------
    >>> search = Krylov(np.diag(np.arange(100.0)), n_block=4)
    >>> while search.errors[0] > 1e-6:
    ...     search.grow()
    >>> search.values[:1].round(6)
    array([99.])
    """

    def __init__(
        self, gram: Gram, n_block: int, most_blocks: int = MOST_BLOCKS, n_wanted: int = 0
    ) -> None:
        size = gram.shape[0]
        start = np.random.default_rng(0).standard_normal((size, min(size, n_block)))
        self.gram, self.n_block, self.most_blocks = gram, n_block, most_blocks
        self.n_products = 0
        self._n_kept = max(most_blocks // 4 * n_block, n_wanted + n_block)
        self._basis, self._within = np.zeros((size, 0)), np.zeros((0, 0))
        self._next = np.linalg.qr(start)[0]
        # What the products with the last block have beyond the basis.
        self._ahead = np.zeros((0, 0))
        self.grow()

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to find."""
        return not self._next.shape[1]

    def grow(self) -> None:
        """Look further by some blocks of products: more of them where the basis is large."""
        n_more = 1 + len(self._within) // (8 * self.n_block)
        for _ in range(n_more):
            if not self.is_complete:
                self._add_block()
        values, turn = eigh(self._within)
        self.values, self._turn = values[::-1], turn[:, ::-1]
        n_last = self._ahead.shape[1]
        self.errors = np.linalg.norm(self._ahead @ self._turn[-n_last:], axis=0)

    def _add_block(self) -> None:
        if len(self._within) >= self.most_blocks * self.n_block:
            self._cut()
        image = np.asarray(self.gram @ self._next)
        self.n_products += image.shape[1]
        self._basis = np.hstack([self._basis, self._next])
        self._within = _bordered(self._within, self._basis.T @ image)
        self._next = beyond(image, self._basis)
        self._ahead = self._next.T @ image

    def vectors(self, n_vectors: int) -> FloatArray:
        """Return the eigenvectors of the first `n_vectors` eigenvalues."""
        return self._basis @ self._turn[:, :n_vectors]

    def _cut(self) -> None:
        values, turn = eigh(self._within)
        self._basis = self._basis @ turn[:, ::-1][:, : self._n_kept]
        self._within = np.diag(values[::-1][: self._n_kept])


def beyond(vectors: FloatArray, basis: FloatArray) -> FloatArray:
    """Return orthonormal vectors for what others have beyond the span of a basis, if anything."""
    least = LANCZOS_ROUNDING * float(np.linalg.norm(vectors))
    for _ in range(2):  # once is not enough, as rounding is part of what is left
        vectors = vectors - basis @ (basis.T @ vectors)
        vectors, lengths, _ = qr(vectors, mode="economic", pivoting=True)
        lengths = np.abs(lengths.diagonal())
        vectors, least = vectors[:, lengths > least], 0.5
    return vectors


def _bordered(within: FloatArray, columns: FloatArray) -> FloatArray:
    """Add columns, down to their diagonal block, to a symmetric matrix."""
    n_old, n_all = len(within), len(columns)
    result = np.empty((n_all, n_all))
    result[:n_old, :n_old] = within
    result[:, n_old:] = columns
    result[n_old:, :n_old] = columns[:n_old].T
    corner = columns[n_old:]
    result[n_old:, n_old:] = (corner + corner.T) / 2.0
    return result


FULL_SOLVER_SIZE = 1500
"""Up to this size a full eigensolver is faster than iterations."""

LANCZOS_SIZE = 12_000
"""Beyond this size the eigenvalues of noise lie so close that iterations find no end."""

TOLERANCE = 1e-10
"""Relative accuracy of vectors; eigenvalues have twice as many digits."""

OF_VALUES = 1e-7
"""The same where only eigenvalues are asked for."""

GAP = 1e-2
"""An eigenvalue is lower than another, or than a limit, for certain if it is known to this share of
itself and is lower by more than its error."""

SPARE = 2
"""This many eigenvalues beyond the last place are looked at, to see whether it is shared."""

BLOCK = 8
"""This many vectors are iterated at a time, or more where more eigenvalues are equal."""

MOST_PRODUCTS = 4
"""A search that has multiplied this many times as many vectors as the matrix has lines would have
been overtaken by a full solver, which takes its place."""

SPARE_VECTORS = 8
"""Of matrices beyond `LANCZOS_SIZE`, this many vectors more than asked for are iterated."""

N_POWERS, MOST_SEARCHES, AT_REST = 3, 5, 1e-4
"""Of matrices beyond `LANCZOS_SIZE`, blocks of `N_POWERS` products more are searched at a time. It
ends after `MOST_SEARCHES` rounds, or when the sum of the eigenvalues rises by at most the share
`AT_REST` of itself."""

EQUAL = 1e-4
"""Axes whose lengths differ by less than this share are equally long. Rounding decides their
directions, or leaves only a few digits of them."""

NEARLY = 1e-6
"""Numbers that differ by less than this share of the largest are equal where one is chosen."""


@dataclass(frozen=True, eq=False)
class Eigenspace:
    """Leading eigenvectors.

    Parameters
    ----------
    values : array of shape (n_vectors,)
        Eigenvalues, largest first.
    vectors : array of shape (n, n_vectors)
        Eigenvectors.
    shares : array of shape (n_vectors,)
        1, but a fraction for those that share the last places among equal eigenvalues.
    """

    values: FloatArray
    vectors: FloatArray
    shares: FloatArray


def eigenvalues(gram: Gram, n_values: int) -> FloatArray:
    """Return the largest eigenvalues, largest first."""
    return _largest(gram, min(n_values, gram.shape[0]), OF_VALUES)[0]


def eigenvalues_above(gram: Gram, limit: float, n_most: int) -> FloatArray:
    """Return the largest eigenvalues, largest first, as far as they are above a limit.

    Noise has eigenvalues next to each other, which take Lanczos iterations longest to distinguish.
    Below the limit nobody asks for them.

    Examples
    --------
    >>> eigenvalues_above(np.diag([1.0, 5.0, 2.0]), 1.5, 3)
    array([5., 2.])
    """
    size = gram.shape[0]
    if not FULL_SOLVER_SIZE < size <= LANCZOS_SIZE or n_most > size // 4:
        values = eigenvalues(gram, n_most)
        return values[values > limit]

    def n_known(search: Krylov) -> int | None:
        n_above = int(np.count_nonzero(search.values[:n_most] > limit))
        is_end = n_above == n_most or _is_below(search, n_above, limit)
        return n_above if is_end and _are_known(search, n_above, OF_VALUES) else None

    found = _searched(gram, n_most, n_known)
    values = _full(gram, n_most)[0] if found is None else found[0].values[: found[1]]
    return values[values > limit]


def leading(gram: Gram, n_vectors: int) -> Eigenspace:
    """Return the leading `n_vectors` eigenvectors; fewer if the rank is lower.

    Where the last place falls among equal eigenvalues, no choice of vectors is better than
    another; all of them are taken, each with the same fraction. The result is then a
    function of the table, not of its order, and explains exactly as much.
    """
    size, n_asked = gram.shape[0], n_vectors + SPARE
    space = _cut(*_and_more(gram, n_vectors, n_asked), n_vectors)
    if len(space.values) == n_asked < size <= LANCZOS_SIZE:
        space = _cut(*_largest(gram, size), n_vectors)
    return space


def leading_axes(gram: Gram, n_vectors: int, *, is_exact: bool = False) -> Eigenspace:
    """Return the leading `n_vectors` eigenvectors, and all that are as long as the last.

    Parameters
    ----------
    gram : matrix or operator of shape (n, n)
        What has eigenvectors.
    n_vectors : int
        Number of eigenvectors; fewer are returned if the rank is lower.
    is_exact : bool
        Whether a full solver is taken for matrices of any size.
    """
    size, n_asked = gram.shape[0], n_vectors + SPARE
    is_exact |= size <= FULL_SOLVER_SIZE
    if size > LANCZOS_SIZE and not is_exact:
        # Of equal ones, a search finds as many as a block has vectors: the same on every processor,
        # as long as all of them are taken.
        search = _at_rest(gram, n_asked)
        _, n_taken = _count_equals(search.values, n_vectors)
        return Eigenspace(search.values[:n_taken], search.vectors(n_taken), np.ones(n_taken))
    while True:
        if is_exact:
            values, vectors = _full(gram, min(size, n_asked))
        else:
            values, vectors = _and_more(gram, n_vectors, n_asked)
        n_found, n_taken = _count_equals(values, n_vectors)
        if n_taken < n_found or n_found < n_asked:
            return Eigenspace(values[:n_taken], vectors[:, :n_taken], np.ones(n_taken))
        # A full solver takes about as long for all eigenvectors as for some.
        n_asked = size if is_exact else 2 * n_asked


def _count_equals(values: FloatArray, n_vectors: int) -> tuple[int, int]:
    """Count the eigenvalues above 0, and those up to the last that is equal to the last wanted."""
    n_found = int(np.count_nonzero(values > ROUNDING * max(float(values[0]), 0.0)))
    return n_found, end_of_equals(np.sqrt(values[:n_found]), min(n_vectors, n_found))


def _and_more(gram: Gram, n_vectors: int, n_asked: int) -> tuple[FloatArray, FloatArray]:
    """Return the largest `n_asked` eigenpairs; fewer if a gap follows the first `n_vectors`.

    What follows a gap is mostly noise, and takes longest to find.
    """
    size = gram.shape[0]
    if not FULL_SOLVER_SIZE < size <= LANCZOS_SIZE or n_asked > size // 4:
        return _largest(gram, min(size, n_asked))

    def n_known(search: Krylov) -> int | None:
        if _are_known(search, n_asked, TOLERANCE):
            return n_asked
        if not _are_known(search, n_vectors, TOLERANCE):
            return None
        last = search.values[n_vectors - 1]
        return n_vectors if _is_below(search, n_vectors, last * (1.0 - GAP)) else None

    return _pairs(gram, n_asked, _searched(gram, n_asked, n_known))


def _searched(
    gram: Gram, n_most: int, n_known: Callable[[Krylov], int | None]
) -> tuple[Krylov, int] | None:
    """Search until it is said how many eigenpairs are known, and none of them can be missing.

    None if that takes longer than a full solver.
    """
    n_block, n_left = BLOCK, MOST_PRODUCTS * gram.shape[0]
    while True:
        # So many blocks that thrice the eigenvalues asked for find a place.
        search = Krylov(gram, n_block, max(MOST_BLOCKS, -(-3 * n_most // n_block)), n_most)
        while (n_found := n_known(search)) is None:
            if search.n_products > n_left:
                return None
            search.grow()
        if not _may_miss(search, n_found):
            return search, n_found
        n_left -= search.n_products
        n_block *= 2


def _pairs(
    gram: Gram, n_vectors: int, found: tuple[Krylov, int] | None
) -> tuple[FloatArray, FloatArray]:
    """Return the eigenpairs that a search found, or those of a full solver."""
    if found is None:
        return _full(gram, n_vectors)
    search, n_found = found
    return search.values[:n_found], search.vectors(n_found)


def _full(gram: Gram, n_vectors: int) -> tuple[FloatArray, FloatArray]:
    size = gram.shape[0]
    dense = gram if isinstance(gram, np.ndarray) else gram @ np.eye(size)
    values, vectors = eigh(dense, subset_by_index=(size - n_vectors, size - 1))
    if len(values) < n_vectors:  # LAPACK's solver for a part loses some of many equal eigenvalues
        values, vectors = eigh(dense, driver="evd")
    return values[-n_vectors:][::-1], vectors[:, -n_vectors:][:, ::-1]


def _may_miss(search: Krylov, n_values: int) -> bool:
    """Tell whether so many eigenvalues are equal that a block need not have seen them all."""
    values, n_block = search.values[:n_values], search.n_block
    same = ROUNDING * search.values[0]
    first, last = values[: 1 - n_block], values[n_block - 1 :]
    return bool(((first - last <= same) & (last > same)).any())


def _are_known(search: Krylov, n_values: int, tolerance: float) -> bool:
    """Tell whether the first eigenpairs are found, all of them if there are fewer."""
    errors = search.errors[:n_values]
    is_enough = len(errors) == n_values or search.is_complete
    return is_enough and bool((errors <= tolerance * search.values[0]).all())


def _is_below(search: Krylov, place: int, limit: float) -> bool:
    """Tell whether the eigenvalue at a place, and so all that follow, is below a limit."""
    if place >= len(search.values):
        return search.is_complete
    value, error = search.values[place], search.errors[place]
    is_clear = error <= min(GAP * value, limit - value)
    return bool(value <= limit and (is_clear or error <= OF_VALUES * search.values[0]))


def _cut(values: FloatArray, vectors: FloatArray, n_vectors: int) -> Eigenspace:
    same = ROUNDING * max(float(values[0]), 0.0)
    rank = int(np.count_nonzero(values > same))
    n_vectors = min(n_vectors, rank)
    if n_vectors == 0:
        return Eigenspace(np.zeros(0), np.zeros((len(vectors), 0)), np.zeros(0))
    last = values[n_vectors - 1]
    n_above = int(np.count_nonzero(values > last + same))
    n_taken = min(rank, int(np.count_nonzero(values >= last - same)))
    shares = np.ones(n_taken)
    shares[n_above:] = (n_vectors - n_above) / (n_taken - n_above)
    return Eigenspace(values[:n_taken], vectors[:, :n_taken], shares)


def _largest(
    gram: Gram, n_vectors: int, tolerance: float = TOLERANCE
) -> tuple[FloatArray, FloatArray]:
    size = gram.shape[0]
    if size > LANCZOS_SIZE:
        return _pairs(gram, n_vectors, (_at_rest(gram, n_vectors), n_vectors))
    if size <= FULL_SOLVER_SIZE or n_vectors > size // 4:
        return _full(gram, n_vectors)

    def n_known(search: Krylov) -> int | None:
        return n_vectors if _are_known(search, n_vectors, tolerance) else None

    return _pairs(gram, n_vectors, _searched(gram, n_vectors, n_known))


def _at_rest(gram: Gram, n_vectors: int) -> Krylov:
    """Search until the sum of the eigenvalues no longer rises.

    Vectors within the noise, whose eigenvalues are nearly equal, are then as good as others; those
    above it are found to many digits.
    """
    n_block = n_vectors + max(SPARE_VECTORS, n_vectors // 4)
    # With few blocks, as these matrices are large.
    search = Krylov(gram, n_block, most_blocks=N_POWERS + 1)
    captured = 0.0
    for _ in range(MOST_SEARCHES):
        for _ in range(N_POWERS):
            search.grow()
        before, captured = captured, float(search.values[:n_vectors].sum())
        if captured - before <= AT_REST * captured:
            break
    return search


def settling(
    points: FloatArray,
    lengths: FloatArray,
    weights: FloatArray | None = None,
    n_wanted: int | None = None,
) -> FloatArray:
    """Return the turn of axes after which these are the same on every processor.

    Eigenvectors have no sign, and those of equal eigenvalues no direction of their own. After the
    turn the third moment of the points is above 0 on every axis; where it is 0, the farthest point
    is on the positive side. Of equally long axes, the first goes through the point that is farthest
    out in their space, the next through the one that is farthest from the first, and so on. Of
    equally far points the first counts.

    Parameters
    ----------
    points : array of shape (n_points, n_axes)
        Where the points are on the axes.
    lengths : array of shape (n_axes,)
        Of the axes, longest first.
    weights : array of shape (n_points,), optional
        How often each point counts.
    n_wanted : int, optional
        Only so many axes are kept, the first ones.

    Returns
    -------
    array of shape (n_axes, n_wanted)
        A matrix with orthonormal columns to multiply the points by.

    Examples
    --------
    >>> points = np.array([[0.6, 0.8], [-0.8, 0.6]])
    >>> (points @ settling(points, np.ones(2))).round(9) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """
    n_axes = len(lengths)
    n_wanted = n_axes if n_wanted is None else min(n_wanted, n_axes)
    turn = np.eye(n_axes, n_wanted)
    if not n_wanted:
        return turn
    starts = np.flatnonzero(~_follow(lengths)).tolist()
    for start, end in pairwise([*starts, n_axes]):
        n_here = min(end, n_wanted) - start
        if end - start > 1 and n_here > 0:
            found = _through_points(points[:, start:end], n_here)
            turn[start:end, start : start + n_here] = found
    return turn * _signs(points @ turn, weights)


def start_of_equals(lengths: FloatArray, n_axes: int) -> int:
    """Return how many axes there are before the first that is as long as the one at `n_axes`.

    Examples
    --------
    >>> lengths = np.array([3.0, 2.0, 2.0, 2.0, 1.0])
    >>> start_of_equals(lengths, 3), end_of_equals(lengths, 3)
    (1, 4)
    """
    return int(np.flatnonzero(~_follow(lengths)[:n_axes])[-1])


def end_of_equals(lengths: FloatArray, n_axes: int) -> int:
    """Return how many axes there are up to the last that is as long as the one at `n_axes`."""
    after = np.flatnonzero(~_follow(lengths)[n_axes:])
    return n_axes + int(after[0]) if len(after) else len(lengths)


def first_largest(numbers: FloatArray, width: float = 0.0) -> int:
    """Return the place of the largest number, the first of nearly equal ones.

    Parameters
    ----------
    numbers : array of shape (n,)
        The largest is at least 0.
    width : float
        By how much equal numbers may differ, besides the share `NEARLY` of the largest.

    Examples
    --------
    >>> first_largest(np.array([0.0, 2.0 - 1e-12, 2.0]))
    1
    """
    largest = float(numbers.max())
    if not np.isfinite(largest):
        return int(np.argmax(numbers))
    return int(np.argmax(numbers >= largest - width - NEARLY * abs(largest)))


def _follow(lengths: FloatArray) -> BoolArray:
    """Tell which axes are as long as the one before."""
    shorter = lengths[:-1] - lengths[1:]
    return np.append(False, shorter <= EQUAL * lengths[:-1])


def _through_points(points: FloatArray, n_wanted: int) -> FloatArray:
    """Return directions through the points that are farthest out, each at a right angle to all."""
    rest, found = points.copy(), np.eye(points.shape[1], n_wanted)
    for number in range(n_wanted):
        direction = rest[first_largest(np.einsum("ij,ij->i", rest, rest))].copy()
        length = float(np.linalg.norm(direction))
        if length == 0.0:  # the axes that are left are 0
            break
        found[:, number] = direction / length
        rest -= np.outer(rest @ found[:, number], found[:, number])
    # The last digits of the right angles.
    turn, triangle = np.linalg.qr(found)
    return turn * np.where(triangle.diagonal() < 0, -1.0, 1.0)


def _signs(points: FloatArray, weights: FloatArray | None) -> FloatArray:
    weights = np.ones(len(points)) if weights is None else weights
    cubes = points**3
    moments, sizes = weights @ cubes, weights @ np.abs(cubes)
    farthest = [first_largest(column) for column in np.abs(points).T]
    extremes = points[farthest, range(len(farthest))]
    decisive = np.where(np.abs(moments) > NEARLY * sizes, moments, extremes)
    return np.where(decisive < 0, -1.0, 1.0)
