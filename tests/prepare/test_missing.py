"""Which texts stand for missing cells."""

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untie import Preparer, load_model
from untie._prepare.rules import SIGNS, WORDS, find_missing


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (["red", "blue", "NA"], ("NA",)),
        (["red", "blue", "n/a", "N/A", " ? "], (" ? ", "N/A", "n/a")),
        (["1", "2", "-", "."], ("-", ".")),
        ([1, 2, "?"], ("?",)),
        (["red", "blue", "", "  "], ("", "  ")),
        (["y", "n", "?"], ("?",)),
        # What is said here, it says of itself.
        (["yes", "-"], ()),
        (["x", "NA", "?"], ()),
        (["NA", "?"], ()),
        # Codes of two letters: countries, continents.
        (["DE", "FR", "NA", "US"], ()),
        (["EU", "AS", "NA", "?"], ("?",)),
        (["Germany", "FR", "US", "Namibia", "Chad", "NA"], ("NA",)),
        # Signs among signs.
        (["+", "-", "o"], ()),
        (["+", "++", "-", "--"], ()),
        (["+", "a", "b", "n/a", "-"], ("n/a",)),
        # Words that are values as often as not.
        (["red", "blue", "none", "missing", "unknown"], ()),
        (["red", "blue"], ()),
        ([], ()),
    ],
)
def test_texts_of_missing_cells(values, found):
    assert find_missing(values) == found
    assert find_missing(values[::-1]) == found


words = st.text(st.characters(categories=["L"]), min_size=3, max_size=8).filter(
    lambda word: word.lower() not in WORDS
)


@given(st.lists(words, unique=True, max_size=20))
def test_words_are_never_missing(values):
    assert find_missing(values) == ()


@given(st.lists(st.sampled_from(sorted(WORDS | SIGNS)), unique=True), st.randoms())
def test_the_order_of_rows_says_nothing(marks, random):
    values = ["red", "green", *marks]
    found = find_missing(values)
    assert set(found) == set(marks)
    random.shuffle(values)
    assert find_missing(values) == found


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_an_order_of_the_type_stays(library):
    sizes = ["S", "M", "L", "?"]
    frame = library({"size": sizes * 5, "x": ["a", "b", "c", "d"] * 5})
    if library is pl.DataFrame:
        frame = frame.with_columns(pl.col("size").cast(pl.Enum(["S", "M", "L", "?"])))
    else:
        frame["size"] = pd.Categorical(frame["size"], ["S", "M", "L", "?"], ordered=True)
    prepared = Preparer().fit_transform(frame)
    assert str(prepared["size"].dtype) == str(frame["size"].dtype)
    assert prepared["size"].to_list()[:3] == sizes[:3]
    nulls = prepared["size"].is_null() if library is pl.DataFrame else prepared["size"].isna()
    assert nulls.sum() == 5


def test_a_model_keeps_what_was_decided(tmp_path):
    frame = pd.DataFrame({"x": ["red", "blue", "?"] * 5, "y": ["1", "2", "3"] * 5})
    preparer = Preparer().fit(frame)
    preparer.save(tmp_path / "p.untie")
    again = load_model(tmp_path / "p.untie")
    new = pd.DataFrame({"x": ["?", "red", "-"], "y": ["1", "1", "1"]})
    assert again.transform(new)["x"].fillna("missing").tolist() == ["missing", "red", "-"]
    assert again.category("x", "?") is None
    assert again.notes_ == preparer.notes_


def test_named_texts_are_missing_in_new_rows_too():
    frame = pd.DataFrame({"n": [1, 2, 3] * 5, "x": ["a", "b", "c"] * 5})
    preparer = Preparer(missing=["?"]).fit(frame)
    new = preparer.transform(pd.DataFrame({"n": ["1", "?"], "x": ["?", "a"]}))
    assert new["n"].isna().tolist() == [False, True]
    assert new["x"].isna().tolist() == [True, False]
    plain = preparer.transform(frame)
    assert plain["n"].tolist() == frame["n"].tolist()


@pytest.mark.parametrize("missing", ["?", ["?", 3]])
def test_texts_must_be_a_list(missing):
    with pytest.raises(TypeError, match="missing must be 'auto' or a list of texts"):
        Preparer(missing=missing).fit(pd.DataFrame({"x": ["a", "b"]}))
