"""Cells -> numbers: measurements, dates as periods, and either of them written as text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from untie._table.plain_values import in_utc
from untie._util.types import FloatArray

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_CODE = re.compile(r"[+-]?0\d")  # 007 is a name, not a number

NUMBER = "number"
PERIODS = ("year", "month", "day", "second")
"""Units in which dates are binned, the coarsest first."""


def as_number(value: Any) -> float | None:
    """Return a number, or a text that is one, as a float; None for anything else.

    Examples
    --------
    >>> as_number(3), as_number(" 2.50"), as_number("007"), as_number("n/a"), as_number(True)
    (3.0, 2.5, None, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float | Decimal):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    if isinstance(value, str):
        text = value.strip()
        if _NUMBER.fullmatch(text) and not _CODE.match(text):
            return float(text)
    return None


def as_date(value: Any) -> date | None:
    """Return a date, a time of one, or a text that is one in ISO 8601; None for anything else.

    A time with a zone is returned in UTC, as every engine then has the same one.

    Examples
    --------
    >>> as_date("2024-05-01"), as_date("20240501"), as_date("May")
    (datetime.date(2024, 5, 1), None, None)
    """
    if isinstance(value, datetime):
        return in_utc(value)
    if isinstance(value, date):
        return value
    if isinstance(value, str) and value[4:5] == "-":  # 20240501 may be any number
        for read in (date.fromisoformat, datetime.fromisoformat):
            try:
                found = read(value.strip())
                return in_utc(found) if isinstance(found, datetime) else found
            except ValueError:
                continue
    return None


def reader(unit: str) -> Callable[[Any], float | None]:
    """Return the function that reads a cell as a number of a unit."""
    if unit == NUMBER:
        return as_number
    return lambda value: None if (found := as_date(value)) is None else _period(found, unit)


def read(values: list[Any], unit: str) -> FloatArray:
    """Return cells as numbers of a unit; NaN where they are none."""
    read_one = reader(unit)
    found = (read_one(value) for value in values)
    return np.array([math.nan if number is None else number for number in found], dtype=float)


def _period(value: date, unit: str) -> float:
    if unit == "year":
        return value.year
    if unit == "month":
        return 12 * value.year + value.month - 1
    if unit == "day":
        return value.toordinal()
    seconds = 0
    if isinstance(value, datetime):
        seconds = 3600 * value.hour + 60 * value.minute + value.second
    return 86400 * value.toordinal() + seconds


def write(number: float, unit: str) -> str:
    """Return a number of a unit as people write it.

    Examples
    --------
    >>> write(4.0, "number"), write(0.125, "number"), write(24292, "month")
    ('4', '0.125', '2024-05')
    """
    if unit == NUMBER:
        is_whole = number == int(number) and abs(number) < 1e15
        return str(int(number)) if is_whole else f"{number:.15g}"
    whole = int(number)
    if unit == "year":
        return str(whole)
    if unit == "month":
        return f"{whole // 12}-{whole % 12 + 1:02}"
    if unit == "day":
        return date.fromordinal(whole).isoformat()
    day = datetime.fromordinal(whole // 86400)
    return str(day + timedelta(seconds=whole % 86400))
