"""Cells -> numbers: measurements, dates as periods, and either written as text.

Numbers as people write them: 1.234,5 or 1,234.5, $10, 12 kg, 35%. And numbers that name categories:
75000 and 75000.0 are one, 007 and 1.50 stay text.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from untie._table.column_codes import in_utc
from untie._util.types import FloatArray, Value

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


def read(values: list[Any], unit: str) -> FloatArray:
    """Return cells as numbers of a unit; NaN where they are none."""
    found: Iterable[float | None] = map(as_number, values)
    if unit != NUMBER:
        found = (None if day is None else _period(day, unit) for day in map(as_date, values))
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


_CURRENCY = (
    r"(?:US|AU?|CA?|NZ|HK|R)?\$|[€£¥₹₽₩]|USD|EUR|GBP|JPY|CHF|CAD|AUD|CNY|INR|BRL|SEK|NOK|DKK|PLN"
)
_WORD = r"[^\W\d_]{1,12}"
_UNIT = rf"{_WORD}(?:/{_WORD})?[²³]?\.?|[%‰]|°\s?[A-Za-z]?|{_CURRENCY}"
_MARKS = ",.'\u2019 \u00a0\u202f"
_SIGN = "[-+\u2212]"
_ANY = re.compile(
    rf"(?P<first>{_SIGN})?(?P<before>{_CURRENCY})?\s?(?P<second>{_SIGN})?"
    rf"(?P<digits>\d+(?:[{_MARKS}]\d+)*)\s?(?P<after>{_UNIT})?"
)

PLAIN = (".", "")
"""The marks of plain numbers: before decimals, and between thousands."""

_USUAL = (PLAIN, (",", ""), (".", ","), (",", "."))


@dataclass(frozen=True)
class NumberWriting:
    """How the numbers of a column are written.

    Parameters
    ----------
    decimal : str
        The mark before decimals.
    thousands : str
        The mark between thousands; may be empty.
    before, after : str
        The text before and after each number: a currency, a unit; may be empty.

    Examples
    --------
    >>> writing = NumberWriting(",", ".", "", "kg")
    >>> writing.read("1.234,5 kg"), writing.read("12 g") is None
    (1234.5, True)
    """

    decimal: str
    thousands: str
    before: str = ""
    after: str = ""

    def read(self, text: str) -> float | None:
        """Return the number that a text is, None if it is not written so."""
        match = _ANY.fullmatch(text.strip())
        around = None if match is None else (match["before"] or "", match["after"] or "")
        if match is None or around != (self.before, self.after):
            return None
        number = self.number(match["digits"])
        if number is None or (match["first"] and match["second"]):
            return None
        sign = match["first"] or match["second"] or "+"
        return number if sign == "+" else -number

    def number(self, digits: str) -> float | None:
        """Return the number that digits with marks are, None if the marks are not these."""
        if not self._digits.fullmatch(digits) or _CODE.match(digits):
            return None
        whole = digits.replace(self.thousands, "") if self.thousands else digits
        return float(whole.replace(self.decimal, "."))

    @property
    def has_unit(self) -> bool:
        """Whether there is text before or after the numbers."""
        return bool(self.before or self.after)

    def words(self) -> str:
        """Return how numbers are read, for people."""
        said = "as numbers" + (f" in {self.before or self.after!r}" if self.has_unit else "")
        marks = []
        if self.decimal != PLAIN[0]:
            marks.append(f"{self.decimal!r} before decimals")
        if self.thousands:
            marks.append(f"{self.thousands!r} between thousands")
        return f"{said}, with {' and '.join(marks)}" if marks else said

    @cached_property
    def _digits(self) -> re.Pattern[str]:
        mark = re.escape(self.thousands)
        whole = rf"(?:[1-9]\d{{0,2}}(?:{mark}\d{{3}})+|\d+)" if self.thousands else r"\d+"
        return re.compile(rf"{whole}(?:{re.escape(self.decimal)}\d+)?")


def find_number_writing(texts: Sequence[str]) -> NumberWriting | None:
    """Return how all texts are written as numbers; None if they are not, or it can't be told.

    The unit is the same everywhere. Which mark is which is told by the texts themselves: 3,5 has a
    decimal comma, 1,234,567 has thousands; 1,234 alone could be either, and so it is None. Beside
    shorter numbers without a mark (30, 999) it has thousands, as decimals would have other lengths.

    Parameters
    ----------
    texts : sequence of str
        The distinct values, in any order; not all plain numbers.

    Examples
    --------
    >>> find_number_writing(["3,5", "12"])
    NumberWriting(decimal=',', thousands='', before='', after='')
    >>> find_number_writing(["1,234", "30"]).thousands, find_number_writing(["1,234", "5,678"])
    (',', None)
    """
    parts = set()
    bodies = []
    for text in texts:
        match = _ANY.fullmatch(text.strip())
        if match is None or (match["first"] and match["second"]):
            return None
        parts.add((match["before"] or "", match["after"] or ""))
        if len(parts) > 1:
            return None
        bodies.append(match["digits"])
    if not bodies:
        return None
    marks = _marks(bodies)
    if marks is None:
        return None
    before, after = parts.pop()
    return NumberWriting(*marks, before, after)


def _marks(bodies: Sequence[str]) -> tuple[str, str] | None:
    """Return the marks before decimals and between thousands, if they can be told."""
    used = {mark for body in bodies for mark in body if not mark.isdecimal()}
    others = used - {",", "."}
    candidates = [*_USUAL, *((decimal, mark) for mark in sorted(others) for decimal in ".,")]
    fitting = [
        marks
        for marks in candidates
        if (not marks[1] or marks[1] in used) and _fit(bodies, NumberWriting(*marks))
    ]
    if not fitting:
        return None
    # A point alone comes before decimals, as everywhere in files. If other marks than commas are
    # used, the candidates differ in a mark that no number has.
    if len(fitting) == 1 or PLAIN in fitting or used != {","}:
        return fitting[0]
    plain = [body for body in bodies if "," not in body]
    is_grouped = bool(plain) and all(len(body) <= 3 for body in plain)
    return (".", ",") if is_grouped else None


def _fit(bodies: Iterable[str], writing: NumberWriting) -> bool:
    return all(writing.number(body) is not None for body in bodies)


# Neither 007 nor 1.50, which may be names; 1e+05 is how programs write some large numbers.
_PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.(?:0|\d*[1-9]))?|-?[1-9](?:\.\d*[1-9])?e[-+]\d\d")
_WHOLE = re.compile(r"-?(?:0|[1-9]\d*)(?:\.0)?")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}\.\d{3}")

POINT, COMMA = PLAIN[0], ","


@dataclass(frozen=True)
class NumberNames:
    """How numbers that are names of categories are read: as the same text for the same number.

    Parameters
    ----------
    decimal : {".", ","}
        The mark before decimals.

    Examples
    --------
    >>> names = NumberNames(".")
    >>> [names.read(text) for text in ("75000", "75000.0", "7.5", "1e+05", "007", "many")]
    ['75000', '75000', '7.5', '100000', None, None]
    >>> NumberNames(",").read("75000,0"), NumberNames(",").read("1.234")
    ('75000', None)
    """

    decimal: str

    def read(self, text: str) -> str | None:
        """Return a number as plain text, None if the text is not a number."""
        text = text.strip()
        if self.decimal == COMMA:
            if _THOUSANDS.fullmatch(text) or (COMMA in text and POINT in text):
                return None
            text = text.replace(COMMA, POINT)
        if _WHOLE.fullmatch(text):  # whatever its length, which no float holds
            name = text.removesuffix(".0")
            return "0" if name == "-0" else name
        number = as_number(text)
        if number is None or not math.isfinite(number):
            return None
        return str(int(number)) if number.is_integer() else str(number)


def find_number_names(values: Sequence[Value]) -> NumberNames | None:
    """Return how a column of texts that are all plain numbers is read; None for other columns.

    A column with a single cell such as 007 or 1.50 is not read as numbers: these may be codes or
    versions, and then 7 and 1.5 are others.

    Parameters
    ----------
    values : sequence
        The distinct values, without missing ones, in any order.

    Examples
    --------
    >>> find_number_names(["1", "2.0"]), find_number_names(["7", "007"])
    (NumberNames(decimal='.'), None)
    """
    texts = [value for value in values if isinstance(value, str)]
    if not texts or len(texts) < len(values):
        return None
    if all(map(_PLAIN.fullmatch, texts)):
        return NumberNames(POINT)
    if not all(_PLAIN.fullmatch(text.replace(COMMA, POINT)) for text in texts):
        return None
    found = find_number_writing(texts)  # None where 1,234 may be 1234
    is_comma = found is not None and (found.decimal, found.thousands) == (COMMA, "")
    return NumberNames(COMMA) if is_comma else None


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


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    "(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4}|'?\d\d)"
_GAP = r"(?:\s*[-/.,]\s*|\.?,?\s+)"
_CLOCK = (
    r"(?:(?:,?\s+|T)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?\s?"
    r"(?P<half>[AaPp]\.?[Mm]\.?)?)?"
)
_NAMED = tuple(
    re.compile(_WEEKDAY + form + _CLOCK, re.IGNORECASE)
    for form in (
        rf"{_DAY}(?:{_GAP}|\s+of\s+)?{_MONTH}{_GAP}?{_YEAR}",
        rf"{_MONTH}{_GAP}?{_DAY}{_GAP}{_YEAR}",
        rf"(?P<year>\d{{4}}){_GAP}?{_MONTH}{_GAP}?{_DAY}",
    )
) + tuple(
    re.compile(form, re.IGNORECASE)
    for form in (rf"{_MONTH}{_GAP}?{_YEAR}", rf"(?P<year>\d{{4}}){_GAP}?{_MONTH}")
)

FIRST_YEAR = 1930
"""Years with two digits are in the hundred years from here on, as in spreadsheets."""

CLOSE_YEARS = 10
"""Unless there are years close to each other on both sides of that: 28, 29, 30, 31 are in a row."""

LAST_DAY = 31
"""Where all of May-01, May-17, ... have at most this number, it may be a day."""


@dataclass(frozen=True)
class MonthNames:
    """How dates with the English name of a month are read: Jun 12 1998, 12 June 1998, Jun-98.

    Parameters
    ----------
    first_year : int
        The first of the hundred years that those with two digits are in; 0 where none has.

    Examples
    --------
    >>> names = MonthNames(1962)
    >>> [str(names.read(text)) for text in ("Jun 12, 1998", "12-JUN-98", "Sept. 2004", "May-61")]
    ['1998-06-12', '1998-06-12', '2004-09-01', '2061-05-01']
    """

    first_year: int

    def read(self, text: str) -> date | None:
        """Return the date that a text is, its first day if it names none; None for other texts."""
        parts = _named_parts(text)
        if parts is None or (len(parts["year"]) < 4 and not self.first_year):
            return None
        year = int(parts["year"].lstrip("'"))
        if len(parts["year"]) < 4:
            year = self.first_year + (year - self.first_year) % 100
        month = _MONTHS.index(parts["month"][:3].lower()) + 1
        try:
            found = date(year, month, int(parts.get("day") or 1))
            hour, half = parts.get("hour"), parts.get("half") or None
            return _at(found, hour, parts["minute"], parts["second"], half) if hour else found
        except ValueError:  # 31 June, a 25th hour
            return None

    def words(self) -> str:
        """Return how dates are read, for people."""
        years = f", years from {self.first_year} on" if self.first_year else ""
        return f"as dates with the month's name{years}"


def _named_parts(text: str) -> dict[str, str] | None:
    text = text.strip()
    matches = (form.fullmatch(text) for form in _NAMED)
    return next((match.groupdict("") for match in matches if match), None)


def find_month_names(texts: Sequence[str]) -> MonthNames | None:
    """Return how all texts are read as dates with the name of a month; None if they are not.

    Years with two digits are 1930 to 2029, or in a row: 28, 29, 30, 31 are 2028 to 2031. Texts such
    as May-17 whose numbers may all be days are no dates.

    Parameters
    ----------
    texts : sequence of str
        The distinct values, in any order.

    Examples
    --------
    >>> find_month_names(["Jun 12 1998", "May 3 2001"]), find_month_names(["May-17", "Jun-02"])
    (MonthNames(first_year=0), None)
    """
    short, months = set(), set()
    for text in texts:
        parts = _named_parts(text)
        if parts is None:
            return None
        if len(parts["year"]) < 4:
            year = int(parts["year"].lstrip("'"))
            short.add(year)
            if not parts.get("day") and "'" not in text:
                months.add(year)
    if not texts or (months and min(months) >= 1 and max(months) <= LAST_DAY):
        return None
    found = MonthNames(_first_year(sorted(short)) if short else 0)
    return found if all(found.read(text) is not None for text in texts) else None


def _first_year(short: Sequence[int]) -> int:
    """Return the first of the hundred years that ascending years with two digits are in."""
    before = max((year for year in short if year < FIRST_YEAR % 100), default=-CLOSE_YEARS)
    after = min((year for year in short if year >= FIRST_YEAR % 100), default=100)
    gaps = [
        (year - last) % 100 or 100
        for year, last in zip(short, [short[-1], *short[:-1]], strict=True)
    ]
    if after - before > CLOSE_YEARS or max(gaps) <= CLOSE_YEARS:
        return FIRST_YEAR
    first = short[gaps.index(max(gaps))]
    return first + (2000 if first < FIRST_YEAR % 100 else 1900)


def _at(day: date, hour: str, minute: str, second: str | None, half: str | None) -> datetime:
    hours = int(hour)
    if half is not None:
        if not 1 <= hours <= 12:
            raise ValueError(hour)
        hours = hours % 12 + (12 if half[0] in "Pp" else 0)
    return datetime(day.year, day.month, day.day, hours, int(minute), int(second or 0))
