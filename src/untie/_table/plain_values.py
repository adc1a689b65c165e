"""Cells of any library -> values of Python's own types, the same for the same moment or number.

A time with a time zone is an instant, kept in UTC: the hour that comes twice when clocks go back is
two hours. Times and durations are read to the microsecond, numbers as doubles, and an interval of
months, days and nanoseconds (DuckDB's INTERVAL) as a duration with months of 30 days, as databases
compare them.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._util.types import Value

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
    """Tell whether a cell is None, NaN, NA or NaT."""
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
        value = as_datetime(value)
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


def as_datetime(value: Any) -> Any:
    """Return a time of pandas' as Python's own; others are as they were."""
    if not hasattr(value, "to_pydatetime"):
        return value
    try:
        return value.to_pydatetime(warn=False)
    except ValueError as error:
        raise ValueError(f"{error}; {REMEDY}") from None


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
    """Tell whether a value is a time in a zone other than UTC, or has one in it."""
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


def in_microseconds(array: NDArray[Any]) -> NDArray[np.object_]:
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


def _limits(dtype: np.dtype[Any]) -> NDArray[Any]:
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


def as_doubles(array: NDArray[Any]) -> NDArray[np.float64]:
    """Return long numbers as doubles, or refuse those that no double holds."""
    with np.errstate(over="ignore"):
        doubles = array.astype(np.float64)
    odd = array[np.isinf(doubles) & np.isfinite(array)]
    if len(odd):
        raise ValueError(f"{odd[0]!s} is more than a double holds; {REMEDY}")
    return doubles


def is_half_text(value: Any) -> bool:
    """Tell whether a value is a text with half a character in it."""
    if not isinstance(value, str) or value.isascii():
        return False
    return whole_characters(value) != value


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
