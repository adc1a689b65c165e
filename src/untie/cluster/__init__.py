"""Clustering of categorical tables."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from untie.cluster._kmodes import KModes

__all__ = ["KModes"]


def __getattr__(name: str) -> Any:
    # K-modes brings all the distances along, which `import untie` should not wait for.
    if name == "KModes":
        from untie.cluster._kmodes import KModes

        return KModes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
