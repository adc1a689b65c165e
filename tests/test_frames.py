"""One truth, many libraries: the same table gives the same model, whatever it is made with."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cases import (
    ANY_FRAMES,
    MIXED_FRAMES,
    TEXT,
    TEXT_FRAMES,
    TYPED,
    as_fields,
    as_objects,
    as_rows,
)
from untie import UNTIE, Gaussian, TableEncoder
from untie._table.frames import make_frame

MIXED = {
    "integers and strings": {"A": [1, "1", 2, "1", 1, "x"], "B": ["u", "v", "v", "u", "u", 3]},
    "everything": {"A": [1, "1", None, True, 2.5, "x"], "B": ["u", "v", "v", ("t", 1), 0, 0]},
}

EVERYWHERE = {"list of rows": as_rows, "numpy object": as_objects}


def pairs():
    """Name every table together with every way to make it."""
    makers = [
        (TEXT, {**EVERYWHERE, **ANY_FRAMES, **TEXT_FRAMES}),
        (TYPED, {**EVERYWHERE, **ANY_FRAMES}),
        (MIXED, {**EVERYWHERE, **MIXED_FRAMES}),
    ]
    for tables, frames in makers:
        for table in tables:
            for frame, make in frames.items():
                yield pytest.param(tables[table], make, id=f"{table}-{frame}")


def fit(data, columns=()):
    encoder = UNTIE(2, solver="uniform", kernels=[Gaussian(1.0)])
    alone = pytest.warns(UserWarning, match="coupled with no other")
    with alone if len(columns) == 1 else nullcontext():
        return encoder.fit(data)


@pytest.mark.parametrize(("columns", "make"), list(pairs()))
def test_the_same_table_gives_the_same_model(columns, make):
    frame = make(columns)
    reference = fit(as_rows(columns), columns)
    encoder = fit(frame, columns)
    assert [set(v) for v in encoder.vocabulary_.values] == [set(c) for c in columns.values()]
    assert encoder.vocabulary_.values == reference.vocabulary_.values
    np.testing.assert_array_equal(encoder.counts_.matrix, reference.counts_.matrix)
    np.testing.assert_allclose(
        encoder.transform(frame), reference.transform(as_rows(columns)), atol=1e-10
    )


@pytest.mark.parametrize("table", TEXT)
def test_a_model_of_one_library_reads_every_other(table):
    columns = TEXT[table]
    encoder = fit(ANY_FRAMES["pandas object"](columns), columns)
    expected = encoder.transform(ANY_FRAMES["pandas object"](columns))
    for make in {**ANY_FRAMES, **TEXT_FRAMES}.values():
        np.testing.assert_array_equal(encoder.transform(make(columns)), expected)


def column_names(frame):
    return list(frame.column_names if isinstance(frame, pa.Table) else frame.columns)


LIBRARIES = {
    "pandas": (pd.DataFrame, pd.DataFrame),
    "polars": (pl.DataFrame, pl.DataFrame),
    "pyarrow": (pa.table, pa.Table),
    "structured": (as_fields, pd.DataFrame),
    "numpy": (as_objects, pd.DataFrame),
    "rows": (as_rows, pd.DataFrame),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_come_back_in_the_library_of_the_table(library):
    make, frame_type = LIBRARIES[library]
    columns = TEXT["missing"]
    encoder = fit(make(columns))
    own_names = ["x0", "x1", "x2"] if library in ("numpy", "rows") else list(columns)
    vectors, weights = encoder.value_vectors(), encoder.weights()
    square = encoder.value_similarity(own_names[0])
    assert all(isinstance(frame, frame_type) for frame in (vectors, weights, square))
    names = column_names(vectors)
    assert names == ["column", "value", *encoder.get_feature_names_out()]
    assert names[2:] == [f"{name}={label}" for name, label in labels(columns, own_names)]
    assert len(vectors) == 8
    assert column_names(weights)[:5] == ["column", "coupling", "kernel", "value", "omega"]
    assert column_names(square)[-3:] == ["x", "y", "missing"]


def labels(columns, names):
    """Return attribute and label of each value, in order."""
    return [
        (name, "missing" if value is None else value)
        for name, cells in zip(names, columns.values(), strict=True)
        for value in [*sorted({cell for cell in cells if cell is not None}), None]
        if value in cells
    ]


def test_similarities_of_values_are_the_same_in_every_library():
    columns = TEXT["plain strings"]
    expected = fit(pd.DataFrame(columns)).value_similarity("Root")
    assert expected.index.tolist() == expected.columns.tolist() == ["curled", "slight", "straight"]
    for make in (pl.DataFrame, pa.table):
        found = fit(make(columns)).value_similarity("Root")
        assert column_names(found) == ["value", "curled", "slight", "straight"]
        numbers = np.column_stack([np.asarray(found[name]) for name in expected.columns])
        np.testing.assert_allclose(numbers, expected.to_numpy(), atol=1e-10)
        assert list(np.asarray(found["value"])) == expected.index.tolist()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, as_objects])
@pytest.mark.parametrize("weights", [None, [1, 1, 0, 1, 1, 1]])
def test_set_output(make, weights):
    data = make(TEXT["missing"])
    plain = UNTIE(2, solver="uniform").fit(data, sample_weight=weights)
    expected = plain.transform(data)
    for library, frame_type in {"pandas": pd.DataFrame, "polars": pl.DataFrame}.items():
        encoder = UNTIE(2, solver="uniform").set_output(transform=library)
        for found in (encoder.fit_transform(data, sample_weight=weights), encoder.transform(data)):
            assert isinstance(found, frame_type)
            assert list(found.columns) == plain.get_feature_names_out().tolist()
            np.testing.assert_allclose(found.to_numpy(), expected, atol=1e-12)


def test_set_output_keeps_the_index_of_pandas():
    data = pd.DataFrame(TEXT["plain strings"], index=list("abcdef"))
    found = UNTIE(2, solver="uniform").set_output(transform="pandas").fit_transform(data)
    assert found.index.tolist() == list("abcdef")


def test_fields_of_a_structured_array_are_columns():
    columns = {"a": ["x", "y", "x", "y"], "b": ["u", "u", "v", "v"], "w": [1, 2, 0, 1]}
    table = as_fields(columns)
    expected = TableEncoder(2, preparer=None).fit(pd.DataFrame(columns), sample_weight="w")
    encoder = TableEncoder(2, preparer=None).fit(table, sample_weight="w")
    assert encoder.feature_names_in_.tolist() == ["a", "b"]
    assert encoder.counts_.n == 4
    np.testing.assert_array_equal(
        encoder.transform(table[["a", "b"]]), expected.transform(pd.DataFrame(columns)[["a", "b"]])
    )
    with pytest.raises(ValueError, match="'a', 'b'; the structured array has 'b', 'a'"):
        encoder.transform(table[["b", "a"]])
    with pytest.raises(ValueError, match="no column 'weight' in the table"):
        TableEncoder(2, preparer=None).fit(table, sample_weight="weight")
    with pytest.raises(ValueError, match="1 features, but UNTIE is expecting 2"):
        fit(as_rows({"a": "xy", "b": "uv"})).transform(table[["a"]])


@pytest.mark.parametrize("kind", [(float, (2,)), [("c", float), ("d", float)]])
def test_cells_of_a_structured_array_hold_one_value(kind):
    with pytest.raises(ValueError, match="Column 'b' of the structured array holds several"):
        TableEncoder(2, preparer=None).fit(np.zeros(3, dtype=[("a", int), ("b", kind)]))


def test_a_structured_array_holds_any_table():
    cells = {"": ["x", None], "n": [1, None], "t": [True, False], "m": [1, "1"], "b": [True, None]}
    table = make_frame("numpy", {**cells, "f": np.array([1.5, 2.5])})
    kinds = [table.dtype[place].kind for place in range(6)]
    assert kinds == ["O", "f", "b", "O", "O", "f"]
    assert table[""].tolist() == ["x", None]
    assert np.isnan(table["n"][1])
    assert make_frame("numpy", {"a": [], "b": []}).shape == (0,)
