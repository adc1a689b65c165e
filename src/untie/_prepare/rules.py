"""How the cells of a column are read, and what becomes of its values, as data for a file."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from untie._prepare.look import Summary
from untie._prepare.numbers import (
    PLAIN,
    DateWriting,
    MonthNames,
    NumberNames,
    NumberWriting,
    as_date,
    as_number,
    find_date_writing,
    find_month_names,
    find_number_writing,
    read,
)
from untie._table.column_codes import value_text
from untie._util.types import BoolArray, Value

WORDS = frozenset({"", "na", "n/a", "n.a.", "#n/a", "#na", "<na>", "nan", "null", "#null!"})
"""Words, in lower case, that stand for a missing cell."""

UNSURE = frozenset({"none", "missing"})
"""Words that may as well be an answer: they stay values, and the user is told of them."""

SIGNS = frozenset({"?", "-", "--", "---", ".", "..", "\u2013", "\u2014"})
"""Signs that do, unless others of the column's values are signs, too."""

NOT_ASKED = frozenset(
    {"not asked", "not applicable", "inapplicable", "does not apply", "iap", "inap", "skipped"}
)
"""Words, in lower case, for questions that were not asked; they stay values."""

FEWEST_OTHERS = 2
"""A column needs this many other values: beside one alone, such as yes, - may mean no."""

_CODE = re.compile(r"[A-Za-z]{2}")


def means_missing(text: str) -> bool:
    """Return whether a text is one of those that stand for a missing cell.

    Examples
    --------
    >>> means_missing(" N/A"), means_missing("none")
    (True, False)
    """
    return text.strip().lower() in WORDS | SIGNS


def is_no_answer(value: Value) -> bool:
    """Return whether a value is a missing cell, or says that a question was not asked.

    Examples
    --------
    >>> is_no_answer(None), is_no_answer("IAP"), is_no_answer("no")
    (True, True, False)
    """
    return value is None or (isinstance(value, str) and value.strip().lower() in NOT_ASKED)


def may_be_missing(text: str) -> bool:
    """Return whether a text is one of those, or a word that may be."""
    return means_missing(text) or text.strip().lower() in UNSURE


def find_missing(values: Sequence[Value]) -> tuple[str, ...]:
    """Return those of a column's distinct values that stand for a missing cell, in order.

    The list of such texts is closed, and none of a column of numbers is among them. "NA" stays a
    value where most others have two letters, too, as Namibia's in a column of countries does; signs
    stay where others are signs; and all stay where there is at most one other value.

    Parameters
    ----------
    values : sequence
        The distinct values, in any order.

    Examples
    --------
    >>> find_missing(["red", "blue", "?", "n/a"])
    ('?', 'n/a')
    >>> find_missing(["yes", "-"]), find_missing(["DE", "FR", "NA"]), find_missing(["+", "-", "o"])
    ((), (), ())
    """
    found = {v for v in values if isinstance(v, str) and means_missing(v)}
    if not found:
        return ()
    others = [value for value in values if not isinstance(value, str) or value not in found]
    if len(others) < FEWEST_OTHERS:
        return ()
    texts = [value.strip() for value in others if isinstance(value, str)]
    if 2 * sum(_CODE.fullmatch(text) is not None for text in texts) > len(others):
        found = {text for text in found if text.strip().lower() != "na"}
    if any(not any(map(str.isalnum, text)) for text in texts):
        found = {text for text in found if text.strip() not in SIGNS}
    return tuple(sorted(found))


Writing = NumberWriting | DateWriting | MonthNames | NumberNames


@dataclass(frozen=True)
class Reading:
    """How cells are read.

    Parameters
    ----------
    missing : tuple of str
        Texts that stand for a missing cell.
    writing : NumberWriting, DateWriting, MonthNames, NumberNames or None
        How numbers or dates are written, if not plainly; or that plain numbers are names.
    is_stripped : bool
        Whether blanks around texts are left out, as some cells have them where others do not.

    Examples
    --------
    >>> Reading(("?",), NumberWriting(",", "")).read(["3,5", "?", "many", 7, None])
    [3.5, None, 'many', 7, None]
    """

    missing: tuple[str, ...] = ()
    writing: Writing | None = None
    is_stripped: bool = False

    def read(self, values: list[Value]) -> list[Value]:
        """Return what cells say; a text that is not written as the others stays."""
        if self == AS_IT_IS:
            return values
        absent = set(self.missing)
        return [self._read(value, absent) if isinstance(value, str) else value for value in values]

    def _read(self, text: str, absent: set[str]) -> Value:
        if text in absent or text.strip() in absent:
            return None
        text = text.strip() if self.is_stripped else text
        found = None if self.writing is None else self.writing.read(text)
        return text if found is None else found


