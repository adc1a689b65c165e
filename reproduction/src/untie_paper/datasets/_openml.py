"""Data sets of openml.org, fetched and cached by scikit-learn."""

from __future__ import annotations

import warnings
from http.client import HTTPException
from typing import Any

from untie_paper.datasets._columns import LABEL, MISSING, Columns, DataHome

FAILURES = (OSError, ValueError, HTTPException, ImportError)
"""What a fetch may end with: no connection, OpenML's own errors, no pandas."""


def fetch(data_id: int, data_home: DataHome) -> Columns:
    """Return a data set of OpenML; its cache is in `data_home`, else where scikit-learn has it."""
    # Here, because it is slow to import and most users never need it.
    from sklearn.datasets import fetch_openml

    with warnings.catch_warnings():
        # The error that follows a last failure says enough.
        warnings.filterwarnings("ignore", message="A network error occurred")
        bunch = fetch_openml(
            data_id=data_id,
            data_home=data_home or None,
            as_frame=True,
            parser="pandas",
            # Cells as they are written; codes would become numbers, which scikit-learn 1.9 with
            # pandas 3 can't read as categories.
            read_csv_kwargs={"dtype": str},
        )
    columns = {str(name): _cells(bunch.data[name]) for name in bunch.data.columns}
    return columns | {LABEL: _cells(bunch.target)}


def _cells(series: Any) -> list[str]:
    """Return the cells of a column without the quotation marks of the file."""
    return [
        MISSING if absent else cell.strip().strip("'\"")
        for cell, absent in zip(series.tolist(), series.isna().tolist(), strict=True)
    ]
