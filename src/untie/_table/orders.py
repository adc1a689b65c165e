"""Which columns have an order, and the position of each value in it.

A column has an order if the user says so, if its type does (a pandas ordered categorical, a polars
Enum), if its values are ranges such as "up to 25", "26 to 40", "65+" or "$10 to $20", or if they
are the numbers of a scale: grades, or answers from 1 to 5, or halves and tenths, that several
columns have.
"""

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from datetime import date, datetime
from decimal import Decimal
from difflib import get_close_matches
from itertools import chain
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from untie._table.column_codes import plain
from untie._table.names import check_names, expand_keys
from untie._table.table import Table
from untie._table.vocabulary import INFREQUENT, Vocabulary
from untie._util.messages import Parameter, message
from untie._util.types import AnyArray, IntArray, Value

NUMBER = r"[-+]?(?:\d+(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?"
DATE = r"\d{4}-\d{2}(?:-\d{2}(?: \d{2}:\d{2}:\d{2})?)?"
_END = rf"({DATE}|{NUMBER})"
_BELOW = re.compile(
    rf"(?:up to|until|under|below|less than|at most|<=|<|\u2264)\s*{_END}"
    rf"|{_END}\s*(?:or|and) (?:less|fewer|under|below|lower|younger)",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    rf"(?:over|after|above|more than|at least|from|>=|>|\u2265)\s*{_END}"
    rf"|{_END}\s*(?:\+|(?:or|and) (?:more|over|above|higher|older|up))",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    rf"[\[(]?{_END}\s*(?:to|-|\u2013|\.\.)\s*{_END}[\])]?"
    rf"|[\[(]{_END}\s*,\s*{_END}[\])]",  # 1,2 may be a number or two answers
    re.IGNORECASE,
)
_ALONE = re.compile(_END)

_BEFORE = re.compile(r"(?<![\w$])((?:US|A|C|NZ|HK|R)?\$|[€£¥₹])\s?(?=\d)")
_WORD = r"(?!(?:or|and|to)\b)[^\W\d_]{1,12}\.?"
_AFTER = re.compile(rf"(?<=[\d+])(\s?(?:{_WORD}|[%€£¥₹$]|°\s?[A-Z]?))(?=$|[\s+)\]\u2013-])", re.I)

Unit = tuple[str, str]
"""The text before and after the numbers of a range; either may be empty."""

NO_UNIT: Unit = ("", "")

ZERO = (0.0, 0.0)
"""The ends of the lowest range of numbers that are never negative, if it is 0 alone."""


def end_texts(value: str) -> tuple[str | None, str | None] | None:
    """Return the ends of a range as they are written, None where it has none; None if it is none.

    The unit is left out.

    Examples
    --------
    >>> end_texts("up to 1,200"), end_texts("26 to 40"), end_texts("65+"), end_texts("7")
    ((None, '1,200'), ('26', '40'), ('65', None), ('7', '7'))
    >>> end_texts("$10 to $20"), end_texts("65 years or older"), end_texts("red")
    (('10', '20'), ('65', None), None)
    """
    return _ends_and_unit(value)[0]


def unit_of(value: str) -> Unit:
    """Return the text before and after the numbers of a range.

    Examples
    --------
    >>> unit_of("$10 to $20"), unit_of("18 to 24 years"), unit_of("26 to 40")
    (('$', ''), ('', ' years'), ('', ''))
    """
    return _ends_and_unit(value)[1]


def same_unit(unit: Unit) -> Unit:
    """Return a unit in a form in which year and years are the same.

    Examples
    --------
    >>> same_unit(("", " years")) == same_unit(("", "Year"))
    True
    """
    before, after = unit
    return before, after.strip().casefold().rstrip(".").removesuffix("s")


