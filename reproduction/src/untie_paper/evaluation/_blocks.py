"""Distances or similarities of all objects to all objects, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from untie_paper.arrays import FloatArray

BLOCK_NUMBERS = 2**24
"""Numbers in a block (128 MiB); about twice as much memory is in use while one is made."""

Rows = Callable[[int, int], NDArray[Any]]
"""From the first object and the one after the last to an array of shape (n_rows, n_objects)."""


@dataclass(frozen=True, eq=False)
class PairBlocks:
    """A function of all pairs of objects, to be walked through in blocks of rows.

    Iterating gives the number of the first object of a block, and the block: a fresh array of
    finite numbers with one row for each of its objects and one column for each of all.
    """

    n_objects: int
    rows: Rows
    name: str

    def __iter__(self) -> Iterator[tuple[int, FloatArray]]:
        step = max(1, BLOCK_NUMBERS // self.n_objects)
        for start in range(0, self.n_objects, step):
            stop = min(start + step, self.n_objects)
            yield start, self._checked(self.rows(start, stop), start, stop)

    def _checked(self, block: NDArray[Any], start: int, stop: int) -> FloatArray:
        result = np.asarray(block, dtype=np.float64)
        if result.shape != (stop - start, self.n_objects):
            raise ValueError(
                f"{self.name} of {stop - start} objects to {self.n_objects} has shape "
                f"{result.shape}; it must have a row and a column for each."
            )
        if not np.isfinite(result).all():
            row, column = np.argwhere(~np.isfinite(result))[0]
            raise ValueError(
                f"{self.name} of the objects {start + row} and {column} is "
                f"{result[row, column]}; it must be a finite number."
            )
        return result


class Vectors:
    """Vectors whose Euclidean distances are asked for in blocks.

    They are shifted and scaled to have their mean at 0 and no coordinate beyond 1 from it,
    which changes all distances by the same factor, `unit`.
    """

    def __init__(self, X: Any) -> None:
        given = _read_vectors(X)
        centred = given - given.mean(axis=0)
        self.unit = float(np.abs(centred).max()) or 1.0
        self.vectors: FloatArray = centred / self.unit
        norms = np.einsum("ij,ij->i", self.vectors, self.vectors)[:, None]
        # Twice the largest rounding error of products and sums of this many numbers.
        factor = 2 * (given.shape[1] + 4) * np.finfo(float).eps
        self._errors: FloatArray = factor * (norms[:, 0] + norms.max())
        # |a - b|^2 = -2 ab + 1 |b|^2 + |a|^2 1, as one product of matrices.
        self._left = np.hstack([-2.0 * self.vectors, np.ones_like(norms), norms])
        self._right = np.hstack([self.vectors, norms, np.ones_like(norms)])

    @property
    def n_objects(self) -> int:
        """Number of vectors."""
        return len(self.vectors)

    def squared_rows(self, start: int, stop: int) -> FloatArray:
        """Return squared distances by a formula that is fast but rounds, even below 0."""
        return self._left[start:stop] @ self._right.T

    def rows(self, start: int, stop: int) -> FloatArray:
        """Return distances, in the units of the given vectors."""
        block = self.squared_rows(start, stop)
        np.maximum(block, 0.0, out=block)
        np.sqrt(block, out=block)
        block *= self.unit
        return block

    def rounding_error(self, query: int) -> float:
        """Return how far off a query's squared distances may be at most."""
        return float(self._errors[query])

    def exact(self, query: int, others: NDArray[np.intp]) -> FloatArray:
        """Return distances from differences of coordinates: equal vectors have exactly 0."""
        differences = self.vectors[others] - self.vectors[query]
        return np.sqrt(np.einsum("ij,ij->i", differences, differences))


def _read_vectors(X: Any) -> FloatArray:
    """Return vectors as numbers; text is refused, even digits, which may be names of values."""
    given = check_array(X, dtype=None, ensure_all_finite=False, ensure_min_samples=2)
    if given.dtype.kind in "OSU":
        _refuse_text(given)
    vectors = given.astype(np.float64)
    if not np.isfinite(vectors).all():
        row, column = np.argwhere(~np.isfinite(vectors))[0]
        raise ValueError(
            f"X has {vectors[row, column]} in row {row}, column {column}; vectors must be finite "
            "numbers. Drop the row, or fill the gap."
        )
    return vectors


def _refuse_text(given: NDArray[Any]) -> None:
    for (row, column), cell in np.ndenumerate(given):
        if isinstance(cell, str | bytes):
            raise ValueError(
                f"X has the text '{cell!s}' in row {row}, column {column}, but Euclidean distances "
                "are those of numbers. For a table of categories, pass distance= a fitted value "
                "distance, such as untie_paper.baselines.Hamming().fit(X), or an encoder's vectors."
            )


def distance_blocks(X: Any, distance: Any) -> PairBlocks:
    """Return the distances of objects; see `precision_at_k` for what `distance` may be."""
    if isinstance(distance, str) and distance == "euclidean":
        vectors = Vectors(X)
        return PairBlocks(vectors.n_objects, vectors.rows, "The distance")
    return _measured(X, distance, "distance", "pairwise")


def similarity_blocks(X: Any, similarity: Any) -> PairBlocks:
    """Return the similarities of objects; see `goodness_curve` for what `similarity` may be."""
    return _measured(X, similarity, "similarity", "similarity")


def _measured(X: Any, measure: Any, name: str, method: str) -> PairBlocks:
    title = f"The {name}"
    if isinstance(measure, str) and measure == "precomputed":
        matrix = _square(X, name)
        return PairBlocks(len(matrix), lambda start, stop: matrix[start:stop].copy(), title)
    function = getattr(measure, method, measure)
    if isinstance(measure, str | type) or not callable(function):
        names = "'euclidean' or 'precomputed'" if name == "distance" else "'precomputed'"
        raise ValueError(
            f"{name} must be {names}, a function (A, B) -> array or a fitted object with the "
            f"method {method}(A, B), got {measure!r:.60}."
        )

    def rows(start: int, stop: int) -> NDArray[Any]:
        # A copy, since blocks are written to and the function may return a view of its own
        # data; row by row in memory, as they are read.
        return np.array(function(_slice(X, start, stop), X), order="C")

    return PairBlocks(len(X), rows, title)


def _square(X: Any, name: str) -> NDArray[Any]:
    matrix = np.asarray(X)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"A precomputed {name} must be a square matrix, got shape {matrix.shape}; pass "
            f"{name}= the measure itself if X is a table of objects."
        )
    return matrix


def _slice(source: Any, start: int, stop: int) -> Any:
    frame = nw.from_native(source, pass_through=True, eager_only=True)
    return frame[start:stop].to_native() if isinstance(frame, nw.DataFrame) else source[start:stop]
