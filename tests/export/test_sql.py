"""SQL equals `transform`: in DuckDB for real; other dialects are translated to DuckDB's and run."""

import re
import warnings
from datetime import time
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from export_cases import DATES, NEW_ROWS, NUMBERS, SETTINGS, TEXT, dense, fit, frame
from untie import TableEncoder, load_model
from untie.export import _sql as sql_module
from untie.export._sql import DIALECTS, SqlTransform

TABLES = {**TEXT, **NUMBERS, **DATES}


def arrow(columns):
    return pa.table({name: pa.array(list(cells)) for name, cells in columns.items()})


def run(sql, rows):
    """Run a transform over rows that are a table of DuckDB; return its columns in their order."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'Asia/Tokyo'")
        connection.register("rows", rows.append_column("row_id", [list(range(len(rows)))]))
        connection.execute("CREATE TABLE src AS FROM rows")
        connection.unregister("rows")
        for statement in sql.setup:
            connection.execute(statement)
        found = connection.sql(sql.query).to_arrow_table()
        for statement in sql.teardown:
            connection.execute(statement)
        assert len(connection.execute("SHOW TABLES").fetchall()) == 1
    order = np.argsort(found["row_id"].to_numpy())
    return found.drop(["row_id"]).take(order)


def as_array(found):
    return np.column_stack([column.to_numpy() for column in found.columns])


def as_duckdb(sql):
    """Translate a transform to DuckDB's dialect, through a parser of its own dialect."""

    def translate(statement):
        (result,) = sqlglot.transpile(statement, read=sql.dialect, write="duckdb")
        return result

    return SqlTransform(
        "duckdb",
        tuple(map(translate, sql.setup)),
        translate(sql.query),
        tuple(map(translate, sql.teardown)),
    )


def quietly(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*arguments)


