"""All kernel spaces of a table: every attribute x coupling x kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie._count.counts import Counts
from untie._learn import memory
from untie._learn.blocks import Block
from untie._learn.couplings import Coupling
from untie._learn.dense import Dense
from untie._learn.kernels import Kernel, Normalization, Pairs
from untie._learn.landmarks import kernel_axes
from untie._learn.tall import Columns, own_directions
from untie._util.threads import one_thread
from untie._util.types import FloatArray


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
    def _cuts(self) -> NDArray[np.intp]:
        return np.cumsum([columns.shape[1] for columns in self.columns])

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates, and so of weights, of all attributes."""
        return int(self._cuts[-1])

    def split(self, vector: FloatArray) -> list[FloatArray]:
        """Cut a vector over all coordinates into one per attribute."""
        return np.split(vector, self._cuts[:-1])

    def are(self, coupling: str) -> NDArray[np.bool_]:
        """Tell, for every coordinate, whether it is of a coupling."""
        of_spaces = [name == coupling for name, _ in self.labels]
        return np.concatenate([np.repeat(of_spaces, widths) for widths in self.widths])

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
        for attribute, size in enumerate(counts.sizes):
            build = _axes if size > memory.LARGE else _matrices
            blocks.append(build(counts, attribute, couplings, kernels, normalize))
    return KernelSpaces(labels, tuple(blocks))


def _matrices(
    counts: Counts,
    attribute: int,
    couplings: Mapping[str, Coupling],
    kernels: Mapping[str, Kernel],
    normalize: Normalization,
) -> Block:
    size = counts.sizes[attribute]
    shares = counts.frequencies[counts.span(attribute)] / counts.n
    block = np.empty((size, len(couplings) * len(kernels), size))
    space = 0
    for name, coupling in couplings.items():
        pairs = Pairs(_vectors(counts, attribute, name, coupling))
        for kernel_name, kernel in kernels.items():
            values = _checked(kernel(pairs), f"kernel {kernel_name!r}", size, size)
            scaled = normalize(values, shares)
            block[:, space] = _checked(scaled, "normalization", size, size)
            space += 1
    return Block(Dense(block.reshape(size, -1)), (size,) * space)


def _axes(
    counts: Counts,
    attribute: int,
    couplings: Mapping[str, Coupling],
    kernels: Mapping[str, Kernel],
    normalize: Normalization,
) -> Block:
    shares = counts.frequencies[counts.span(attribute)] / counts.n
    parts = [
        kernel_axes(_vectors(counts, attribute, name, coupling), kernels, normalize, shares)
        for name, coupling in couplings.items()
    ]
    return reduce(Block.beside, parts)


VALUES = "matching"
"""The coupling that keeps all values of an attribute equally far apart."""


def identity_spaces(counts: Counts) -> KernelSpaces:
    """Return spaces in which every value is a direction of its own (one-hot)."""
    blocks = tuple(_directions(size) for size in counts.sizes)
    return KernelSpaces(((VALUES, "identity"),), blocks)


def _directions(size: int) -> Block:
    errors = np.zeros(1) if size > memory.LARGE else None
    return Block(own_directions(np.ones(size)), (size,), errors)


def side_by_side(first: KernelSpaces, second: KernelSpaces) -> KernelSpaces:
    """Return the spaces of both, those of the first before those of the second."""
    pairs = zip(first.blocks, second.blocks, strict=True)
    blocks = tuple(left.beside(right) for left, right in pairs)
    return KernelSpaces(first.labels + second.labels, blocks)


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
