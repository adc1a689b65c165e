"""Several methods side by side on one table."""

from untie.comparison.methods import Comparison, compare

__all__ = ["Comparison", "compare"]


def __dir__() -> list[str]:
    return __all__
