"""The methods of the evaluation by the names of the paper's columns, and how each is made.

Encoders give vectors, which are clustered by k-means; distances are clustered by k-modes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from untie import UNTIE, TableEncoder
from untie.cluster import LatentClasses
from untie_paper.baselines import (
    CDE,
    COS,
    DILCA,
    MCA,
    VAE,
    Ahmad,
    BiGAN,
    Couplings,
    Hamming,
    OneHot,
    Rough,
)

PAPER, DEFAULT = "UNTIE", "UNTIE (default)"
"""The printed protocol, and what a user gets who asks for nothing."""

CDE_TEN = "CDE (10 starts)"
"""CDE with the library's number of starts for each of its k-means.

"CDE" has one start: the authors' program (CDE.m of github.com/jiansonglei/CDE) calls MATLAB's
kmeans without options, which is one start.
"""

ENCODERS: dict[str, Callable[[int, int], Any]] = {
    PAPER: lambda k, seed: UNTIE.from_paper(k, random_state=seed),
    DEFAULT: lambda k, seed: TableEncoder(k, preparer=None, random_state=seed),
    "Couplings": lambda k, seed: Couplings(),
    "CDE": lambda k, seed: CDE(n_init=1, random_state=seed),
    CDE_TEN: lambda k, seed: CDE(n_init=10, random_state=seed),
    "One-hot": lambda k, seed: OneHot(),
    "MCA": lambda k, seed: MCA(max(k - 1, 2)),
    "Latent classes": lambda k, seed: LatentClasses(k, random_state=seed),
    "BiGAN_WD": lambda k, seed: BiGAN(random_state=seed),
    "VAE_WD": lambda k, seed: VAE(random_state=seed),
}
"""Number of clusters and seed -> encoder."""

DISTANCES: dict[str, Callable[[], Any]] = {
    "COS": COS,
    "Ahmad": Ahmad,
    "DILCA": partial(DILCA, norm="n_attributes", empty="zero"),
    "Rough": Rough,
    "Hamming": Hamming,
}
"""Value distances; DILCA with the settings that reproduce the published comparison."""

STOCHASTIC = (PAPER, DEFAULT, "CDE", CDE_TEN, "BiGAN_WD", "VAE_WD")
"""Encoders whose vectors depend on the seed."""

DEEP = ("BiGAN_WD", "VAE_WD")
"""Encoders that learn from batches of rows, pass after pass."""

COLUMNS = [PAPER, DEFAULT, "Couplings", "One-hot", "CDE", CDE_TEN, *DISTANCES, *DEEP]
"""The table of clustering: the paper's columns, and three beside those that they are like."""


def limit_steps(encoder: Any, n_rows: int, max_steps: int) -> Any:
    """Cap the passes of a deep encoder over a table, so that it learns from few enough batches.

    Parameters
    ----------
    encoder : VAE or BiGAN
        Not yet fitted; it is changed.
    n_rows : int
        Rows of the table.
    max_steps : int
        At most this many batches, or one pass if that has more.

    Examples
    --------
    >>> limit_steps(VAE(max_epochs=200), n_rows=640, max_steps=1000).max_epochs
    100
    >>> limit_steps(VAE(max_epochs=200), n_rows=64, max_steps=1000).max_epochs
    200
    """
    batches = -(-n_rows // encoder.batch_size)
    return encoder.set_params(max_epochs=max(1, min(encoder.max_epochs, max_steps // batches)))
