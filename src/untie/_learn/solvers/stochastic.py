"""The paper's protocol: small batches of rows and a gradient step each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from untie._learn.dense import Dense
from untie._learn.solvers.base import Problem, Settings, Solution
from untie._table.rows import Rows
from untie._util.seeds import draws_of
from untie._util.types import FloatArray
from untie._util.warn import warn_user

WINDOW = 100
"""Losses are averaged over this many steps before they are compared; one batch's loss is noise."""

Step = Callable[[FloatArray, int], FloatArray]
"""(gradient, number of the step from 1) -> what to take away from omega."""


def descend(problem: Problem, settings: Settings, step: Step) -> Solution:
    """Minimise Tr(S (I - HH')) on batches of rows, as printed, with omega clipped at 0.

    Each batch's H are the leading `n_clusters` eigenvectors of its own S; that and the clipping are
    readings of what the paper leaves open. No gradient is negative, so no weight ever grows. The
    minimum, 0, is attained by omega = 0 and by every omega whose weighted columns span at most
    `n_clusters` dimensions; which of them a run comes near depends on its steps, their length and
    the rows drawn, so these are part of the method.
    """
    if problem.rows is None:
        raise ValueError("The stochastic solvers draw rows; they can't learn from counts alone.")
    omega = np.ones(problem.spaces.n_coordinates)
    if problem.n_clusters >= settings.batch_size:
        warn_user(
            f"n_clusters={problem.n_clusters} eigenvectors explain a batch of batch_size="
            f"{settings.batch_size} rows fully: there is no gradient, and omega stays 1. Raise "
            "batch_size to learn weights."
        )
        return Solution(omega, [0.0], n_iter=1)
    tables = _kernel_rows(problem)
    losses: list[float] = []
    batches = _batches(problem.rows, settings)
    for number in range(1, settings.max_iter + 1):
        drawn = next(batches)
        features = np.concatenate(
            [
                table[column[drawn]]
                for table, column in zip(tables, problem.rows.codes, strict=True)
            ],
            axis=1,
        )
        loss, gradient = _loss_and_gradient(features, omega, problem.n_clusters)
        losses.append(loss)
        if _at_rest(losses, settings.tol):
            return Solution(omega, losses, number)
        omega = np.maximum(omega - step(gradient, number), 0.0)
    return Solution(omega, losses, settings.max_iter, converged=False)


def _kernel_rows(problem: Problem) -> list[FloatArray]:
    """Return each attribute's kernel rows, and their mean for an unknown cell."""
    counts = problem.counts
    return [
        Dense(table.toarray()).with_mean(counts.frequencies[counts.span(attribute)])
        for attribute, table in enumerate(problem.spaces.columns)
    ]


def _batches(rows: Rows, settings: Settings) -> Iterator[NDArray[np.intp]]:
    """Yield batches of rows for ever, each row drawn by itself."""
    draws = draws_of(settings.random_state)
    while True:
        yield _draw(rows, settings.batch_size, draws)


def _draw(rows: Rows, n: int, draws: RandomState) -> NDArray[np.intp]:
    """Draw rows in proportion to their weights; a row of weight 2 is drawn like two rows."""
    uniform = draws.random_sample(n)
    n_rows = len(rows.codes[0])
    if rows.weights is None:
        return (uniform * n_rows).astype(np.intp)
    cumulated = np.cumsum(rows.weights)
    drawn = np.searchsorted(cumulated, uniform * cumulated[-1], side="right")
    return np.minimum(drawn, n_rows - 1)


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
