"""Coupling spaces -> kernel matrices, and the scales they are brought to.

A kernel is a callable that takes `Pairs` and returns an array of shape (n_values, n_values).
To add one, write a class here; to name a set of kernels, add a line to `KERNEL_SETS`. A user
can pass a list of kernels or of functions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from untie._table.vocabulary import number_repeats
from untie._util.arrays import squared_distances, squared_lengths
from untie._util.types import FloatArray

CONSTANT = 1e-10
"""A kernel of which less than this share of the squares varies is constant. Scaled to variance 1,
it would show its rounding in the tenth digit and before."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """What a kernel may ask about the values of one column, two at a time.

    A kernel of one's own is a function of `Pairs` that returns an array of the shape of `products`.
    Both properties are computed when they are first asked for, and kept for the next kernel.

    Parameters
    ----------
    vectors : dense or sparse array of shape (n_values, n_dimensions)
        The coupling vectors.
    others : dense or sparse array of shape (n_others, n_dimensions), optional
        Those of the values to pair them with, if these are not all: kernels of a column with more
        than 500 values are computed for some pairs only.

    See Also
    --------
    Gaussian, Polynomial : Kernels.
    UNTIE : Takes kernels as its parameter `kernels`.

    Examples
    --------
    >>> import numpy as np
    >>> Pairs(np.array([[0.0], [2.0]])).squared_distances
    array([[0., 4.],
           [4., 0.]])
    """

    vectors: Any
    others: Any = None

    @cached_property
    def products(self) -> FloatArray:
        """Inner products of the vectors; shape (n_values, n_values or n_others)."""
        others = self.vectors if self.others is None else self.others
        # Sparse times dense is dense, and much faster than sparse times sparse.
        dense = others.toarray() if sparse.issparse(others) else others
        return np.asarray(self.vectors @ dense.T)

    @cached_property
    def squared_distances(self) -> FloatArray:
        """Squared Euclidean distances; shape (n_values, n_values or n_others)."""
        if self.others is None:
            lengths = others = self.products.diagonal()
        else:
            lengths, others = squared_lengths(self.vectors), squared_lengths(self.others)
        distances = squared_distances(self.products, lengths, others)
        if self.others is None:
            np.fill_diagonal(distances, 0.0)
        return distances


class SelfPairs(Pairs):
    """Every value paired with itself: a kernel of these is the diagonal of its matrix."""

    @cached_property
    def products(self) -> FloatArray:
        """Squared lengths of the vectors; shape (n_values, 1)."""
        return squared_lengths(self.vectors)[:, None]

    @cached_property
    def squared_distances(self) -> FloatArray:
        """Zeros; shape (n_values, 1)."""
        return np.zeros((self.vectors.shape[0], 1))


@dataclass(frozen=True)
class Gaussian:
    """The kernel exp(-width * squared distance).

    Parameters
    ----------
    width : float
        How fast similarity falls with distance; the paper's are 2^-5 to 2^5. A large one tells
        values apart, a small one makes all alike. It costs one exponential per pair of values.

    References
    ----------
    Zhu, Cao and Yin, arXiv:2007.10720, which names the kernel but not its formula; section 3 of
    docs/how_it_works/method.md has the source of this one.

    Examples
    --------
    >>> import numpy as np
    >>> Gaussian(0.5)(Pairs(np.array([[0.0], [2.0]]))).round(4)
    array([[1.    , 0.1353],
           [0.1353, 1.    ]])
    """

    width: float

    def __call__(self, pairs: Pairs) -> FloatArray:
        return np.exp(-self.width * pairs.squared_distances)

    def __str__(self) -> str:
        return f"gaussian({self.width:g})"


@dataclass(frozen=True)
class Polynomial:
    """The inner product to the power of order, without a constant.

    Parameters
    ----------
    order : int
        The power; the paper's are 1 to 3. A higher one stresses the values with long vectors. All
        cost about the same.

    References
    ----------
    Zhu, Cao and Yin, arXiv:2007.10720, which names the kernel but not its formula; section 3 of
    docs/how_it_works/method.md has the source of this one.

    Examples
    --------
    >>> import numpy as np
    >>> Polynomial(2)(Pairs(np.array([[1.0], [2.0]])))
    array([[ 1.,  4.],
           [ 4., 16.]])
    """

    order: int

    def __call__(self, pairs: Pairs) -> FloatArray:
        return pairs.products**self.order

    def __str__(self) -> str:
        return f"polynomial({self.order:g})"


Kernel = Callable[[Pairs], FloatArray]

_NARROW = tuple(Gaussian(2.0**e) for e in range(-3, 4))
_WIDE = tuple(Gaussian(2.0**e) for e in range(-5, 6))
_TWO = tuple(Polynomial(order) for order in (1, 2))
_THREE = tuple(Polynomial(order) for order in (1, 2, 3))

KERNEL_SETS: dict[str, tuple[Kernel, ...]] = {
    "paper": _WIDE + _THREE,
    "F1": _NARROW,
    "F2": _WIDE,
    "F3": _TWO,
    "F4": _THREE,
    "F5": _NARROW + _TWO,
    "F6": _WIDE + _THREE,
}


PAPER_KERNELS = "paper"
"""The name of the paper's set."""


