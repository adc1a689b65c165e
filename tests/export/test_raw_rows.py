"""Raw rows in, prepared rows, vectors and clusters out: DuckDB and onnxruntime as in Python."""

import re
import sys
from dataclasses import dataclass, fields

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import pyarrow as pa
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from raw_cases import (
    ANSWERS,
    CASES,
    PARTS,
    SEPARATORS,
    WITHOUT_DATES,
    N,
    as_arrow,
    check_clustered,
    check_prepared,
    fitted,
    frame,
    rows_of,
)
from untie import Preparer, TableClusterer, TableEncoder
from untie._prepare.preparation import Preparation
from untie._prepare.rules import (
    Answer,
    Answered,
    Bin,
    DatePart,
    Group,
    Keep,
    Listing,
    Reading,
)
from untie.export._patterns import BLANKS
from untie.export._sql import SqlTransform

MISSING = "<missing>"


def ask(sql, table):
    """Run a transform over an Arrow table; return its columns in the order of the rows."""
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'Asia/Tokyo'")
        database.register("src", table)
        for statement in sql.setup:
            database.execute(statement)
        return database.sql(f"{sql.query} ORDER BY row_id").to_arrow_table().drop(["row_id"])


def lists(found):
    return dict(zip(found.column_names, (c.to_pylist() for c in found.columns), strict=True))


def arrays(found):
    return np.column_stack([column.to_numpy() for column in found.columns])


def numbered(clusterer):
    width = 2 + clusterer.n_clusters_ + len(clusterer.encoder_.get_feature_names_out())
    return [f"v{number}" for number in range(width)]


@pytest.mark.parametrize("case", CASES)
def test_prepared_rows_in_duckdb(case):
    sql = fitted("preparer", case).to_sql("duckdb", source="src", keep=["row_id"])
    assert sql.setup == sql.teardown == ()
    check_prepared(case, lists(ask(sql, as_arrow(rows_of(case)))))


@pytest.mark.parametrize("case", CASES)
def test_clusters_in_duckdb(case):
    clusterer = fitted("clusterer", case)
    arguments = {"source": "src", "keep": ["row_id"], "names": numbered(clusterer)}
    sql = clusterer.to_sql("duckdb", result=PARTS, **arguments)
    check_clustered(case, arrays(ask(sql, as_arrow(rows_of(case)))))


def test_vectors_in_duckdb():
    encoder, rows = fitted("encoder", "texts"), rows_of("texts")
    found = ask(encoder.to_sql("duckdb", source="src", keep=["row_id"]), as_arrow(rows))
    np.testing.assert_allclose(arrays(found), encoder.transform(rows), rtol=0, atol=1e-10)


def from_bigquery(sql):
    """Translate a transform to DuckDB's dialect."""
    statements = [*sql.setup, sql.query]
    translated = [sqlglot.transpile(s, read="bigquery", write="duckdb")[0] for s in statements]
    return SqlTransform("duckdb", tuple(translated[:-1]), translated[-1], ())


@pytest.mark.parametrize("case", [case for case in WITHOUT_DATES if case != "answers"])
def test_bigquery_means_the_same(case):
    clusterer = fitted("clusterer", case)
    arguments = {"source": "src", "keep": ["row_id"], "names": numbered(clusterer)}
    sql = clusterer.to_sql("bigquery", result=PARTS, **arguments)
    # Its functions do not distinguish the text "nan" from a number that is none.
    rows = without_words(rows_of(case))
    check_clustered(case, arrays(ask(from_bigquery(sql), as_arrow(rows))), rows)


def prepared(preparer, rows):
    """Return the columns of prepared rows as lists, None for missing cells."""
    found = preparer.transform(rows)
    return {name: [None if pd.isna(c) else c for c in found[name]] for name in found}


@pytest.mark.parametrize("column", ANSWERS)
def test_answers_in_bigquery_mean_the_same(column):
    """One column at a time, as DuckDB is slow at what BigQuery is not."""
    preparer = Preparer(columns=[column], sets={column: SEPARATORS[column]})
    preparer.fit(frame({column: ANSWERS[column]}))
    rows = rows_of("answers")[[column]]
    names = [f"v{number}" for number in range(len(preparer.columns_))]
    sql = preparer.to_sql("bigquery", source="src", keep=["row_id"], names=names)
    found = lists(ask(from_bigquery(sql), as_arrow(rows)))
    assert list(found.values()) == list(prepared(preparer, rows).values())


