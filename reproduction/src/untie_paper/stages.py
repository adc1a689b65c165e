"""The printed method in two stages: coupling spaces are built, then heterogeneity is learned.

Written for its own, with whole kernel matrices and batches of rows, so that it can be taken apart
and read in other ways; `untie.UNTIE` finds the same weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag
from sklearn.base import clone

from untie import UNTIE, CountedTable, Counts, Gaussian, Pairs, Polynomial, count_table
from untie_paper.arrays import Codes, FloatArray
from untie_paper.baselines import inter, intra
from untie_paper.checks import draws_of

COUPLINGS: dict[str, Callable[[Counts, int], FloatArray]] = {
    "intra": intra,
    "inter": inter,
    "joint": lambda counts, attribute: np.hstack(
        [intra(counts, attribute), inter(counts, attribute)]
    ),
}

_NARROW = [Gaussian(2.0**e) for e in range(-3, 4)]
_WIDE = [Gaussian(2.0**e) for e in range(-5, 6)]
_TWO = [Polynomial(order) for order in (1, 2)]
_THREE = [Polynomial(order) for order in (1, 2, 3)]

KERNEL_SETS: dict[str, list[Any]] = {
    "F1": _NARROW,
    "F2": _WIDE,
    "F3": _TWO,
    "F4": _THREE,
    "F5": _NARROW + _TWO,
    "F6": _WIDE + _THREE,
    "paper": _WIDE + _THREE,
}

DECAY, SQUARE_DECAY, FLOOR = 0.9, 0.999, 1e-8
"""The usual constants of Adam; the last keeps steps finite where the gradient is 0."""

WINDOW = 100
"""Losses are averaged over this many steps before they are compared; one batch's loss is noise."""