AS_IT_IS = Reading()


def find_writing(
    values: Sequence[Value], day_first: bool | None = None
) -> NumberWriting | DateWriting | MonthNames | None:
    """Return how a column of texts is written as numbers or dates; None if plainly, or as neither.

    Parameters
    ----------
    values : sequence
        The distinct values, without missing ones, in any order.
    day_first : bool, optional
        What the user says of dates.
    """
    texts = [value for value in values if isinstance(value, str)]
    if not texts or len(texts) < len(values) or all(map(as_date, texts)):
        return None
    dates = find_date_writing(texts, day_first) or find_month_names(texts)
    if dates is not None:
        return dates
    numbers = find_number_writing(texts)
    return None if numbers == NumberWriting(*PLAIN) else numbers


KINDS = TEXT, NUMBERS, BOOLEANS, OTHERS = "text", "numbers", "booleans", "others"

TRUTHS: dict[Value, str] = {"true": "True", "false": "False", 1: "True", 0: "False"}
"""The categories of booleans, and how cells of other types write them."""

PARTS = ("weekday", "month", "hour")
"""What can be taken out of dates."""

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def kind_of(values: list[Value]) -> str:
    """Return whether values are text, numbers that doubles hold, booleans, or anything else.

    Examples
    --------
    >>> kind_of(["a", ""]), kind_of([1, 2.5]), kind_of([2**53 + 1]), kind_of([True])
    ('text', 'numbers', 'others', 'booleans')
    """
    if all(isinstance(value, str) for value in values):
        return TEXT
    if all(isinstance(value, bool) for value in values):
        return BOOLEANS
    return NUMBERS if all(map(_is_double, values)) else OTHERS


def _is_double(value: Value) -> bool:
    """Return whether a value is a number that a column of doubles holds to the last digit."""
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
    and numbers where the rows with letters are absent. Booleans become the texts True and False:
    they are text in a CSV file, and numbers in a frame with missing cells.

    Parameters
    ----------
    kind : {"text", "numbers", "booleans", "others"}
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
        if self.kind == OTHERS or (kind_of(known) == self.kind and self.kind != BOOLEANS):
            return values
        return [self._turned(value) for value in values]

    def _turned(self, value: Value) -> Value:
        if value is None:
            return None
        if self.kind == TEXT:
            return as_text(value)
        if self.kind == BOOLEANS:
            text = as_text(value)
            return TRUTHS.get(text.strip().lower() if isinstance(value, str) else value, text)
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

    def is_outside(self, values: list[Value]) -> BoolArray:
        """Return which distinct values of a column are numbers beyond those that were seen."""
        low, high = self.span or (-math.inf, math.inf)
        numbers = read(self.reading.read(values), self.unit)
        beyond = (numbers < low) | (numbers > high)
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


PICKED, NOT_PICKED = "picked", "not picked"
"""The categories of a column for one of several answers."""


def split_answers(text: str, separator: str) -> list[str]:
    """Return the answers that a cell lists, without blanks around them.

    Examples
    --------
    >>> split_answers("b; a;;", ";")
    ['b', 'a']
    """
    return [answer for part in text.split(separator) if (answer := part.strip())]


Lists = list[frozenset[str]]
"""The answers of each of a column's distinct values; none of a missing cell."""


@dataclass(frozen=True)
class Listing:
    """How the answers of a cell are read.

    Parameters
    ----------
    separator : str
        What separates them.
    reading : Reading
        How cells are read before.
    """

    separator: str
    reading: Reading = AS_IT_IS

    def read(self, values: list[Value]) -> Lists:
        """Return the answers of cells."""
        return [
            frozenset(() if value is None else split_answers(as_text(value), self.separator))
            for value in self.reading.read(values)
        ]


