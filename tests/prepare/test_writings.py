"""Numbers and dates as people write them."""

import random
from datetime import date, datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import untie
from untie import Preparer, load_model
from untie._persistence.models import READING
from untie._persistence.schema import Place
from untie._prepare.numbers import (
    DateWriting,
    NumberWriting,
    find_date_writing,
    find_number_writing,
)
from untie._prepare.rules import Reading, find_writing


def comes_back(reading):
    at = Place("", {})
    return READING.read(READING.write(reading, at), at) == reading


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["3,5", "12", "-0,25"], [3.5, 12, -0.25]),
        (["1.234,5", "3"], [1234.5, 3]),
        (["1,234.5", "3"], [1234.5, 3]),
        (["1.234.567", "1.234"], [1234567, 1234]),
        (["1,234", "999"], [1234, 999]),
        (["0,123", "4,567"], [0.123, 4.567]),
        (["1 234,5", "7"], [1234.5, 7]),
        (["1\u00a0234", "7"], [1234, 7]),
        (["1'234.50", "7"], [1234.5, 7]),
        (["12 kg", "3.5 kg", "7kg"], [12, 3.5, 7]),
        (["12 kg", "3,5 kg"], [12, 3.5]),
        (["$10", "-$1,000", "$ 999"], [10, -1000, 999]),
        (["10 €", "\u22123,50 €"], [10, -3.5]),
        (["35%", "4.5 %"], [35, 4.5]),
        (["-3 °C", "+4 °C"], [-3, 4]),
        (["12 km/h", "7 km/h"], [12, 7]),
        (["USD 10", "USD 12.5"], [10, 12.5]),
        (["5 years", "70 years"], [5, 70]),
    ],
)
def test_numbers_that_are_read(texts, numbers):
    writing = find_writing(texts)
    assert [writing.read(text) for text in texts] == numbers
    assert find_writing(texts[::-1]) == writing
    assert comes_back(Reading((), writing))


@pytest.mark.parametrize(
    "texts",
    [
        ["1,234", "5,678"],  # decimals or thousands
        ["1,234", "5678"],
        ["12 kg", "3 g"],
        ["12 kg", "3"],
        ["3,5", "2.5"],
        ["007", "3,5"],
        ["10.0.0.1", "10.0.0.2"],
        ["5'10", "6'1"],
        ["12:30", "13:00"],
        ["1,2,3", "4,5"],
        ["7a", "7b"],
        ["-$-5", "$3"],
        ["v7", "v8"],
        ["red", "3,5"],
        ["3,5", 7],
        ["1", "2.5"],  # plain numbers, which need no reading
        [],
    ],
)
def test_numbers_that_are_not_read(texts):
    assert find_writing(texts) is None


@pytest.mark.parametrize(
    ("texts", "dates"),
    [
        (["31/12/2024", "1/2/2024"], [date(2024, 12, 31), date(2024, 2, 1)]),
        (["12/31/2024", "1/2/2024"], [date(2024, 12, 31), date(2024, 1, 2)]),
        (["31.12.2024", "01.02.2024"], [date(2024, 12, 31), date(2024, 2, 1)]),
        (["1.2.2024", "2.3.2024"], [date(2024, 2, 1), date(2024, 3, 2)]),
        (["31-12-2024"], [date(2024, 12, 31)]),
        (["2024/12/31", "2024/1/5"], [date(2024, 12, 31), date(2024, 1, 5)]),
        (
            ["31/12/2024 10:30", "1/2/2024, 9:05:30 PM"],
            [datetime(2024, 12, 31, 10, 30), datetime(2024, 2, 1, 21, 5, 30)],
        ),
        (["12/31/2024 12:05 AM"], [datetime(2024, 12, 31, 0, 5)]),
    ],
)
def test_dates_that_are_read(texts, dates):
    writing = find_writing(texts)
    assert [writing.read(text) for text in texts] == dates
    assert comes_back(Reading(("?",), writing))


@pytest.mark.parametrize(
    ("texts", "dates"),
    [
        (["Jun 12 1998", "May 3, 2001"], [date(1998, 6, 12), date(2001, 5, 3)]),
        (["12 June 1998", "1st of march 2001"], [date(1998, 6, 12), date(2001, 3, 1)]),
        (["12-JUN-1998", "3-Sept-2001"], [date(1998, 6, 12), date(2001, 9, 3)]),
        (["1998-Jun-12", "2001 May 3"], [date(1998, 6, 12), date(2001, 5, 3)]),
        (["Fri, 12 Jun 1998", "Thursday, May 3, 2001"], [date(1998, 6, 12), date(2001, 5, 3)]),
        (["12 Jun 1998 9:05 PM"], [datetime(1998, 6, 12, 21, 5)]),
        (["June 1998", "Dec-2001"], [date(1998, 6, 1), date(2001, 12, 1)]),
        (["Jun-98", "Dec-01"], [date(1998, 6, 1), date(2001, 12, 1)]),
        (["Jun '17", "Dec '18"], [date(2017, 6, 1), date(2018, 12, 1)]),
        (["12-Jun-62", "3-May-15"], [date(1962, 6, 12), date(2015, 5, 3)]),
        (["1-Jun-21", "2-May-24"], [date(2021, 6, 1), date(2024, 5, 2)]),
        (
            ["1-Jun-24", "2-May-28", "1-Jan-33"],
            [date(2024, 6, 1), date(2028, 5, 2), date(2033, 1, 1)],
        ),
    ],
)
def test_dates_with_the_name_of_a_month(texts, dates):
    writing = find_writing(texts)
    assert [writing.read(text) for text in texts] == dates
    assert find_writing(texts[::-1]) == writing
    assert comes_back(Reading(("?",), writing))