def _ends_and_unit(value: str) -> tuple[tuple[str | None, str | None] | None, Unit]:
    text = value.strip()
    if not any(map(str.isdigit, text)):
        return None, NO_UNIT
    ends = _plain_ends(text)
    if ends is not None:
        return ends, NO_UNIT
    before, after = _BEFORE.findall(text), _AFTER.findall(text)
    units = {same_unit((one, "")) for one in before} | {same_unit(("", one)) for one in after}
    if not units or len(set(before)) > 1 or len({same_unit(("", one)) for one in after}) > 1:
        return None, NO_UNIT
    ends = _plain_ends(_AFTER.sub("", _BEFORE.sub("", text)))
    if ends is None:
        return None, NO_UNIT
    return ends, (before[0] if before else "", after[-1] if after else "")


def _plain_ends(text: str) -> tuple[str | None, str | None] | None:
    if match := _BELOW.fullmatch(text):
        return None, match[1] or match[2]
    if match := _ABOVE.fullmatch(text):
        return match[1] or match[2], None
    if match := _ALONE.fullmatch(text):
        return match[1], match[1]
    match = _BETWEEN.fullmatch(text)
    return match and (match[1] or match[3], match[2] or match[4])


AUTO = "auto"

ORDER = "order"
"""What the space of a column's order is called among the couplings."""

Positions = IntArray
"""The place of each value in its column's order, from 0 on; -1 for a value that has none, such as a
missing cell."""

Ends = tuple[float, float]
"""The ends of a range; a number is both."""

Orders = tuple[Positions | None, ...]
"""For each column its values' positions, or None if it has no order."""


