"""What of a fitted encoder goes into an export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from untie._learn.parameters import check_handle_unknown
from untie.export._onnx_model import write_onnx
from untie.export._sql import SqlTransform, write_sql
from untie.export._values import attributes_of


def encoder_to_sql(
    encoder: Any,
    dialect: str,
    source: str | Sequence[str],
    lookup: str | Sequence[str],
    keep: str | Sequence[str],
    names: Sequence[str] | None,
) -> SqlTransform:
    """Write the transform of a fitted `TableEncoder` as SQL."""
    check_handle_unknown(encoder.handle_unknown)
    table = encoder.model_.lookup
    given = encoder.get_feature_names_out() if names is None else names
    if isinstance(given, str) or len(given) != table.n_columns:
        raise ValueError(f"names must name the {table.n_columns} columns of the result: {given!r}.")
    return write_sql(
        dialect,
        attributes_of(encoder.grouping_, table, encoder.handle_unknown),
        [str(name) for name in given],
        source=source,
        lookup=lookup,
        keep=keep,
        summed=table.summed,
        fails=encoder.handle_unknown == "error",
    )


def encoder_to_onnx(encoder: Any, missing: str) -> Any:
    """Write the transform of a fitted `TableEncoder` as an ONNX model."""
    check_handle_unknown(encoder.handle_unknown)
    if encoder.handle_unknown == "error":
        raise ValueError(
            "An ONNX model can't fail at an unknown value, as handle_unknown='error' asks; write "
            "it with encoder.set_params(handle_unknown='ignore'), which needs no new fit."
        )
    table = encoder.model_.lookup
    return write_onnx(
        attributes_of(encoder.grouping_, table, encoder.handle_unknown),
        encoder.get_feature_names_out().tolist(),
        summed=table.summed,
        dtype=encoder._form().dtype,
        missing=missing,
    )
