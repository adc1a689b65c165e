"""Validation of the rows' weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie.core.types import FloatArray


def check_weights(
    sample_weight: Any, n_rows: int
) -> tuple[FloatArray | None, NDArray[np.bool_] | None]:
    """Return the positive weights and, unless all are, which rows they belong to.

    A row of weight 0 is as if absent.
    """
    if sample_weight is None:
        return None, None
    try:
        weights = np.asarray(sample_weight, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must hold one number a row: {error}.") from error
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}, but the table has {n_rows} rows; pass "
            "one weight a row."
        )
    if not np.isfinite(weights).all():
        row = int(np.flatnonzero(~np.isfinite(weights))[0])
        raise ValueError(f"sample_weight of row {row} is {weights[row]}; it must be finite.")
    if weights.min(initial=0.0) < 0:
        row = int(np.flatnonzero(weights < 0)[0])
        raise ValueError(f"sample_weight of row {row} is negative: {weights[row]}.")
    if not weights.any():
        raise ValueError("Every sample weight is zero; at least one row must count.")
    if weights.all():
        return weights, None
    keep = weights > 0
    return weights[keep], keep
