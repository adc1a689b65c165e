"""Which columns have an order, and the places of their values."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import encoder_of, fit_known
from untie import Preparer, TableEncoder, count_table
from untie._table.frames import structured
from untie._table.intervals import run_name
from untie._table.orders import (
    check_ordered,
    declared_orders,
    find_orders,
    find_scales,
    ordered_array,
)
from untie._table.table import read_table, table_of_names
from untie._table.vocabulary import INFREQUENT, Vocabulary


def places(values, *given, column="a"):
    """Return the positions of one column's values."""
    return listed(find_orders(Vocabulary((column,), (tuple(values),)), *given)[0])


def listed(found):
    return found if found is None else found.tolist()


def learned(column, **parameters):
    """Return the values of a column and their positions, as an encoder has them."""
    other = ["u", "v", "w"] * len(column)
    frame = pd.DataFrame({"a": column, "b": other[: len(column)]})
    encoder = encoder_of(2, **parameters).fit(frame)
    return encoder.vocabulary_.values[0], listed(encoder._model.orders[0])


IN_ORDER = {
    "whole": ["up to 25", "26 to 40", "41", "42 to 65", "over 65"],
    "fractions": ["up to -3", "-3 to -0.5", "-0.5 to 4.5", "over 4.5"],
    "powers": ["up to 1e-07", "1e-07 to 2.5e+16", "over 2.5e+16"],
    "years": ["until 1999", "2000 to 2003", "2004", "after 2004"],
    "months": ["until 1999-12", "2000-01 to 2000-03", "2000-04", "after 2000-04"],
    "days": ["until 2024-02-28", "2024-02-29 to 2024-03-01", "after 2024-03-01"],
    "seconds": [
        "until 2024-02-28 23:59:59",
        "2024-02-29 00:00:00 to 2024-02-29 12:30:00",
        "after 2024-02-29 12:30:00",
    ],
    "of surveys": ["under 18", "18-24", "25-64", "65+"],
    "of shops": ["< 1,000", "1,000 - 9,999", ">= 10,000"],
    "as words": ["Less than 1", "1 to 5", "5 or more"],
    "as mathematics": ["(-1.5, 0.0]", "(0.0, 2.5]", "(2.5, 10.0]"],
    "as signs": ["\u2264 5", "5\u20137", "\u2265 7"],
    "of ages": ["17 and under", "18 to 24", "25 to 64", "65 and older"],
    "of incomes": ["100 or less", "101-200", "201 or higher"],
    "with spaces": [" up to 2 ", "2..3", "above 3"],
    "of money": ["under $10", "$10 to $20", "$20 to $1,000", "$1,000+"],
    "of the census": ["Less than $10,000", "$10,000 - $14,999", "$150,000 or more"],
    "of years": ["under 18 years", "18 to 24 years", "25 to 64 years", "65 years or older"],
    "of jobs": ["< 1 year", "1 year", "2 years", "3 years", "10+ years"],
    "of weights": ["up to 5kg", "5kg-10kg", "over 10 kg"],
    "of shares": ["0% to 10%", "10% to 50%", "over 50%"],
    "of euros": ["0 € - 10 €", "11 € - 20 €", "21 € or more"],
    "of rooms": ["0", "1", "2", "3+"],
    "of children": ["1", "2", "3", "4 or more"],
    "of amounts": ["0", "1 to 5", "over 5"],
    "of shares from 0 on": ["0", "0 to 0.5", "over 0.5"],
    "of counts": ["0", "1", "2", "over 2"],
    "of mostly 0": ["0", "over 0"],
}


@pytest.mark.parametrize("name", IN_ORDER)
def test_ranges_are_known_by_their_names(name):
    values = IN_ORDER[name]
    assert places(values) == list(range(len(values)))
    assert places(values[::-1]) == list(range(len(values)))[::-1]
    assert places([*values, None]) == [*range(len(values)), -1]
    assert places([None, INFREQUENT, *values])[:2] == [-1, -1]


