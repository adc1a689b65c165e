import datetime as dt
import sys
from decimal import Decimal

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from untie._table import column_codes
from untie._table.column_codes import factorize, is_missing

DAY, NEXT_DAY = dt.date(2020, 1, 1), dt.date(2020, 1, 2)
NOON, NIGHT = dt.datetime(2020, 1, 1, 12), dt.datetime(2020, 1, 1, 23)
HOUR = dt.timedelta(hours=1)
NAN = float("nan")


def decode(column):
    """Factorize a column and put the values back in place of the codes."""
    codes, values = factorize(column, "c")
    assert len(set(values)) == len(values)
    assert np.issubdtype(codes.dtype, np.integer)
    assert all(0 <= code < len(values) for code in codes)
    return [values[code] for code in codes]


def kinds(cells):
    """Name the cells' types; True == 1 == 1.0 would hide a wrong one."""
    return [type(cell) for cell in cells]


def series(native):
    return nw.from_native(native, series_only=True)


def check(column, expected):
    found = decode(column)
    assert found == expected
    assert kinds(found) == kinds(expected)


PANDAS = {
    "object": (["b", "a", None, "b"], object, ["b", "a", None, "b"]),
    "default": (["b", "a", None, "b"], None, ["b", "a", None, "b"]),
    "string[python]": (["b", "a", None], "string[python]", ["b", "a", None]),
    "string[pyarrow]": (["b", "a", None], "string[pyarrow]", ["b", "a", None]),
    "arrow text": (["b", "a", None], pd.ArrowDtype(pa.string()), ["b", "a", None]),
    "bool": ([True, False, True], bool, [True, False, True]),
    "boolean": ([True, None, False], "boolean", [True, None, False]),
    "int": ([3, 1, 3], "int64", [3, 1, 3]),
    "int8": ([3, -1, 3], "int8", [3, -1, 3]),
    "Int64": ([3, None, 3], "Int64", [3, None, 3]),
    "float": ([1.5, NAN, -0.0, 0.0], "float64", [1.5, None, 0.0, 0.0]),
    "Float64": ([1.5, None, 2.0], "Float64", [1.5, None, 2.0]),
    "datetime": ([NOON, None, NIGHT], "datetime64[us]", [NOON, None, NIGHT]),
    "datetime ns": ([NOON, None, NIGHT], "datetime64[ns]", [NOON, None, NIGHT]),
    "timedelta": ([HOUR, None], "timedelta64[us]", [HOUR, None]),
    "dates": ([DAY, None, NEXT_DAY], object, [DAY, None, NEXT_DAY]),
    "all missing": ([None, NAN], object, [None, None]),
    "empty": ([], object, []),
}


@pytest.mark.parametrize("case", PANDAS)
def test_pandas(case):
    cells, dtype, expected = PANDAS[case]
    check(series(pd.Series(cells, dtype=dtype)), expected)


@pytest.mark.parametrize("values", [["b", "a"], [2, 1], [True, False], [NOON, NIGHT], [2.5, 1.5]])
def test_pandas_category(values):
    cells = [values[1], None, values[0], values[1]]
    check(series(pd.Series(cells, dtype="category")), cells)


def test_pandas_category_with_unused_categories():
    check(series(pd.Series(pd.Categorical(["a", None], ["z", "a", "y"]))), ["a", None])


POLARS = {
    "String": (["b", "a", None, "b"], pl.String, ["b", "a", None, "b"]),
    "Categorical": (["b", "a", None], pl.Categorical, ["b", "a", None]),
    "Enum": (["b", "a", None], pl.Enum(["b", "z", "a"]), ["b", "a", None]),
    "Boolean": ([True, None, False], pl.Boolean, [True, None, False]),
    "Int64": ([3, None, 1, 3], pl.Int64, [3, None, 1, 3]),
    "UInt8": ([3, None, 255], pl.UInt8, [3, None, 255]),
    "Float64": ([1.5, None, NAN, -0.0, 0.0], pl.Float64, [1.5, None, None, 0.0, 0.0]),
    "Float32": ([1.5, None, NAN], pl.Float32, [1.5, None, None]),
    "Date": ([NEXT_DAY, None, DAY], pl.Date, [NEXT_DAY, None, DAY]),
    "Datetime": ([NIGHT, None, NOON], pl.Datetime("us"), [NIGHT, None, NOON]),
    "Datetime ns": ([NIGHT, None, NOON], pl.Datetime("ns"), [NIGHT, None, NOON]),
    "Duration": ([HOUR, None], pl.Duration("ms"), [HOUR, None]),
    "Decimal": ([Decimal("1.5"), None], pl.Decimal(10, 2), [Decimal("1.5"), None]),
    "Int128": ([2**100, None, 2**100], pl.Int128, [2**100, None, 2**100]),
    "Binary": ([b"b", None, b"a"], pl.Binary, [b"b", None, b"a"]),
    "Object": ([1, "1", None], pl.Object, [1, "1", None]),
    "Null": ([None, None], pl.Null, [None, None]),
    "no text at all": ([None, None], pl.String, [None, None]),
    "empty text": ([], pl.String, []),
    "empty numbers": ([], pl.Int64, []),
}


