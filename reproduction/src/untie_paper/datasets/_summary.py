"""The paper's data table, measured beside the printed one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from untie._table.frames import asked_library, make_frame
from untie_paper.datasets._columns import DataHome
from untie_paper.datasets._figures import Figures, agree, measure, published
from untie_paper.datasets._registry import names as all_names
from untie_paper.datasets._registry import source

_BLANK = Figures(None, None, None, None, None)


def describe(
    names: str | Iterable[str] | None = None,
    data_home: DataHome = None,
    frame: str | None = None,
) -> Any:
    """Measure the paper's data table and set it beside the printed one.

    Parameters
    ----------
    names : str or list of str, optional
        The data sets; all of `names()` by default, which reads every file and may fetch four.
    data_home : path, optional
        As in `load`.
    frame : {"pandas", "polars", "pyarrow", "numpy"}, optional
        The library of the table that is returned; "numpy" is a structured array. By default the
        first of them that is installed.

    Returns
    -------
    table : frame
        One row per data set: its `name`; the measured number of objects `n_o`, of attributes
        `n_a`, of classes `n_c`, the mean `n_av` and the largest `n_mv` number of values per
        attribute; the same as the paper prints them, `printed_n_o` and so on; whether they
        `agree`, to two decimals; and a `note`. The measured figures of a data set that can't be
        had here are missing, and the note says why.

    See Also
    --------
    load : Returns a data set.

    Examples
    --------
    >>> describe(["zoo", "crx"])[["name", "n_o", "n_av", "printed_n_av", "agree"]]
      name  n_o  n_av  printed_n_av  agree
    0  zoo  101  2.25          2.25   True
    1  crx  690  5.00          5.00   True
    """
    chosen = all_names() if names is None else [names] if isinstance(names, str) else list(names)
    for name in chosen:
        source(name)  # a wrong name is an error at once, before long downloads
    rows = [_describe(name, data_home) for name in chosen]
    columns = {key: [row[key] for row in rows] for key in _kinds()}
    return _typed(make_frame(asked_library(frame), columns))


def _describe(name: str, data_home: DataHome) -> dict[str, Any]:
    printed, note, agrees = published()[name], "", None
    try:
        measured = measure(source(name).read(name, data_home))
    except (OSError, ValueError) as error:
        measured, note = _BLANK, str(error)
    if printed == _BLANK:
        note = note or "not in the paper's data table"
    elif measured != _BLANK:
        agrees = agree(measured, printed)
    figures = {**measured._asdict(), **{f"printed_{k}": v for k, v in printed._asdict().items()}}
    return {"name": name, **figures, "agree": agrees, "note": note}


def _kinds() -> dict[str, Any]:
    """Return the columns and what they hold."""
    figures = {key: nw.Float64 if key == "n_av" else nw.Int64 for key in Figures._fields}
    printed = {f"printed_{key}": kind for key, kind in figures.items()}
    return {"name": nw.String, **figures, **printed, "agree": nw.Boolean, "note": nw.String}


def _typed(native: Any) -> Any:
    """Give columns their types where missing entries hid them."""
    if isinstance(native, np.ndarray):
        return native
    table = nw.from_native(native)
    if table.implementation.is_pandas_like():
        # Types that have missing entries, so that a count stays a whole number.
        nullable = {nw.Int64: "Int64", nw.Boolean: "boolean", nw.Float64: "float64"}
        return native.astype({k: nullable[v] for k, v in _kinds().items() if v in nullable})
    return table.select(nw.col(k).cast(v) for k, v in _kinds().items()).to_native()
