"""Where the names of columns are, in rows of texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untie._engines.headers import Header, find_header, is_row, joined_names, own_names

ROWS = [["red", "big", "1"], ["blue", "small", "2"]]
NAMES = ["color", "size", "n"]
WORDS = [["red", "big", "round"], ["blue", "small", "flat"]]
SHAPES = ["color", "size", "shape"]

FOUND = {
    "a title and an empty row": ([["Sales"], [], NAMES, *ROWS], 2, 1),
    "a title right above": ([["Sales"], NAMES, *ROWS], 1, 1),
    "a title in a row of cells": ([["Sales", "", ""], NAMES, *ROWS], 1, 1),
    "a title of words above words": ([["Sales of 2024"], SHAPES, *WORDS], 1, 1),
    "years": ([["Sales"], ["city", "2015", "2020"], ["Bonn", "1", "2"]], 1, 1),
    "comments": ([["# made"], ["# by a tool"], ["a", "b"], ["x", "y"]], 2, 1),
    "pairs": ([["Date", "2024-05-01"], ["By", "me"], [], NAMES, *ROWS], 3, 1),
    "a sentence with commas": ([["Sales"], ["ours", "raw", "draft"], [], NAMES, *ROWS], 3, 1),
    "two rows": ([["who", "a", ""], ["", "n", "m"], ["x", "1", "2"]], 0, 2),
    "two rows below a title": ([["T"], ["who", "a", ""], ["", "n", "m"], ["x", "1", "2"]], 1, 2),
    "two groups": ([["a", "a", "b", "b"], ["n", "m", "n", "m"], ["1", "2", "3", "4"]], 0, 2),
    "an index": ([["", "a", "a"], ["", "n", "m"], ["who", "", ""], ["x", "1", "2"]], 0, 3),
}

NOT_FOUND = {
    "an ordinary table": [NAMES, *ROWS],
    "words": [SHAPES, *WORDS],
    "no rows": [NAMES],
    "nothing": [],
    "one column": [["a"], ["x"], ["y"]],
    "no names": [["1", "2"], ["3", "4"]],
    "cells with commas in one column": [["a"], ["x", "y"], ["u", "v"]],
    "cells with commas in two columns": [["name", "city"], ["Roe", "J", "Bonn"], ["Doe", "A", "B"]],
    "names of pandas' columns": [["", "0", "1"], ["0", "x", "y"], ["1", "z", "y"]],
    "columns without names": [["a", "", ""], ["x", "y", "z"], ["u", "v", "w"]],
    "an empty row below the names": [NAMES, ["", "", ""], *ROWS],
    "a title or names, and no numbers": [["T"], SHAPES, [], *WORDS],
    "a missing cell below two names": [["id", "n", "n"], ["", "NA", "x"], ["B", "3", "4"]],
    "words below two names": [["id", "n", "n"], ["A", "lost", "x"], ["B", "3", "4"]],
    "a missing cell, no name": [["id", "", "n"], ["A", "x", "n/a"], ["B", "y", "4"]],
    "a column without a name": [["id", "n", ""], ["A", "hi", "ok"], ["B", "3", "4"]],
    "names and units": [["a", "b"], ["(m)", "(kg)"], ["1", "2"]],
    "names, one a number": [["name", "1"], ["x", "y"], ["u", "v"]],
}  # fmt: skip


@pytest.mark.parametrize("case", FOUND)
def test_names_are_found_below_titles_and_in_two_rows(case):
    rows, start, depth = FOUND[case]
    assert find_header(rows) == Header(start, depth)


@pytest.mark.parametrize("case", NOT_FOUND)
def test_nothing_is_found_without_evidence(case):
    assert find_header(NOT_FOUND[case]) is None


def test_names_of_two_rows_are_joined():
    rows, start, depth = FOUND["two rows"]
    assert joined_names(rows, Header(start, depth)) == ["who", "a n", "a m"]


cells = st.one_of(
    st.sampled_from(["", " ", "1", "2,5", "2024", "x y", "# z", "2024-05-01"]),
    st.text(max_size=4),
)


@given(st.integers(2, 5).flatmap(lambda n: st.lists(st.lists(cells, min_size=n, max_size=n))))
def test_a_first_row_of_different_words_has_the_names_whatever_is_below(rows):
    n = len(rows[0]) if rows else 3
    names = [f"name {chr(97 + place)}" for place in range(n)]
    assert find_header([names, *rows]) is None


@given(st.lists(cells, max_size=6))
def test_own_names_are_all_different_and_keep_what_is(names):
    made, renamed = own_names(names)
    folded = [name.lower() for name in made]
    assert len(made) == len(names) == len(set(folded))
    assert all(made)
    assert own_names(made) == (made, {})
    kept = [place for place, name in enumerate(names) if name.strip() and place not in renamed]
    assert [made[place] for place in kept] == [names[place].strip() for place in kept]
    earlier = [[name.strip().lower() for name in names[:place]] for place in renamed]
    assert all(names[p].strip().lower() in e for p, e in zip(renamed, earlier, strict=True))


def test_own_names_leave_those_of_others():
    assert own_names(["a", "a_1", "a", "", "column3"])[0] == [
        "a",
        "a_1",
        "a_2",
        "column3_1",
        "column3",
    ]


IS_ROW = {
    "a number, and a cell of its column": (["x", "1"], [["x", "2"]], True),
    "words": (["x", "y"], [["x", "2"]], False),
    "numbers that count up in a row": (
        ["x", "34", "35"],
        [["y", "40", "41"], ["x", "1", "2"]],
        True,
    ),
    "numbers from 7 on": (["7", "8"], [["1", "5"]], True),
    "positions": (["", "0", "1"], [["0", "x", "y"]], False),
    "years": (["2023", "2024"], [["7", "8"]], False),
    "years that count down": (["x", "2024", "2023"], [["x", "7", "8"]], False),
    "years above years": (["x", "2019", "2020"], [["x", "1987", "2001"]], True),
}


@pytest.mark.parametrize("case", IS_ROW)
def test_a_row_has_numbers_or_values_of_the_rows_below(case):
    first, below, expected = IS_ROW[case]
    assert is_row(first, below) is expected
