"""Data sets of openml.org, fetched and cached by scikit-learn."""

from __future__ import annotations

import warnings
from http.client import HTTPException
from typing import Any

from untie.datasets.columns import LABEL, MISSING, Columns, DataHome

FAILURES = (OSError, ValueError, HTTPException, ImportError)
"""What a fetch may end with: no connection, OpenML's own errors, no pandas."""


def fetch(data_id: int, data_home: DataHome) -> Columns:
    """Return a data set of OpenML; its cache is in `data_home`, else where scikit-learn has it."""
    # Here, because it is slow to import and most users never need it.
    from sklearn.datasets import fetch_openml

    with warnings.catch_warnings():
        # The error that follows a last failure says enough.
        warnings.filterwarnings("ignore", message="A network error occurred")
        return to_columns(
            fetch_openml(data_id=data_id, data_home=data_home, as_frame=True, n_retries=1)
        )


def to_columns(bunch: Any) -> Columns:
    """Return what `fetch_openml` gave as columns of strings."""
    columns = {str(name): _strings(bunch.data[name]) for name in bunch.data.columns}
    return columns | {LABEL: _strings(bunch.target)}


def _strings(series: Any) -> list[str]:
    missing = series.isna()
    return [
        MISSING if absent else _string(value)
        for value, absent in zip(series.tolist(), missing.tolist(), strict=True)
    ]


def _string(value: Any) -> str:
    """Return a cell's text: 1.0 is "1", for codes that were declared as numbers."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip().strip("'\"")
