"""How often a column has each value -> what to do with the column, and why."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from itertools import chain, count, pairwise
from typing import Any

import numpy as np
from scipy.special import kolmogorov, pdtr

from untie._prepare.look import NOT_SINGLE, Summary
from untie._prepare.note import (
    BINNED,
    GROUPED,
    KEPT,
    LEFT_OUT,
    N_SPELLINGS,
    Note,
    Reason,
    Reasons,
    shown_values,
)
from untie._prepare.numbers import (
    NUMBER,
    PERIODS,
    NumberWriting,
    as_number,
    find_number_names,
    possible_orders,
    read,
    write,
)
from untie._prepare.rules import (
    AS_IT_IS,
    AUTO,
    PARTS,
    Bin,
    DatePart,
    Group,
    Keep,
    Reading,
    as_read,
    as_text,
    count_missing,
    find_blanks,
    find_texts_of_missing,
    find_writing,
    kind_of,
    may_be_missing,
)
from untie._util.arrays import leading_digits, ranges_of
from untie._util.checks import check_integer
from untie._util.types import BoolArray, FloatArray, Value

BINS = 35
"""Numbers are binned into this many ranges, unless the user says otherwise; odd, so that none has
a border in the middle, which would be cut otherwise when counted from the other end."""

MAX_CATEGORIES = 100
"""A column has at most this many categories, unless the user says otherwise."""

MOSTLY = 0.9
"""A column counts as written in a way if at least this share of its rows is."""

FEW_UNITS = 5
"""Where numbers have more different endings than this, they are parts of names: 7a, 7b, ..., 7z."""

_DAY = r"(\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](\d{4}|\d\d))"
_DATE = re.compile(_DAY + r"([T ,].*)?")
# Not 007, which is a name, nor 10.0.0.1.
_DIGITS = r"(?!0\d)(\d{1,3}([,'.]\d{3})+|\d+)([.,]\d+)?"
_UNIT = r"\s?(?P<unit>[^\W\d_]{1,6}\.?|[%$€£¥°]\w?)?"
_WITH_UNIT = re.compile(r"[-+]?[$€£¥]?\s?" + _DIGITS + _UNIT)


def odd_values(values: Sequence[Value], with_placeholders: bool = True) -> Reasons:
    """Return which values may be missing cells, or spellings of one value."""
    texts = [value for value in values if isinstance(value, str)]
    found: dict[Reason, dict[str, Any]] = {}
    odd = sorted(filter(may_be_missing, texts))
    if odd and with_placeholders:
        found[Reason.NOT_MISSING] = {"n": len(odd), "values": odd}
    alike = _spellings([text for text in texts if text not in set(odd)])
    if alike:
        found[Reason.SPELLINGS] = {"n": len(alike), "spellings": alike[:N_SPELLINGS]}
    return found


def odd_writing(values: Sequence[Value], rows: FloatArray) -> Reasons:
    """Return how cells are to be written so that they can be binned; nothing if they are just text.

    Parameters
    ----------
    values : sequence
        The distinct values.
    rows : array of shape (n_values,)
        Number of rows that have each.
    """
    texts = [value.strip() if isinstance(value, str) else "" for value in values]
    dates = np.array([_DATE.fullmatch(text) is not None for text in texts], dtype=bool)
    if _is_most(dates, rows):
        is_unclear = len(possible_orders(texts)) > 1
        return {Reason.UNCLEAR_DATES if is_unclear else Reason.ODD_DATES: {}}
    found = [_WITH_UNIT.fullmatch(text) for text in texts]
    units = {(match["unit"] or "").lower() for match in found if match}
    numbers = np.array([match is not None for match in found], dtype=bool)
    if _is_most(numbers, rows) and len(units) <= FEW_UNITS:
        example = next(text for text, match in zip(texts, found, strict=True) if match)
        return {Reason.ODD_NUMBERS: {"example": example}}
    return {}


def _is_most(chosen: BoolArray, rows: FloatArray) -> bool:
    return bool(rows[chosen].sum() >= MOSTLY * rows.sum() > 0)


def _spellings(texts: Sequence[str]) -> list[list[str]]:
    """Return the spellings of each value that has several, at most four."""
    groups: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        groups[" ".join(text.split()).casefold()].append(text)
    return [sorted(found)[:4] for _, found in sorted(groups.items()) if len(found) > 1]


def quantile_edges(numbers: FloatArray, weights: FloatArray, bins: int) -> FloatArray:
    """Return the upper borders of all ranges but the last, ascending; each belongs to its range.

    A number's range is that of its mean rank, so nothing but the order of the numbers counts, and
    counting from the other end cuts at the same places. There are at most `bins` ranges; fewer
    where a number is so frequent that it fills more than one.

    Parameters
    ----------
    numbers : array of shape (n_numbers,)
        Distinct and finite; at least two.
    weights : array of shape (n_numbers,)
        How often each occurs.
    bins : int
        Number of ranges, at least two.

    Examples
    --------
    >>> quantile_edges(np.arange(10.0), np.ones(10), 5)
    array([1., 3., 5., 7.])
    >>> quantile_edges(np.arange(10.0), np.array([91.0] + [1.0] * 9), 5)  # mostly zero
    array([0.])
    """
    order = np.argsort(numbers)
    ordered, own = numbers[order], weights[order]
    ranges = ranges_of((np.cumsum(own) - own / 2) / own.sum(), bins)
    edges = ordered[:-1][np.diff(ranges) > 0]
    # The largest number may have so much weight that it fills two ranges: the others are one.
    return edges if len(edges) else ordered[-2:-1]


def round_edges(edges: FloatArray, numbers: FloatArray) -> FloatArray:
    """Round borders to what people would write, as far as that leaves every number in its range.

    Parameters
    ----------
    edges : array of shape (n_edges,)
        Upper borders, ascending; each is one of the numbers.
    numbers : array of shape (n_numbers,)
        Distinct.

    Examples
    --------
    >>> round_edges(np.array([1.23456, 4.56789]), np.array([1.23456, 3.0, 4.56789, 5.0]))
    array([2. , 4.6])
    >>> round_edges(np.array([41.0, 43.0, 2467.0]), np.array([41.0, 43.0, 46.0, 2467.0, 2489.0]))
    array([  41.,   45., 2470.])
    """
    ordered = np.sort(numbers)
    above = ordered[np.searchsorted(ordered, edges, side="right")]
    pairs = zip(edges.tolist(), above.tolist(), strict=True)
    return np.array([_roundest(low, high) for low, high in pairs])


def _roundest(low: float, high: float) -> float:
    """Return a number from `low` on and below `high`: 0, the fewest digits, the last one 0 or 5.

    Of several the one nearest to `low`.
    """
    if low <= 0.0 < high:
        return 0.0
    exact = Decimal(repr(low))
    for place in range(exact.adjusted(), exact.adjusted() - 18, -1):
        for last in (Decimal(10), Decimal(5)):  # 1000 and 500, 100 and 50, ...
            step = last.scaleb(place - 1)
            number = float((exact / step).to_integral_value(ROUND_CEILING) * step)
            if low <= number < high:
                return number
    return low


def range_labels(
    edges: FloatArray, unit: str, whole: bool, is_never_negative: bool = False
) -> list[str]:
    """Return the names of the ranges between borders, one more than there are borders.

    Parameters
    ----------
    edges : array of shape (n_edges,)
        Upper borders, ascending.
    unit : str
        What the numbers are of.
    whole : bool
        Whether there are only whole numbers, so that ranges can be named without overlap.
    is_never_negative : bool
        Whether no number is below 0, so that a first range up to 0 has a single number.

    Examples
    --------
    >>> range_labels(np.array([25.0, 40.0, 41.0]), "number", True)
    ['up to 25', '26 to 40', '41', 'over 41']
    >>> range_labels(np.array([0.0, 3.0]), "number", True, is_never_negative=True)
    ['0', '1 to 3', 'over 3']
    >>> range_labels(np.array([-3.0, 4.5]), "number", False)
    ['up to -3', '-3 to 4.5', 'over 4.5']
    """
    first, last = "up to", "over"
    if unit != NUMBER:
        first, last = "until", "after"
    names = [write(edge, unit) for edge in edges]
    is_zero = is_never_negative and unit == NUMBER and edges[0] == 0.0
    labels = [names[0] if is_zero else f"{first} {names[0]}"]
    for low, high in pairwise(edges.tolist()):
        start, end = write(low + 1 if whole else low, unit), write(high, unit)
        labels.append(end if start == end else f"{start} to {end}")
    return [*labels, f"{last} {names[-1]}"]


def part_rules(seen: Summary, options: Options) -> list[DatePart]:
    """Return what makes the parts of a column of dates; none if it has other values.

    A part that is the same in every row is left out.

    Parameters
    ----------
    seen : Summary
        The column's values.
    options : Options
        What the user asked for.
    """
    if not options.date_parts or seen.problem:
        return []
    reading = Reading(find_texts_of_missing(seen, options.missing))
    plain = as_read(seen, reading)
    if not _is_plain(plain):
        reading = replace(reading, writing=find_writing(plain.values, options.day_first))
        plain = as_read(plain, reading)
    is_date = ~np.isnan(read(plain.values, PERIODS[0]))
    if not plain.values or plain.rows[is_date].sum() < MOSTLY * plain.rows.sum():
        return []
    rules = (DatePart(part, reading) for part in dict.fromkeys(options.date_parts))
    return [rule for rule in rules if len(set(rule.labels(seen.values)) - {None}) > 1]


def part_name(column: str, part: str) -> str:
    """Return what the column of a part is called.

    Examples
    --------
    >>> part_name("bought", "weekday")
    'bought (weekday)'
    """
    return f"{column} ({part})"


ROWS_PER_RANGE, FEWEST_BINS = 8, 5
"""There are fewer ranges where each would have fewer rows than this, but no fewer than that."""

FEW_NUMBERS = 20
"""At most this many distinct numbers are not binned: they are codes, grades or counts."""

MANY_ROWS = 50
"""Ids need not be all distinct in columns with more distinct values than this."""

FEWEST_ROWS = 10
"""With fewer rows than this, distinct values say nothing."""

CHANCE = 1e-4
"""Whole numbers are ids if a measurement would repeat as rarely as they do with this chance."""

SMOOTH = 50
"""The density of a measurement is smooth within this part of its interquartile range."""

SHORTEST_ID = 1e5
"""Random ids have at least six digits; shorter numbers are ids if they avoid repeats."""

ENDS, MANY_DRAWN = 4.0, 100
"""More than `MANY_DRAWN` numbers fill a range if they leave out less than `ENDS` times their mean
step at each end; how fewer are spread tells too little."""

WIDEST = 2e9
"""Whole numbers that are spread evenly over more than this are ids, whatever their digits."""

EVEN = 0.05
"""Numbers are spread evenly if even ones would be as uneven as they are with more than this chance
(Kolmogorov-Smirnov test)."""

MOST_EXACT = 2.0**53
"""Whole numbers up to this one are exact as floats."""

SMALLEST_SHARE = 0.2
"""The frequent values of a column with too many values must have this share of the rows."""

LONG_TEXT = 20
"""Text with spaces may be sentences if it has at least this many characters on average."""

FEWEST_ROWS_OF_VALUES = 2
"""The frequent values of a column with too many values must have this many rows on average."""

SURE_DIGITS = 9
"""Weights of values that agree in this many digits are equal: they are rounded sums."""

SHORTEST_COUNTER = 5
"""Fewer numbers than this may count the rows by chance."""

ROWS_PER_ID = 10
"""What is called an id and repeats is a category if each is in this many rows on average."""

SMALLEST_CODES = 100.0
"""Numbers below this are no postal codes or phone numbers, whatever they are called."""

_ID_NAME = re.compile(
    r"(?i:(^|[_\W])(id|ids|key|uuid|guid|index|idx|nr|number|rowid|row|phone|tel)$)"
    r"|[a-z]I[dD]$|^Unnamed: 0$"
)

_SAYS_ID = re.compile(
    r"(?i:(^|[_\W])(ids?|uuid|guid|rowid)$|^(id|uuid|guid)([_\W]|$))|[a-z0-9]I[dD]s?$|^id[A-Z]"
    r"|^Unnamed: 0$"
)
"""Names that can mean nothing but an id, also of one that repeats."""

_CODE_NAME = re.compile(
    r"(?i:(^|[_\W])(zip|zip[_\W]?code|post[_\W]?code|postal|plz|fips|isbn|ean|upc|barcode|naics"
    r"|(tele|cell|mobile)?phone|tel|fax)([_\W]?(codes?|numbers?|nr|no|\d))?$)"
    r"|[a-z](Zip|ZIP|Zipcode|PostCode|Postcode|Phone|Fax)(Code|Number|No)?$"
)
"""Names of postal codes, phone numbers and the like."""

_ANY_CODE_NAME = re.compile(r"(?i:(^|(?<!of)[_\W])codes?$)|[a-z]Codes?$")
"""Names of any codes; but lines of code are counted."""

_FIXED = re.compile(r"\d{3,}")

_CALLED_NAME = re.compile(r"(?i:(^|[_\W])(name|title|label)$)|[a-z](Name|Title|Label)$")

LONGEST_NAME = 60
"""Longer texts, on average, are no names of rows."""


@dataclass(frozen=True)
class Options:
    """What the user asked for; see `Preparer`."""

    columns: Sequence[str] | None = None
    drop: Sequence[str] = ()
    bins: int = BINS
    max_categories: int = MAX_CATEGORIES
    categorical: Collection[str] = ()
    missing: str | Sequence[str] = AUTO
    day_first: bool | None = None
    date_parts: Sequence[str] = ()
    row_names: str | None = AUTO
    keep_totals: bool = False
    sets: str | Collection[str] | Mapping[str, str] = AUTO

    def __post_init__(self) -> None:
        for name in ("bins", "max_categories"):
            check_integer(name, getattr(self, name), 2, "a whole number of at least 2")
        if self.missing != AUTO and (
            isinstance(self.missing, str) or not all(isinstance(t, str) for t in self.missing)
        ):
            raise TypeError(f"missing must be 'auto' or a list of texts, got {self.missing!r}.")
        if self.day_first not in (None, True, False):
            raise TypeError(f"day_first must be True, False or None, got {self.day_first!r}.")
        if not isinstance(self.keep_totals, bool | np.bool_):
            raise TypeError(f"keep_totals must be True or False, got {self.keep_totals!r}.")
        known = ", ".join(map(repr, PARTS))
        if isinstance(self.date_parts, str) or not isinstance(self.date_parts, Sequence):
            raise TypeError(f"date_parts must be a list of {known}, got {self.date_parts!r}.")
        if not isinstance(self.row_names, str | None):
            raise TypeError(
                f"row_names must be 'auto', None or the name of a column, got {self.row_names!r}."
            )
        for part in self.date_parts:
            if part not in PARTS:
                raise ValueError(f"There is no part of dates {part!r}; there are {known}.")
        self._check_sets()

    def _check_sets(self) -> None:
        given = self.sets
        if isinstance(given, str) and given != AUTO:
            raise TypeError(f"sets must be 'auto' or a list of names, got {given!r}: [{given!r}].")
        if not isinstance(given, str | Collection):
            raise TypeError(
                "sets must be 'auto', a list of names or a mapping from names to separators, got "
                f"{given!r}."
            )
        for column, separator in given.items() if isinstance(given, Mapping) else ():
            if not isinstance(separator, str) or not separator:
                raise ValueError(
                    f"sets of column {column!r} is {separator!r}; it must be the text that "
                    f"separates its answers: {{{column!r}: ';'}}."
                )

    def is_asked_for(self, column: str) -> bool:
        """Return whether the user named a column that is used; it is not left out."""
        is_set = self.sets != AUTO and column in self.sets
        return self.columns is not None or column in self.categorical or is_set


Decision = tuple[Keep | Bin | Group | None, Note]


def decide(column: str, seen: Summary, options: Options) -> Decision:
    """Choose what to do with a column.

    Parameters
    ----------
    column : str
        Its name.
    seen : Summary
        Its values.
    options : Options
        What the user asked for.
    """
    if seen.problem:
        if options.is_asked_for(column):
            joined = f" Lists become texts by table[{column!r}].map(';'.join)."
            remedy = joined if seen.reason == NOT_SINGLE else ""
            raise ValueError(
                f"{seen.problem} Leave the column {column!r} out, or convert it.{remedy}"
            )
        return None, Note(column, LEFT_OUT, {Reason.UNREADABLE: {"why": seen.reason}})
    texts = find_texts_of_missing(seen, options.missing)
    counts = count_missing(seen, texts)
    missing = {"counts": counts, "is_sample": seen.scale > 1}
    seen = as_read(seen, Reading(texts))
    blanks = find_blanks(seen.values)
    reading = Reading(texts, is_stripped=bool(blanks))
    seen = as_read(seen, reading)
    decision = _decide_written(column, seen, reading, options)
    if decision is None:
        named = replace(reading, writing=find_number_names(seen.values))
        seen = as_read(seen, named)
        rule, note = _decide_plain(column, seen, options)
        if rule is not None:
            rule = replace(rule, reading=reading if isinstance(rule, Bin) else named)
    else:
        rule, note = decision
    more: Reasons = {Reason.READ_AS_MISSING: missing} if counts else {}
    if blanks and isinstance(rule, Keep | Group):
        more = {Reason.BLANKS: shown_values(blanks), **more}
    return rule, note.also(more)


def _is_plain(seen: Summary) -> bool:
    """Return whether all values are numbers, or texts that are plain numbers."""
    return all(as_number(value) is not None for value in seen.values)


def _decide_written(
    column: str, seen: Summary, reading: Reading, options: Options
) -> Decision | None:
    """Bin numbers and dates that are written as people do, if all values are; None otherwise."""
    is_few = len(seen.values) <= FEW_NUMBERS
    if column in options.categorical or is_few or _is_plain(seen) or _are_codes(column, seen):
        return None
    writing = find_writing(seen.values, options.day_first)
    if writing is None:
        return None
    reading = replace(reading, writing=writing)
    plain = as_read(seen, reading)
    measure = _measure(plain)
    if measure is None or len(plain.values) <= FEW_NUMBERS:
        return None
    # Numbers with a unit are measurements, not ids.
    is_measured = not isinstance(writing, NumberWriting) or writing.has_unit
    may_be_id = not is_measured and not options.is_asked_for(column)
    if may_be_id and (why := _reason_to_leave_out(column, plain, measure, options)):
        return None, Note(column, LEFT_OUT, why)
    rule, note = _bin(column, plain, options, measure)
    if not isinstance(rule, Bin):
        return None
    example = max(seen.values, key=lambda text: (len(text), text))
    how = {"how": writing.words(), "example": example}
    return replace(rule, reading=reading), note.also({Reason.READ_AS: how})


def _decide_plain(column: str, seen: Summary, options: Options) -> Decision:
    """Choose what to do with a column whose cells are what they seem."""
    is_asked_for = options.is_asked_for(column)
    is_categorical = column in options.categorical
    is_long = len(seen.values) > FEW_NUMBERS
    are_codes = not is_categorical and _are_codes(column, seen)
    measure = None if is_categorical or are_codes else _measure(seen)
    reasons = {} if is_asked_for else _reason_to_leave_out(column, seen, measure, options)
    is_told = are_codes and is_long and _measure(seen) is not None
    codes: Reasons = {Reason.CODES: {}} if is_told else {}
    is_read = is_long and measure is None and not is_categorical and not are_codes
    writing = odd_writing(seen.values, seen.rows) if is_read else {}
    if reasons:
        return None, Note(column, LEFT_OUT, {**reasons, **writing})
    if measure is not None and is_long:
        return _bin(column, seen, options, measure)
    odd = odd_values(seen.values, with_placeholders=bool(options.missing))
    if len(seen.values) > options.max_categories:
        rule, note = _group(column, seen, options)
        more = {**codes, **writing}
        return rule, note.also(more if rule is None else {**more, **odd})
    # Two numbers are a yes and a no, whose order says nothing.
    is_few = measure == NUMBER and len(seen.values) > 2 and _is_plain(seen)
    few = {Reason.FEW_NUMBERS: {"n": len(seen.values)}} if is_few else {}
    return Keep(kind_of(seen.values)), Note(column, KEPT, {**few, **codes, **writing, **odd})


def _measure(seen: Summary) -> str | None:
    """Return whether most rows hold a number or a date, or text that is one."""
    n_rows = seen.rows.sum()
    for unit in (NUMBER, PERIODS[0]):
        if n_rows and seen.rows[~np.isnan(read(seen.values, unit))].sum() >= MOSTLY * n_rows:
            return unit
    return None


def _are_codes(column: str, seen: Summary) -> bool:
    """Return whether numbers are names of something: postal codes, phone numbers, repeated ids.

    The column's name says so, or leading zeros do where all texts have the same number of digits.
    """
    if _are_padded(seen):
        return True
    is_code, is_any = _CODE_NAME.search(column), _ANY_CODE_NAME.search(column)
    if not (is_code or is_any or _SAYS_ID.search(column)):
        return False
    numbers = read(seen.values, NUMBER)
    known = ~np.isnan(numbers)
    own = numbers[known]
    if not (_is_most(known, seen.rows) and np.isfinite(own).all()):
        return False
    is_whole = bool((own == np.round(own)).all()) and float(own.min()) >= 0
    return is_whole and (not is_code or float(own.max()) >= SMALLEST_CODES)


def _are_padded(seen: Summary) -> bool:
    """Return whether texts have the same number of digits, some with zeros before."""
    texts = [value if isinstance(value, str) else "" for value in seen.values]
    if not any(text.startswith("0") for text in texts):
        return False
    digits = np.array([_FIXED.fullmatch(text) is not None for text in texts], dtype=bool)
    found = [text for text, is_fixed in zip(texts, digits.tolist(), strict=True) if is_fixed]
    is_one_width = len(set(map(len, found))) == 1
    return is_one_width and any(text[0] == "0" for text in found) and _is_most(digits, seen.rows)


def _reason_to_leave_out(
    column: str, seen: Summary, measure: str | None, options: Options
) -> Reasons:
    if not seen.values:
        return {Reason.ALL_MISSING: {}}
    if len(seen.values) == 1 and not seen.n_missing:
        return {Reason.CONSTANT: {"value": as_text(seen.values[0])}}
    if measure is None and is_free_text(seen.values, seen.rows.sum()):
        return {Reason.FREE_TEXT: {}}
    if measure is None:
        is_id = _is_nearly_distinct(seen) or _is_named_id(column, seen, options)
    else:
        is_id = measure == NUMBER and (
            _counts_rows(seen) or (_is_nearly_distinct(seen) and _only_counts(column, seen))
        )
    return {Reason.ID: {}} if is_id else {}


def _counts_rows(seen: Summary) -> bool:
    """Return whether the numbers are 1, 2, ... up to the number of rows, or start at 0."""
    n = len(seen.values)
    if n < SHORTEST_COUNTER or n != seen.rows.sum() or seen.n_missing:
        return False
    numbers = read(seen.values, NUMBER)
    first = float(numbers.min())
    return first in (0.0, 1.0) and bool((np.sort(numbers) == first + np.arange(n)).all())


def _is_named_id(column: str, seen: Summary, options: Options) -> bool:
    """Return whether a column is called an id and has too many values for a category.

    A station's id in a table of many trips repeats often enough to learn from.
    """
    n, n_rows = len(seen.values), float(seen.rows.sum())
    if not _SAYS_ID.search(column):
        return False
    if n == n_rows:
        return n > 2
    return n > FEW_NUMBERS and (n > options.max_categories or n_rows < ROWS_PER_ID * n)


def find_row_names(notes: Mapping[str, Note], seen: Mapping[str, Summary]) -> str | None:
    """Return the column whose cells name the rows, if there is one that is not learned from.

    It is in every row and hardly repeats. What is called a name or an id comes before other
    columns, and text before numbers.
    """
    able = []
    for place, (name, summary) in enumerate(seen.items()):
        texts = [value for value in summary.values if isinstance(value, str)]
        is_text, is_called = bool(texts), _CALLED_NAME.search(name) is not None
        if (
            {Reason.ID, Reason.FREE_TEXT}.isdisjoint(notes[name].reasons)
            or notes[name].action != LEFT_OUT
            or summary.n_missing
            or len(summary.values) < MOSTLY * summary.rows.sum()
            or not all(map(str.strip, texts))
            or sum(map(len, texts)) > LONGEST_NAME * len(texts)
            or name.startswith("Unnamed:")
        ):
            continue
        is_id = _ID_NAME.search(name) is not None
        able.append((not (is_text and is_called), not is_text, not is_id, place, name))
    return min(able)[-1] if able else None


def _is_nearly_distinct(seen: Summary) -> bool:
    n, n_rows = len(seen.values), seen.rows.sum()
    return bool(n > MOSTLY * n_rows) if n > MANY_ROWS else n == n_rows and n >= FEWEST_ROWS


def _only_counts(column: str, seen: Summary) -> bool:
    """Return whether numbers are ids; measurements may be nearly all distinct, too."""
    numbers = read(seen.values, NUMBER)
    if not (np.isfinite(numbers) & (numbers == np.round(numbers))).all():
        return False
    if _ID_NAME.search(column):
        return True
    if seen.n_missing > seen.rows.sum():  # an id is in every row, an amount may be in some
        return False
    order = np.argsort(numbers)
    numbers, rows = numbers[order], seen.rows[order]
    if len(numbers) <= MANY_ROWS:
        return False
    # In a sample all numbers may be distinct that repeat in a table with more rows than numbers.
    filled = (numbers[-1] - numbers[0] + 1) / (rows.sum() * seen.scale)
    is_consecutive = bool(MOSTLY <= filled <= 1 / MOSTLY)
    unit = _common_step(numbers)
    return (
        is_consecutive
        or _avoid_repeats((numbers - numbers[0]) / unit, rows)
        or _are_drawn_ids(numbers, unit)
    )


def _common_step(numbers: FloatArray) -> float:
    """Return the largest common divisor of the differences of ascending whole numbers."""
    steps = numbers - numbers[0]
    return float(np.gcd.reduce(steps.astype(np.int64))) if steps[-1] < MOST_EXACT else 1.0


def _avoid_repeats(steps: FloatArray, rows: FloatArray) -> bool:
    """Return whether whole numbers repeat less often than those of a measurement.

    Where the density of a measurement is smooth, half as many pairs of rows have equal numbers as
    have numbers that differ by one unit, or by two. Numbers that are given out have no equal ones,
    however close they come.

    Parameters
    ----------
    steps : array of shape (n_distinct,)
        Distances from the smallest number, ascending, in the largest unit that they are multiples
        of: no other unit of measurement changes the answer.
    rows : array of shape (n_distinct,)
        Number of rows that have each.
    """
    low, high = np.quantile(steps, [0.25, 0.75])
    reach = max(1.0, np.floor((high - low) / SMOOTH))
    until = np.append(0.0, np.cumsum(rows))
    within = until[np.searchsorted(steps, steps + reach, side="right")] - until[1:]
    expected = float(rows @ within) / (2.0 * reach)
    equal = float(rows @ (rows - 1.0)) / 2.0
    return bool(pdtr(equal, expected) < CHANCE)


def _are_drawn_ids(numbers: FloatArray, unit: float) -> bool:
    """Return whether ascending whole numbers are spread evenly, as random ids are.

    Either all have the same number of digits, and fill their whole range; or they have more digits
    than anything that is measured. Dates in seconds are in a small part of both ranges.
    """
    if not np.any(numbers % unit):  # the digits in the largest unit of measurement
        numbers, unit = numbers / unit, 1.0
    first, last = float(numbers[0]), float(numbers[-1])
    decade = 10.0 ** np.floor(np.log10(max(first, 1.0)))
    has_digits = len(numbers) > MANY_DRAWN and SHORTEST_ID <= decade <= first < last < 10.0 * decade
    left_out = max(first - decade, 10.0 * decade - last) * len(numbers)
    if (
        has_digits
        and left_out < ENDS * 9.0 * decade
        and _is_even((numbers - decade) / (9 * decade))
    ):
        return True
    span = last - first
    return span > max(WIDEST * unit, first) and _is_even((numbers - first) / span)


def _is_even(places: FloatArray) -> bool:
    """Return whether ascending places from 0 to 1 may be drawn uniformly."""
    n = len(places)
    steps = np.arange(n + 1) / n
    gap = max(np.max(steps[1:] - places), np.max(places - steps[:-1]))
    return bool(kolmogorov(np.sqrt(n) * gap) > EVEN)


def is_free_text(values: Sequence[Value], n_rows: float) -> bool:
    """Return whether values of a column with so many rows that have one are sentences."""
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < MANY_ROWS or len(texts) < n_rows / 2:
        return False
    is_long = sum(map(len, texts)) >= LONG_TEXT * len(texts)
    return is_long and sum(" " in text.strip() for text in texts) > len(texts) / 2


def _bin(column: str, seen: Summary, options: Options, measure: str) -> Decision:
    bins = _n_ranges(seen, options.bins)
    unit = measure if measure == NUMBER else _period(seen, bins)
    numbers, weights = _distinct_numbers(seen, unit)
    if len(numbers) < 2:  # all in one second
        return Keep(kind_of(seen.values)), Note(column, KEPT)
    edges = quantile_edges(numbers, weights, bins)
    if unit == NUMBER:
        edges = round_edges(edges, numbers)
    whole = unit != NUMBER or bool((numbers == np.round(numbers)).all())
    # Of a sample, the least number is not known.
    is_never_negative = seen.scale == 1 and float(numbers[0]) >= 0.0
    names = range_labels(edges, unit, whole, is_never_negative)
    reasons: dict[Reason, dict[str, Any]] = {Reason.RANGES: {"n": len(names)}}
    cells = read(seen.values, unit)
    others = [value for value, n in zip(seen.values, cells, strict=True) if np.isnan(n)]
    if others:
        kind = "numbers" if unit == NUMBER else "dates"
        reasons[Reason.OTHER_VALUES] = {"kind": kind, **shown_values(others)}
    span = (float(numbers[0]), float(numbers[-1])) if seen.scale == 1 else None
    infinite = tuple(np.unique(cells[np.isinf(cells)]).tolist()) if span else ()
    borders = tuple(edges.tolist())
    rule = Bin(borders, tuple(names), unit, AS_IT_IS, span, infinite, has_others=bool(others))
    return rule, Note(column, BINNED, reasons)


def _n_ranges(seen: Summary, bins: int) -> int:
    """Return how many ranges there are rows for; an odd number if there are fewer than asked."""
    n_rows = round(float(seen.weights.sum()))
    most = max(FEWEST_BINS, n_rows // ROWS_PER_RANGE)
    return bins if bins <= most else most - 1 + most % 2


def _period(seen: Summary, bins: int) -> str:
    """Return the coarsest unit that tells dates well enough apart for the ranges, or all of them.

    Days without a time are named as days, however few there are.
    """
    most = len(_distinct_numbers(seen, PERIODS[-1])[0])
    wanted = min(3 * bins, most)
    return next(unit for unit in PERIODS if len(_distinct_numbers(seen, unit)[0]) >= wanted)


def _distinct_numbers(seen: Summary, unit: str) -> tuple[FloatArray, FloatArray]:
    """Return the finite numbers of a unit and their weights."""
    cells = read(seen.values, unit)
    known = np.isfinite(cells)
    numbers, positions = np.unique(cells[known], return_inverse=True)
    return numbers, np.bincount(positions, seen.weights[known]).astype(float)


def _group(column: str, seen: Summary, options: Options) -> Decision:
    texts = list(map(as_text, seen.values))
    kept = _frequent(seen, texts, options.max_categories - 1)
    n = len(texts)
    is_rare = _share(seen, kept) < SMALLEST_SHARE or seen.rows[kept].mean() < FEWEST_ROWS_OF_VALUES
    if is_rare and not options.is_asked_for(column):
        return None, Note(column, LEFT_OUT, {Reason.TOO_MANY_VALUES: {"n": n}})
    kept = _without_ties(seen, kept)
    values = tuple(texts[code] for code in kept)
    names = chain(["other"], (f"other ({number})" for number in count(2)))
    other = next(name for name in names if name not in texts)
    merged = {"n": n, "n_merged": n - len(kept), "other": other}
    return Group(values, other), Note(column, GROUPED, {Reason.MERGED: merged})


def _frequent(seen: Summary, texts: Sequence[str], n_kept: int) -> list[int]:
    """Return the most frequent values; among equals the order of the text, not that of the rows."""
    keys = zip((-_settled(seen)).tolist(), (-seen.rows).tolist(), texts, strict=True)
    return [code for *_, code in sorted((*key, code) for code, key in enumerate(keys))[:n_kept]]


def _without_ties(seen: Summary, kept: list[int]) -> list[int]:
    """Leave out values that are as frequent as one that is merged: only names tell them apart.

    Where that would leave too few rows with a value of their own, names decide.
    """
    weights = _settled(seen)
    merged = np.setdiff1d(np.arange(len(weights)), kept)
    above = [code for code in kept if weights[code] > weights[merged].max()]
    return above if _share(seen, above) >= SMALLEST_SHARE else kept


def _share(seen: Summary, codes: list[int]) -> float:
    return float(seen.weights[codes].sum() / seen.weights.sum())


def _settled(seen: Summary) -> FloatArray:
    """Return the values' weights without the last digits, which the order of rows decides."""
    return leading_digits(seen.weights, SURE_DIGITS)
