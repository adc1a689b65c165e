"""Categorical data sets that come with the package."""

from untie.datasets.bundled import bundled_names, load

__all__ = ["bundled_names", "load"]
