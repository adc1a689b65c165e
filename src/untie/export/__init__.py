"""A fitted encoder where the data stays: as SQL for a database, as a model for onnxruntime."""

from untie.export.methods import Exportable
from untie.export.sql import SqlTransform

__all__ = ["Exportable", "SqlTransform"]