def resolve_kernels(kernels: object) -> dict[str, Kernel]:
    """Turn the user's choice (a set's name, a kernel or a list of kernels) into named ones."""
    if isinstance(kernels, str):
        if kernels not in KERNEL_SETS:
            raise ValueError(
                f"kernels: there is no set {kernels!r}; choose among {sorted(KERNEL_SETS)}."
            )
        chosen: Any = KERNEL_SETS[kernels]
    else:
        chosen = [kernels] if callable(kernels) else kernels
    if not isinstance(chosen, list | tuple) or not chosen or not all(map(callable, chosen)):
        raise ValueError(
            f"kernels must be one of {sorted(KERNEL_SETS)}, or a list of kernels such as "
            f"[Gaussian(0.5), Polynomial(2)] or of functions of Pairs; got {kernels!r}."
        )
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"kernels name the same kernel twice: {kernels!r}.")
    names = [getattr(kernel, "__name__", None) or str(kernel) for kernel in chosen]
    return dict(zip(number_repeats(names), chosen, strict=True))


class Scale:
    """A scale that kernel matrices are brought to, written so that no whole matrix is needed.

    A kernel is given by its diagonal and its rows: those of the matrix K, or of a table B with
    B B' = K K'. A named normalization is one of the classes below.
    """

    def lengths(self, diagonal: FloatArray) -> FloatArray | None:
        """Return what each value's row and column are divided by, if anything."""
        return None

    def divisor(self, diagonal: FloatArray, rows: FloatArray, shares: FloatArray) -> float:
        """Return what the kernel is divided by after that; infinite for one that says nothing.

        Parameters
        ----------
        diagonal : array of shape (n_values,)
            The kernel of every value with itself.
        rows : array of shape (n_values, n_columns)
            The kernel's rows.
        shares : array of shape (n_values,)
            Relative frequencies of the values.
        """
        return 1.0

    def __call__(self, kernel: FloatArray, shares: FloatArray) -> FloatArray:
        """Return a whole kernel matrix in this scale; shape (n_values, n_values)."""
        lengths = self.lengths(kernel.diagonal())
        if lengths is not None:
            kernel = kernel / np.outer(lengths, lengths)
        divisor = self.divisor(kernel.diagonal(), kernel, shares)
        if divisor == 1.0:
            return kernel
        return kernel / divisor if np.isfinite(divisor) else np.zeros_like(kernel)


class ByDiagonal(Scale):
    """Divide by the 2-norm of the diagonal.

    The paper names no scale; this is the one in its authors' program for their sibling method
    HELIC (docs/how_it_works/method.md, section 3).
    """

    def divisor(self, diagonal: FloatArray, rows: FloatArray, shares: FloatArray) -> float:
        """Return the norm."""
        return float(np.linalg.norm(diagonal)) or 1.0


class ByCosine(Scale):
    """Scale every value to length 1, so that the diagonal is 1 (0 for a zero vector)."""

    def lengths(self, diagonal: FloatArray) -> FloatArray:
        """Return the values' lengths."""
        return np.sqrt(np.where(diagonal > 0, diagonal, 1.0))


class ByVariance(Scale):
    """Scale to centered variance 1 over the rows; a constant kernel carries nothing, so 0."""

    def divisor(self, diagonal: FloatArray, rows: FloatArray, shares: FloatArray) -> float:
        """Return the root of the variance."""
        centered = rows - shares @ rows / max(float(shares.sum()), np.finfo(float).tiny)
        variance = float(shares @ np.square(centered).sum(axis=1))
        total = float(shares @ np.square(rows).sum(axis=1))
        return float(np.sqrt(variance)) if variance > CONSTANT * total else np.inf


Normalization = Callable[[FloatArray, FloatArray], FloatArray]
"""Takes a kernel matrix and the shares of the values; a `Scale` does with less."""

NORMALIZATIONS: dict[str | None, Scale] = {
    "diagonal": ByDiagonal(),
    "cosine": ByCosine(),
    "variance": ByVariance(),
    None: Scale(),
}


PAPER_NORMALIZATION = "diagonal"
"""The name of the paper's."""


def resolve_normalization(normalization: object) -> Normalization:
    """Turn a name, None or a function into a function."""
    if normalization is None or isinstance(normalization, str):
        if normalization in NORMALIZATIONS:
            return NORMALIZATIONS[normalization]
    elif callable(normalization):
        return normalization
    names = [name for name in NORMALIZATIONS if name is not None]
    raise ValueError(f"normalization must be one of {names}, None or a function: {normalization!r}")