@pytest.mark.parametrize("case", POLARS)
def test_polars(case):
    cells, dtype, expected = POLARS[case]
    check(series(pl.Series(cells, dtype=dtype)), expected)


PYARROW = {
    "string": (["b", "a", None, "b"], pa.string()),
    "large_string": (["b", "a", None], pa.large_string()),
    "dictionary": (["b", "a", None], pa.dictionary(pa.int8(), pa.string())),
    "null": ([None, None], pa.null()),
    "bool": ([True, None, False], pa.bool_()),
    "int64": ([3, None, 1, 3], pa.int64()),
    "date32": ([NEXT_DAY, None, DAY], pa.date32()),
    "timestamp": ([NIGHT, None, NOON], pa.timestamp("us")),
    "timestamp ns": ([NIGHT, None, NOON], pa.timestamp("ns")),
    "duration ns": ([HOUR, None], pa.duration("ns")),
    "decimal": ([Decimal("1.5"), None], pa.decimal128(10, 1)),
    "binary": ([b"b", None], pa.binary()),
    "no text at all": ([None, None], pa.string()),
}


@pytest.mark.parametrize("case", PYARROW)
def test_pyarrow(case):
    cells, dtype = PYARROW[case]
    check(series(pa.chunked_array([pa.array(cells, dtype)])), cells)
    # The same cells in pieces, one of them empty.
    pieces = [pa.array(part, dtype) for part in (cells[:1], [], cells[1:])]
    check(series(pa.chunked_array(pieces)), cells)
    check(series(pa.chunked_array([], dtype)), [])


def test_pyarrow_nan_is_missing():
    check(series(pa.chunked_array([[1.5, NAN, None]])), [1.5, None, None])


def test_pyarrow_chunks_with_other_dictionaries():
    chunks = [pa.array(cells).dictionary_encode() for cells in (["a", "b"], ["b", None, "c"])]
    check(series(pa.chunked_array(chunks)), ["a", "b", "b", None, "c"])


def test_pyarrow_dictionary_with_nulls_and_repeats_inside():
    first = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2]), pa.array(["a", None, "a"]))
    second = pa.DictionaryArray.from_arrays(pa.array([1, 0]), pa.array([None, "b"]))
    check(series(pa.chunked_array([first])), ["a", None, None, "a"])
    check(series(pa.chunked_array([first, second])), ["a", None, None, "a", "b", None])


def test_pyarrow_run_end_encoded():
    runs = pa.RunEndEncodedArray.from_arrays([2, 3], ["a", None])
    check(series(pa.chunked_array([runs])), ["a", "a", None])


NUMPY = {
    "object": (np.array(["b", None, "a", NAN], dtype=object), ["b", None, "a", None]),
    "U": (np.array(["b", "a", "b"]), ["b", "a", "b"]),
    "S": (np.array([b"b", b"a"]), [b"b", b"a"]),
    "int": (np.array([3, 1, 3]), [3, 1, 3]),
    "uint8": (np.array([3, 255], dtype=np.uint8), [3, 255]),
    "float": (np.array([1.5, NAN, -0.0, 0.0]), [1.5, None, 0.0, 0.0]),
    "float32": (np.array([1.5, NAN], dtype=np.float32), [1.5, None]),
    "bool": (np.array([True, False]), [True, False]),
    "datetime64[us]": (np.array([NOON, None], dtype="datetime64[us]"), [NOON, None]),
    "datetime64[ns]": (np.array([NOON, None], dtype="datetime64[ns]"), [NOON, None]),
    "datetime64[D]": (np.array([DAY], dtype="datetime64[D]"), [dt.datetime(2020, 1, 1)]),
    "timedelta64[s]": (np.array([HOUR, None], dtype="timedelta64[s]"), [HOUR, None]),
    "scalars": (np.array([np.int64(1), np.str_("a"), np.float64("nan")], object), [1, "a", None]),
    "empty": (np.array([], dtype=object), []),
}


