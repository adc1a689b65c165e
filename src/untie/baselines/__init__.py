"""The methods that the paper compares with, and those that users try first.

Two families: value distances, and encoders. Each method has one file. All of them by name:

>>> from untie.baselines import DEEP, DISTANCES, ENCODERS
>>> list(DISTANCES), list(ENCODERS), list(DEEP)
(['Hamming', 'Ahmad', 'DILCA', 'COS', 'Rough'],
 ['OneHot', 'Couplings', 'CDE', 'MCA', 'LatentClasses'],
 ['VAE', 'BiGAN'])
"""

from untie._base import TableInput
from untie.baselines._ahmad import Ahmad
from untie.baselines._cde import CDE
from untie.baselines._cos import COS
from untie.baselines._couplings import Couplings
from untie.baselines._deep.bigan import BiGAN
from untie.baselines._deep.progress import Progress
from untie.baselines._deep.vae import VAE
from untie.baselines._dilca import DILCA
from untie.baselines._distances import ValueDistance
from untie.baselines._hamming import Hamming
from untie.baselines._mca import MCA
from untie.baselines._onehot import OneHot
from untie.baselines._rough import Rough
from untie.cluster import LatentClasses

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
"""Encoders that learn from counts, by name."""

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
    "OneHot",
    "Progress",
    "Rough",
    "ValueDistance",
]


def __dir__() -> list[str]:
    return __all__
