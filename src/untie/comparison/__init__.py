"""UNTIE beside other methods on one table."""

from untie.comparison._methods import Comparison, compare

__all__ = ["Comparison", "compare"]
