"""k-means of weighted rows from many starts at once, on a GPU; needs torch.

The same method as `untie._util.k_means`, without giving up starts early, in single precision.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray

MAX_ITER = 60
NUMBERS = 3e8
"""Distances held at a time."""


def best_labels(
    rows: NDArray[np.floating],
    weights: NDArray[np.floating],
    n_clusters: int,
    n_starts: int,
    rng: RandomState,
) -> NDArray[np.intp]:
    """Return the cluster of each row in the run of lowest inertia."""
    X = torch.tensor(_short(rows, weights), dtype=torch.float32, device="cuda")
    w = torch.tensor(weights, dtype=torch.float32, device="cuda")
    generator = torch.Generator(device="cuda")
    generator.manual_seed(int(rng.randint(2**31 - 1)))
    at_once = max(1, min(n_starts, int(NUMBERS // (4 * len(X) * n_clusters))))
    best, lowest = torch.zeros(len(X), dtype=torch.long), math.inf
    for start in range(0, n_starts, at_once):
        n_now = min(at_once, n_starts - start)
        labels, inertia = _run(X, w, _seeds(X, w, n_clusters, n_now, generator))
        winner = int(inertia.argmin())
        if float(inertia[winner]) < lowest * (1 - 1e-6):
            best, lowest = labels[:, winner].cpu(), float(inertia[winner])
    return best.numpy().astype(np.intp)


def _short(rows: NDArray[np.floating], weights: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return centered vectors with the same distances in as few dimensions as they span."""
    rows = rows - weights @ rows / weights.sum()
    if rows.shape[1] < 60:
        return rows
    values, vectors = np.linalg.eigh((rows * weights[:, None]).T @ rows)
    return rows @ vectors[:, values > values.max() * 1e-9]


def _seeds(
    X: torch.Tensor, w: torch.Tensor, k: int, n_starts: int, generator: torch.Generator
) -> torch.Tensor:
    """Draw centers far from each other: k-means++, the best of a few draws each time."""
    squares, every = (X * X).sum(1), torch.arange(n_starts, device=X.device)
    drawn = [torch.multinomial(w.expand(n_starts, -1), 1, generator=generator)[:, 0]]
    nearest = _squared(X, squares, drawn[0])
    for _ in range(1, k):
        n_trials = 2 + int(math.log(k))
        odds = (nearest + 1e-30) * w
        trials = torch.multinomial(odds, n_trials, replacement=True, generator=generator)
        distances = _squared(X, squares, trials.reshape(-1)).reshape(n_starts, n_trials, -1)
        distances = torch.minimum(distances, nearest[:, None])
        choice = (distances @ w).argmin(1)
        drawn.append(trials[every, choice])
        nearest = distances[every, choice]
    return X[torch.stack(drawn, 1)]


def _squared(X: torch.Tensor, squares: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    return (squares + squares[chosen][:, None] - 2 * X[chosen] @ X.T).clamp_min(0)


def _run(
    X: torch.Tensor, w: torch.Tensor, centers: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    n_starts, k, d = centers.shape
    labels = torch.full((len(X), n_starts), -1, device=X.device)
    for _ in range(MAX_ITER):
        products = (X @ centers.reshape(-1, d).T).reshape(len(X), n_starts, k)
        lowest, found = ((centers * centers).sum(2) - 2 * products).min(2)
        if torch.equal(found, labels):
            break
        labels = found
        members = torch.zeros(len(X), n_starts, k, device=X.device)
        members.scatter_(2, labels[:, :, None], 1.0)
        members = members.reshape(len(X), -1) * w[:, None]
        sizes = members.sum(0)[:, None]
        means = (members.T @ X) / sizes.clamp_min(1e-9)
        centers = torch.where(sizes > 0, means, centers.reshape(-1, d)).reshape(n_starts, k, d)
    return labels, (w[:, None] * lowest).sum(0) + (w * (X * X).sum(1)).sum()