@pytest.mark.parametrize("case", NUMPY)
def test_numpy_with_and_without_pandas(case, monkeypatch):
    array, expected = NUMPY[case]
    check(array, expected)
    monkeypatch.setitem(sys.modules, "pandas", None)
    check(array, expected)


@pytest.mark.parametrize("library", ["numpy", "polars", "pyarrow"])
def test_nanoseconds_are_cut_in_every_library_alike(library, monkeypatch):
    raw = np.array([1, 2, 1001], dtype="datetime64[ns]")
    epoch = dt.datetime(1970, 1, 1)
    expected = [epoch, epoch, epoch.replace(microsecond=1)]
    makers = {
        "numpy": lambda: raw,
        "polars": lambda: series(pl.Series(raw)),
        "pyarrow": lambda: series(pa.chunked_array([pa.array(raw)])),
    }
    check(series(pd.Series(raw)), expected)
    monkeypatch.setitem(sys.modules, "pandas", None)
    check(makers[library](), expected)


MISSING = [
    None,
    NAN,
    np.nan,
    pd.NA,
    pd.NaT,
    np.datetime64("NaT", "s"),
    Decimal("NaN"),
    np.float32("nan"),
]


def test_every_kind_of_missing_is_one_value(monkeypatch):
    assert all(is_missing(cell) for cell in MISSING)
    cells = ["a", *MISSING, "b"]
    expected = ["a", *[None] * len(MISSING), "b"]
    check(series(pd.Series(cells, dtype=object)), expected)
    check(series(pl.Series(cells, dtype=pl.Object)), expected)
    check(np.array(cells, dtype=object), expected)
    monkeypatch.setitem(sys.modules, "pandas", None)
    check(np.array(cells, dtype=object), expected)


@pytest.mark.parametrize("value", ["", "nan", "None", 0, False, (), dt.date.min, b"", frozenset()])
def test_values_that_are_not_missing(value):
    assert not is_missing(value)


def test_equal_numbers_are_one_value_and_text_another(monkeypatch):
    cells = [1, 1.0, True, "1", "True", 0, False, 2]
    array = np.array(cells, dtype=object)
    columns = [
        series(pd.Series(cells, dtype=object)),
        series(pl.Series(cells, dtype=pl.Object)),
        array,
    ]
    for column in columns:
        assert decode(column) == [1, 1, 1, "1", "True", 0, 0, 2]
        assert len(factorize(column, "c")[1]) == 5
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert decode(array) == [1, 1, 1, "1", "True", 0, 0, 2]
    assert len(factorize(array, "c")[1]) == 5


@pytest.mark.parametrize("cell", [["x"], {"x": 1}, {"x"}, bytearray(b"x"), np.array([1, 2])])
def test_unhashable_cells_are_named(cell, monkeypatch):
    array = np.empty(3, dtype=object)
    array[:] = ["a", None, "b"]
    array[2] = cell
    columns = [series(pd.Series(array, dtype=object)), array]
    message = rf"Column 'Color', row 2: the cell holds a {type(cell).__name__} "
    for column in columns:
        with pytest.raises(TypeError, match=message):
            factorize(column, "Color")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(TypeError, match=message):
        factorize(array, "Color")


def test_tuples_are_values():
    array = np.empty(3, dtype=object)
    array[:] = [("a", 1), ("a", 2), ("a", 1)]
    check(array, [("a", 1), ("a", 2), ("a", 1)])


@pytest.mark.parametrize("room", [0, column_codes.ONE_PIECE])
def test_pieces_of_arrow_are_one_column(room, monkeypatch):
    """Whether the pieces are brought together before or after their values are numbered."""
    monkeypatch.setattr(column_codes, "ONE_PIECE", room)
    pieces = pa.chunked_array([["a", "b", None], ["b", "c"], [], ["a", None, "d"]])
    codes, values = factorize(nw.from_native(pieces, series_only=True), "x")
    assert [values[code] for code in codes] == ["a", "b", None, "b", "c", "a", None, "d"]
    assert len(values) == 5