@dataclass(frozen=True)
class Answer:
    """Cells that list several answers become whether one of them is there.

    A cell without any answer is missing.

    Parameters
    ----------
    answer : str or None
        The answer; None stands for all that are not among `known`.
    known : tuple of str
        The answers that have a column each.
    listing : Listing
        How cells are read.
    tells_new : bool
        Whether a cell with no known answer stays as it is: a value that no model has seen, which is
        reported once and not for every answer. Otherwise it has not picked this one.

    Examples
    --------
    >>> cells = ["b;a", "b", "c;b", "c", None]
    >>> Answer("a", ("a", "b"), Listing(";")).labels(cells)
    ['picked', 'not picked', 'not picked', 'not picked', None]
    >>> Answer("a", ("a", "b"), Listing(";"), tells_new=True).labels(cells)
    ['picked', 'not picked', 'not picked', 'c', None]
    >>> Answer(None, ("a", "b"), Listing(";")).labels(["b;a", "c;b"])
    ['not picked', 'picked']
    """

    answer: str | None
    known: tuple[str, ...]
    listing: Listing
    tells_new: bool = False

    def labels(self, values: list[Value]) -> list[Value]:
        """Return what each of a column's distinct values becomes."""
        return self.labels_of(values, self.listing.read(values))

    def labels_of(self, values: list[Value], lists: Lists) -> list[Value]:
        """Return the same, where the answers of the values are known."""
        known = frozenset(self.known)
        return [
            self._label(value, found, known) if found else None
            for value, found in zip(values, lists, strict=True)
        ]

    def _label(self, value: Value, found: frozenset[str], known: frozenset[str]) -> str:
        if self.answer is None:
            return NOT_PICKED if found <= known else PICKED
        if self.answer in found:
            return PICKED
        return as_text(value) if self.tells_new and known.isdisjoint(found) else NOT_PICKED


@dataclass(frozen=True)
class Answered:
    """Cells that list several answers become whether any is there.

    Parameters
    ----------
    listing : Listing
        How cells are read.

    Examples
    --------
    >>> Answered(Listing(";")).labels(["b;a", " ; ", None])
    ['picked', 'not picked', 'not picked']
    """

    listing: Listing

    def labels(self, values: list[Value]) -> list[Value]:
        """Return what each of a column's distinct values becomes."""
        return self.labels_of(values, self.listing.read(values))

    def labels_of(self, values: list[Value], lists: Lists) -> list[Value]:
        """Return the same, where the answers of the values are known."""
        return [PICKED if found else NOT_PICKED for found in lists]


Rule = Keep | Bin | Group | DatePart | Answer | Answered


def as_text(value: Value) -> str:
    """Return a value as text; whole numbers without a point, as in other files of the table."""
    is_whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if is_whole else value_text(value)  # type: ignore[call-overload]  # is_whole


AUTO = "auto"


def find_texts_of_missing(seen: Summary, missing: str | Sequence[str]) -> tuple[str, ...]:
    """Return the texts of a column that stand for missing cells.

    Parameters
    ----------
    seen : Summary
        The column's values.
    missing : "auto" or sequence of str
        Those that the user names; "auto" finds them.
    """
    # Of given ones, those that no cell has count, too: new rows may have them.
    texts = find_missing(seen.values) if missing == AUTO else tuple(missing)
    absent = set(texts)
    rest = [value for value in seen.values if not isinstance(value, str) or value not in absent]
    return () if kind_of(rest) == OTHERS else texts


def as_read(seen: Summary, reading: Reading) -> Summary:
    """Return how often a column has each value once its cells are read."""
    read = reading.read(seen.values)
    if read is seen.values:
        return seen
    places = {value: place for place, value in enumerate(dict.fromkeys(read))}
    codes = np.array([places[value] for value in read], dtype=np.intp)
    rows = np.bincount(codes, seen.rows, minlength=len(places))
    weights = np.bincount(codes, seen.weights, minlength=len(places))
    known = np.array([value is not None for value in places], dtype=bool)
    return replace(
        seen,
        values=[value for value in places if value is not None],
        rows=rows[known],
        weights=weights[known],
        n_missing=seen.n_missing + float(rows[~known].sum()),
    )


def find_blanks(values: Sequence[Value]) -> list[str]:
    """Return the texts with blanks around them that are others without, sorted.

    Examples
    --------
    >>> find_blanks(["No ", "No", "Yes ", 7])
    ['No ']
    """
    known = set(values)
    return sorted(
        value
        for value in values
        if isinstance(value, str) and value != value.strip() and value.strip() in known
    )


def count_missing(seen: Summary, texts: Sequence[str]) -> dict[str, int]:
    """Return the values that texts of missing cells stand for, sorted, and how many rows have each.

    Examples
    --------
    >>> count_missing(Summary(["a", "?"], np.array([5.0, 1.0]), np.ones(2), 0), ["?", "NA"])
    {'?': 1}
    """
    absent = set(texts)
    found = {}
    for value, n in zip(seen.values, (seen.rows * seen.scale).tolist(), strict=True):
        if isinstance(value, str) and (value in absent or value.strip() in absent):
            found[value] = round(n)
    return dict(sorted(found.items()))
