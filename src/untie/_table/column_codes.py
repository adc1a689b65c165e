"""One column of any library -> integer codes and the list of its distinct values.

Cells become values of Python's own types first, the same for the same moment or number: a time
with a time zone is an instant in UTC. Two cells hold the same value if Python calls them equal, as
in scikit-learn's encoders.
"""

import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from operator import ne
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from untie._util.messages import Row, message
from untie._util.types import AnyArray, FloatArray, Value, smallest_unsigned

REMEDY = "turn the column into text, or such cells into missing ones"

INTERVAL_MONTH = 30
"""Days of a month in an interval, as DuckDB and PostgreSQL compare intervals."""

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_FINE = ("ns", "ps", "fs", "as")
"""Units below the microsecond; what 64 bits hold of them is always in range."""

TIMES = ((datetime.min - _EPOCH) // _MICROSECOND, (datetime.max - _EPOCH) // _MICROSECOND)
"""The first and last microsecond that Python has, from 1970 on: the years 1 to 9999."""

MOST_YEARS = 146_000
DURATIONS = (-(2**62), 2**62)
"""Microseconds that numpy can turn into any unit and back: more than `MOST_YEARS`."""

PER_DAY = {"d": 1, "s": 86_400, "ms": 86_400_000, "us": 86_400_000_000}


def is_missing(value: Any) -> bool:
    """Return whether a cell is None, NaN, NA or NaT."""
    if value is None:
        return True
    if isinstance(value, str | int):
        return False
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, Decimal):
        return value.is_nan()
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return False


def plain(value: Any) -> Value:
    """Return a value as Python's own type where it has one; see the top of this file.

    Raises
    ------
    ValueError
        When Python's type can't hold it, such as a time in the year 10,000.

    Examples
    --------
    >>> plain(np.datetime64("2024-05-01T10:00:00.123456789")), plain(np.longdouble(1) / 4)
    (datetime.datetime(2024, 5, 1, 10, 0, 0, 123456), 0.25)
    """
    kind = type(value)
    if kind in (str, int, bool):  # the common cases, of which there may be millions
        return value
    if kind is float:
        return None if math.isnan(value) else value
    if is_missing(value):
        return None
    if isinstance(value, np.generic):
        return _plain_scalar(value)
    if hasattr(value, "to_pydatetime"):
        try:
            value = value.to_pydatetime(warn=False)
        except ValueError as error:
            raise ValueError(f"{error}; {REMEDY}") from None
    elif hasattr(value, "to_pytimedelta"):
        return _plain_scalar(value.to_timedelta64())  # rounded down, as all others are
    if isinstance(value, datetime):
        return in_utc(value)
    if isinstance(value, tuple):
        return _plain_tuple(value)
    if type(value).__name__ == "Interval" and getattr(value.left, "tzinfo", None) is not None:
        left, right = (end.tz_convert("UTC") for end in (value.left, value.right))
        return type(value)(left, right, value.closed)
    return value