NO_RANGES = {
    "words": ["red", "green", "blue"],
    "numbers as text, which may be codes": ["1", "2", "3"],
    "numbers": [1, 2, 3],
    "dates": [date(2020, 1, 1), date(2021, 1, 1)],
    "months as text": ["2020-01", "2020-02", "2020-03"],
    "a range alone": ["up to 5", "6", "7"],
    "ranges that overlap": ["1 to 5", "3 to 8", "over 8"],
    "ranges from above": ["5 to 1", "8 to 6"],
    "as many others": ["up to 5", "over 5", "red", "green"],
    "no such months": ["1990-95", "1996-99", "2000-05"],
    "no such days": ["until 2023-02-29", "after 2023-02-30"],
    "booleans": [True, False],
    "one within each other": [">10", ">20", ">30"],
    "pairs of answers": ["1,2", "3,4", "5,6"],
    "a range that can't be read": ["under 18", "18-24", "25-64", "65 years up"],
    "scores": ["0-1", "1-2", "2-3", "3-1"],
    "nothing": [],
    "missing alone": [None],
}


@pytest.mark.parametrize("name", NO_RANGES)
def test_other_values_have_no_order_by_themselves(name):
    assert places(NO_RANGES[name]) is None


def test_a_few_other_values_have_no_place():
    assert places(["up to 5", "n/a", "over 7", "6 to 7"]) == [0, -1, 2, 1]


def test_odd_texts_with_digits_have_no_place_where_no_range_is_lacking():
    assert places(["up to 5", "6 to 7", "code 9", "over 7"]) == [0, 1, -1, 2]
    assert places(["0", "1 to 7", "code 9", "7 to 9", "over 9"]) == [0, 1, -1, 2, 3]


def test_a_value_within_a_range_stands_where_that_does():
    assert places(["<0.1", "up to 2", "2 to 3", "over 3", ">50"]) == [0, 0, 1, 2, 2]
    assert places(["18-24", "18 to 24", "25-34", "over 34"]) == [0, 0, 1, 2]


@pytest.mark.parametrize("odd", ["<0.1", ">200", "12,5", "5,12", "1,200", "007"])
def test_odd_texts_among_numbers_leave_the_order_of_their_ranges(odd):
    numbers = np.random.default_rng(0).uniform(0.5, 150, 400).round(2).astype(object)
    numbers[:3] = odd
    frame = Preparer(columns=["x"]).fit_transform(pd.DataFrame({"x": numbers}))
    found = find_orders(Vocabulary(("x",), (tuple(sorted(set(frame["x"]))),)))[0]
    assert found is not None
    assert found.max() == 34


def test_a_type_that_lacks_values_seen_before_has_no_order():
    sizes = pd.Series(["S", "M", "L"] * 20)
    frame = pd.DataFrame({"a": pd.Categorical(sizes, ["S", "M", "L"], ordered=True), "b": sizes})
    later = frame[frame.a != "L"].assign(a=lambda f: f.a.cat.remove_unused_categories())
    encoder = TableEncoder(2, preparer=None).partial_fit(frame)
    assert listed(encoder._model.orders[0]) == [2, 1, 0]
    assert encoder.partial_fit(frame)._model.orders[0] is not None
    # As in a concatenation of the two: L is not between S and M.
    assert encoder.partial_fit(later)._model.orders[0] is None


def test_the_same_end_written_twice_is_one_place():
    assert places(["1", "1.0", "2 to 3", "3 to 4"]) == [0, 0, 1, 2]


@given(
    st.lists(st.integers(-(10**17), 10**17), min_size=40, max_size=60, unique=True),
    st.sampled_from([1, 3, 1000, 10**16]),
    st.integers(2, 12),
)
def test_ranges_of_the_preparer_are_in_their_order(numbers, divisor, bins):
    frame = pd.DataFrame({"x": [number / divisor for number in numbers]})
    ranges = Preparer(columns=["x"], bins=bins).fit(frame).ranges("x")
    assert len(ranges) >= 2
    assert places(ranges) == list(range(len(ranges)))


@given(
    st.lists(
        st.datetimes(datetime(1000, 1, 1), datetime(9998, 1, 1)),
        min_size=40,
        max_size=50,
        unique_by=lambda time: time.date(),
    ),
    st.integers(2, 12),
)
def test_ranges_of_dates_are_in_their_order(times, bins):
    ranges = Preparer(columns=["x"], bins=bins).fit(pl.DataFrame({"x": times})).ranges("x")
    assert places(ranges) == list(range(len(ranges)))