def check_ordered(ordered: Any, columns: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the columns that the user calls ordered, with their values in order or None.

    Parameters
    ----------
    ordered : "auto", bool, sequence of names or mapping from names to values
        What the user said.
    columns : sequence of str, optional
        The table's columns, if they are known.
    """
    if ordered is None or isinstance(ordered, bool | np.bool_) or _is_auto(ordered):
        return {}
    if isinstance(ordered, str) or not isinstance(ordered, Iterable):
        raise TypeError(
            "ordered must be 'auto', False, a list of columns or a dict from columns to their "
            f"values in order, got {ordered!r}."
        )
    given = list(ordered)
    odd = [name for name in given if not isinstance(name, str)]
    if odd:
        raise TypeError(f"ordered must name columns, and {odd[0]!r} is no name.")
    named = dict(ordered) if isinstance(ordered, Mapping) else dict.fromkeys(given)
    if columns is not None:
        named = expand_keys(named, columns)
        asked = [name for name, order in named.items() if order is not False]
        check_names(asked, columns, "the table", message(", which {ordered} names"))
    return named


def without_order(ordered: Any, names: Sequence[str]) -> Any:
    """Return what the user said of orders, and that some columns have none unless named there.

    Examples
    --------
    >>> without_order("auto", ["region"]), without_order(["region"], ["region"])
    ({'region': False}, {'region': None})
    """
    if not names or ordered is None or isinstance(ordered, bool | np.bool_):
        return ordered
    return {**dict.fromkeys(names, False), **check_ordered(ordered)}


def find_orders(
    vocabulary: Vocabulary,
    ordered: Any = AUTO,
    declared: Mapping[str, Sequence[Value]] | None = None,
    firsts: IntArray | None = None,
) -> Orders:
    """Return where the values of each column stand in its order, if it has one.

    Parameters
    ----------
    vocabulary : Vocabulary
        The values.
    ordered : "auto", bool, sequence of names or mapping from names to values
        What the user said; False finds no order at all.
    declared : mapping from names to values in order, optional
        What the columns' types say.
    firsts : integer array of shape (n_columns,), optional
        For a column with the same content as another, the first such one; all others themselves.
        Columns with the same content count once where several are needed to tell an order.

    Examples
    --------
    >>> ages = Vocabulary(("age", "city"), (("26 to 40", "over 40", "up to 25", None), ("Bonn",)))
    >>> find_orders(ages)
    (array([ 1,  2,  0, -1]), None)
    >>> find_orders(Vocabulary(("size",), (("L", "M", "S"),)), {"size": ["S", "M", "L"]})
    (array([2, 1, 0]),)
    """
    if ordered is None or (isinstance(ordered, bool | np.bool_) and not ordered):
        return (None,) * len(vocabulary.columns)
    named = check_ordered(ordered, vocabulary.columns)
    declared = declared or {}
    pairs = zip(vocabulary.columns, vocabulary.values, strict=True)
    able = {name: values for name, values in pairs if named.get(name) is not False}
    repeated = () if firsts is None else np.flatnonzero(firsts != np.arange(len(firsts)))
    copies = {vocabulary.columns[place] for place in repeated}
    scales = find_scales(list(able), list(able.values()), copies)
    found: list[Positions | None] = []
    for column, values in zip(vocabulary.columns, vocabulary.values, strict=True):
        given = named.get(column)
        if given is False:
            found.append(None)
        elif given is not None and given is not True:
            found.append(_given_order(column, values, given))
        elif column in declared and _are_all_in(values, declared[column]):
            found.append(_positions(values, declared[column]))
        else:
            of_ranges = _range_order(values)
            is_lacking = of_ranges is None and (column in named or column in scales)
            found.append(_own_order(column, values) if is_lacking else of_ranges)
    return tuple(found)


FEWEST_GRADES = 4
"""Fewer numbers than this are no scale, whatever the column's name is."""

SHARED_SCALES = frozenset((low, high) for low in (0, 1) for high in range(low + 4, low + 7)) | {
    (0, 10)
}
"""The ends of numbers that are a scale if several columns have them: five to seven points, or 0 to
10. Tables of numbers from 1 to 10 are described better without an order as often as with one."""

LAST_OF_SCALE = 10
"""No scale goes beyond this."""

COLUMNS_OF_SCALE = 4
"""Numbers are a scale if at least this many columns have them."""

MOST_STEPS, SHARED_STEPS = 20, 0.75
"""Halves and tenths are measured, so they need not be without a gap: at most so many numbers of a
column are a scale if this part of them is in as many columns as make a scale."""

LARGEST_STEP = 1000
"""No such scale goes beyond this."""

_ON_SCALE = re.compile(r"\d|10")
_DECIMAL = re.compile(r"(?:0|[1-9]\d{0,3})(?:\.\d)?")

_GRADES = re.compile(
    r"(?i:(^|[\W_\d])(grade|rating|score|level|likert|stars?|satisfaction|agree(ment)?|stage|severity|rank"
    r"|priority|quality|apgar)([\W_\d]|$))"
    r"|[a-z](Grade|Rating|Score|Level|Stars?|Satisfaction|Agreement|Stage|Severity|Rank|Priority"
    r"|Quality)([\W_\dA-Z]|$)"
)
_NAMES = re.compile(
    r"(?i:(^|[\W_\d])(ids?|codes?|type|class|kind|category|group|cluster|region|zone|race|religion"
    r"|marital|occupation|species|colou?rs?)([\W_\d]|$))"
    r"|[a-z](I[dD]|Code|Type|Class|Kind|Category|Group|Cluster|Region)([\W_\dA-Z]|$)"
)


def find_scales(
    columns: Sequence[str], values: Sequence[Sequence[Value]], copies: Set[str] = frozenset()
) -> frozenset[str]:
    """Return the columns of numbers that are answers on a scale or grades.

    Either at least four columns have the same whole numbers without a gap, five to seven from 0 or
    1 on or 0 to 10; or at least four columns have nearly the same halves or tenths; or the column's
    name says so and no number is above 10. Numbers of a type, a region and the like are names.

    Parameters
    ----------
    columns : sequence of str
        Their names.
    values : sequence of sequences
        Their distinct values, missing and merged ones too.
    copies : set of str
        Columns that have the content of another, and do not count toward the four.

    Examples
    --------
    >>> sorted(find_scales(["q1", "q2", "q3", "q4", "sex"], [[1, 2, 3, 4, 5]] * 4 + [[1, 2]]))
    ['q1', 'q2', 'q3', 'q4']
    >>> sorted(find_scales(["grade", "region"], [["1", "2", "3", "4"], [1, 2, 3, 4]]))
    ['grade']
    >>> sorted(find_scales(["r1", "r2", "r3", "r4", "x"], [[0, 4.5, 14.5, 24.5]] * 4 + [[1, 9.5]]))
    ['r1', 'r2', 'r3', 'r4']
    """
    able = {n: own for n, own in zip(columns, values, strict=True) if not _NAMES.search(n)}
    return _whole_scales(able, copies) | _decimal_scales(able, copies)


def _whole_scales(values: Mapping[str, Sequence[Value]], copies: Set[str]) -> frozenset[str]:
    """Return the columns of whole numbers that are a scale."""
    found = {name: _scale(own) for name, own in values.items()}
    scales = {name: own for name, own in found.items() if len(own) >= FEWEST_GRADES}
    ends = {name: (min(own), max(own)) for name, own in scales.items()}
    counted = {name: own for name, own in scales.items() if name not in copies}
    shared = Counter(ends[name] for name, own in counted.items() if _has_no_gap(own))
    return frozenset(
        name
        for name, own in scales.items()
        if _GRADES.search(name)
        or (
            ends[name] in SHARED_SCALES
            and _has_no_gap(own)
            and shared[ends[name]] >= COLUMNS_OF_SCALE
        )
    )


def _decimal_scales(values: Mapping[str, Sequence[Value]], copies: Set[str]) -> frozenset[str]:
    """Return the columns of halves or tenths that are a scale; some of them may be whole."""
    found = {name: _decimals(own) for name, own in values.items()}
    scales = {name: own for name, own in found.items() if len(own) >= FEWEST_GRADES}
    counts = Counter(chain.from_iterable(own for n, own in scales.items() if n not in copies))
    shared = {number for number, n in counts.items() if n >= COLUMNS_OF_SCALE}
    return frozenset(n for n, own in scales.items() if len(own & shared) >= SHARED_STEPS * len(own))


def _decimals(values: Sequence[Value]) -> frozenset[float]:
    """Return numbers with at most one decimal, not all whole; nothing for any other values."""
    if not FEWEST_GRADES <= len(values) <= MOST_STEPS + 2:  # one missing, one merged
        return frozenset()
    numbers = [_decimal(value) for value in values if _has_order(value)]
    found = frozenset(number for number in numbers if number is not None)
    is_scale = len(found) == len(numbers) and not all(map(float.is_integer, found))
    return found if is_scale else frozenset()


def _decimal(value: Value) -> float | None:
    if isinstance(value, str):
        return float(value) if _DECIMAL.fullmatch(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | np.number):
        return None
    if not 0 <= value <= LARGEST_STEP:
        return None
    # As text, since a float holds no tenth to the last bit.
    is_step = _DECIMAL.fullmatch(repr(float(value)).removesuffix(".0"))
    return float(value) if is_step else None


def _scale(values: Sequence[Value]) -> frozenset[int]:
    """Return whole numbers up to 10; nothing if the values are anything else."""
    if not FEWEST_GRADES <= len(values) <= LAST_OF_SCALE + 3:  # one missing, one merged
        return frozenset()
    numbers = [_on_scale(value) for value in values if _has_order(value)]
    found = frozenset(number for number in numbers if number is not None)
    return found if len(found) == len(numbers) else frozenset()


def _has_no_gap(numbers: frozenset[int]) -> bool:
    return max(numbers) - min(numbers) + 1 == len(numbers)


def _on_scale(value: Value) -> int | None:
    if isinstance(value, str):
        return int(value) if _ON_SCALE.fullmatch(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | np.number):
        return None
    return int(value) if 0 <= value <= LAST_OF_SCALE and value == int(value) else None


def declared_orders(table: Table) -> dict[str, tuple[Value, ...]]:
    """Return the columns whose type has an order, with their values in that order."""
    pairs = zip(table.names, table.columns, strict=False)  # a table of names has no cells
    orders = {name: declared_order(cells) for name, cells in pairs}
    return {name: order for name, order in orders.items() if order}


def declared_order(cells: Any) -> tuple[Value, ...]:
    """Return a column's values in the order that its type has; nothing if it has none.

    Parameters
    ----------
    cells : narwhals Series or array
        pandas' ordered categoricals are Enums to narwhals. An array may have an order in the
        metadata of its type; see `ordered_array`.
    """
    if isinstance(cells, np.ndarray):
        return tuple((cells.dtype.metadata or {}).get(ORDER, ()))
    if isinstance(cells.dtype, nw.Enum):
        return tuple(map(plain, cells.dtype.categories))
    native = cells.to_native()
    if not getattr(getattr(native, "type", None), "ordered", False) or not native.num_chunks:
        return ()
    first, *others = (chunk.dictionary for chunk in native.chunks)
    return tuple(map(plain, first.to_pylist())) if all(map(first.equals, others)) else ()


def ordered_array(places: Positions, order: Sequence[str]) -> NDArray[np.object_]:
    """Return texts at some places of an order (-1 for missing ones), and the order in their type.

    Examples
    --------
    >>> declared_order(ordered_array(np.array([1, -1]), ["low", "high"]))
    ('low', 'high')
    """
    dtype = np.dtype(object, metadata={ORDER: tuple(order)})
    cells = np.empty(len(places), dtype=dtype)
    cells[:] = np.array([*order, None], dtype=object)[places]
    return cells


def ordered_series(places: Positions, order: Sequence[str], library: Any) -> Any:
    """Return texts at some places of an order (-1 for missing ones), of a type with that order.

    Parameters
    ----------
    places : integer array of shape (n_rows,)
        The place of each cell.
    order : sequence of str
        Distinct.
    library : narwhals Implementation
        What the column is for: an ordered categorical of pandas, an Enum of polars, an ordered
        dictionary of Arrow.
    """
    if library.is_pyarrow():
        import pyarrow as pa

        indices = pa.array(places.astype(np.int32), mask=places < 0)
        cells = pa.DictionaryArray.from_arrays(indices, pa.array(order, pa.string()), ordered=True)
        return nw.from_native(pa.chunked_array([cells]), series_only=True)
    if library.is_pandas():
        import pandas as pd

        categories = pd.CategoricalDtype(list(order), ordered=True)
        cells = pd.Categorical.from_codes(places, dtype=categories)
        return nw.from_native(pd.Series(cells), series_only=True)
    small = nw.new_series("", [*order, None], nw.String, backend=library).cast(nw.Enum(order))
    return small[np.where(places < 0, len(order), places)] if len(places) else small[:0]


def _is_auto(ordered: Any) -> bool:
    return isinstance(ordered, str) and ordered == AUTO


def _given_order(column: str, values: Sequence[Value], given: Any) -> Positions:
    """Return the order that the user wrote down."""
    named = Parameter("ordered", key=column)
    if isinstance(given, str) or not isinstance(given, Iterable):
        said = "{given} must be a list of the column's values in order, got {order}."
        raise TypeError(message(said, given=named, order=repr(given)))
    order = list(given)
    if not all(isinstance(value, Hashable) for value in order):
        said = "{given} must have single values, such as text or numbers."
        raise TypeError(message(said, given=named))
    order = [plain(value) for value in order]
    known = set(order)
    if len(known) < len(order):
        twice = next(value for place, value in enumerate(order) if value in order[:place])
        said = "{given} names {twice} twice; name each value once."
        raise ValueError(message(said, given=named, twice=repr(twice)))
    if not _are_all_in(values, order):
        absent = [value for value in values if _has_order(value) and value not in known]
        strangers = _said_of_strangers(order, values, absent)
        said = "{given} lacks values that the column has: {absent}; name all of them, in order."
        raise ValueError(message(f"{said}{{0}}", strangers, given=named, absent=absent[:5]))
    return _positions(values, order)


def _said_of_strangers(
    order: Sequence[Value], values: Sequence[Value], absent: Sequence[Value]
) -> str:
    """Name the values of an order that no row has, which may be those that it lacks, misspelled.

    Examples
    --------
    >>> _said_of_strangers(["S", "Medum"], ["S", "Medium"], ["Medium"])
    " No row has 'Medum', which it names; did you mean 'Medium'?"
    """
    strangers = [value for value in order if value not in set(values)]
    if not strangers:
        return ""
    said = f" No row has {', '.join(map(repr, strangers[:5]))}, which it names"
    texts = {str(value): value for value in absent}
    close = get_close_matches(str(strangers[0]), texts, n=1) if len(strangers) == 1 else []
    return f"{said}; did you mean {texts[close[0]]!r}?" if close else f"{said}."


def _own_order(column: str, values: Sequence[Value]) -> Positions:
    """Return the order that values have by themselves, which the user says they have."""
    remedy = Parameter("ordered", ..., column)
    said = "Column {0} is to be ordered, but {1}; name its values in order: {2}."
    ends = [_ends(value) for value in values]
    lacking = [v for v, e in zip(values, ends, strict=True) if e is None and _has_order(v)]
    if lacking:
        why = f"{lacking[0]!r} is no number, date or range"
        raise ValueError(message(said, repr(column), why, remedy))
    units = _units(values)
    if len(units) > 1:
        why = f"its values have several units: {sorted(map(''.join, units))}"
        raise ValueError(message(said, repr(column), why, remedy))
    return _by_ends(ends)


def _are_all_in(values: Sequence[Value], order: Sequence[Value]) -> bool:
    """Return whether an order has a place for each value; it may have places for others."""
    known = set(order)
    return all(value in known for value in values if _has_order(value))


def _positions(values: Sequence[Value], order: Sequence[Value]) -> Positions:
    places = {value: place for place, value in enumerate(order)}
    found = np.array([places.get(value, -1) if _has_order(value) else -1 for value in values])
    return _dense(found)


def _dense(places: AnyArray) -> Positions:
    """Return positions without gaps, as a value that no row has is not there."""
    result = np.full(len(places), -1, dtype=np.intp)
    known = places >= 0
    result[known] = np.unique(places[known], return_inverse=True)[1]
    return result


def _range_order(values: Sequence[Value]) -> Positions | None:
    """Return the order of values that are ranges, but for fewer others among them.

    At least two are ranges (and not only numbers, which may be codes), and no two cross; or one is,
    and goes on from what is counted: 0, 1, 2, 3+, or 0, over 0. A value within the range of
    another, such as "<0.1" beside "up to 2", stands where that one does. Units, if there are any,
    are the same.
    """
    ends: list[Ends | None] = []
    n_others = 0
    for value in values:
        ends.append(_ends(value) if _is_text(value) else None)
        n_others += ends[-1] is None and _has_order(value)
        if 2 * n_others >= len(values):  # before a million names are read
            return None
    covers = _covers({e for e in ends if e is not None})
    if covers is None:
        return None
    kept = sorted(set(covers.values()))
    n_others += sum(e is not None and covers[e] != e for e in ends)
    n_kept = sum(e is not None and covers[e] == e for e in ends)
    is_counted = n_others == 0 and len(kept) > 1 and _is_capped(kept)
    if (sum(low < high for low, high in kept) < 2 and not is_counted) or n_others >= n_kept:
        return None
    if len(_units(v for v, e in zip(values, ends, strict=True) if e is not None)) > 1:
        return None
    # Where nothing is negative, the lowest range is that of 0.
    is_all = (kept[0][0] == -math.inf or kept[0] == ZERO) and kept[-1][1] == math.inf
    pairs = zip(values, ends, strict=True)
    if not is_all and any(end is None and _has_digit(value) for value, end in pairs):
        return None  # "65 years or so" may be the range that is lacking, and not in the middle
    return _by_ends([None if e is None else covers[e] for e in ends])


def _is_capped(kept: Sequence[Ends]) -> bool:
    """Return whether ends are those of consecutive numbers, and of a range that goes on from there.

    Examples
    --------
    >>> zero, one = (0.0, 0.0), (1.0, 1.0)
    >>> _is_capped([zero, one, (2.0, math.inf)]), _is_capped([zero, one, (1.0, math.inf)])
    (True, True)
    >>> _is_capped([one, (5.0, 5.0)])
    False
    """
    *counted, (low, high) = kept
    numbers = [end[0] for end in counted]
    if high != math.inf or not numbers or any(one != other for one, other in counted):
        return False
    is_over = low == numbers[-1]  # over 2, not 3+
    is_next = low == numbers[-1] + 1 and len(numbers) > 1
    return (is_over or is_next) and numbers == [numbers[0] + n for n in range(len(numbers))]


def _units(values: Iterable[Value]) -> set[tuple[str, str]]:
    """Return the units of ranges and numbers, if they have any."""
    found = {same_unit(unit_of(value)) for value in values if isinstance(value, str)}
    return found - {NO_UNIT}


def _covers(ends: set[Ends]) -> dict[Ends, Ends] | None:
    """Return the range that contains each range, mostly itself; None if two overlap.

    Examples
    --------
    >>> _covers({(0.0, 5.0), (5.0, 9.0), (6.0, 7.0)})
    {(0.0, 5.0): (0.0, 5.0), (5.0, 9.0): (5.0, 9.0), (6.0, 7.0): (5.0, 9.0)}
    >>> _covers({(0.0, 5.0), (4.0, 9.0)}) is None
    True
    """
    found: dict[Ends, Ends] = {}
    last = (-math.inf, -math.inf)
    for low, high in sorted(ends, key=lambda end: (end[0], end[0] < end[1], -end[1])):
        if low >= last[1]:
            last = (low, high)
        elif high > last[1]:
            return None
        found[low, high] = last
    return found


def _has_digit(value: Value) -> bool:
    return isinstance(value, str) and any(map(str.isdigit, value))


def _by_ends(ends: Sequence[Ends | None]) -> Positions:
    order = sorted({e for e in ends if e is not None})
    places = {e: place for place, e in enumerate(order)}
    return np.array([-1 if e is None else places[e] for e in ends], dtype=np.intp)


def _has_order(value: Value) -> bool:
    """Return whether a value could have a place: a missing cell and merged values have none."""
    return value is not None and value is not INFREQUENT


def _is_text(value: Value) -> bool:
    return isinstance(value, str) or type(value).__name__ == "Interval"


def _ends(value: Any) -> Ends | None:
    """Return the ends of a range, a number or a date; None for anything else.

    Examples
    --------
    >>> _ends("up to 25"), _ends("26 to 40"), _ends("65+"), _ends(7), _ends("red")
    ((-inf, 25.0), (26.0, 40.0), (65.0, inf), (7.0, 7.0), None)
    """
    try:
        return _read_ends(value)
    except (TypeError, ValueError):  # ends that are no numbers, a 13th month
        return None


def _read_ends(value: Any) -> Ends | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float | Decimal | np.number | date):
        number = _number(value)
        return number, number
    if type(value).__name__ == "Interval":
        return _number(value.left), _number(value.right)
    if not isinstance(value, str):
        return None
    texts = end_texts(value)
    if texts is None:
        return None
    low, high = (None if text is None else _number(text) for text in texts)
    is_alone = texts[0] == texts[1] and value.count(str(texts[0])) == 1  # not 5 to 5
    if low is None or high is None or is_alone:
        return -math.inf if low is None else low, math.inf if high is None else high
    return (low, high) if low < high else None


def _number(end: Any) -> float:
    """Return an end of a range as a number; dates count from the first year, in days."""
    if isinstance(end, str):
        if not re.fullmatch(DATE, end):
            return float(end.replace(",", ""))
        end = datetime.fromisoformat(end if len(end) > 7 else f"{end}-01")
    if isinstance(end, datetime):
        second = 3600 * end.hour + 60 * end.minute + end.second
        return end.toordinal() + second / 86400
    if isinstance(end, date):
        return float(end.toordinal())
    try:
        return float(end)
    except OverflowError:  # a whole number of hundreds of digits
        return math.inf if end > 0 else -math.inf