def _plain_scalar(value: np.generic) -> Value:
    """Return a number, a text or a time of numpy's as Python's own."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        [cell] = in_microseconds(np.array([value])).tolist()
        return cell
    if isinstance(value, np.longdouble):  # which `item` leaves as it is
        [cell] = as_doubles(np.array([value])).tolist()
        return cell
    return value.item()


def _plain_tuple(value: tuple[Any, ...]) -> Value:
    if type(value).__name__ != "MonthDayNano":
        return tuple(map(plain, value)) if type(value) is tuple else value
    months, days, nanoseconds = value
    try:
        return timedelta(months * INTERVAL_MONTH + days, microseconds=nanoseconds // 1000)
    except OverflowError:
        raise ValueError(f"the interval {tuple(value)} is too long; {REMEDY}") from None


def has_zone(value: Any) -> bool:
    """Return whether a value is a time in a zone other than UTC, or has one in it."""
    if isinstance(value, tuple):
        return any(map(has_zone, value))
    return isinstance(value, datetime) and value.tzinfo is not None and value.tzinfo is not UTC


def in_utc(value: datetime) -> datetime:
    """Return the same moment in UTC; a time without a zone as it is.

    Examples
    --------
    >>> from zoneinfo import ZoneInfo
    >>> twice = datetime(2024, 10, 27, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    >>> [in_utc(twice.replace(fold=fold)).hour for fold in (0, 1)]
    [0, 1]
    """
    if value.tzinfo is None or value.utcoffset() is None:
        return value
    try:
        return value.astimezone(UTC)
    except OverflowError:  # within a day of the first or the last year
        return value


def in_microseconds(array: AnyArray) -> NDArray[np.object_]:
    """Return times or durations of numpy's as Python's own; None for NaT."""
    kind, (unit, step) = array.dtype.kind, np.datetime_data(array.dtype)
    wanted = f"{kind}8[us]"
    if unit not in _FINE and unit != "generic":
        low, high = _limits(array.dtype)
        known = array[~np.isnat(array)]
        odd = known[(known < low) | (known > high)]
        if len(odd):
            raise ValueError(_out_of_range(int(odd[0].astype(np.int64)) * step, unit, kind == "M"))
    return array.astype(wanted).astype(object)


def _limits(dtype: np.dtype[Any]) -> AnyArray:
    """Return the first and last time or duration of a type of numpy's that Python has."""
    kind, (unit, step) = dtype.kind, np.datetime_data(dtype)
    if kind == "m" and unit in ("Y", "M"):  # which no other unit becomes
        most = MOST_YEARS * (12 if unit == "M" else 1) // step
        return np.array([-most, most]).astype(dtype)
    # Limits become coarser without overflow, while cells can't become finer.
    limits = np.array(TIMES if kind == "M" else DURATIONS).astype(f"{kind}8[us]").astype(dtype)
    begins_before = kind == "M" and limits[0].astype("M8[us]") < np.datetime64(TIMES[0], "us")
    return limits + np.array([begins_before, 0])


def check_times(low: int, high: int, unit: str, is_duration: bool = False) -> None:
    """Refuse times since 1970 (or durations) of which Python has none.

    Parameters
    ----------
    low, high : int
        The first and the last of them.
    unit : {"d", "s", "ms", "us", "ns"}
        Their unit.
    is_duration : bool
        Whether they are durations.
    """
    if unit in _FINE:
        return
    for number in (low, high):
        microseconds = number * (PER_DAY["us"] // PER_DAY[unit])
        first, last = DURATIONS if is_duration else TIMES
        if not first <= microseconds <= last:
            raise ValueError(_out_of_range(number, unit, not is_duration))


def _out_of_range(number: int, unit: str, is_time: bool) -> str:
    if is_time:
        return f"{number:,} {unit} from 1970 on is not in the years 1 to 9999; {REMEDY}"
    return f"{number:,} {unit} is a duration of more than {MOST_YEARS:,} years; {REMEDY}"


def as_doubles(array: AnyArray) -> FloatArray:
    """Return long numbers as doubles, or refuse those that no double holds."""
    with np.errstate(over="ignore"):
        doubles = array.astype(np.float64)
    odd = array[np.isinf(doubles) & np.isfinite(array)]
    if len(odd):
        raise ValueError(f"{odd[0]!s} is more than a double holds; {REMEDY}")
    return doubles


def typed_numbers(column: Any) -> FloatArray | None:
    """Return the cells of a column of numbers as doubles; None if its type is another."""
    if isinstance(column, nw.Series):
        if not column.dtype.is_numeric():
            return None
        return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=float)
    return column.astype(float) if column.dtype.kind in "iuf" else None


def is_half_text(value: Any) -> bool:
    """Return whether a value is a text with half a character in it."""
    return isinstance(value, str) and whole_characters(value) != value


def whole_characters(text: str) -> str:
    r"""Return a text that every file and frame can hold: half a character is written ``\ud800``.

    Examples
    --------
    >>> print(whole_characters("a" + chr(0xD800)))
    a\ud800
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def value_code(value: Any) -> str:
    """Return a value as Python writes it, for messages; a very long integer in base 16, and cut."""
    try:
        return repr(value)
    except ValueError:
        return f"{value_text(value)[:40]}..."


def value_text(value: Any) -> str:
    """Return a value as text; an integer of thousands of digits in base 16, as Python refuses.

    Examples
    --------
    >>> value_text(12), value_text(16**5000)[:5]
    ('12', '0x100')
    """
    try:
        return str(value)
    except ValueError:
        return hex(value) if isinstance(value, int) else type(value).__name__


MISSING_CODE = -1
"""What the libraries below write for a missing cell, until `_canonical` replaces it."""

ONE_PIECE = 2**30
"""Cells of Arrow are brought together if they have at most this many bytes; text has room for
twice as many."""

OWN_TYPES = frozenset({str, int, bool, float})
"""Types of Python's own, of which only a number can be missing."""

POLARS_ONLY = {"Object", "Decimal", "Int128", "UInt128"}
"""Types of polars that numpy lacks. Asked by name: polars 1 panics where polars 2 raises."""


def factorize(column: Any, name: str) -> tuple[AnyArray, list[Value]]:
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


def _from_pandas(series: Any) -> tuple[AnyArray, list[Value]]:
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        return series.cat.codes.to_numpy(), _python_values(series.cat.categories)
    if isinstance(series.dtype, pd.ArrowDtype):
        return _from_pyarrow(series.array.__arrow_array__())
    if series.dtype == object:
        return _from_pandas_objects(series.to_numpy())
    codes, values = pd.factorize(series)
    return codes, _python_values(values)


def _python_values(values: Any) -> list[Value]:
    """Return an index of pandas as a list; times in UTC, as pandas has two of an hour at times."""
    if getattr(values, "tz", None) is not None:
        values = values.tz_convert("UTC")
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "mM":
        values = in_microseconds(values.to_numpy())
    return values.tolist()


def _from_pandas_objects(cells: NDArray[np.object_]) -> tuple[AnyArray, list[Value]]:
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


def _from_polars(series: Any) -> tuple[AnyArray, list[Value]]:
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
    if known.dtype == pl.Duration("ns"):  # which polars would round toward 0
        known = (known.to_physical() // 1000).cast(pl.Duration("us"))
    _, first, inverse = np.unique(cells, return_index=True, return_inverse=True)
    codes = np.full(len(series), MISSING_CODE)
    codes[series.is_not_null().to_numpy()] = inverse
    return codes, known.gather(first).to_list()


def _check_polars_times(dtype: Any, cells: AnyArray) -> None:
    """Refuse times out of range before polars does, which panics."""
    kind = dtype.base_type().__name__
    if kind in ("Date", "Datetime", "Duration"):
        unit = getattr(dtype, "time_unit", "d")
        check_times(int(cells.min()), int(cells.max()), unit, kind == "Duration")


def _from_pyarrow(array: Any) -> tuple[AnyArray, list[Value]]:
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
    """Divide integers and round down; Arrow rounds toward 0, which is up before 1970."""
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


def _from_numpy(array: AnyArray) -> tuple[AnyArray, list[Value]]:
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


def _from_objects(cells: Iterable[Any]) -> tuple[AnyArray, list[Value]]:
    positions: dict[Value, int] = {}
    codes = [
        MISSING_CODE if value is None else positions.setdefault(value, len(positions))
        for value in map(plain, cells)
    ]
    return np.array(codes, dtype=np.int64), list(positions)


def _canonical(codes: AnyArray, values: list[Any]) -> tuple[AnyArray, list[Value]]:
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
    """Return whether values are as they should be; of an id there are as many as rows."""
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
            said = (
                "Column {0!r}, {1}: the cell holds a {2} ({3!r:.60}), but a category must be a "
                "single hashable value such as a string or a number. Turn it into a string or a "
                "tuple, or drop the column."
            )
            raise TypeError(message(said, name, Row(row), kind, cell)) from None
