"""The data sets of the paper, and tables like them."""

from untie.datasets.bundled import bundled_names
from untie.datasets.generators import make_led24, make_synthetic
from untie.datasets.registry import load, names
from untie.datasets.summary import describe

__all__ = ["bundled_names", "describe", "load", "make_led24", "make_synthetic", "names"]
