import csv
import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from joblib import parallel_config

from cases import ANY_FRAMES, NESTED, NOT_TABLES, as_objects, as_rows
from untie import TableClusterer
from untie._table.rows import encode, learn_vocabulary
from untie._table.table import read_table
from untie._table.vocabulary import Vocabulary, check_categories
from untie._util import threads


def cells(data):
    """Read a table and write its codes out as values, column by column."""
    table = read_table(data)
    vocabulary, encoded = learn_vocabulary(table)
    return {
        name: [values[code] for code in codes]
        for name, values, codes in zip(table.names, vocabulary.values, encoded.codes, strict=True)
    }


COLUMNS = {"A": ["x", "y", None, "x"], "B": ["1", "1", "2", "3"]}


@pytest.mark.parametrize("make", ANY_FRAMES.values(), ids=ANY_FRAMES)
def test_frames_keep_names_and_cells(make):
    assert cells(make(COLUMNS)) == COLUMNS


@pytest.mark.parametrize("make", [as_rows, as_objects])
def test_arrays_and_rows_get_names(make):
    assert cells(make(COLUMNS)) == {"x0": COLUMNS["A"], "x1": COLUMNS["B"]}


@pytest.mark.parametrize(
    ("make", "backend"),
    [
        (pd.DataFrame, "pandas"),
        (pl.DataFrame, "polars"),
        (pa.table, "pyarrow"),
        (pa.record_batch, "pyarrow"),
        (as_rows, "pandas"),
        (as_objects, "pandas"),
    ],
)
def test_backend(make, backend):
    assert read_table(make(COLUMNS)).backend == backend


def test_record_batch_keeps_its_names():
    assert cells(pa.record_batch(COLUMNS)) == COLUMNS


@pytest.mark.parametrize("row", [["a", 1], ("a", 1), np.array(["a", 1], dtype=object)])
def test_rows_keep_types_apart(row):
    assert cells([row, ["a", "1"]]) == {"x0": ["a", "a"], "x1": [1, "1"]}


def test_rows_of_a_generator_are_read():
    assert cells(iter([["a"], ["b"]])) == {"x0": ["a", "b"]}


def test_tuples_in_cells_are_values():
    rows = [[("a", 1), ("b", 2)], [("a", 1), ("c", 3)]]
    assert cells(rows) == {"x0": [("a", 1), ("a", 1)], "x1": [("b", 2), ("c", 3)]}
    assert cells([[("a", 1)]]) == {"x0": [("a", 1)]}


@pytest.mark.parametrize("rows", [[["a", "b"]], [["a"], ["b"], ["a"]], [[None], [None]]])
def test_one_row_one_column_and_nothing_but_missing_are_read(rows):
    expected = {f"x{i}": list(column) for i, column in enumerate(zip(*rows, strict=True))}
    assert cells(rows) == expected


def test_masked_cells_are_missing():
    mask = [[0, 1], [1, 0]]
    assert cells(np.ma.masked_array([["a", "b"], ["c", "d"]], mask)) == {
        "x0": ["a", None],
        "x1": [None, "d"],
    }
    assert cells(np.ma.masked_array([[1, 2], [3, 4]], mask)) == {"x0": [1, None], "x1": [None, 4]}
    assert cells(np.ma.masked_array([[1, 2]])) == {"x0": [1], "x1": [2]}


EMPTY = {
    "list": ([], "0 sample"),
    "rows without cells": ([[], []], "0 feature"),
    "array": (np.empty((0, 2)), "0 sample"),
    "array without columns": (np.empty((2, 0)), "0 feature"),
    "pandas": (pd.DataFrame({"a": pd.Series([], dtype=object)}), "0 sample"),
    "pandas without columns": (pd.DataFrame(index=[0, 1]), "0 feature"),
    "polars": (pl.DataFrame({"a": pl.Series([], dtype=pl.String)}), "0 sample"),
    "pyarrow": (pa.table({"a": pa.array([], pa.string())}), "0 sample"),
}


@pytest.mark.parametrize("case", EMPTY)
def test_empty_tables_are_refused(case):
    data, message = EMPTY[case]
    with pytest.raises(ValueError, match=f"{message}.* while a minimum of 1 is required") as error:
        read_table(data)
    lacking = "no rows" if "sample" in message else "no columns"
    assert str(error.value).startswith(f"The table has {lacking}: ")


@pytest.mark.parametrize("case", ["array", "pandas", "polars", "pyarrow"])
def test_no_rows_are_read_where_none_are_needed(case):
    table = read_table(EMPTY[case][0], min_rows=0)
    known = Vocabulary(table.names, (("a",),) * len(table.names))
    assert all(len(codes) == 0 for codes in encode(table, known).codes)


@pytest.mark.parametrize("case", NOT_TABLES)
def test_what_is_not_a_table_is_refused(case):
    data, error, message = NOT_TABLES[case]
    with pytest.raises(error, match=message):
        read_table(data)


@pytest.mark.parametrize("case", NESTED)
def test_nested_cells_name_column_and_row(case):
    with pytest.raises(TypeError, match=r"Column 'x0', row [01]: the cell holds a (list|dict)"):
        cells(NESTED[case])


