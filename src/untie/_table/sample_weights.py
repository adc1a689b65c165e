"""Validation of the rows' weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from untie._table.names import check_names
from untie._table.table import NoRowsError, Table, read_table
from untie._util.types import FloatArray
from untie._util.words import Message, message, message_of

LARGEST = 1e100
"""Weights beyond have sums and products that no number holds."""

SMALLEST = 1e-300
"""Weights that are all below have quotients that no number holds."""


def split_weights(data: Any, sample_weight: Any) -> tuple[Any, Any]:
    """Take the column of weights out of a frame, if `sample_weight` is a column's name."""
    if not isinstance(sample_weight, str):
        return data, sample_weight
    frame = nw.from_native(data, eager_only=True, pass_through=True)
    names = getattr(getattr(data, "dtype", None), "names", None)
    if names is not None:  # of a structured array
        check_names([sample_weight], names, "the table", ", which sample_weight names")
        return data[[name for name in names if name != sample_weight]], data[sample_weight]
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(
            f"sample_weight={sample_weight!r} names a column, but {type(data).__name__} has no "
            "names; pass one weight per row."
        )
    check_names([sample_weight], frame.columns, "the table", ", which sample_weight names")
    return frame.drop(sample_weight).to_native(), frame[sample_weight].to_numpy()


def check_weights(
    sample_weight: Any, n_rows: int
) -> tuple[FloatArray | None, NDArray[np.bool_] | None]:
    """Return the positive weights and, unless all are, which rows they belong to.

    A row of weight 0 is as if absent.
    """
    if sample_weight is None:
        return None, None
    weights = read_weights(sample_weight, n_rows)
    if not weights.any():
        raise NoRowsError("Every sample weight is zero; at least one row must count.")
    return positive_weights(weights)


def read_weights(sample_weight: Any, n_rows: int) -> FloatArray:
    """Return one finite weight per row, none negative; all may be 0."""
    if getattr(getattr(sample_weight, "dtype", None), "kind", "") in ("M", "m"):
        raise ValueError(_said(" must hold one number per row, not dates or times."))
    try:
        weights = np.asarray(sample_weight, dtype=float)
    except (TypeError, ValueError) as error:
        odd = _no_number(sample_weight)
        said = error if odd is None else f"{odd} is none"
        raise ValueError(_said(f" must hold one number per row: {said}.")) from error
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            _said(
                f" has shape {weights.shape}, but the table has {n_rows} rows; pass "
                "one weight per row."
            )
        )
    if not np.isfinite(weights).all():
        row = int(np.flatnonzero(~np.isfinite(weights))[0])
        raise ValueError(_said(f" of row {row} is {weights[row]}; it must be finite."))
    if weights.min(initial=0.0) < 0:
        row = int(np.flatnonzero(weights < 0)[0])
        raise ValueError(_said(f" of row {row} is negative: {weights[row]}."))
    if 0 < weights.max(initial=0.0) < SMALLEST:
        row = int(weights.argmax())
        raise ValueError(
            _said(
                f" of row {row}, the largest, is {weights[row]:g}, below {SMALLEST:g}; "
                "multiply all weights by the same number."
            )
        )
    if weights.max(initial=0.0) > LARGEST:
        row = int(weights.argmax())
        raise ValueError(
            _said(
                f" of row {row} is {weights[row]:g}, beyond {LARGEST:g}; divide all "
                "weights by the same number."
            )
        )
    return weights


def _said(text: str) -> Message:
    return message("{sample_weight}{text}", text=text)


def _no_number(cells: Any) -> str | None:
    """Return the first weight that is no number, in quotes; None if it can't be told."""
    for cell in cells if isinstance(cells, Sequence | np.ndarray) else ():
        try:
            float(np.nan if cell is None else cell)
        except (TypeError, ValueError):
            return repr(str(cell))
    return None


def read_piece(
    frame: Any, weight: Any, where: str
) -> tuple[Table, FloatArray | None, NDArray[np.bool_] | None]:
    """Read some rows of a table, and their weights.

    Parameters
    ----------
    frame : frame or array
        The rows.
    weight : str, array of shape (n_rows,) or None
        The column with the weights, or the weights.
    where : str
        Where the rows stand, for messages.

    Returns
    -------
    table : Table
        The other columns.
    weights, keep
        As `positive_weights` gives them; None without weights.
    """
    features, cells = split_weights(frame, weight)
    table = read_table(features, min_rows=0)
    if weight is None:
        return table, None, None
    try:
        return table, *positive_weights(read_weights(cells, table.n_rows))
    except ValueError as error:
        if not isinstance(weight, str):
            raise
        raise ValueError(
            message("{where}: {error}", where=f"Column {weight!r}{where}", error=message_of(error))
        ) from None


def positive_weights(weights: FloatArray) -> tuple[FloatArray, NDArray[np.bool_] | None]:
    """Return the positive ones and, unless all are, which rows they belong to."""
    if weights.all():
        return weights, None
    keep = weights > 0
    return weights[keep], keep
