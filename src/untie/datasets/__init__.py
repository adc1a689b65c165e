"""The data sets of the paper, and tables like them."""

from untie.datasets._bundled import bundled_names
from untie.datasets._generators import make_led24, make_synthetic
from untie.datasets._registry import load, names
from untie.datasets._summary import describe

__all__ = ["bundled_names", "describe", "load", "make_led24", "make_synthetic", "names"]


def __dir__() -> list[str]:
    return __all__
