"""What is done to a column's values, in a form that can be kept in a file."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from untie._prepare.numbers import as_date, as_number, read
from untie._prepare.readings import AS_IT_IS, Reading
from untie._table.plain_values import value_text
from untie._util.types import Value

TEXT, NUMBERS, OTHERS = "text", "numbers", "others"

PARTS = ("weekday", "month", "hour")
"""What can be taken out of dates."""

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def kind_of(values: list[Value]) -> str:
    """Return whether values are text, numbers that doubles hold, or anything else.

    Examples
    --------
    >>> kind_of(["a", ""]), kind_of([1, 2.5]), kind_of([2**53 + 1]), kind_of([True])
    ('text', 'numbers', 'others', 'others')
    """
    if all(isinstance(value, str) for value in values):
        return TEXT
    return NUMBERS if all(map(_is_double, values)) else OTHERS


def _is_double(value: Value) -> bool:
    """Tell whether a value is a number that a column of doubles holds to the last digit."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return float(value) == value or value != value
    except OverflowError:  # an integer above 1e308
        return False


@dataclass(frozen=True)
class Keep:
    """Values stay as they are, but a number that is now text, or the reverse, is turned back.

    Files of the same table may differ in that: a column with codes such as 7 and 7B is text,
    and numbers where the rows with letters are absent.

    Parameters
    ----------
    kind : {"text", "numbers", "others"}
        What the values were when the column was prepared.
    reading : Reading
        How cells are read.
    """

    kind: str
    reading: Reading = AS_IT_IS

    def labels(self, values: list[Value]) -> list[Value]:
        """Return what each of a column's distinct values becomes."""
        values = self.reading.read(values)
        known = [value for value in values if value is not None]
        if kind_of(known) == self.kind or self.kind == OTHERS:
            return values
        return [self._turned(value) for value in values]

    def _turned(self, value: Value) -> Value:
        if value is None:
            return None
        if self.kind == TEXT:
            return as_text(value)
        number = as_number(value)
        # No column of numbers can hold the text; this number is as unknown to every model.
        return math.inf if number is None else number


@dataclass(frozen=True)
class Bin:
    """Numbers become ranges; text among them stays.

    Parameters
    ----------
    edges : tuple of float
        Upper borders of all ranges but the last, ascending.
    names : tuple of str
        The ranges; one more.
    unit : str
        What the numbers are: "number", or the period that dates are counted in.
    reading : Reading
        How cells are read.
    span : tuple of float or None
        The least and the largest finite number that was seen; None where not all were looked at.
    infinite : tuple of float
        The infinities that were seen.
    has_others : bool
        Whether there was text among the numbers. It has no place in the order of the ranges, so the
        column's type has none.
    """

    edges: tuple[float, ...]
    names: tuple[str, ...]
    unit: str
    reading: Reading = AS_IT_IS
    span: tuple[float, float] | None = None
    infinite: tuple[float, ...] = ()
    has_others: bool = False

    def labels(self, values: list[Value]) -> list[Value]:
        """Return what each of a column's distinct values becomes."""
        values = self.reading.read(values)
        numbers = read(values, self.unit)
        positions = np.searchsorted(self.edges, numbers).tolist()
        return [
            self.names[position] if is_number else None if value is None else value_text(value)
            for value, position, is_number in zip(
                values, positions, (~np.isnan(numbers)).tolist(), strict=True
            )
        ]

    def is_outside(self, values: list[Value]) -> NDArray[np.bool_]:
        """Tell which of a column's distinct values are numbers beyond those that were seen."""
        if self.span is None:
            return np.zeros(len(values), dtype=bool)
        numbers = read(self.reading.read(values), self.unit)
        beyond = (numbers < self.span[0]) | (numbers > self.span[1])
        return np.asarray(beyond & ~np.isin(numbers, self.infinite), dtype=bool)


@dataclass(frozen=True)
class Group:
    """Frequent values stay, as text; all others become one.

    Parameters
    ----------
    values : tuple of str
        The frequent ones.
    other : str
        What the others become.
    reading : Reading
        How cells are read.
    """

    values: tuple[str, ...]
    other: str
    reading: Reading = AS_IT_IS

    def labels(self, values: list[Value]) -> list[Value]:
        """Return what each of a column's distinct values becomes."""
        values = self.reading.read(values)
        known = set(self.values)
        texts = (None if value is None else as_text(value) for value in values)
        return [text if text is None or text in known else self.other for text in texts]


@dataclass(frozen=True)
class DatePart:
    """Dates become their weekday, month or hour; text among them stays.

    Parameters
    ----------
    part : {"weekday", "month", "hour"}
        What is taken out of them.
    reading : Reading
        How cells are read.

    Examples
    --------
    >>> DatePart("weekday").labels(["2024-12-31", None])
    ['Tuesday', None]
    >>> DatePart("hour").labels(["2024-12-31 17:30"])
    ['17 h']
    """

    part: str
    reading: Reading = AS_IT_IS

    def labels(self, values: list[Value]) -> list[Value]:
        """Return what each of a column's distinct values becomes."""
        return [self._label(value) for value in self.reading.read(values)]

    def _label(self, value: Value) -> str | None:
        found = as_date(value)
        if found is None:
            return None if value is None else value_text(value)
        if self.part == "weekday":
            return WEEKDAYS[found.weekday()]
        if self.part == "month":
            return MONTHS[found.month - 1]
        return f"{getattr(found, 'hour', 0)} h"


Rule = Keep | Bin | Group | DatePart


def as_text(value: Value) -> str:
    """Return a value as text; whole numbers without a point, as in other files of the table."""
    is_whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if is_whole else value_text(value)  # type: ignore[call-overload]  # is_whole
