"""The methods of the evaluation by the names of the paper's columns, and how each is made.

Encoders give vectors, which are clustered by k-means; distances are clustered by k-modes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from untie.baselines import (
    CDE,
    COS,
    DILCA,
    MCA,
    VAE,
    Ahmad,
    BiGAN,
    Couplings,
    Hamming,
    LatentClasses,
    OneHot,
    Rough,
)
from untie.encoder import UNTIE

PAPER, DEFAULT = "UNTIE", "UNTIE (default)"
"""The printed protocol, and what a user gets who asks for nothing."""

ENCODERS: dict[str, Callable[[int, int], Any]] = {
    PAPER: lambda k, seed: UNTIE.from_paper(k, random_state=seed),
    DEFAULT: lambda k, seed: UNTIE(k, random_state=seed),
    "Couplings": lambda k, seed: Couplings(),
    "CDE": lambda k, seed: CDE(random_state=seed),
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
    "DILCA": DILCA,
    "Rough": Rough,
    "Hamming": Hamming,
}
"""Value distances."""

STOCHASTIC = (PAPER, DEFAULT, "CDE", "BiGAN_WD", "VAE_WD")
"""Encoders whose vectors depend on the seed."""
