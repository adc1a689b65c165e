"""Latent class analysis."""

from untie.baselines._latent_classes import LatentClasses

__all__ = ["LatentClasses"]


def __dir__() -> list[str]:
    return __all__
