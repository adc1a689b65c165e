"""Axes of tables by the textbook: multiple correspondence analysis, also of mixed data."""

from untie.decomposition._famd import FAMD
from untie.decomposition._mca import MCA

__all__ = ["FAMD", "MCA"]


def __dir__() -> list[str]:
    return __all__