@dataclass(frozen=True, eq=False)
class PaperProblem:
    """The kernel columns of a table.

    Parameters
    ----------
    counted : CountedTable
        The table's values and how often they occur together.
    codes : list of integer arrays of shape (n_rows,)
        The rows.
    columns : list of arrays of shape (n_values, n_coordinates of the column)
        For each column of the table, its kernel matrices side by side.
    n_spaces : int
        Number of kernel matrices of a column.
    n_clusters : int
        Number of clusters that the weights should separate.
    """

    counted: CountedTable
    codes: Codes
    columns: list[FloatArray]
    n_spaces: int
    n_clusters: int

    @property
    def n_coordinates(self) -> int:
        """Number of kernel columns, and so of weights."""
        return sum(table.shape[1] for table in self.columns)

    @property
    def frequencies(self) -> list[FloatArray]:
        """How often the values of each column occur."""
        counts = self.counted.counts
        return [counts.frequencies[counts.span(place)] for place in range(len(counts.sizes))]

    def energies(self, centred: bool = False) -> FloatArray:
        """Return ||u_d||^2 of every coordinate d over all rows; shape (n_coordinates,)."""
        tables = self._less_means(self.columns) if centred else self.columns
        pairs = zip(tables, self.frequencies, strict=True)
        return np.concatenate([weights @ np.square(table) for table, weights in pairs])

    def spectrum(self, omega: FloatArray, centred: bool = False) -> FloatArray:
        """Return the eigenvalues of S over all rows, the largest first."""
        vectors = self.value_vectors(omega)
        roots = block_diag(*(self._less_means(vectors) if centred else vectors))
        return np.linalg.eigvalsh(roots.T @ self.counted.counts.dense() @ roots)[::-1]

    def value_vectors(self, omega: FloatArray) -> list[FloatArray]:
        """Return a root of B_j diag(omega_j) B_j' for every column j; a row for each value."""
        ends = np.cumsum([table.shape[1] for table in self.columns])
        found = []
        for table, weights in zip(self.columns, np.split(omega, ends[:-1]), strict=True):
            values, vectors = np.linalg.eigh((table * weights) @ table.T)
            found.append((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
        return found

    def _less_means(self, tables: list[FloatArray]) -> list[FloatArray]:
        pairs = zip(tables, self.frequencies, strict=True)
        return [table - weights @ table / weights.sum() for table, weights in pairs]


@dataclass(frozen=True, eq=False)
class PaperSolution:
    """The weights, the loss of every step, and the number of steps."""

    omega: FloatArray
    loss_curve: list[float]
    n_iter: int


def build_couplings(encoder: UNTIE, table: Any) -> PaperProblem:
    """Count a table and build its coupling and kernel spaces: the first stage.

    Parameters
    ----------
    encoder : UNTIE
        With a number of clusters; it is not fitted.
    table : frame
        The attributes.

    Examples
    --------
    >>> problem = build_couplings(UNTIE.from_paper(2), [["a", "x"], ["b", "y"], ["b", "x"]])
    >>> problem.n_coordinates  # 4 values x 2 couplings x 14 kernels
    112
    """
    chosen = encoder.get_params()
    if not isinstance(chosen["n_clusters"], int):
        raise ValueError("The stages need a number of clusters.")
    names = ("intra", "inter") if chosen["couplings"] == "auto" else chosen["couplings"]
    kernels = (
        "paper"
        if isinstance(chosen["kernels"], str) and chosen["kernels"] == "auto"
        else chosen["kernels"]
    )
    kernels = KERNEL_SETS[kernels] if isinstance(kernels, str) else kernels
    counted = count_table(table)
    counts, columns = counted.counts, []
    for attribute in range(len(counts.sizes)):
        pairs = [Pairs(COUPLINGS[name](counts, attribute)) for name in names]
        spaces = [
            _scaled(kernel(one), chosen["normalization"]) for one in pairs for kernel in kernels
        ]
        columns.append(np.hstack(spaces))
    n_spaces = len(names) * len(kernels)
    return PaperProblem(counted, counted.codes(table), columns, n_spaces, chosen["n_clusters"])


def _scaled(kernel: FloatArray, normalization: str | None) -> FloatArray:
    """Return a kernel matrix in the scale of that name."""
    diagonal = kernel.diagonal()
    if normalization == "diagonal":
        return kernel / (float(np.linalg.norm(diagonal)) or 1.0)
    if normalization == "cosine":
        lengths = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        return kernel / np.outer(lengths, lengths)
    return kernel


def learn_weights(encoder: UNTIE, problem: PaperProblem, replacement: bool = True) -> PaperSolution:
    """Learn the heterogeneity, that is omega: the second stage.

    Parameters
    ----------
    encoder : UNTIE
        With a solver; it is not fitted.
    problem : PaperProblem
        As `build_couplings` gives it.
    replacement : bool, default=True
        False: a solver that draws batches takes every row once before any comes again.

    Examples
    --------
    >>> encoder = UNTIE(2, solver="uniform")
    >>> problem = build_couplings(encoder, [["a", "x"], ["b", "y"], ["b", "x"]])
    >>> learn_weights(encoder, problem).omega.mean()
    np.float64(1.0)
    """
    chosen = encoder.get_params()
    if chosen["solver"] not in STEPS:
        fitted = clone(encoder).fit_counts(problem.counted)
        return PaperSolution(fitted.omega_, fitted.loss_curve_, fitted.n_iter_)
    omega, n_rows, size = (
        np.ones(problem.n_coordinates),
        len(problem.codes[0]),
        chosen["batch_size"],
    )
    if problem.n_clusters >= size:  # the eigenvectors explain every batch
        return PaperSolution(omega, [0.0], 1)
    step = STEPS[chosen["solver"]](len(omega), chosen["learning_rate"])
    batches = _batches(n_rows, size, draws_of(chosen["random_state"]), replacement)
    losses: list[float] = []
    for number in range(1, chosen["max_iter"] + 1):
        drawn = next(batches)
        tables = zip(problem.columns, problem.codes, strict=True)
        features = np.hstack([table[codes[drawn]] for table, codes in tables])
        loss, gradient = _loss_and_gradient(features, omega, problem.n_clusters)
        losses.append(loss)
        if _at_rest(losses, chosen["tol"]):
            break
        omega = np.maximum(omega - step(gradient, number), 0.0)
    return PaperSolution(omega, losses, len(losses))


Step = Callable[[FloatArray, int], FloatArray]
"""Takes the gradient and the number of the step, from 1; returns what to take from omega."""


def _adam(n_weights: int, rate: float) -> Step:
    mean, square = np.zeros((2, n_weights))

    def step(gradient: FloatArray, number: int) -> FloatArray:
        mean[:] = DECAY * mean + (1 - DECAY) * gradient
        square[:] = SQUARE_DECAY * square + (1 - SQUARE_DECAY) * np.square(gradient)
        unbiased = mean / (1 - DECAY**number)
        scale = np.sqrt(square / (1 - SQUARE_DECAY**number)) + FLOOR
        return rate * unbiased / scale

    return step


def _adagrad(n_weights: int, rate: float) -> Step:
    squares = np.zeros(n_weights)

    def step(gradient: FloatArray, number: int) -> FloatArray:
        squares[:] += np.square(gradient)
        return rate * gradient / (np.sqrt(squares) + FLOOR)

    return step


STEPS: dict[str, Callable[[int, float], Step]] = {"adam": _adam, "adagrad": _adagrad}


def _batches(
    n_rows: int, size: int, draws: np.random.RandomState, replacement: bool
) -> Iterator[NDArray[np.intp]]:
    """Yield batches of rows for ever, each row drawn by itself or every row once in a pass."""
    while replacement:
        yield (draws.random_sample(size) * n_rows).astype(np.intp)
    while True:
        order = draws.permutation(n_rows)
        # What is left at the end of a pass and makes no batch waits for another one.
        for start in range(0, max(n_rows - size, 0) + 1, size):
            yield order[start : start + size]


def _loss_and_gradient(
    features: FloatArray, omega: FloatArray, n_clusters: int
) -> tuple[float, FloatArray]:
    similarity = (features * omega) @ features.T
    _, vectors = np.linalg.eigh(similarity)
    indicators = vectors[:, max(0, len(similarity) - n_clusters) :]
    left_over = features - indicators @ (indicators.T @ features)
    # The left-over part is a projection, so its squares are never below 0.
    gradient = np.square(left_over).sum(axis=0)
    return float(omega @ gradient), gradient


def _at_rest(losses: list[float], tol: float) -> bool:
    if len(losses) < 2 * WINDOW or len(losses) % WINDOW:
        return False
    before, now = np.mean(losses[-2 * WINDOW : -WINDOW]), np.mean(losses[-WINDOW:])
    return bool(abs(before - now) <= tol * before)


def row_vectors(problem: PaperProblem, omega: FloatArray) -> FloatArray:
    """Return the vectors of all rows at given weights, with nothing in the place of a constant S.

    Examples
    --------
    >>> import numpy as np
    >>> problem = build_couplings(UNTIE.from_paper(2), [["a", "x"], ["b", "y"], ["b", "x"]])
    >>> row_vectors(problem, np.ones(112)).shape  # a column for each value
    (3, 4)
    """
    vectors = problem.value_vectors(omega)
    return np.hstack([table[codes] for table, codes in zip(vectors, problem.codes, strict=True)])


def unexplained_share(problem: PaperProblem, omega: FloatArray, centred: bool = False) -> float:
    """Return Tr(S (I - HH')) / Tr(S) over all rows with the best H: the objective without scale.

    0 where all weights are 0.

    Parameters
    ----------
    problem : PaperProblem
        As `build_couplings` gives it.
    omega : array of shape (n_coordinates,)
        The weights.
    centred : bool, default=False
        False: as printed, with as many eigenvectors as clusters. True: of the rows less their
        mean, which clusters do not see, with one eigenvector fewer; this the exact solver weighs
        against leaving equal weights.

    Examples
    --------
    >>> import numpy as np
    >>> problem = build_couplings(UNTIE.from_paper(2), [["a", "x"], ["b", "y"], ["b", "x"]])
    >>> share = unexplained_share(problem, np.ones(112))
    >>> bool(np.isclose(share, unexplained_share(problem, np.full(112, 0.01))))
    True
    """
    total = float(problem.energies(centred) @ omega)
    if total <= 0:
        return 0.0
    n_vectors = max(1, problem.n_clusters - centred)
    explained = float(problem.spectrum(omega, centred)[:n_vectors].sum())
    return max(0.0, 1.0 - explained / total)