def test_intervals_of_pandas():
    cut = pd.cut(np.arange(12.0), 3)
    as_objects = pd.Series(list(cut.astype(object)), dtype=object)
    for column in (cut, as_objects, cut.astype(str)):
        assert learned(column)[1] == [0, 1, 2]
    days = pd.cut(pd.date_range("2020-01-01", periods=12), 3)
    assert learned(pd.Series(list(days.astype(object)), dtype=object))[1] == [0, 1, 2]


def test_intervals_of_what_is_no_number():
    hours = pd.cut(pd.to_timedelta(np.arange(12), unit="h"), 3)
    assert learned(hours)[1] == [0, 1, 2]  # an ordered categorical
    assert learned(pd.Series(list(hours.astype(object)), dtype=object))[1] is None


NAMED = {
    "whole": [3, 1, 2],
    "fractions": [0.5, -1.5, np.inf],
    "decimals": [Decimal("1.5"), Decimal("3"), Decimal("2.25")],
    "dates": [date(2020, 1, 2), date(2020, 1, 1), date(1, 1, 1)],
    "times": [datetime(2020, 1, 1, 12), datetime(2020, 1, 1, 11), datetime(2020, 1, 1, 11, 0, 1)],
    "times of a zone": [datetime(2020, 1, day, tzinfo=UTC) for day in (3, 1, 2)],
    "beyond floats": [10**400, -(10**400), 7],
}


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("ordered", [["a"], ("a",), {"a": None}, {"a": True}], ids=str)
def test_columns_that_the_user_names(name, ordered):
    values = NAMED[name]
    expected = [sorted(values).index(value) for value in values]
    assert places(values, ordered) == expected
    assert places([*values, None, INFREQUENT], ordered) == [*expected, -1, -1]


def test_naming_a_column_is_no_stricter_than_finding_its_order():
    assert places(["up to 5", "n/a", "over 7", "6 to 7"], ["a"]) == [0, -1, 2, 1]
    assert places(["S", "L", "M"], ["a"], {"a": ("S", "M", "L")}) == [0, 2, 1]
    assert places(["S", "L", "M"], {"a": ["L", "M", "S"]}, {"a": ("S", "M", "L")}) == [2, 0, 1]


def test_values_in_the_order_that_the_user_gives():
    sizes = {"a": ["S", "M", "L", "XL"]}
    assert places(["L", "M", "S"], sizes) == [2, 1, 0]
    assert places(["XL", None, "S"], sizes) == [1, -1, 0]
    assert places([True, False], {"a": [False, True]}) == [1, 0]
    assert places(["up to 5", "over 5"], {"a": ["over 5", "up to 5"]}) == [1, 0]
    assert places([INFREQUENT, "S"], sizes) == [-1, 0]


def test_what_is_not_named_is_found_besides():
    both = Vocabulary(("a", "b", "c"), ((1, 2), ("over 5", "up to 5"), (1, 2)))
    assert [listed(p) for p in find_orders(both, ["a"])] == [[0, 1], [1, 0], None]


@pytest.mark.parametrize("ordered", [False, None, np.False_])
def test_orders_can_be_switched_off(ordered):
    assert places(IN_ORDER["whole"], ordered) is None
    enum = {"a": ("x", "y")}
    assert places(["x", "y"], ordered, enum) is None


@pytest.mark.parametrize("ordered", ["auto", True, np.True_, [], {}])
def test_orders_are_looked_for(ordered):
    assert places(IN_ORDER["whole"], ordered) == [0, 1, 2, 3, 4]
    assert places(["y", "x"], ordered, {"a": ("x", "y")}) == [1, 0]


