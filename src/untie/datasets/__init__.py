"""The tables that come with the package, to try things on."""

from untie.datasets._bundled import load, names

__all__ = ["load", "names"]


def __dir__() -> list[str]:
    return __all__
