"""One column of any library -> integer codes and the list of its distinct values.

Two cells hold the same value when Python calls them equal, as in scikit-learn's
encoders: ``1``, ``1.0`` and ``True`` are one value, ``"1"`` is another. None, NaN, NA
and NaT are one value, ``None``. Times are read to the microsecond, as Python's own types.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from operator import ne
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from untie._util.types import Value, smallest_unsigned

MISSING_CODE = -1
"""What the libraries below write for a missing cell, until `_canonical` replaces it."""

OWN_TYPES = frozenset({str, int, bool, float})
"""Types of Python's own, of which only a number can be missing."""

POLARS_ONLY = {"Object", "Decimal", "Int128", "UInt128"}
"""Types of polars that numpy lacks. Asked by name: polars 1 panics where polars 2 raises."""


def factorize(column: Any, name: str) -> tuple[NDArray[Any], list[Value]]:
    """Turn a column into codes and its distinct values, in no particular order.

    Parameters
    ----------
    column : narwhals Series or array of shape (n_rows,)
        The cells.
    name : str
        The column's name, for messages.

    Returns
    -------
    codes : integer array of shape (n_rows,)
        Positions in `values`.
    values : list
        The distinct values, ``None`` among them if a cell is missing. Categories that no
        cell has may be among them.
    """
    native = column.to_native() if isinstance(column, nw.Series) else column
    try:
        codes, values = _factorizer(column)(native)
    except TypeError as error:
        _explain_bad_cell(native, name)
        raise TypeError(f"Column {name!r} can't be read as categories: {error}") from error
    return _canonical(codes, values)


def is_missing(value: Any) -> bool:
    """Tell whether a cell is None, NaN, NA or NaT."""
    if value is None:
        return True
    if isinstance(value, str | int):
        return False
    if isinstance(value, float):
        return math.isnan(value)
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return False


def _factorizer(column: Any) -> Any:
    if not isinstance(column, nw.Series):
        return _from_numpy
    if isinstance(column.dtype, nw.List | nw.Struct | nw.Array):
        raise TypeError(
            f"its cells are of type {column.dtype}, not single values; "
            "explode or flatten the column, or turn it into strings"
        )
    if column.implementation.is_polars():
        return _from_polars
    if column.implementation.is_pyarrow():
        return _from_pyarrow
    return _from_pandas


def _from_pandas(series: Any) -> tuple[NDArray[Any], list[Value]]:
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        return series.cat.codes.to_numpy(), series.cat.categories.tolist()
    codes, values = pd.factorize(series)
    return codes, values.tolist()


def _from_polars(series: Any) -> tuple[NDArray[Any], list[Value]]:
    import polars as pl

    if series.dtype in (pl.String, pl.Categorical) or isinstance(series.dtype, pl.Enum):
        series = series.cast(pl.String)
        values = series.drop_nulls().unique()
        codes = series.cast(pl.Enum(values)).to_physical().cast(pl.Int64)
        return codes.fill_null(MISSING_CODE).to_numpy(), values.to_list()
    if series.dtype.base_type().__name__ in POLARS_ONLY:
        return _from_objects(series.to_list())
    known = series.drop_nulls()
    if not len(known):
        return np.full(len(series), MISSING_CODE), []
    cells = known.to_physical().to_numpy()
    _, first, inverse = np.unique(cells, return_index=True, return_inverse=True)
    codes = np.full(len(series), MISSING_CODE)
    codes[series.is_not_null().to_numpy()] = inverse
    return codes, known.gather(first).to_list()


def _from_pyarrow(array: Any) -> tuple[NDArray[Any], list[Value]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not array.num_chunks:
        return np.empty(0, dtype=np.int64), []
    try:
        if not pa.types.is_dictionary(array.type):
            array = pc.dictionary_encode(array)
        array = array.unify_dictionaries().combine_chunks()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # run-end encoded, nulls in dictionaries
        return _from_objects(array.to_pylist())
    if isinstance(array, pa.ChunkedArray):  # older releases give one chunk, not an array
        array = array.chunk(0)
    indices = array.indices
    if indices.null_count:
        indices = pc.fill_null(indices.cast(pa.int64()), MISSING_CODE)
    return indices.to_numpy(), _to_microseconds(array.dictionary).to_pylist()


def _to_microseconds(array: Any) -> Any:
    """Round times down to what Python can hold; the others are as they were."""
    import pyarrow as pa

    if pa.types.is_timestamp(array.type) and array.type.unit == "ns":
        return array.cast(pa.timestamp("us", array.type.tz), safe=False)
    if pa.types.is_duration(array.type) and array.type.unit == "ns":
        return array.cast(pa.duration("us"), safe=False)
    return array


def _from_numpy(array: NDArray[Any]) -> tuple[NDArray[Any], list[Value]]:
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: categories are single values.")
    if array.dtype.kind in "mM":
        array = array.astype(f"{array.dtype.kind}8[us]").astype(object)
    if array.dtype.kind in "SUT":
        array = array.astype(object)
    try:
        import pandas as pd
    except ImportError:
        return _from_objects(array.tolist())
    codes, values = pd.factorize(array)
    return codes, values.tolist()


def _from_objects(cells: Iterable[Any]) -> tuple[NDArray[Any], list[Value]]:
    positions: dict[Value, int] = {}
    codes = [
        MISSING_CODE if is_missing(cell) else positions.setdefault(cell, len(positions))
        for cell in cells
    ]
    return np.array(codes, dtype=np.int64), list(positions)


def _canonical(codes: NDArray[Any], values: list[Any]) -> tuple[NDArray[Any], list[Value]]:
    """Make the values Python's own and distinct, and give missing cells a value."""
    has_missing = bool(len(codes)) and codes.dtype.kind == "i" and bool(codes.min() == MISSING_CODE)
    if not has_missing and _is_canonical(values):
        return codes, values
    positions: dict[Value, int] = {}
    move = [positions.setdefault(plain(value), len(positions)) for value in values]
    if not has_missing and len(positions) == len(values):
        return codes, list(positions)
    if has_missing:
        move.append(positions.setdefault(None, len(positions)))
    return np.array(move, dtype=smallest_unsigned(len(positions)))[codes], list(positions)


def _is_canonical(values: list[Any]) -> bool:
    """Tell whether values are as they should be; of an id there are as many as rows."""
    types = set(map(type, values))
    if not types <= OWN_TYPES or (float in types and any(map(ne, values, values))):  # NaN is not
        return False
    return len(set(values)) == len(values)


def plain(value: Any) -> Value:
    """Return a value as Python's own type where it has one."""
    if is_missing(value):
        return None
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime(warn=False)
    if hasattr(value, "to_pytimedelta"):
        return value.to_pytimedelta()
    return value


def _explain_bad_cell(native: Any, name: str) -> None:
    """Raise a message that names the cell, if a cell can't be a category."""
    names = ("to_pylist", "to_list", "tolist")
    cells = next(getattr(native, name) for name in names if hasattr(native, name))
    for row, cell in enumerate(cells()):
        try:
            hash(cell)
        except TypeError:
            kind = type(cell).__name__
            raise TypeError(
                f"Column {name!r}, row {row}: the cell holds a {kind} ({cell!r:.60}), but a "
                "category must be a single hashable value such as a string or a number. "
                "Turn it into a string or a tuple, or drop the column."
            ) from None