@pytest.mark.parametrize(
    ("ordered", "error", "message"),
    [
        ("a", TypeError, "ordered must be 'auto', False, a list of columns or a dict"),
        (3, TypeError, "ordered must be 'auto'"),
        ([["a"]], TypeError, r"ordered must name columns, and \['a'\] is no name"),
        ([0], TypeError, "ordered must name columns, and 0 is no name"),
        (["c"], ValueError, "There is no column 'c' in the table, which ordered names"),
        ({"c": ["x"]}, ValueError, "There is no column 'c' in the table, which ordered names"),
        (["a"], ValueError, r"Column 'a' .* 'x' is no number, .* ordered=\{'a': \[\.\.\.\]\}"),
        ({"a": "xy"}, TypeError, r"ordered\['a'\] must be a list of the column's values in order"),
        ({"a": 5}, TypeError, r"ordered\['a'\] must be a list"),
        ({"a": [["x"], "y"]}, TypeError, r"ordered\['a'\] must have single values"),
        ({"a": ["x"]}, ValueError, r"ordered\['a'\] lacks values .*: \['y'\]; name all of them"),
        ({"a": ["x", "z"]}, ValueError, r"\['y'\]; .* in order\. No row has 'z', which it names\."),
        ({"a": ["x", "y", "x"]}, ValueError, r"ordered\['a'\] names 'x' twice"),
    ],
)
def test_mistakes(ordered, error, message):
    frame = pd.DataFrame({"a": ["x", "y"] * 4, "b": ["u", "u", "v", "v"] * 2})
    with pytest.raises(error, match=message):
        TableEncoder(2, ordered=ordered, preparer=None).fit(frame)


def test_booleans_have_no_order_but_a_given_one():
    with pytest.raises(ValueError, match="is no number, date or range"):
        places([True, False], ["a"])


def test_nothing_but_missing_cells():
    assert places([None], ["a"]) == [-1]
    assert learned([None] * 6, ordered=["a"])[1] == [-1]


ENUM = ["XS", "S", "M", "L", "XL"]
TYPED = {
    "pyarrow ordered dictionary": lambda v: pa.Table.from_pandas(TYPED["pandas ordered"](v)),
    "pandas ordered": lambda v: pd.DataFrame(
        {"a": pd.Categorical(v, categories=ENUM, ordered=True), "b": ["u", "v"] * 6}
    ),
    "polars Enum": lambda v: pl.DataFrame(
        {"a": pl.Series(v, dtype=pl.Enum(ENUM)), "b": ["u", "v"] * 6}
    ),
}


@pytest.mark.parametrize("name", TYPED)
def test_types_with_an_order_are_known_in_memory(name):
    cells = ["L", "S", None, "M"] * 3
    table = TYPED[name](cells)
    encoder = TableEncoder(2, preparer=None).fit(table)
    assert encoder.vocabulary_.values[0] == ("L", "M", "S", None)
    assert listed(encoder._model.orders[0]) == [2, 1, 0, -1]  # XS and XL, which none has, are gone
    plain = pd.DataFrame({"a": cells, "b": list("uv") * 6})
    named = TableEncoder(2, ordered={"a": ENUM}, preparer=None).fit(plain)
    np.testing.assert_allclose(encoder.similarity(table), named.similarity(plain), atol=1e-12)
    unordered = TableEncoder(2, preparer=None).fit(plain)
    assert listed(unordered._model.orders[0]) is None
    assert not np.allclose(encoder.similarity(table), unordered.similarity(plain))


def test_types_with_categories_of_any_kind():
    years = pd.Categorical([2020, 2018, 2019] * 4, categories=[2020, 2019, 2018], ordered=True)
    assert learned(years) == ((2018, 2019, 2020), [2, 1, 0])
    assert learned(pd.Categorical(["S", "M", "L"] * 4))[1] is None


def test_declared_orders_are_those_of_types():
    columns = {"a": ordered_array(np.array([1, -1]), ["low", "high"]), "b": np.array([1, 2])}
    assert declared_orders(read_table(structured(columns))) == {"a": ("low", "high")}
    assert declared_orders(table_of_names(["a", "b"])) == {}
    ordered = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["S", "M"]), ordered=True)
    other = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["M", "L"]), ordered=True)
    for chunks, found in (([ordered] * 2, {"a": ("S", "M")}), ([ordered, other], {}), ([], {})):
        column = pa.chunked_array(chunks, type=ordered.type)
        assert declared_orders(read_table(pa.table({"a": column}), min_rows=0)) == found


def test_chunks_of_an_ordered_type():
    table = TYPED["pandas ordered"](["L", "S", None, "M"] * 3)
    whole, grown = TableEncoder(2, preparer=None).fit(table), TableEncoder(2, preparer=None)
    for start in range(0, 12, 5):
        grown.partial_fit(table[start : start + 5])
    assert listed(grown._model.orders[0]) == listed(whole._model.orders[0])
    np.testing.assert_allclose(grown.similarity(table), whole.similarity(table), atol=1e-9)


