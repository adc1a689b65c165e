"""The same odd cells become the same values in every library, engine and file."""

import sys
from datetime import UTC, timedelta

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.pipeline import make_pipeline

from cases import as_objects, as_rows
from lazy_sources import SOURCES
from odd_cells import BERLIN, HALF, LOCAL, OBJECTS, OUT_OF_RANGE, TYPED, out_of_range
from untie import UNTIE, Preparer, TableEncoder, load_model, save_model
from untie._table.column_codes import factorize
from untie._table.frames import columns_of

FRAMES = {
    "rows": as_rows,
    "numpy": as_objects,
    "pandas": lambda columns: pd.DataFrame(
        {k: pd.Series(as_objects({k: v})[:, 0], dtype=object) for k, v in columns.items()}
    ),
    "polars": lambda columns: pl.DataFrame(
        {k: pl.Series(k, v, dtype=pl.Object) for k, v in columns.items()}
    ),
}

LIBRARIES = {
    "pyarrow": lambda table: table,
    "polars": pl.from_arrow,
    "pandas": lambda table: table.to_pandas(),
    "pandas with Arrow's types": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas objects": lambda table: pd.DataFrame(table.to_pydict(), dtype=object),
    "pandas categories": lambda table: table.to_pandas().astype("category"),
}


pytestmark = pytest.mark.filterwarnings(
    "ignore:The couplings tell no two", "ignore:Only one column has more"
)


def repeated(cells):
    """Return a column of cells three times, beside one of text."""
    cells = list(cells) * 3
    return {"x0": cells, "x1": ["uvw"[row % 3] for row in range(len(cells))]}


def three_times(cells):
    """Return an Arrow array three times, beside one of text."""
    return {"x0": pa.concat_arrays([cells] * 3), "x1": pa.array(repeated(cells)["x1"])}


def in_library(library, columns):
    """Return Arrow arrays as a table, or skip the test if the library can't hold them."""
    try:
        return LIBRARIES[library](pa.table(columns))
    except (OverflowError, ValueError, pl.exceptions.ComputeError):
        return pytest.skip("the library has no such cells")


def check(data, expected, tmp_path):
    """Fit, save, load and transform; no row is unknown before or after."""
    encoder = UNTIE(2, handle_unknown="error", solver="uniform").fit(data)
    values = encoder.vocabulary_.values[0]
    assert set(values) == set(expected)
    assert len(values) == len(set(expected))
    assert {type(value) for value in values} == {type(value) for value in set(expected)}
    encoder.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.vocabulary_ == encoder.vocabulary_
    rows = FRAMES["pandas" if hasattr(encoder, "feature_names_in_") else "rows"]
    cells = rows(repeated(expected))
    found = loaded.transform(cells)
    np.testing.assert_array_equal(found, encoder.transform(cells))
    assert len(encoder.value_vectors()) == sum(encoder.vocabulary_.sizes)
    return encoder, found


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("case", OBJECTS)
def test_cells_of_any_type(case, frame, tmp_path):
    cells, expected = OBJECTS[case]
    data = FRAMES[frame](repeated(cells))
    encoder, found = check(data, expected, tmp_path)
    np.testing.assert_array_equal(encoder.transform(data), found)


@pytest.mark.parametrize("case", OBJECTS)
def test_cells_of_any_type_without_pandas(case, monkeypatch):
    cells, expected = OBJECTS[case]
    monkeypatch.setitem(sys.modules, "pandas", None)
    codes, values = factorize(as_objects(repeated(cells))[:, 0], "x0")
    assert set(values) == set(expected)
    assert len(codes) == 3 * len(cells)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("case", TYPED)
def test_columns_of_one_type(case, library, tmp_path):
    cells, expected = TYPED[case]
    data = in_library(library, three_times(cells))
    encoder, found = check(data, expected, tmp_path)
    np.testing.assert_array_equal(encoder.transform(data), found)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("case", TYPED)
def test_columns_of_one_type_in_every_engine(case, source, tmp_path):
    cells, expected = TYPED[case]
    if "durations" in case and source in ("query", "duckdb relation"):
        pytest.skip("DuckDB has no durations below the microsecond")
    if "polars" in source:
        in_library("polars", three_times(cells))
    check(SOURCES[source](pa.table(three_times(cells)), tmp_path), expected, tmp_path)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("case", OUT_OF_RANGE)
def test_times_out_of_range_are_refused_by_name(case, library):
    data = in_library(library, {"x0": out_of_range(case), "x1": pa.array(list("uvwu"))})
    with pytest.raises(ValueError, match=r"Column 'x0' .*; turn the column into text"):
        TableEncoder(2, preparer=None).fit(data)
    notes = Preparer().fit(data).notes_
    assert "turn the column into text" in notes[0].reason


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms"])
@pytest.mark.parametrize("kind", ["M", "m"])
def test_numpy_never_wraps_around(kind, unit):
    for number in (2**60, -(2**60)):
        cells = np.array([0, number]).astype(f"{kind}8[{unit}]")
        for data in (cells.reshape(-1, 1), [[cell] for cell in cells]):
            with pytest.raises(ValueError, match=r"Column 'x0' .*; turn the column into text"):
                TableEncoder(2, preparer=None).fit(data)


def test_long_doubles_that_are_no_doubles_are_refused():
    rows = [[np.longdouble("1e400")], [np.longdouble("1e401")]]
    for data in (rows, np.array(rows)):
        with pytest.raises(ValueError, match=r"Column 'x0' .* 1e\+400 is more than a double holds"):
            TableEncoder(2, preparer=None).fit(data)