def test_dates_in_bigquery_are_well_formed():
    preparer = fitted("preparer", "date parts")
    names = [f"v{number}" for number in range(len(preparer.columns_))]
    sql = preparer.to_sql("bigquery", source="a.b", names=names)
    assert sqlglot.parse_one(sql.query, read="bigquery")


def test_numbers_may_be_text():
    """A file whose numbers were read as text gives the same clusters."""
    clusterer, table = fitted("clusterer", "numbers"), as_arrow(rows_of("numbers"))
    sql = clusterer.to_sql("duckdb", source="src", keep=["row_id"])
    cells = {name: table[name].to_pylist() for name in ("age", "a `count`", "flag")}
    finite = [age is None or abs(age) < float("inf") for age in cells["age"]]
    for name, values in cells.items():
        texts = [None if cell is None or cell != cell else str(cell).lower() for cell in values]
        table = table.set_column(table.column_names.index(name), name, pa.array(texts))
    expected = clusterer.predict(rows_of("numbers"))[finite]
    assert ask(sql, table.filter(finite))["cluster"].to_pylist() == expected.tolist()


def test_all_columns_are_kept_beside_the_result():
    clusterer, preparer = (fitted(kind, "texts") for kind in ("clusterer", "preparer"))
    table = as_arrow(rows_of("texts"))
    sql = clusterer.to_sql("duckdb", source="src", keep="*", result=["probability", "cluster"])
    with_key = ask(sql, table)
    assert with_key.column_names == [*table.column_names[:-1], "probability", "cluster"]
    assert with_key.select(table.column_names[:-1]).equals(table.drop(["row_id"]))
    sql = preparer.to_sql("duckdb", source="src", keep="*", names=list("abcdef"))
    assert ask(sql, table).column_names == [*table.column_names[:-1], *"abcdef"]
    taken = table.append_column("untie_cost_0", table["row_id"])
    sql = clusterer.to_sql("duckdb", source="src", keep="*")
    assert ask(sql, taken)["cluster"].equals(with_key["cluster"])
    kept = ["untie_value_1", "row_id"]
    named = table.append_column("untie_value_1", table["row_id"])
    sql = preparer.to_sql("duckdb", source="src", keep=kept)
    assert ask(sql, named)["untie_value_1"].equals(table["row_id"])


def session(model):
    return onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )


def fed(runtime, rows):
    """Return rows as inputs, as a service would: objects for strings, missing cells among them."""
    types = {"tensor(int64)": np.int64, "tensor(double)": np.float64, "tensor(bool)": np.bool_}
    return {
        entry.name: np.array(rows[entry.name].tolist(), types.get(entry.type, object))
        for entry in runtime.get_inputs()
    }


def without_words(rows):
    """Return rows in which the words that onnxruntime makes of missing cells are missing."""
    words = ("None", "nan", "NaN", "NaT")
    return frame({name: [None if c in words else c for c in rows[name]] for name in rows})


@pytest.mark.parametrize("case", WITHOUT_DATES)
def test_clusters_in_onnxruntime(case):
    runtime = session(fitted("clusterer", case).to_onnx(result=PARTS, missing=MISSING))
    rows = without_words(rows_of(case))
    found = runtime.run(None, fed(runtime, rows))
    assert [entry.name for entry in runtime.get_outputs()] == PARTS
    check_clustered(case, np.column_stack(found), rows)
    assert [len(part) for part in runtime.run(None, fed(runtime, rows[:0]))] == [0] * 4


@pytest.mark.parametrize("case", WITHOUT_DATES)
def test_vectors_in_onnxruntime(case):
    encoder, rows = fitted("encoder", case), without_words(rows_of(case))
    runtime = session(encoder.to_onnx(missing=MISSING))
    (found,) = runtime.run(None, fed(runtime, rows))
    np.testing.assert_allclose(found, encoder.transform(rows), rtol=0, atol=1e-12)


@pytest.mark.parametrize("case", ["numbers", "answers"])
def test_prepared_rows_in_onnxruntime(case):
    preparer, rows = fitted("preparer", case), without_words(rows_of(case))
    runtime = session(preparer.to_onnx(missing=MISSING))
    found = runtime.run(None, fed(runtime, rows))
    names = preparer.columns_
    assert [entry.name for entry in runtime.get_outputs()] == [f"prepared.{n}" for n in names]
    cells = [[None if cell == MISSING else cell for cell in part.tolist()] for part in found]
    check_prepared(case, dict(zip(names, cells, strict=True)), rows)


