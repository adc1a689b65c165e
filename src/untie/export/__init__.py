"""A fitted encoder where the data stays: as SQL for a database, as a model for onnxruntime."""

from untie.export.encoder import encoder_to_onnx, encoder_to_sql
from untie.export.sql import SqlTransform

__all__ = ["SqlTransform", "encoder_to_onnx", "encoder_to_sql"]
