"""The tables inside the package; ``data/ATTRIBUTION.md`` says where they are from."""

import csv
import gzip
from difflib import get_close_matches
from importlib.resources import files
from typing import Any

import narwhals.stable.v2 as nw

from untie._table.frames import NUMPY, asked_library, make_frame

_DATA = files("untie.datasets") / "data"
_SUFFIX = ".csv.gz"
_LABEL = "class"


def names() -> list[str]:
    """Return the names of the tables that come with the package.

    Returns
    -------
    list of str
        In alphabetical order.

    Examples
    --------
    >>> names()[:3]
    ['breastcancer', 'crx', 'dermatology']
    """
    return sorted(
        entry.name.removesuffix(_SUFFIX)
        for entry in _DATA.iterdir()
        if entry.name.endswith(_SUFFIX)
    )


def load(name: str, frame: str | None = None) -> tuple[Any, Any]:
    """Load a table that comes with the package.

    Parameters
    ----------
    name : str
        One of `names`.
    frame : {"pandas", "polars", "pyarrow", "numpy"}, optional
        The library of the table that is returned; "numpy" is a structured array. By default the
        first of them that is installed.

    Returns
    -------
    X : frame
        The columns, as strings. A missing value that the sources count as a value is "?".
    y : series
        The label, as strings.

    Raises
    ------
    ValueError
        If there is no such table.

    See Also
    --------
    names : All names.

    Examples
    --------
    >>> X, y = load("zoo")
    >>> X.shape, y.nunique()
    ((101, 16), 7)
    """
    if name not in names():
        close = get_close_matches(str(name).lower(), names(), n=3)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else "choose among"
        rest = "" if close else f" {names()}."
        raise ValueError(f"There is no data set {name!r}; {hint}{rest}")
    library = asked_library(frame)
    with (
        (_DATA / f"{name}{_SUFFIX}").open("rb") as file,
        gzip.open(file, "rt", encoding="utf-8", newline="") as text,
    ):
        header, *rows = csv.reader(text)
    columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    table = make_frame(library, columns)
    if library == NUMPY:
        return table[[name for name in columns if name != _LABEL]], table[_LABEL]
    narwhal = nw.from_native(table, eager_only=True)
    return narwhal.drop(_LABEL).to_native(), narwhal[_LABEL].to_native()
