"""All kernel spaces of a table: every attribute x coupling x kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from untie.core.counts import Counts
from untie.core.couplings import Coupling, matching
from untie.core.kernels import Kernel, Normalization, Pairs, Polynomial, unscaled
from untie.core.threads import one_thread
from untie.core.types import FloatArray


@dataclass(frozen=True, eq=False)
class KernelSpaces:
    """The kernel matrices of every attribute, block by block.

    The stacked kernel columns form a matrix that is block diagonal by attribute; only the
    blocks are held. A column of a block is a *coordinate* and has one weight, omega.

    Parameters
    ----------
    labels : tuple of (coupling, kernel)
        Names of the kernel spaces, the same for all attributes.
    blocks : tuple of arrays of shape (n_values, n_spaces, n_values)
        For one attribute: [value, space, column] of its kernel matrices.
    """

    labels: tuple[tuple[str, str], ...]
    blocks: tuple[FloatArray, ...]

    @cached_property
    def columns(self) -> tuple[FloatArray, ...]:
        """The blocks as matrices of shape (n_values, n_coordinates of the attribute)."""
        return tuple(block.reshape(len(block), -1) for block in self.blocks)

    @cached_property
    def _cuts(self) -> NDArray[np.intp]:
        return np.cumsum([columns.shape[1] for columns in self.columns])

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates, and so of weights, of all attributes."""
        return int(self._cuts[-1])

    def split(self, vector: FloatArray) -> list[FloatArray]:
        """Cut a vector over all coordinates into one per attribute."""
        return np.split(vector, self._cuts[:-1])


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
    with one_thread(max(counts.sizes)):
        for attribute, size in enumerate(counts.sizes):
            shares = counts.frequencies[counts.span(attribute)] / counts.n
            block = np.empty((size, len(labels), size))
            space = 0
            for name, coupling in couplings.items():
                pairs = Pairs(_checked(coupling(counts, attribute), f"coupling {name!r}", size))
                for kernel_name, kernel in kernels.items():
                    values = _checked(kernel(pairs), f"kernel {kernel_name!r}", size, size)
                    scaled = normalize(values, shares)
                    block[:, space] = _checked(scaled, "normalization", size, size)
                    space += 1
            blocks.append(block)
    return KernelSpaces(labels, tuple(blocks))


VALUES = "matching"
"""The coupling that keeps all values of an attribute equally far apart."""


def identity_spaces(counts: Counts) -> KernelSpaces:
    """Return spaces in which every value is a direction of its own (one-hot)."""
    return build_spaces(counts, {VALUES: matching}, {"identity": Polynomial(1)}, unscaled)


def side_by_side(first: KernelSpaces, second: KernelSpaces) -> KernelSpaces:
    """Return the spaces of both, those of the first before those of the second."""
    blocks = [
        np.concatenate(pair, axis=1) for pair in zip(first.blocks, second.blocks, strict=True)
    ]
    return KernelSpaces(first.labels + second.labels, tuple(blocks))


def _checked(array: object, what: str, n_values: int, n_columns: int | None = None) -> FloatArray:
    result = np.asarray(array, dtype=float)
    wanted = (n_values, n_columns if n_columns is not None else "n_dimensions")
    if result.ndim != 2 or len(result) != n_values or n_columns not in (None, result.shape[1]):
        raise ValueError(f"{what} returned shape {result.shape}; it must be {wanted}.")
    if not np.isfinite(result).all():
        raise ValueError(f"{what} returned numbers that are not finite.")
    return result
