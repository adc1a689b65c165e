"""Clustering of tables by the textbook: k-modes, k-prototypes, latent classes."""

from untie.cluster._bootstrap_test import BootstrapTest, bootstrap_test
from untie.cluster._kmodes import KModes
from untie.cluster._kprototypes import KPrototypes
from untie.cluster._latent_classes import LatentClasses

__all__ = ["BootstrapTest", "KModes", "KPrototypes", "LatentClasses", "bootstrap_test"]


def __dir__() -> list[str]:
    return __all__
