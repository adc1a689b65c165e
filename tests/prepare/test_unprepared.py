"""The warning of columns that should be prepared first."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from lazy_sources import SOURCES, as_arrow
from untie import UNTIE, Preparer, TableClusterer, TableEncoder
from untie._prepare.unprepared import UnpreparedWarning, warn_of_unprepared
from untie._table.rows import learn_vocabulary
from untie._table.table import read_table
from untie.cluster import KModes

N = 120


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    words = ["red", "blue", "green", "small", "large"]
    return pd.DataFrame(
        {
            "colour": rng.choice(words[:3], N),
            "size": rng.choice(words[3:], N),
            "name": [f"n{row}" for row in range(N)],
            "comment": [f"it is {' '.join(rng.choice(words, 6))} {row}" for row in range(N)],
            "income": rng.normal(size=N),
            "number": np.arange(N),
        }
    )


SAID = (
    "Columns 'income', 'number' hold numbers that are nearly all distinct; Column 'comment' looks "
    "like free text; Column 'name' looks like ids. As categories they say nothing"
)


@pytest.mark.parametrize(
    "estimator",
    [TableEncoder(2, preparer=None), TableClusterer(2, preparer=None)],
    ids=["encoder", "clusterer"],
)
def test_one_warning_names_all_columns_and_the_remedy(table, estimator):
    with pytest.warns(UnpreparedWarning) as caught:
        estimator.fit(table)
    said = [str(warning.message) for warning in caught]
    assert len(said) == 1
    assert said[0].startswith(SAID)
    assert "preparer='auto'" in said[0]
    assert "make_pipeline(Preparer(), UNTIE())" in said[0]
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(Preparer(), UNTIE(2)),
        make_pipeline(Preparer(), TableEncoder(2, preparer=None)),
        TableEncoder(2),
        TableClusterer(2),
    ],
    ids=["method", "pipeline", "encoder", "clusterer"],
)
def test_what_it_recommends_warns_no_more(table, estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator.fit(table)


def test_columns_that_the_preparer_was_told_to_keep_are_not_warned_of(table):
    preparer = Preparer(columns=["name", "colour", "size"], max_categories=500)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clusterer = TableClusterer(2, preparer=preparer).fit(table)
    assert "name" in clusterer.encoder_.vocabulary_.columns


def test_lazy_tables_too(table, tmp_path):
    lazy = SOURCES["parquet file"](as_arrow(table), tmp_path)
    with pytest.warns(UnpreparedWarning, match="'name' looks like ids"):
        TableClusterer(2, preparer=None).fit(lazy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TableClusterer(2, preparer=Preparer()).fit(lazy)


def test_many_columns_are_counted(table):
    many = table[["colour"]].assign(**{f"id{n:02}": table["name"] for n in range(13)})
    with pytest.warns(UnpreparedWarning, match=r"'id08', 'id09' and 3 more look like ids"):
        UNTIE(2, solver="uniform").fit(many)


def test_usual_columns_are_not_warned_of():
    rng = np.random.default_rng(0)
    few = pd.DataFrame({"a": [f"v{n}" for n in range(40)], "b": ["x", "y"] * 20})
    many = pd.DataFrame({"a": rng.integers(0, 60, 200).astype(str), "b": rng.integers(0, 9, 200)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TableEncoder(2, preparer=None).fit(few)
        TableEncoder(2, preparer=None).fit(many)


@pytest.mark.parametrize(
    ("column", "is_continuous"),
    [
        (np.linspace(0.1, 9.7, 40), True),
        (np.repeat(np.linspace(0.1, 9.7, 10), 4), False),  # a few distinct fractions
        (np.arange(40.0), True),  # whole numbers of type float, such as counts with gaps
        (np.arange(40), False),
        (np.arange(40).astype(str), False),
        (np.r_[np.linspace(0.1, 9.7, 39), np.nan], True),
    ],
)
def test_warning_of_distinct_floats(column, is_continuous):
    table = read_table(pd.DataFrame({"c": column}))
    vocabulary, _ = learn_vocabulary(table)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_unprepared(table, vocabulary)
    assert [("'c'" in str(w.message), "Bin" in str(w.message)) for w in caught] == [
        (True, True)
    ] * is_continuous


def test_values_that_the_user_lists_are_not_warned_of():
    listed = [["a", "b", *map(str, range(90))], ["x", "y"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KModes(2, categories=listed).fit([["a", "x"], ["b", "y"], ["a", "y"]] * 5)