def test_counts_know_ranges_and_names_but_no_types():
    rows = pd.DataFrame({"a": ["up to 5", "over 8", "6 to 8"] * 4, "b": list("uv") * 6})
    counted = count_table(rows[:5]) + count_table(rows[5:])
    assert listed(TableEncoder(2, preparer=None).fit_counts(counted)._model.orders[0]) == [1, 2, 0]
    typed = count_table(TYPED["pandas ordered"](["L", "S", None, "M"] * 3))
    assert TableEncoder(2, preparer=None).fit_counts(typed)._model.orders == (None, None)
    named = TableEncoder(2, ordered={"a": ENUM}, preparer=None).fit_counts(typed)
    assert listed(named._model.orders[0]) == [2, 1, 0, -1]


def test_merged_values_have_no_place():
    sizes = ["S", "M", "L"] * 4 + ["XL"]
    values, found = learned(sizes, ordered={"a": ENUM}, min_frequency=2)
    assert values == ("L", "M", "S", INFREQUENT)
    assert found == [2, 1, 0, -1]


def test_declared_categories_that_no_row_has():
    frame = pd.DataFrame({"a": [1, 3, 1, 3], "b": list("uvvu")})
    encoder = TableEncoder(2, preparer=None, ordered=["a"])
    fit_known(encoder, frame, [[1, 2, 3], ["u", "v"]])
    assert listed(encoder._model.orders[0]) == [0, 1, 2]
    assert np.isfinite(encoder.similarity(frame)).all()


