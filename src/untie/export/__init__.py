"""A fitted estimator where the data stays: as SQL for a database, as a model for onnxruntime."""

from untie.export._methods import Exportable, ExportableClusterer, ExportablePreparer
from untie.export._sql import SqlTransform

__all__ = ["Exportable", "ExportableClusterer", "ExportablePreparer", "SqlTransform"]


def __dir__() -> list[str]:
    return __all__