def test_intervals_of_duckdb(tmp_path):
    months = "CASE WHEN i % 2 = 0 THEN INTERVAL '1 month 2 days' ELSE INTERVAL '1 hour' END"
    relation = duckdb.sql(f"SELECT {months} AS x0, (i % 3)::VARCHAR AS x1 FROM range(12) t(i)")
    encoder = TableEncoder(2, handle_unknown="error", preparer=None).fit(relation)
    assert set(encoder.vocabulary_.values[0]) == {timedelta(32), timedelta(hours=1)}
    encoder.save(tmp_path / "model")
    assert load_model(tmp_path / "model").vocabulary_ == encoder.vocabulary_
    vectors = encoder.transform(relation).read_all()
    np.testing.assert_array_equal(
        np.column_stack([column.to_numpy() for column in vectors.columns]),
        encoder.transform(relation.df()),
    )


def test_names_with_half_a_character(tmp_path):
    names = pd.Index([HALF, "a\\ud800"], dtype=object)
    data = pd.DataFrame(as_objects(repeated(["a", HALF, "b"])), dtype=object).set_axis(
        names, axis=1
    )
    encoder = UNTIE(2, solver="uniform").fit(data)
    encoder.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.feature_names_in_.tolist() == list(names)
    np.testing.assert_array_equal(loaded.transform(data), encoder.transform(data))
    written = encoder.get_feature_names_out().tolist()
    assert len(set(written)) == 6
    assert "".join(written).encode()  # any file can hold them
    for frame in (encoder.value_vectors(), encoder.weights(), encoder.value_similarity(HALF)):
        assert str(frame).encode()
    assert encoder.set_output(transform="pandas").transform(data).shape == (9, 6)
    assert encoder.set_output(transform="polars").transform(data).shape == (9, 6)
    with pytest.raises(ValueError, match=r"'a\\ud800' can't be a name in duckdb|half a character"):
        encoder.to_sql("duckdb", source="t")


def test_parts_of_times_are_those_of_utc():
    texts = [time.isoformat() for time in LOCAL]
    tables = [
        pd.DataFrame({"at": LOCAL * 3}, dtype=object),
        pd.DataFrame({"at": pd.Series(LOCAL * 3)}),
        pd.DataFrame({"at": texts * 3}),
        pl.DataFrame({"at": pl.Series(LOCAL * 3)}),
        pa.table({"at": pa.array(LOCAL * 3, pa.timestamp("us", str(BERLIN)))}),
    ]
    for table in tables:
        hours = columns_of(Preparer(date_parts=["hour"]).fit_transform(table))["at (hour)"]
        assert hours == ["0 h", "0 h", "1 h", "1 h", "2 h", "2 h"] * 3


def test_ranges_of_times_are_those_of_utc():
    moments = [LOCAL[0] + timedelta(hours=n) for n in range(100)]
    tables = [
        pd.DataFrame({"at": moments}, dtype=object),
        pd.DataFrame({"at": [moment.isoformat() for moment in moments]}),
        pd.DataFrame({"at": [moment.astimezone(UTC) for moment in moments]}),
        pl.DataFrame({"at": pl.Series(moments)}),
    ]
    first, *others = (columns_of(Preparer(bins=3).fit_transform(table)) for table in tables)
    assert len(set(first["at"])) == 3
    assert all(other == first for other in others)


def test_orders_and_lists_of_times_of_a_zone():
    data = pd.DataFrame(repeated(LOCAL), dtype=object)
    ordered = TableEncoder(2, ordered={"x0": LOCAL}, preparer=None).fit(data)
    listed = TableEncoder(2, categories=[LOCAL, list("uvw")], handle_unknown="error").fit(data)
    assert ordered.vocabulary_ == listed.vocabulary_


@pytest.mark.parametrize("case", OBJECTS)
def test_cells_of_any_type_are_prepared_and_refused_by_name(case, tmp_path):
    cells, _ = OBJECTS[case]
    data = FRAMES["pandas"](repeated(cells))
    prepared = make_pipeline(Preparer(columns=["x0", "x1"]), UNTIE(2, solver="uniform")).fit(data)
    save_model(prepared, tmp_path / "model")
    np.testing.assert_array_equal(
        load_model(tmp_path / "model").transform(data), prepared.transform(data)
    )
    encoder = UNTIE(2, solver="uniform", handle_unknown="error")
    encoder.fit(FRAMES["pandas"](repeated(["never", "ever"])))
    with pytest.raises(ValueError, match=r"Found unknown value .* in column 'x0'"):
        encoder.transform(data)


def test_whole_numbers_that_are_no_doubles_stay_apart():
    ids = [2**53, 2**53 + 1, 10**400, 10**400 + 1] * 5
    data = pd.DataFrame({"id": pd.Series(ids, dtype=object), "b": list("uv") * 10})
    prepared = Preparer(columns=["id", "b"], categorical=["id"]).fit_transform(data)
    assert prepared["id"].tolist() == ids


@pytest.mark.parametrize("kind", [np.complex128, np.clongdouble])
def test_numbers_that_no_file_holds_are_named(kind, tmp_path):
    encoder = TableEncoder(2, preparer=None).fit(
        [[kind(1), "a"], [kind(2), "b"], [kind(1j), "a"]] * 5
    )
    with pytest.raises(ValueError, match=r"Column 'x0': .* can't be saved without pickle"):
        encoder.save(tmp_path / "model.untie")
