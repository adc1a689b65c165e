import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import untie
from untie import Preparer, load_model
from untie._prepare.numbers import NumberNames, find_number_names
from untie._table.frames import columns_of

INCOMES = ["75000", "15000.0", "7500.0", "35000"] * 10
OTHERS = ["a", "b"] * 20


def table(cells, make=pd.DataFrame):
    return make({"income": cells, "other": OTHERS[: len(cells)]})


@pytest.mark.parametrize(
    ("values", "decimal"),
    [
        (["75000", "75000.0"], "."),
        (["-1", "0", "2.5", "1e+05"], "."),
        (["7500,0", "15000,0"], ","),
        (["7", "007"], None),
        (["1.5", "1.50"], None),
        (["1.50", "2"], None),
        (["1", "2", "many"], None),
        (["1", 2], None),
        (["1,234", "5,678"], None),
        (["1", " 2"], None),
        ([], None),
    ],
)
def test_which_columns_are_numbers_throughout(values, decimal):
    found = find_number_names(values)
    assert found == (None if decimal is None else NumberNames(decimal))


@pytest.mark.parametrize(
    ("decimal", "text", "name"),
    [
        (".", "75000.00", "75000"),
        (".", "1.50", "1.5"),
        (".", "-0.0", "0"),
        (".", "12345678901234567891.0", "12345678901234567891"),
        (".", "1e-05", "1e-05"),
        (".", "007", None),
        (".", "1e999", None),
        (",", "7,50", "7.5"),
        (",", "75000.0", "75000"),
        (",", "1.234,5", None),
        (",", "1.234", None),
    ],
)
def test_how_new_cells_are_read(decimal, text, name):
    assert NumberNames(decimal).read(text) == name


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_same_number_is_one_value_in_new_rows(make):
    preparer = Preparer().fit(table(INCOMES, make))
    assert preparer.category("income", "75000.0") == "75000"
    new = ["75000.0", "15000", "7500,0", "007"]
    found = columns_of(preparer.transform(table(new, make)))["income"]
    assert list(found) == ["75000", "15000", "7500,0", "007"]
    typed = columns_of(preparer.transform(table([75000.0, 15000.0, 7.5], make)))["income"]
    assert list(typed) == ["75000", "15000", "7.5"]


def test_two_writings_in_one_column_are_one_value():
    preparer = Preparer().fit(table(["1", "1.0", "2", "2.0"] * 10))
    assert set(preparer.transform(table(["1", "1.0", "2", "2.0"]))["income"]) == {"1", "2"}


@pytest.mark.parametrize("cells", [["007", "7"], ["1.50", "1.5"], ["1.0", "x"]])
def test_what_may_be_a_name_stays_text(cells):
    preparer = Preparer().fit(table(cells * 20))
    assert list(preparer.transform(table(cells))["income"]) == cells


def test_files_and_lazy_tables_are_read_alike(tmp_path):
    frame = table(INCOMES)
    frame.to_csv(tmp_path / "table.csv", index=False)
    lazy = untie.scan(tmp_path / "table.csv", types="text")
    preparer = Preparer().fit(frame)
    of_lazy = Preparer().fit(lazy)
    assert of_lazy.notes_ == preparer.notes_
    preparer.save(tmp_path / "preparer.untie")
    loaded = load_model(tmp_path / "preparer.untie")
    expected = preparer.transform(frame)
    assert set(expected["income"]) == {"75000", "15000", "7500", "35000"}
    assert loaded.transform(frame).equals(expected)
    assert loaded.category("income", "7500.0") == "7500"
    found = of_lazy.transform(lazy).collect()["income"].to_pylist()
    assert found == list(expected["income"])


def test_rare_numbers_are_merged_by_what_they_are():
    cells = [str(n % 8) for n in range(80)] + ["0.0"] * 20
    preparer = Preparer(max_categories=4, categorical=["x"]).fit(pd.DataFrame({"x": cells}))
    assert preparer.category("x", "0.0") == "0"
    assert preparer.category("x", "7") == "other"


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_declared_orders_are_those_of_the_numbers(make):
    order = ["3.0", "1.0", "2.0"]
    kind = pd.CategoricalDtype(order, ordered=True) if make is pd.DataFrame else pl.Enum(order)
    series = pd.Series if make is pd.DataFrame else pl.Series
    frame = make({"x": series(order * 10, dtype=kind), "other": OTHERS[:30]})
    found = Preparer().fit(frame).transform(frame)["x"]
    assert list(found.dtype.categories) == ["3", "1", "2"]
    assert list(found)[:3] == ["3", "1", "2"]