def test_booleans_may_be_fed_as_numbers():
    encoder, rows = fitted("encoder", "numbers"), rows_of("numbers")[:6]
    rows["flag"] = pd.Series([1, 0, 1.0, 0.0, 2, True], dtype=object)
    runtime = session(encoder.to_onnx())
    (found,) = runtime.run(None, fed(runtime, rows))
    np.testing.assert_allclose(found, encoder.transform(rows), rtol=0, atol=1e-12)


def test_numbers_may_be_fed_as_text():
    clusterer, rows = fitted("clusterer", "numbers"), rows_of("numbers")
    rows = rows[np.isfinite(rows["age"].astype(float))]
    runtime = session(clusterer.to_onnx(result="cluster", as_text=["age"]))
    assert runtime.get_inputs()[0].type == "tensor(string)"
    (found,) = runtime.run(None, fed(runtime, rows.assign(age=rows["age"].map("{:g}".format))))
    assert found.tolist() == clusterer.predict(rows).tolist()
    with pytest.raises(ValueError, match=r"as_text must list .* got \['few'\]; .*'age'"):
        clusterer.to_onnx(as_text=["few"])


ABSENT = [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT, ""]


@pytest.mark.parametrize("absent", ABSENT, ids=lambda cell: f"{type(cell).__name__} {cell}")
def test_missing_cells_are_missing_by_default(absent):
    columns = {"A": ["x", None, "y", "x", None, "y"], "B": ["u", "v", "v", "u", "v", "u"]}
    encoder = TableEncoder(2, preparer=None).fit(frame(columns))
    runtime = session(encoder.to_onnx())
    cells = {"A": np.array([absent, "x", "new"], object), "B": np.array(["u", absent, "u"], object)}
    (found,) = runtime.run(None, cells)
    rows = frame({"A": [None, "x", "new"], "B": ["u", None, "u"]})
    np.testing.assert_allclose(found, encoder.transform(rows), rtol=0, atol=1e-12)
    assert np.abs(found[0] - found[2]).max() > 1e-3


def test_a_word_that_is_a_value_is_not_missing():
    columns = {"A": ["None", None, "y", "None", None, "y"], "B": ["u", "v", "v", "u", "v", "u"]}
    encoder = TableEncoder(2, preparer=None).fit(frame(columns))
    runtime = session(encoder.to_onnx())
    (found,) = runtime.run(None, fed(runtime, frame({"A": ["None", "nan"], "B": ["u", "u"]})))
    rows = frame({"A": ["None", None], "B": ["u", "u"]})
    np.testing.assert_allclose(found, encoder.transform(rows), rtol=0, atol=1e-12)


def test_an_answer_that_looks_like_a_missing_cell_is_not_missing():
    columns = {"A": ["None;a", "None", "a;b", None] * 9}
    preparer = Preparer(sets={"A": ";"}).fit(frame(columns))
    rows = frame({"A": ["None", "b; None", "nan"]})
    found = session(preparer.to_onnx()).run(None, {"A": rows["A"].to_numpy(object)})
    cells = [[cell or None for cell in part.tolist()] for part in found]
    rows.loc[2, "A"] = None
    assert dict(zip(preparer.columns_, cells, strict=True)) == prepared(preparer, rows)
    with pytest.raises(ValueError, match="missing='a' is a value of column 'A: "):
        preparer.to_onnx(missing="a")


@pytest.mark.parametrize(("separator", "cell"), [(";", "a\0;b"), ("\0", "a\0b")])
def test_answers_that_are_no_text_elsewhere(separator, cell):
    preparer = Preparer(sets={"A": separator}).fit(frame({"A": [cell, "b", f"c{separator}b"] * 9}))
    for write in (lambda: preparer.to_sql("duckdb", source="src"), preparer.to_onnx):
        with pytest.raises(
            ValueError, match=r"'A' cannot .* one of its answers.* has a NUL.*Remedy"
        ):
            write()