@pytest.mark.parametrize(
    "data",
    [
        pl.DataFrame({"a": pl.Series([None], dtype=pl.List(pl.String))}),
        pa.table({"a": pa.array([None], pa.list_(pa.string()))}),
    ],
)
def test_nested_type_without_a_nested_cell_is_refused_too(data):
    with pytest.raises(TypeError, match=r"Column 'a' can't be read as categories.*List"):
        cells(data)


def test_unknown_values_have_the_code_past_the_last():
    known = Vocabulary(("A", "B"), (("x", "y"), (1, None)))
    encoded = encode(read_table([["y", "1"], ["z", 1.0], ["w", np.nan], ["x", 2]]), known)
    assert [codes.tolist() for codes in encoded.codes] == [[1, 2, 2, 0], [2, 0, 1, 2]]
    assert [set(unknown) for unknown in encoded.unknown] == [{"z", "w"}, {"1", 2}]


UNUSED = {
    "pandas": pd.DataFrame({"A": pd.Categorical(["x"], ["x", "never"])}),
    "polars": pl.DataFrame({"A": pl.Series(["x"], dtype=pl.Enum(["x", "never"]))}),
    "pyarrow": pa.table({"A": pa.DictionaryArray.from_arrays([0], pa.array(["x", "never"]))}),
}


@pytest.mark.parametrize("case", UNUSED)
def test_categories_that_no_cell_has_are_no_values(case):
    table = read_table(UNUSED[case])
    vocabulary, encoded = learn_vocabulary(table)
    assert vocabulary.values == (("x",),)
    assert encode(table, vocabulary).unknown == [[]]
    assert learn_vocabulary(table, categories=[("x",)])[1].unknown == [[]]
    assert encoded.codes[0].tolist() == [0]


def test_only_the_rows_kept_have_values():
    table = read_table([["a"], ["b"], ["c"]])
    vocabulary, encoded = learn_vocabulary(table, np.array([True, False, True]))
    assert vocabulary.values == (("a", "c"),)
    assert encoded.codes[0].tolist() == [0, 1]
    _, encoded = learn_vocabulary(table, np.array([False, False, True]), [("a",)])
    assert encoded.unknown == [["c"]]


def test_given_categories_keep_their_order():
    vocabulary, encoded = learn_vocabulary(
        read_table([["a"], ["b"], [None]]), categories=[("b", None, "z", "a")]
    )
    assert vocabulary.values == (("b", None, "z", "a"),)
    assert encoded.codes[0].tolist() == [3, 0, 1]
    assert encoded.unknown == [[]]


def test_threads_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    table = read_table(rng.integers(0, 5, (40, 6)).astype(str))
    alone = learn_vocabulary(table)
    monkeypatch.setattr(threads, "PARALLEL_CELLS", 1)
    with parallel_config(n_jobs=2):
        together = learn_vocabulary(table)
    assert alone[0] == together[0]
    np.testing.assert_array_equal(alone[1].codes, together[1].codes)


def test_categories_of_every_kind_are_taken():
    assert check_categories("auto", ("A",)) is None
    given = [
        np.array(["b", "a"]),
        pd.Series([1, None], dtype=object),
        (("t", 1), ("t", 2)),
        pl.Series([True, False]),
        [pd.Timestamp("2020-01-01"), pd.NaT],
    ]
    assert check_categories(given, tuple("ABCDE")) == [
        ("b", "a"),
        (1, None),
        (("t", 1), ("t", 2)),
        (True, False),
        (dt.datetime(2020, 1, 1), None),
    ]


@pytest.mark.parametrize(
    ("categories", "error", "message"),
    [
        (None, ValueError, "must be 'auto' or a list of lists, got None"),
        ("words", ValueError, "must be 'auto' or a list of lists, got 'words'"),
        (["ab"], ValueError, "has 'ab' in the place of a list"),
        ([3], ValueError, "has 3 in the place of a list"),
        ([["a"], ["b"]], ValueError, "has 2 lists but the table has 1 columns"),
        ([[]], ValueError, "column 'A' are empty"),
        ([["a", "a"]], ValueError, "column 'A' name a value twice"),
        ([[1, True]], ValueError, "name a value twice"),
        ([[None, np.nan]], ValueError, "name a value twice"),
        ([[["a"]]], TypeError, "must be hashable"),
    ],
)
def test_bad_categories(categories, error, message):
    with pytest.raises(error, match=message):
        check_categories(categories, ("A",))


def test_names_that_occur_twice_have_a_remedy():
    frame = pd.DataFrame([["a", "b"]], columns=["x", "x"])
    with pytest.raises(ValueError, match=r"distinct; rename columns.*x"):
        read_table(frame)


def test_an_iterator_that_was_read_is_not_called_empty():
    rows = csv.reader(["a,b", "c,d"])
    assert cells(rows) == {"x0": ["a", "c"], "x1": ["b", "d"]}
    with pytest.raises(ValueError, match=r"reader has no rows left.*pass a list of its rows"):
        read_table(rows)


def test_a_clusterer_takes_an_iterator_of_rows(melons):
    rows = melons.to_numpy().tolist()
    labels = TableClusterer(2, preparer=None).fit(iter(rows)).labels_
    assert labels.tolist() == TableClusterer(2, preparer=None).fit(rows).labels_.tolist()
