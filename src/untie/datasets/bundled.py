"""Read the data sets inside the package; ``data/ATTRIBUTION.md`` says where they are from."""

from __future__ import annotations

import csv
import gzip
from importlib.resources import files
from typing import Any

import narwhals.stable.v2 as nw

_DATA = files("untie.datasets") / "data"
_SUFFIX = ".csv.gz"
_LABEL = "class"


def bundled_names() -> list[str]:
    """Return the names that `load` knows."""
    return sorted(
        entry.name.removesuffix(_SUFFIX)
        for entry in _DATA.iterdir()
        if entry.name.endswith(_SUFFIX)
    )


def load(name: str, frame: Any = "pandas") -> tuple[Any, Any]:
    """Load a data set.

    Parameters
    ----------
    name : str
        One of `bundled_names`.
    frame : {"pandas", "polars", "pyarrow"}, default="pandas"
        The library of the table that is returned.

    Returns
    -------
    X : frame
        The attributes, as strings. A missing value that the sources count as a value is "?".
    y : series
        The label.

    Examples
    --------
    >>> X, y = load("zoo")
    >>> X.shape, y.nunique()
    ((101, 16), 7)
    """
    if name not in bundled_names():
        raise ValueError(f"There is no data set {name!r}; choose among {bundled_names()}.")
    with (
        (_DATA / f"{name}{_SUFFIX}").open("rb") as file,
        gzip.open(file, "rt", encoding="utf-8") as text,
    ):
        header, *rows = csv.reader(text)
    columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    table = nw.from_dict(columns, backend=frame)
    return table.drop(_LABEL).to_native(), table[_LABEL].to_native()
