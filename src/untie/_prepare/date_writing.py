"""Dates as people write them: 31/12/2024, 31.12.2024, 12/31/2024 10:30 PM, 2024/12/31."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

DAY_FIRST, MONTH_FIRST, YEAR_FIRST = "day first", "month first", "year first"
ORDERS = (DAY_FIRST, MONTH_FIRST, YEAR_FIRST)

_TIME = r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s?([AaPp]\.?[Mm]\.?)?"
_DATE = re.compile(rf"(\d{{1,4}})([-/.])(\d{{1,2}})\2(\d{{1,4}})(?:(?:,?\s+|T){_TIME})?")


@dataclass(frozen=True)
class DateWriting:
    """How the dates of a column are written.

    Parameters
    ----------
    order : {"day first", "month first", "year first"}
        What comes first.

    Examples
    --------
    >>> DateWriting("day first").read("5/12/2024"), DateWriting("month first").read("5/12/2024")
    (datetime.date(2024, 12, 5), datetime.date(2024, 5, 12))
    """

    order: str

    def read(self, text: str) -> date | None:
        """Return the date that a text is, None if it is not written so."""
        match = _DATE.fullmatch(text.strip())
        if match is None:
            return None
        first, second, last = match[1], match[3], match[4]
        year, month, day = {
            DAY_FIRST: (last, second, first),
            MONTH_FIRST: (last, first, second),
            YEAR_FIRST: (first, second, last),
        }[self.order]
        if len(year) != 4 or len(month) > 2 or len(day) > 2:
            return None
        try:
            found = date(int(year), int(month), int(day))
            return found if match[5] is None else _at(found, *match.groups()[4:])
        except ValueError:  # a 13th month, a 25th hour
            return None

    def words(self) -> str:
        """Return how dates are read, for people."""
        return f"as dates, {self.order}"


def find_date_writing(texts: Sequence[str], day_first: bool | None = None) -> DateWriting | None:
    """Return how all texts are written as dates; None if they are not, or it can't be told.

    Whether the day or the month comes first is told by the texts: by 31/12/2024 the day does. With
    points between, as in 1.2.2024, it always does.

    Parameters
    ----------
    texts : sequence of str
        The distinct values, in any order.
    day_first : bool, optional
        What the user says, where both are possible.

    Examples
    --------
    >>> find_date_writing(["1/2/2024", "31/12/2024"]).order, find_date_writing(["1/2/2024"])
    ('day first', None)
    """
    orders = possible_orders(texts)
    if len(orders) > 1 and day_first is not None:
        orders = [DAY_FIRST if day_first else MONTH_FIRST]
    elif len(orders) > 1 and all("." in text for text in texts):
        orders = [DAY_FIRST]
    return DateWriting(orders[0]) if len(orders) == 1 else None


def possible_orders(texts: Sequence[str]) -> list[str]:
    """Return the orders in which all texts are dates."""
    orders = [DAY_FIRST, MONTH_FIRST, YEAR_FIRST] if texts else []
    for text in texts:
        orders = [order for order in orders if DateWriting(order).read(text) is not None]
        if not orders:
            break
    return orders


def _at(day: date, hour: str, minute: str, second: str | None, half: str | None) -> datetime:
    hours = int(hour)
    if half is not None:
        if not 1 <= hours <= 12:
            raise ValueError(hour)
        hours = hours % 12 + (12 if half[0] in "Pp" else 0)
    return datetime(day.year, day.month, day.day, hours, int(minute), int(second or 0))
