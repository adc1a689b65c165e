import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from untie._table.frames import rows_at
from untie._table.names import check_column, check_names


def message(*arguments):
    with pytest.raises(ValueError, match=r"There (is|are) no column") as error:
        check_names(*arguments)
    return str(error.value)


def test_what_is_there_passes():
    check_names([], [], "the table")
    check_names(["b", "a"], ["a", "b"], "the table")


def test_what_is_missing_is_named_with_a_remedy():
    assert message(["Colour"], ["Color", "Root"], "the table") == (
        "There is no column 'Colour' in the table; did you mean 'Color'?"
    )
    assert message(["x", "a", "y"], ["a", "b"], "it", ", which I need", "Add it.") == (
        "There are no columns 'x', 'y' in it, which I need; its columns are 'a', 'b'. Add it."
    )
    assert message(["x"], [1, 2], "the table") == (
        "There is no column 'x' in the table; its columns are 1, 2."
    )
    assert message(["x"], [f"c{i}" for i in range(30)], "the table").endswith("and 18 more.")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, None])
def test_rows_at_positions(make):
    positions = np.array([2, 0, 2])
    if make is None:
        np.testing.assert_array_equal(
            rows_at(np.arange(6).reshape(3, 2), positions)[:, 0], [4, 0, 4]
        )
        return
    found = rows_at(make({"a": [1, 2, 3], "b": ["x", "y", "z"]}), positions)
    assert type(found) is type(make({"a": [1]}))
    assert [int(cell) for cell in np.asarray(found["a"])] == [3, 1, 3]


def test_a_column_that_is_asked_for_itself_is_not_meant_by_another():
    with pytest.raises(ValueError, match="'education' in it; its columns are 'population', 'sex'"):
        check_names(["population", "education"], ["population", "sex"], "it")


def test_the_name_of_a_column_is_asked_for_by_its_argument():
    check_column(None, ["kind"], "label")
    check_column("kind", ["kind"], "label")
    with pytest.raises(ValueError, match="'knd' in the table, which label names; did you mean"):
        check_column("knd", ["kind"], "label")


@pytest.mark.parametrize(
    ("cells", "remedy"),
    [
        (pd.Series([1], name="kind"), "got Series; pass label='kind'."),
        (pl.Series("sort", [1]), r"with data\.assign\(sort=\.\.\.\) .* and pass label='sort'\."),
        (pd.Series([1]), r"with data\.assign\(label=\.\.\.\) .* and pass label='label'\."),
        (np.ones(1), r"got ndarray; add the cells .*assign\(label=\.\.\.\)"),
    ],
)
def test_who_has_the_cells_is_told_how_to_add_them(cells, remedy):
    with pytest.raises(TypeError, match=f"label is the name of a column, .*{remedy}"):
        check_column(cells, ["kind"], "label")