@pytest.mark.parametrize(
    "texts",
    [
        ["May-17", "Jun-03"],  # days or years
        ["12 Jun", "13 Jul"],
        ["31 June 1998"],
        ["98-Jun-12"],
        ["Jun 12 1998", "soon"],
        ["May", "June"],
        ["Juno 12 1998"],
        ["March 1998 (est.)"],
        ["Marcus 1998", "May 1998"],
    ],
)
def test_names_of_months_that_make_no_date(texts):
    assert find_writing(texts) is None


@pytest.mark.parametrize(
    "texts",
    [
        ["1/2/2024", "3/4/2024"],  # nothing tells which is the day
        ["31/12/2024", "12/31/2024"],
        ["31/12/24"],
        ["32/12/2024"],
        ["29/2/2023"],
        ["31/12/2024 25:00"],
        ["31/12/2024 13:00 PM"],
        ["31/12/2024", "soon"],
        ["31/12-2024"],
        ["2024-12-31"],  # plain, which needs no reading
    ],
)
def test_dates_that_are_not_read(texts):
    assert find_writing(texts) is None


def test_the_user_can_say_what_comes_first():
    texts = ["1/2/2024", "3/4/2024"]
    assert find_date_writing(texts, day_first=True) == DateWriting("day first")
    assert find_date_writing(texts, day_first=False) == DateWriting("month first")
    # The column knows better.
    assert find_date_writing(["31/1/2024"], day_first=False) == DateWriting("day first")


words = st.text(st.characters(categories=["L", "Zs", "P"]), max_size=12)


@given(st.lists(words, unique=True, max_size=30), st.randoms())
def test_words_are_never_changed(values, random):
    assert find_writing(values) is None
    numbers = ["3,5", "12", *values]
    random.shuffle(numbers)
    assert find_writing(numbers) is None or not values


@given(
    st.lists(st.integers(-(10**9), 10**9).map(lambda n: n / 100), min_size=1),
    st.sampled_from([(",", "."), (".", ","), (",", " "), (".", "'"), (",", "")]),
    st.sampled_from([("", ""), ("", " kg"), ("$", ""), ("", "%")]),
)
def test_what_is_written_is_read(numbers, marks, around):
    """Two decimals leave no doubt."""
    decimal, thousands = marks
    table = str.maketrans({",": thousands, ".": decimal})
    texts = []
    for number in numbers:
        sign, digits = ("-" if number < 0 else ""), f"{abs(number):,.2f}".translate(table)
        texts.append(f"{sign}{around[0]}{digits}{around[1]}")
    writing = find_number_writing(texts)
    assert [writing.read(text) for text in texts] == pytest.approx(numbers)
    shuffled = texts[:]
    random.Random(0).shuffle(shuffled)
    assert find_number_writing(shuffled) == writing


@given(st.lists(st.dates(date(1000, 1, 1)), min_size=1), st.booleans())
def test_dates_that_are_written_are_read(dates, day_first):
    pattern = "%d/%m/%Y" if day_first else "%m/%d/%Y"
    texts = [f"{day:{pattern}}".replace(f"{day:%Y}", f"{day.year:04}") for day in dates]
    assume(any(day.day > 12 for day in dates))
    writing = find_date_writing(texts)
    assert [writing.read(text) for text in texts] == dates


@given(st.lists(st.text(max_size=8), min_size=1, max_size=40), st.randoms())
def test_no_text_breaks_the_reading(texts, random):
    writing = find_writing(texts)
    random.shuffle(texts)
    assert find_writing(texts) == writing
    if writing is not None:
        assert all(writing.read(text) is not None for text in texts)


def prices(n=400):
    rng = np.random.default_rng(0)
    return [
        f"{number:,.2f} €".translate(str.maketrans(",.", ".,")) for number in rng.random(n) * 9e3
    ]