def test_large_numbers_that_are_names():
    texts = ["1e+22", "3e+22", "9e+18", "123456789.123456789", "9007199254740993", "5", "0.5"]
    columns = {"A": texts * 2, "B": ["u", "v", "v", "u", "v", "u", "w"] * 2}
    encoder = TableEncoder(2, preparer=Preparer(columns=["A", "B"])).fit(frame(columns))
    new = ["1E22", "9007199254740993.0", "9007199254740992", "9e18", "1e23", "123456789.12345679"]
    rows = frame({"A": texts + new, "B": ["u"] * (len(texts) + len(new))})
    expected = encoder.transform(rows)
    sql = encoder.to_sql("duckdb", source="src", keep=["row_id"])
    np.testing.assert_allclose(arrays(ask(sql, as_arrow(rows))), expected, rtol=0, atol=1e-10)
    runtime = session(encoder.to_onnx())
    (found,) = runtime.run(None, fed(runtime, rows))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_dates_are_refused_by_onnx():
    with pytest.raises(ValueError, match=r"'day' cannot be exported because ONNX has no dates"):
        fitted("clusterer", "dates").to_onnx()


@pytest.mark.parametrize(("column", "why"), [("answer", "blanks"), ("grade", "numbers anew")])
def test_what_onnx_cannot_write(column, why):
    preparer = Preparer(columns=[column]).fit(frame(CASES["texts"][0]))
    with pytest.raises(ValueError, match=f"'{column}' cannot be exported because .*{why}.*to_sql"):
        preparer.to_onnx()


def test_times_in_any_form_of_iso_8601():
    days = [f"{1950 + n}-0{n % 9 + 1}-1{n % 10}" for n in range(N)]
    preparer = Preparer(columns=["when"], date_parts=["hour"]).fit(frame({"when": days}))
    clocks = [*("T17+02", "t17:30", " 1730", "T17:30+0200", " 17:30:00,5-15:59", "T173000.5+0130")]
    rows = frame({"when": [f"2004-12-31{clock}" for clock in clocks]})
    found = lists(ask(preparer.to_sql("duckdb", source="src", keep=["row_id"]), as_arrow(rows)))
    assert found == {name: cells.tolist() for name, cells in preparer.transform(rows).items()}


def test_dates_that_sql_cannot_read():
    columns = {"when": [f"{n % 28 + 1} May {2000 + n}" for n in range(90)]}
    preparer = Preparer(columns=["when"]).fit(frame(columns))
    with pytest.raises(ValueError, match=r"'when' cannot be exported because .*month.*Remedy"):
        preparer.to_sql("duckdb", source="src")


@dataclass(frozen=True)
class Extended(Keep):
    """A rule that no export knows, though it knows the one that this extends."""


@dataclass
class Sets:
    """A rule that no export knows; it has nothing that others have."""


@pytest.mark.parametrize("rule", [Extended("text"), Sets()], ids=lambda rule: type(rule).__name__)
def test_unknown_rules_are_refused(rule):
    preparer = Preparer(columns=["x0"]).fit([["a"], ["b"], ["a"]])
    preparer._adopt(Preparation(("x0",), (rule,), preparer.notes_))
    message = f"'x0' cannot be exported because .*'{type(rule).__name__}'.*Remedy"
    with pytest.raises(ValueError, match=message):
        preparer.to_sql("duckdb", source="src")
    with pytest.raises(ValueError, match=message):
        preparer.to_onnx()


def test_rules_have_only_what_exports_translate():
    """Whoever adds a field to a rule must translate it in `_sql_cells.py` and `_onnx_cells.py`."""
    known = {
        Keep: "kind reading",
        Bin: "edges names unit reading span infinite has_others",
        Group: "values other reading",
        DatePart: "part reading",
        Answer: "answer known listing tells_new",
        Answered: "listing",
        Listing: "separator reading",
        Reading: "missing writing is_stripped",
    }
    for rule, names in known.items():
        assert [field.name for field in fields(rule)] == names.split()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"result": "labels"}, "result must be one of .*'cluster'"),
        ({"result": []}, "result must be one of"),
        ({"result": ["cluster", "cluster"]}, "names a part twice"),
        ({"names": ["a", "b"]}, "names must name the 1 columns"),
        ({"keep": ["cluster"]}, "can't tell the columns of the result"),
    ],
)
def test_bad_arguments(arguments, message):
    clusterer = fitted("clusterer", "numbers")
    with pytest.raises(ValueError, match=message):
        clusterer.to_sql("duckdb", source="src", **arguments)