@pytest.mark.parametrize("table", TABLES)
def test_values_of_every_type(table):
    encoder = fit(TABLES[table])
    names = [f"v{number}" for number in range(len(encoder.get_feature_names_out()))]
    rows = arrow(TABLES[table])
    sql = encoder.to_sql("duckdb", source="src", keep=["row_id"], names=names)
    expected = encoder.transform(frame(TABLES[table]))
    np.testing.assert_allclose(as_array(run(sql, rows)), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("dialect", ["postgres", "spark", "bigquery"])
@pytest.mark.parametrize("table", [t for t in TABLES if t != "weird names"])
def test_other_dialects_mean_the_same(table, dialect):
    encoder = fit(TABLES[table])
    names = [f"v{number}" for number in range(len(encoder.get_feature_names_out()))]
    sql = encoder.to_sql(dialect, source="src", keep=["row_id"], names=names)
    found = run(as_duckdb(sql), arrow(TABLES[table]))
    expected = encoder.transform(frame(TABLES[table]))
    np.testing.assert_allclose(as_array(found), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_settings(settings, dialect):
    encoder = quietly(lambda: fit(TEXT["missing"], **SETTINGS[settings]))
    names = encoder.get_feature_names_out().tolist()
    if dialect == "bigquery":  # which does not have names with parentheses
        names = [f"v{number}" for number in range(len(names))]
    sql = encoder.to_sql(dialect, source="src", keep=["row_id"], names=names)
    rows = pd.concat([frame(TEXT["missing"]), NEW_ROWS], ignore_index=True)
    found = run(sql if dialect == "duckdb" else as_duckdb(sql), arrow(rows))
    assert found.column_names == names
    exact = encoder.set_params(dtype=np.float64) if isinstance(encoder, TableEncoder) else encoder
    expected = quietly(dense, exact, rows)
    np.testing.assert_allclose(as_array(found), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_a_script_does_all_at_once(dialect, melons):
    encoder = TableEncoder(2, preparer=None).fit(melons)
    script = str(encoder.to_sql(dialect, source="src"))
    with duckdb.connect() as connection:
        connection.register("src", melons)
        found = connection.execute(script).fetchnumpy()
        with pytest.raises(duckdb.Error, match="already exists"):
            connection.execute(script)
        connection.execute("ROLLBACK")
        assert connection.execute("FROM untie_lookup_values").fetchall()
    assert sorted(found) == sorted(encoder.get_feature_names_out())


@pytest.mark.parametrize("dialect", ["spark", "bigquery"])
def test_a_script_has_no_transaction_where_there_are_none(dialect, melons):
    sql = TableEncoder(2, preparer=None).fit(melons).to_sql(dialect, source="src")
    assert str(sql).split(";\n") == [*sql.setup, sql.query, ""]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_unknown_values_are_errors_where_asked(dialect):
    encoder = fit(TEXT["missing"], handle_unknown="error")
    sql = encoder.to_sql(dialect, source="src", keep=["row_id"])
    known = frame(TEXT["missing"])
    found = run(sql, arrow(known))
    np.testing.assert_allclose(as_array(found), encoder.transform(known), rtol=0, atol=1e-10)
    for column, value in {"A": "new", "C": None}.items():
        bad = known.copy()
        bad.loc[3, column] = value
        with pytest.raises(duckdb.Error, match=f"Unknown value in column {column}: "):
            run(sql, arrow(bad))


@pytest.mark.parametrize(("dialect", "word"), [("spark", "raise_error"), ("bigquery", "ERROR")])
def test_errors_in_other_dialects(dialect, word, melons):
    sql = (
        TableEncoder(2, handle_unknown="error", preparer=None)
        .fit(melons)
        .to_sql(dialect, source="src")
    )
    assert sqlglot.parse_one(sql.query, read=dialect)
    assert sql.query.count(f"{word}('Unknown value in column ") == 3


def test_missing_cells_of_floats_may_be_nan_or_null():
    encoder = fit(NUMBERS["floats with missing"])
    sql = encoder.to_sql("duckdb", source="src", keep=["row_id"])
    rows = pa.table({"A": pa.array([None, float("nan"), 0.5]), "B": pa.array([1.0, None, 2.0])})
    expected = encoder.transform(rows)
    np.testing.assert_array_equal(as_array(run(sql, rows)), expected)
    nan = pa.table({"A": pa.array([float("nan")]), "B": pa.array([float("nan")])})
    unknown = fit({"A": [0.5, 1.0, 1.0], "B": [0.5, 0.5, 2.0]})
    sql = unknown.to_sql("duckdb", source="src", keep=["row_id"])
    np.testing.assert_allclose(as_array(run(sql, nan)), unknown.transform(nan), atol=1e-10)


def test_equal_numbers_of_other_types_are_the_same_value():
    encoder = fit({"A": [1, True, 2.0, 2, 0.5], "B": [1, 2, 3, True, 1]})
    sql = encoder.to_sql("duckdb", source="src", keep=["row_id"])
    rows = pa.table({"A": [1.0, 2.0, 0.5], "B": [1.0, 3.0, 4.5]})
    np.testing.assert_allclose(as_array(run(sql, rows)), encoder.transform(rows), atol=1e-10)


def test_columns_that_are_kept(melons):
    encoder = TableEncoder(2, n_components=1, preparer=None).fit(melons)
    rows = pa.Table.from_pandas(melons.assign(price=range(6)), preserve_index=False)
    found = run(encoder.to_sql("duckdb", source="src", keep=["price", "row_id"]), rows)
    assert found.column_names == ["price", "tableencoder0"]
    assert found["price"].to_pylist() == list(range(6))
    found = run(encoder.to_sql("duckdb", source="src", keep="*"), rows)
    assert found.column_names == [*melons.columns, "price", "tableencoder0"]


def test_tables_in_schemas(melons):
    encoder = TableEncoder(2, preparer=None).fit(melons)
    with duckdb.connect() as connection:
        connection.register("melons", melons)
        connection.execute('CREATE SCHEMA "my.sales"; CREATE SCHEMA look')
        connection.execute('CREATE TABLE "my.sales"."a table" AS FROM melons')
        sql = encoder.to_sql("duckdb", source=["my.sales", "a table"], lookup="look.up")
        for statement in sql.setup:
            connection.execute(statement)
        assert len(connection.execute(sql.query).fetchall()) == 6
        assert connection.execute("FROM look.up_values").fetchall()


@pytest.mark.filterwarnings(
    "ignore::untie._prepare.unprepared.UnpreparedWarning"
)  # the size matters here
def test_long_tables_are_filled_by_several_statements(monkeypatch):
    columns = {"A": [f"value {i}" for i in range(300)], "B": ["u", "v", "w"] * 100}
    encoder = fit(columns, n_components=2)
    whole = encoder.to_sql("duckdb", source="src", keep=["row_id"])
    monkeypatch.setattr(sql_module, "STATEMENT_CHARACTERS", 1000)
    split = encoder.to_sql("duckdb", source="src", keep=["row_id"])
    assert len(split.setup) > len(whole.setup) == 6
    assert max(map(len, split.setup)) < 1300
    assert run(split, arrow(columns)).equals(run(whole, arrow(columns)))


def test_rare_values_share_one_vector():
    columns = {"A": [f"value {i}" for i in range(300)] + ["x", "y"] * 9, "B": ["u", "v"] * 159}
    encoder = fit(columns, min_frequency=2)
    sql = encoder.to_sql("duckdb", source="src", keep=["row_id"])
    assert sum(statement.count("('A', ") for statement in sql.setup) == 302 + 4
    expected = encoder.transform(frame(columns))
    np.testing.assert_allclose(as_array(run(sql, arrow(columns))), expected, atol=1e-10)


def test_a_loaded_model_writes_the_same(melons, tmp_path):
    encoder = TableEncoder(2, preparer=None).fit(melons)
    encoder.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.to_sql("spark", source="a") == encoder.to_sql("spark", source="a")


@pytest.mark.parametrize("dialect", DIALECTS)
@given(words=st.lists(st.text(max_size=6), min_size=2, max_size=5, unique=True))
def test_any_text_is_data(dialect, words):
    words = [word.replace("\0", "") for word in words]
    quoted = [DIALECTS[dialect].text(word) for word in words]
    if dialect in ("spark", "bigquery"):
        assert not any(re.search(r"\\[^u]|[$\n\"]", text[1:-1]) for text in quoted)
    found = sqlglot.parse_one(f"SELECT {', '.join(quoted)}", read=dialect)
    assert [cell.name for cell in found.expressions] == words


CASES = {
    "dialect": ({"dialect": "oracle"}, "dialect must be one of .*'duckdb'"),
    "keep": ({"keep": "id"}, r"keep must be a list .*try \['id'\]"),
    "source": ({"source": ""}, "source must be a table's name"),
    "empty part": ({"source": "a..b"}, "source must be"),
    "lookup": ({"lookup": []}, "lookup must be"),
    "NUL": ({"source": "a\0"}, "can't be a name in duckdb"),
    "variable": ({"source": "${env:HOME}", "dialect": "spark"}, "can't be a name in spark"),
    "names": ({"names": ["a"]}, "names must name the 9 columns"),
    "text of names": ({"names": "abcdefghi"}, "names must name"),
    "names twice": ({"names": list("aAcdefghi")}, r"can't tell .* \['a', 'A'\] apart"),
    "kept twice": ({"keep": ["color=BLACK"]}, r"can't tell .*names=\[\.\.\.\]"),
    "long": (
        {"dialect": "postgres", "names": ["x" * 64, *"bcdefghi"]},
        "postgres can't have a column called 'xx",
    ),
    "dots": ({"dialect": "bigquery", "names": ["a.b", *"bcdefghi"]}, "column called 'a.b'"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_arguments(case, melons):
    arguments, message = CASES[case]
    encoder = TableEncoder(2, preparer=None).fit(melons)
    with pytest.raises(ValueError, match=message):
        encoder.to_sql(**{"dialect": "duckdb", "source": "src", **arguments})


def test_names_that_differ_in_case_alone(melons):
    encoder = TableEncoder(2, preparer=None).fit(melons.rename(columns={"Root": "color"}))
    assert encoder.to_sql("postgres", source="src").query
    with pytest.raises(ValueError, match=r"columns of the source \['Color', 'color'\]"):
        encoder.to_sql("duckdb", source="src")


BAD_VALUES = {
    "mixed": ([1, "1"], "'A' holds 1 and '1', of types int and str.*into text"),
    "time": ([time(1), time(2)], "of type time"),
    "decimal": ([Decimal(1), Decimal(2)], "of type Decimal"),
    "tuple": ([(1,), (2,)], "of type tuple"),
    "large": ([2**63, 1], "more than 64 bits"),
    "large among fractions": ([2**53 + 1, 0.5], "so large an integer"),
    "NUL": (["a\0", "b"], "a NUL"),
    "surrogate": (["\ud800", "b"], "half a character"),
}


@pytest.mark.parametrize("case", BAD_VALUES)
def test_values_that_no_column_elsewhere_holds(case):
    cells, message = BAD_VALUES[case]
    encoder = fit({"A": cells, "B": ["u", "v"]})
    with pytest.raises(ValueError, match=message):
        encoder.to_sql("duckdb", source="src")


@pytest.mark.filterwarnings(
    "ignore::untie._prepare.unprepared.UnpreparedWarning"
)  # the size matters here
def test_results_that_are_too_wide(monkeypatch):
    wide = fit({name: [f"value {i}" for i in range(400)] * 2 for name in "ABCDE"})
    with pytest.raises(ValueError, match="2000 columns, but postgres takes 1600; fit with n_comp"):
        wide.to_sql("postgres", source="src")
    monkeypatch.setattr(sql_module, "MOST_NUMBERS", 1000)
    with pytest.raises(ValueError, match=r"802000 numbers, more than the 1000 .* n_components"):
        wide.to_sql("duckdb", source="src")


def test_an_encoder_that_is_not_fitted():
    with pytest.raises(ValueError, match="not fitted"):
        TableEncoder(preparer=None).to_sql("duckdb", source="src")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_passive_columns_leave_no_empty_places(dialect):
    encoder = TableEncoder(2, column_weights={"B": 0}, preparer=None).fit(frame(TEXT["missing"]))
    names = [f"v{number}" for number in range(len(encoder.get_feature_names_out()))]
    sql = encoder.to_sql(dialect, source="src", names=names)
    assert not [part for part in (*sql.setup, sql.query) if ", )" in part]
