"""One column of any library -> integer codes and the list of its distinct values.

Two cells hold the same value when Python calls them equal, as in scikit-learn's
encoders: ``1``, ``1.0`` and ``True`` are one value, ``"1"`` is another. None, NaN, NA
and NaT are one value, ``None``. What types of other libraries become is said in `plain_values.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import ne
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from untie._table.plain_values import (
    as_doubles,
    check_times,
    has_zone,
    in_microseconds,
    is_half_text,
    plain,
)
from untie._util.types import Value, smallest_unsigned

MISSING_CODE = -1
"""What the libraries below write for a missing cell, until `_canonical` replaces it."""

ONE_PIECE = 2**30
"""Cells of Arrow are brought together if they have at most this many bytes; text has room for
twice as many."""

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
        return _canonical(*_factorizer(column)(native))
    except TypeError as error:
        _explain_bad_cell(native, name)
        raise TypeError(f"Column {name!r} can't be read as categories: {error}") from error
    except (OverflowError, ValueError) as error:
        raise ValueError(f"Column {name!r} can't be read as categories: {error}.") from error


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
        return series.cat.codes.to_numpy(), _python_values(series.cat.categories)
    if isinstance(series.dtype, pd.ArrowDtype):
        return _from_pyarrow(_as_chunks(series.array.__arrow_array__()))
    if series.dtype == object:
        return _from_pandas_objects(series.to_numpy())
    codes, values = pd.factorize(series)
    return codes, _python_values(values)


def _as_chunks(array: Any) -> Any:
    import pyarrow as pa

    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _python_values(values: Any) -> list[Value]:
    """Return an index of pandas as a list; times in UTC, as pandas has two of an hour at times."""
    if getattr(values, "tz", None) is not None:
        values = values.tz_convert("UTC")
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "mM":
        values = in_microseconds(values.to_numpy())
    return values.tolist()


def _from_pandas_objects(cells: NDArray[np.object_]) -> tuple[NDArray[Any], list[Value]]:
    """Return codes and values of any objects, by pandas where it tells them apart.

    Python calls the two times of the hour that clocks repeat equal, and that hour of another zone
    different; and some versions of pandas know no half characters, nor integers above 1e308.
    """
    import pandas as pd

    try:
        codes, found = pd.factorize(cells)
    except OverflowError:
        return _from_objects(cells)
    values: list[Value] = found.tolist()
    if any(has_zone(value) or is_half_text(value) for value in values):
        return _from_objects(cells)
    return codes, values


def _from_polars(series: Any) -> tuple[NDArray[Any], list[Value]]:
    import polars as pl

    if isinstance(series.dtype, pl.Enum):
        codes = series.to_physical().cast(pl.Int64).fill_null(MISSING_CODE)
        return codes.to_numpy(), series.dtype.categories.to_list()
    if series.dtype in (pl.String, pl.Categorical):
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
    _check_polars_times(known.dtype, cells)
    if getattr(known.dtype, "time_zone", None):
        known = known.dt.convert_time_zone("UTC")
    if known.dtype == pl.Duration("ns"):  # which polars would round towards 0
        known = (known.to_physical() // 1000).cast(pl.Duration("us"))
    _, first, inverse = np.unique(cells, return_index=True, return_inverse=True)
    codes = np.full(len(series), MISSING_CODE)
    codes[series.is_not_null().to_numpy()] = inverse
    return codes, known.gather(first).to_list()


def _check_polars_times(dtype: Any, cells: NDArray[Any]) -> None:
    """Refuse times out of range before polars does, which panics."""
    kind = dtype.base_type().__name__
    if kind in ("Date", "Datetime", "Duration"):
        unit = getattr(dtype, "time_unit", "d")
        check_times(int(cells.min()), int(cells.max()), unit, kind == "Duration")


def _from_pyarrow(array: Any) -> tuple[NDArray[Any], list[Value]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not array.num_chunks:
        return np.empty(0, dtype=np.int64), []
    try:
        if not pa.types.is_dictionary(array.type):
            # In pieces, each would have all values, to be compared with those of the others.
            whole = array if array.nbytes > ONE_PIECE else array.combine_chunks()
            array = pc.dictionary_encode(whole)
        if isinstance(array, pa.ChunkedArray):
            array = array.unify_dictionaries().combine_chunks()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # run-end encoded, nulls in dictionaries
        return _from_objects(_to_microseconds(array).to_pylist())
    if isinstance(array, pa.ChunkedArray):  # older releases give one chunk, not an array
        array = array.chunk(0)
    indices = array.indices
    if indices.null_count:
        indices = pc.fill_null(indices.cast(pa.int64()), MISSING_CODE)
    return indices.to_numpy(), _to_microseconds(array.dictionary).to_pylist()


def _to_microseconds(array: Any) -> Any:
    """Round times down to what Python can hold, and turn them into UTC; others are as they were."""
    import pyarrow as pa

    if not pa.types.is_temporal(array.type) or pa.types.is_time(array.type):
        return array
    if pa.types.is_interval(array.type):
        return array
    _check_arrow_times(array)
    if getattr(array.type, "tz", None) is not None:
        array = array.cast(pa.timestamp(array.type.unit, "UTC"))
    if getattr(array.type, "unit", None) != "ns":
        return array
    is_duration = pa.types.is_duration(array.type)
    wanted = pa.duration("us") if is_duration else pa.timestamp("us", array.type.tz)
    return _floor(array.cast(pa.int64()), 1000).cast(wanted)


def _floor(numbers: Any, step: int) -> Any:
    """Divide integers and round down; Arrow rounds towards 0, which is up before 1970."""
    import pyarrow.compute as pc

    whole = pc.divide(numbers, step)
    is_below = pc.less(numbers, pc.multiply(whole, step))
    return pc.subtract(whole, is_below.cast("int64"))


def _check_arrow_times(array: Any) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    is_day = array.type == pa.date32()
    ends = pc.min_max(array.cast(pa.int32() if is_day else pa.int64()))
    low, high = ends["min"].as_py(), ends["max"].as_py()
    unit = "d" if is_day else getattr(array.type, "unit", "ms")
    if low is not None:
        check_times(low, high, unit, pa.types.is_duration(array.type))


def _from_numpy(array: NDArray[Any]) -> tuple[NDArray[Any], list[Value]]:
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: categories are single values.")
    if array.dtype.kind in "mM":
        array = in_microseconds(array)
    if array.dtype.kind in "SUT":
        array = array.astype(object)
    if array.dtype == np.longdouble:
        array = as_doubles(array)
    try:
        import pandas as pd
    except ImportError:
        return _from_objects(array.tolist())
    if array.dtype == object:
        return _from_pandas_objects(array)
    codes, values = pd.factorize(array)
    return codes, values.tolist()


def _from_objects(cells: Iterable[Any]) -> tuple[NDArray[Any], list[Value]]:
    positions: dict[Value, int] = {}
    codes = [
        MISSING_CODE if value is None else positions.setdefault(value, len(positions))
        for value in map(plain, cells)
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