def test_clusterers_without_a_preparer():
    rows = frame(
        {"A": ["x", "x", "y", "y", None, "z"] * 3, "B": ["u", "u", "v", "v", "w", "u"] * 3}
    )
    clusterer = TableClusterer(2, preparer=None).fit(rows)
    new = frame({"A": ["x", "new", None], "B": ["v", "u", None]})
    sql = clusterer.to_sql("duckdb", source="src", keep=["row_id"], result="probabilities")
    found = ask(sql, as_arrow(new))
    assert found.column_names == ["cluster0", "cluster1"]
    np.testing.assert_allclose(arrays(found), clusterer.predict_proba(new), rtol=0, atol=1e-10)
    runtime = session(clusterer.to_onnx())
    labels, shares = runtime.run(None, fed(runtime, new))
    assert labels.tolist() == clusterer.predict(new).tolist()
    np.testing.assert_allclose(shares, clusterer.predict_proba(new), rtol=0, atol=1e-10)


def test_unknown_values_are_errors_where_asked():
    rows = frame({"A": ["x", "y"] * 30, "n": [n * n / 4 for n in range(60)]})
    encoder = TableEncoder(handle_unknown="error")
    clusterer = TableClusterer(2, encoder=encoder).fit(rows)
    sql = clusterer.to_sql("duckdb", source="src", keep=["row_id"])
    assert ask(sql, as_arrow(rows))["cluster"].to_pylist() == clusterer.predict(rows).tolist()
    bad = pa.table({"A": ["x"], "n": ["many"], "row_id": [0]})
    with pytest.raises(duckdb.Error, match="Unknown value in column n: many"):
        ask(sql, bad)
    with pytest.raises(ValueError, match=r"clusterer\.encoder_\.set_params"):
        clusterer.to_onnx()


@pytest.mark.parametrize("cell", ["bus;plane", "plane"])
def test_new_answers_are_errors_where_asked(cell):
    rows = frame({"uses": ANSWERS["uses"], "B": ["x", "y", "y"] * 32})
    preparer = Preparer(sets={"uses": ";"})
    encoder = TableEncoder(2, handle_unknown="error", preparer=preparer).fit(rows)
    sql = encoder.to_sql("duckdb", source="src", keep=["row_id"])
    found = arrays(ask(sql, as_arrow(rows)))
    np.testing.assert_allclose(found, encoder.transform(rows), rtol=0, atol=1e-10)
    bad = frame({"uses": [cell], "B": ["x"]})
    with pytest.raises(ValueError, match="'plane' in column 'uses'"):
        encoder.transform(bad)
    with pytest.raises(duckdb.Error, match=f"Unknown value in column uses: {cell}"):
        ask(sql, as_arrow(bad))


NUMBER_LIKE = st.from_regex(
    re.compile("[ +-]?[\\d.,e\u2212€ ]{1,7}[€ ]?", re.ASCII), fullmatch=True
)


def test_white_space_is_that_of_python():
    assert sorted(BLANKS) == [c for c in map(chr, range(sys.maxunicode + 1)) if not c.strip()]


READER = Preparer(columns=["prix, €", "weight", "grade"], bins=7).fit(rows_of("texts"))


@given(texts=st.lists(NUMBER_LIKE, min_size=1, max_size=40))
def test_any_text_is_read_as_in_python(texts):
    rows = frame(dict.fromkeys(READER.columns_, texts))
    expected = READER.transform(rows)
    found = lists(ask(READER.to_sql("duckdb", source="src", keep=["row_id"]), as_arrow(rows)))
    assert found == {n: [None if pd.isna(c) else c for c in expected[n]] for n in expected}


LISTED = {name: SEPARATORS[name] for name in ("marks", "rare")}
LISTS = Preparer(columns=list(LISTED), sets=LISTED).fit(frame(ANSWERS))


@given(texts=st.lists(st.text("ab/, \n\u3000", max_size=9), min_size=1, max_size=40))
def test_any_list_is_read_as_in_python(texts):
    rows = frame({"marks": texts, "rare": texts})
    expected = prepared(LISTS, rows)
    sql = LISTS.to_sql("duckdb", source="src", keep=["row_id"])
    assert lists(ask(sql, as_arrow(rows))) == expected
    runtime = session(LISTS.to_onnx(missing=MISSING))
    parts = (part.tolist() for part in runtime.run(None, fed(runtime, rows)))
    cells = [[None if cell == MISSING else cell for cell in part] for part in parts]
    assert dict(zip(LISTS.columns_, cells, strict=True)) == expected
