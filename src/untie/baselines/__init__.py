"""The methods that the paper compares with, and those that users try first.

Two families, one file a method: value distances, and encoders.
"""

from untie.baselines.ahmad import Ahmad
from untie.baselines.cde import CDE
from untie.baselines.cos import COS
from untie.baselines.couplings import Couplings
from untie.baselines.deep.bigan import BiGAN
from untie.baselines.deep.progress import Progress
from untie.baselines.deep.vae import VAE
from untie.baselines.dilca import DILCA
from untie.baselines.distances import ValueDistance
from untie.baselines.hamming import Hamming
from untie.baselines.latent_classes import LatentClasses
from untie.baselines.mca import MCA
from untie.baselines.onehot import OneHot
from untie.baselines.rough import Rough
from untie.table_input import TableInput

DISTANCES: dict[str, type[ValueDistance]] = {
    "Hamming": Hamming,
    "Ahmad": Ahmad,
    "DILCA": DILCA,
    "COS": COS,
    "Rough": Rough,
}
"""Value distances by name; a new one is one file and one line."""

ENCODERS: dict[str, type[TableInput]] = {
    "OneHot": OneHot,
    "Couplings": Couplings,
    "CDE": CDE,
    "MCA": MCA,
    "LatentClasses": LatentClasses,
}
"""Encoders by name."""

DEEP: dict[str, type[TableInput]] = {"VAE": VAE, "BiGAN": BiGAN}
"""Encoders that learn with PyTorch (extra `deep`), by name."""

__all__ = [
    "CDE",
    "COS",
    "DEEP",
    "DILCA",
    "DISTANCES",
    "ENCODERS",
    "MCA",
    "VAE",
    "Ahmad",
    "BiGAN",
    "Couplings",
    "Hamming",
    "LatentClasses",
    "OneHot",
    "Progress",
    "Rough",
    "ValueDistance",
]
