"""The tables that come with the package."""

import sys

import pytest

from untie.datasets import load, names


def test_names():
    assert len(names()) == 21
    assert names() == sorted(names())


@pytest.mark.parametrize("name", names())
def test_strings_with_the_label_apart(name):
    X, y = load(name)
    assert len(X) == len(y)
    assert y.name == "class"
    assert "class" not in X
    assert X.columns.is_unique
    cells = X.to_numpy().ravel()
    assert all(type(cell) is str and cell == cell.strip() != "" for cell in cells)
    assert all(type(label) is str and label not in ("", "?") for label in y)


@pytest.mark.parametrize("name", ["zoo", "hepatitis"])
def test_same_table_in_every_library(name):
    X, y = load(name)
    polars_X, polars_y = load(name, frame="polars")
    arrow_X, arrow_y = load(name, frame="pyarrow")
    assert type(polars_X).__module__.startswith("polars")
    assert type(arrow_X).__module__.startswith("pyarrow")
    columns = X.to_dict("list")
    assert polars_X.to_dict(as_series=False) == columns == arrow_X.to_pydict()
    assert list(polars_y) == list(y) == arrow_y.to_pylist()


def test_first_row():
    X, y = load("zoo")
    assert X.iloc[0, :4].to_dict() == {"hair": "1", "feathers": "0", "eggs": "0", "milk": "1"}
    assert y[0] == "mammal"


@pytest.mark.parametrize(("wrong", "right"), [("zoos", "zoo"), ("Mushroom", "mushroom")])
def test_close_names_are_suggested(wrong, right):
    with pytest.raises(ValueError, match=f"no data set '{wrong}'; did you mean '{right}'"):
        load(wrong)


def test_other_names_list_all():
    with pytest.raises(ValueError, match=r"no data set 'xyzzy'; choose among \['breastcancer'"):
        load("xyzzy")


def test_a_library_that_is_not_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"pip install 'untie-learn\[polars\]'"):
        load("zoo", frame="polars")
    with pytest.raises(ValueError, match="'pyarrow', 'numpy'"):
        load("zoo", frame="excel")
