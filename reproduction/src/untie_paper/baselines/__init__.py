"""The methods that the paper compares with, and those that users try first.

Two families: value distances, and encoders. Each method has one file. All of them by name:

>>> from untie_paper.baselines import DEEP, DISTANCES, ENCODERS
>>> list(DISTANCES), list(ENCODERS), list(DEEP)
(['Hamming', 'Ahmad', 'DILCA', 'COS', 'Rough'],
 ['OneHot', 'Couplings', 'CDE', 'MCA'],
 ['VAE', 'BiGAN'])
"""

from sklearn.base import TransformerMixin

from untie.decomposition import MCA
from untie_paper.baselines._ahmad import Ahmad
from untie_paper.baselines._base import CountBased
from untie_paper.baselines._cde import CDE
from untie_paper.baselines._cos import COS
from untie_paper.baselines._couplings import Couplings, inter, intra
from untie_paper.baselines._deep.bigan import BiGAN
from untie_paper.baselines._deep.progress import Progress
from untie_paper.baselines._deep.vae import VAE
from untie_paper.baselines._dilca import DILCA
from untie_paper.baselines._distances import ValueDistance
from untie_paper.baselines._hamming import Hamming
from untie_paper.baselines._onehot import OneHot
from untie_paper.baselines._rough import Rough

DISTANCES: dict[str, type[ValueDistance]] = {
    "Hamming": Hamming,
    "Ahmad": Ahmad,
    "DILCA": DILCA,
    "COS": COS,
    "Rough": Rough,
}
"""Value distances by name; a new one is one file and one line."""

ENCODERS: dict[str, type[TransformerMixin]] = {
    "OneHot": OneHot,
    "Couplings": Couplings,
    "CDE": CDE,
    "MCA": MCA,
}
"""Encoders that learn from counts, by name; MCA is that of untie."""

DEEP: dict[str, type[CountBased]] = {"VAE": VAE, "BiGAN": BiGAN}
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
    "inter",
    "intra",
]