@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=9, unique=True), st.booleans())
def test_names_between_numbers_round_trip(numbers, is_dates):
    """The order that is read is the order of the ends, whatever they are."""
    ends = sorted(numbers)
    if is_dates:
        ends = [date(2000, 1, 1) + timedelta(days=end // 10) for end in ends]
        ends = sorted(set(ends))
    names = [f"up to {ends[0]}", *(f"{a} to {b}" for a, b in pairwise(ends)), f"over {ends[-1]}"]
    assert places(names) == list(range(len(names)))


def test_checked_before_there_is_a_table():
    assert check_ordered("auto") == check_ordered(False) == check_ordered(None) == {}
    assert check_ordered(["a", "b"]) == {"a": None, "b": None}
    assert check_ordered({"a": [1, 2]}) == {"a": [1, 2]}
    with pytest.raises(TypeError, match="ordered must be"):
        TableEncoder(2, ordered=7.5, preparer=None).fit([["a", "b"], ["c", "d"]])


@pytest.mark.parametrize(
    "values",
    [
        ["1 to 5 kg", "6 to 10 g", "over 10 kg"],  # two units
        ["$1 to $5", "6 € to 10 €", "over 10"],
        ["1 to 5 kg", "$6 to $10 kg"],
        ["1", "2", "7+"],  # a gap
        ["1", "3+"],
        ["1", "2", "3+", "red"],
        ["1", "2", "3"],
        ["4-door", "2-door", "3-door"],
        ["7-Eleven", "3M", "20th Century"],
        ["1st", "2nd", "3rd+"],
        ["2 door", "4 door"],
        ["5 to 5", "7", "8"],
    ],
)
def test_names_with_numbers_that_are_no_ranges(values):
    assert places(values) is None


def test_units_of_columns_that_are_said_to_be_ordered():
    assert places(["12 kg", "5 kg", "7.5 kg"], ["a"]) == [2, 0, 1]
    with pytest.raises(ValueError, match=r"several units: \['g', 'kg'\]; name its values in order"):
        places(["12 kg", "500 g"], ["a"])


@given(st.lists(st.text(st.characters(categories=["L", "Zs", "P"])), unique=True))
def test_words_have_no_order(values):
    assert places(values) is None


def test_runs_of_ranges_with_units():
    years = ["under 18 years", "18 to 24 years", "25 to 64 years", "65 years or older"]
    assert run_name(years, 1, 3) == "18 to 64 years"
    assert run_name(years, 0, 2) == "under 25 years"
    assert run_name(years, 2, 4) == "25 years or older"
    assert run_name(["under $10", "$10 to $20", "$20 to $30"], 1, 3) == "$10 to $30"
    assert run_name(["0", "1", "2", "3+"], 1, 3) == "1 to 2"
    assert run_name(["0", "1", "2", "3+"], 2, 4) == "2+"
    assert run_name(["0", "1 to 5", "6 to 9", "over 9"], 0, 2) == "0 to 5"
    assert run_name(["0", "1 to 5", "6 to 9", "over 9"], 1, 4) == "over 0"
    assert run_name(["0", "1 to 5", "6 to 9", "over 9"], 0, 4) == "any range"


ONE_TO_FIVE = [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("values", "n_columns", "is_scale"),
    [
        (ONE_TO_FIVE, 4, True),
        ([*ONE_TO_FIVE, None, INFREQUENT], 4, True),
        (list(map(str, ONE_TO_FIVE)), 4, True),
        (list(map(float, ONE_TO_FIVE)), 4, True),
        (list(range(7)), 4, True),
        (list(range(11)), 4, True),
        (list(range(1, 11)), 9, False),  # see SHARED_SCALES
        (ONE_TO_FIVE, 3, False),
        ([1, 2, 4, 4], 4, False),
        ([1, 2], 4, False),
        ([1, 2, 4, 4, 9], 4, False),
        ([2, 4, 4, 5, 6], 4, False),
        ([1, 2, 4, 4, 5.5], 4, False),
        (["1", "2", "3", "4", "five"], 4, False),
        (["01", "02", "03", "04", "05"], 4, False),
        ([True, False], 4, False),
    ],
)
def test_numbers_that_several_columns_have_are_a_scale(values, n_columns, is_scale):
    names = [f"q{number}" for number in range(n_columns)]
    found = find_scales([*names, "other"], [*[values] * n_columns, [1, 2, 3, 5]])
    assert found == (set(names) if is_scale else set())


HALVES = [1.0, 1.5, 2.0, 2.5, 3.0]


@pytest.mark.parametrize(
    ("values", "is_scale"),
    [
        ([HALVES] * 4, True),
        ([[*HALVES, None, INFREQUENT]] * 4, True),
        ([["0", "0.5", "1", "1.5"]] * 4, True),
        ([[n / 10 for n in range(1, 8)]] * 4, True),
        ([HALVES, HALVES[1:], [*HALVES, 5.5], HALVES, HALVES[:4]], True),  # not all have all
        ([[4.5, 14.5, 94.5, 100]] * 4, True),
        ([HALVES] * 3, False),
        ([[10 * column + half for half in HALVES] for column in range(4)], False),
        ([[0.25, 0.5, 0.75, 1.0]] * 4, False),
        ([["0.50", "1.00", "1.50", "2.00"]] * 4, False),  # may be versions or codes
        ([[*HALVES, "many"]] * 4, False),
        ([[number / 2 for number in range(30)]] * 4, False),
    ],
)
def test_halves_and_tenths_that_several_columns_have_are_a_scale(values, is_scale):
    names = [f"r{number}" for number in range(len(values))]
    assert find_scales(names, values) == (set(names) if is_scale else set())
    assert find_scales([f"{name}_code" for name in names], values) == set()
    if len(names) == 4:  # a copy does not count
        assert find_scales(names, values, copies={"r0"}) == set()


@pytest.mark.parametrize(
    ("name", "values", "is_scale"),
    [
        ("grade", [1, 2, 3, 4], True),
        ("exam_grade_2", [1, 2, 4, 5], True),
        ("JobSatisfaction", [1, 2, 3, 4], True),
        ("wine quality", list(range(3, 10)), True),
        ("Apgar1", list(range(11)), True),
        ("rating", [0, 1], False),
        ("severity", [1, 2, 3], False),
        ("grade", [1, 2, 3, 4, 99], False),
        ("score", [1.5, 2, 3, 4], False),
        ("upgraded", [1, 2, 3, 4], False),
        ("stage_type", [1, 2, 3, 4], False),
        ("region", [1, 2, 3, 4, 5], False),
    ],
)
def test_names_that_say_that_numbers_are_a_scale(name, values, is_scale):
    assert find_scales([name], [values]) == ({name} if is_scale else set())


def test_codes_that_share_numbers_are_no_scale():
    names = ["region_code", "jobType", "race", "zone"]
    assert find_scales(names, [ONE_TO_FIVE] * 4) == set()