def test_the_preparer_bins_them_as_the_plain_numbers(tmp_path):
    written = prices()
    plain = [float(text[:-2].replace(".", "").replace(",", ".")) for text in written]
    frame = pd.DataFrame({"price": written, "x": ["a", "b"] * 200})
    preparer = Preparer(bins=7).fit(frame)
    expected = Preparer(bins=7).fit(frame.assign(price=plain))
    assert preparer.ranges("price") == expected.ranges("price")
    transformed = preparer.transform(frame)
    assert (
        transformed["price"].tolist()
        == expected.transform(frame.assign(price=plain))["price"].tolist()
    )
    note = preparer.notes_[0]
    assert note.reason.startswith(
        "into 7 ranges; read as numbers in '€', with ',' before decimals and '.' between thousands"
    )
    preparer.save(tmp_path / "p.untie")
    again = load_model(tmp_path / "p.untie")
    assert again.transform(frame).equals(transformed)
    # New files may have them as numbers already.
    assert again.category("price", 1.5) == again.category("price", "1,50 €")
    assert again.category("price", "cheap") == "cheap"


def test_rows_in_any_order_and_in_pieces(tmp_path):
    written = [*prices(), "n/a"]
    forth, back = pa.table({"price": written}), pa.table({"price": written[::-1]})
    fits = [Preparer(bins=5, columns=["price"]).fit(table) for table in (forth, back)]
    assert fits[0].ranges("price") == fits[1].ranges("price")
    assert fits[0].notes_ == fits[1].notes_
    pd.DataFrame({"price": written}).to_csv(tmp_path / "t.csv", index=False)
    lazy = untie.scan(tmp_path / "t.csv", types="text")
    streamed = Preparer(bins=5, columns=["price"]).fit(lazy)
    assert streamed.notes_ == fits[0].notes_
    prepared = streamed.transform(lazy).collect()["price"].to_pylist()
    assert prepared == fits[0].transform(forth)["price"].to_pylist()
    assert prepared[-1] is None


def test_few_values_stay_as_they_are():
    frame = pd.DataFrame({"size": ["1,5 m", "2,5 m", "10 m"] * 10})
    preparer = Preparer().fit(frame)
    assert preparer.notes_[0].reason == ""
    assert preparer.transform(frame)["size"].tolist() == frame["size"].tolist()


def test_a_few_other_cells_keep_the_column_as_text():
    cells = [f"{n / 4:.2f}".replace(".", ",") for n in range(90)] * 3
    frame = pd.DataFrame({"x": [*cells, "many"]})
    assert Preparer().fit(frame).notes_[0].action == "kept"
    assert Preparer().fit(frame[:-1]).notes_[0].action == "binned"


def test_thousands_are_not_taken_for_decimals_by_the_most():
    """Nine of ten are plain numbers if the point is one of decimals; the tenth says it is not."""
    cells = [f"{n}.{n % 900 + 100}" for n in range(1, 100)] + ["1.234.567"]
    preparer = Preparer(bins=5).fit(pd.DataFrame({"x": cells * 2, "y": ["a", "b"] * 100}))
    assert "'.' between thousands" in preparer.notes_[0].reason
    assert preparer.category("x", "1.101") == preparer.ranges("x")[0]
    assert preparer.category("x", "1.234.567") == preparer.ranges("x")[-1]


def test_ids_with_thousands_are_ids():
    cells = [f"{n:,}" for n in range(900, 1900)]
    frame = pd.DataFrame({"id": cells, "price": [f"{c} kg" for c in cells], "y": ["a", "b"] * 500})
    notes = Preparer().fit(frame).notes_
    assert [note.action for note in notes] == ["left out", "binned", "kept"]
    assert NumberWriting(".", ",").read("1,899") == 1899


@pytest.mark.parametrize("day_first", ["yes", 2])
def test_day_first_is_checked(day_first):
    with pytest.raises(TypeError, match="day_first must be True, False or None"):
        Preparer(day_first=day_first).fit(pd.DataFrame({"x": ["a", "b"]}))


def test_what_to_do_about_unclear_dates_is_said_in_python():
    days = pd.DataFrame({"day": [f"{n % 12 + 1:02}/{n % 11 + 1:02}/2024" for n in range(60)]})
    (note,) = Preparer(columns=["day"]).fit(days).notes_
    assert note.reason.endswith("comes first; say so with day_first=True or day_first=False")


@pytest.mark.parametrize("form", ["%b %d %Y", "%d %B %Y", "%d-%b-%y"])
def test_columns_of_dates_with_month_names_are_binned(form, tmp_path):
    rng = np.random.default_rng(0)
    days = pd.Timestamp("1990-01-01") + pd.to_timedelta(rng.integers(0, 9000, 400), unit="D")
    table = pd.DataFrame({"released": days.strftime(form), "plain": days.strftime("%Y-%m-%d")})
    preparer = Preparer(date_parts=["weekday"]).fit(table)
    assert preparer.ranges("released") == preparer.ranges("plain")
    found = preparer.transform(table)
    assert (found["released"].astype(str) == found["plain"].astype(str)).all()
    assert (found["released (weekday)"] == found["plain (weekday)"]).all()
    table.to_csv(tmp_path / "t.csv", index=False)
    assert Preparer(date_parts=["weekday"]).fit(untie.scan(tmp_path / "t.csv")).notes_ == (
        preparer.notes_
    )
