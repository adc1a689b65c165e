"""A fitted encoder where the data stays: as SQL for a database, as a model for onnxruntime."""

from untie.export._methods import Exportable
from untie.export._sql import SqlTransform

__all__ = ["Exportable", "SqlTransform"]


def __dir__() -> list[str]:
    return __all__
