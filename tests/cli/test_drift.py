import json

import pandas as pd
import pytest

from command_cases import ask, refused, rows_of, write_people


@pytest.fixture
def before(tmp_path):
    return write_people(tmp_path / "before.csv", 600)


@pytest.fixture
def after(before, tmp_path):
    rows = pd.read_csv(before, dtype=str).assign(extra="x")
    rows.loc[:40, "colour"] = "purple"
    rows.loc[100:400, "size"] = "big"
    rows = rows[rows["shape"] != "odd"]
    path = tmp_path / "after.csv"
    rows.to_csv(path, index=False)
    return path


def test_what_has_changed_is_one_table(before, after):
    answer = ask("drift", before, after)
    assert answer.exit_code == 0, answer.output
    rows = rows_of(answer.stdout)
    what = {(row["what"], row["column"], row["value"], row["with"]) for row in rows}
    assert ("column", "size", "", "") in what
    assert ("value", "size", "big", "") in what
    assert ("new value", "colour", "purple", "") in what
    assert ("lost value", "shape", "odd", "") in what
    assert ("coupling", "colour", "", "size") in what
    assert not any(row["column"] == "age" for row in rows)  # it has not changed
    assert "drifted" not in rows[0]
    assert "New values: colour=purple." in answer.stderr
    assert "lacks them: extra." in answer.stderr


def test_everything_on_request_and_in_a_file(before, after, tmp_path):
    answer = ask("drift", before, after, "--all", "-o", tmp_path / "all.json")
    assert answer.stdout == ""
    rows = json.loads((tmp_path / "all.json").read_text())
    assert {row["drifted"] for row in rows} == {True, False}
    columns = [row["column"] for row in rows if row["what"] == "column"]
    assert sorted(columns) == ["age", "colour", "group", "shape", "size"]
    assert sum(row["what"] == "coupling" for row in rows) == 10


def test_a_shifted_number_is_one_line(before, tmp_path):
    rows = pd.read_csv(before)
    rows.assign(age=rows.age + 40).to_csv(tmp_path / "older.csv", index=False)
    found = rows_of(ask("drift", before, tmp_path / "older.csv").stdout)
    (line,) = [row for row in found if row["column"] == "age" and row["what"] != "coupling"]
    assert line["what"] == "column"
    assert line["value"].startswith("median ")
    assert " -> " in line["value"]
    every = rows_of(ask("drift", before, tmp_path / "older.csv", "--all").stdout)
    assert sum(row["column"] == "age" and row["what"] == "value" for row in every) > 10


def test_missing_cells_of_a_number_have_a_line(before, tmp_path):
    rows = pd.read_csv(before)
    rows.loc[:20, "age"] = None
    rows.to_csv(tmp_path / "some.csv", index=False)
    rows.loc[:300, "age"] = None
    rows.to_csv(tmp_path / "fewer.csv", index=False)
    found = rows_of(ask("drift", tmp_path / "some.csv", tmp_path / "fewer.csv").stdout)
    lines = [row for row in found if row["column"] == "age" and row["what"] != "coupling"]
    assert [row["value"] for row in lines[1:]] == ["missing"]


def test_nothing_to_tell(before):
    answer = ask("drift", before, before, "--format", "table", "--fail-on", "any")
    assert answer.exit_code == 0
    assert answer.stdout == ""
    assert "No drift found." in answer.stderr


@pytest.mark.parametrize(
    ("kinds", "code"),
    [([], 0), (["any"], 1), (["values"], 0), (["columns"], 1), (["values", "columns"], 1)],
)
def test_what_a_pipeline_fails_on(before, tmp_path, kinds, code):
    rows = pd.read_csv(before, dtype=str)
    rows["size"] = rows["size"].sample(frac=1, random_state=0).to_list()
    rows.loc[rows.index[:150], "size"] = "big"
    rows.to_csv(tmp_path / "shifted.csv", index=False)
    options = [part for kind in kinds for part in ("--fail-on", kind)]
    answer = ask("drift", before, tmp_path / "shifted.csv", *options, "-q")
    assert answer.exit_code == code
    assert answer.stderr == ""
    assert rows_of(answer.stdout)  # what has changed is told all the same


def test_stricter_and_laxer(before, after):
    assert rows_of(ask("drift", before, after, "--min-effect", 0.9, "-q").stdout) == [
        row
        for row in rows_of(ask("drift", before, after, "-q").stdout)
        if row["what"].endswith("new value") or row["what"] == "lost value"
    ]
    assert rows_of(ask("drift", before, after, "--alpha", 0, "-q").stdout) == []


def test_a_model_stands_for_its_table(before, after, tmp_path):
    ask("fit", before, "-o", tmp_path / "m.untie", "--k", 2, "-q")
    found = rows_of(ask("drift", after, "--model", tmp_path / "m.untie", "-q").stdout)
    expected = rows_of(ask("drift", before, after, "-q").stdout)
    assert {(r["what"], r["column"], r["value"]) for r in found} == {
        (r["what"], r["column"], r["value"]) for r in expected
    }
    line = refused("drift", after, "--model", tmp_path / "m.untie", "--drop", "age")
    assert "the model has its own" in line


def test_columns_that_are_compared(before, after):
    rows = rows_of(ask("drift", before, after, "--columns", "age,size", "--all", "-q").stdout)
    assert {row["column"] for row in rows} == {"age", "size"}
    rows = rows_of(ask("drift", before, after, "--drop", "size", "-q").stdout)
    assert "size" not in {row["column"] for row in rows}
    options = ["--columns", "age", "--categorical", "age", "--all", "-q"]
    values = {row["value"] for row in rows_of(ask("drift", before, after, *options).stdout)}
    assert "44" in values


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["before.csv"], "Name two files, the usual one first"),
        (["before.csv", "absent.csv"], "There is no file 'absent.csv'"),
        (["before.csv", "before.csv", "--model", "before.csv"], "With --model, name one file"),
        (["-", "-"], "Only one of the two tables"),
        (["-", "/dev/stdin"], "Only one of the two tables"),
        (["before.csv", "less.csv"], "'shape'"),
    ],
)
def test_mistakes(before, monkeypatch, arguments, message):
    monkeypatch.chdir(before.parent)
    pd.read_csv(before, dtype=str).drop(columns="shape").to_csv("less.csv", index=False)
    assert message in refused("drift", *arguments)


def test_exit_codes(before, after):
    for arguments, code in (
        ((before, after), 0),
        ((before, after, "--fail-on", "any"), 1),
        ((before, before, "--fail-on", "any"), 0),
        ((before, after, "--fail-on", "nonsense"), 2),
        ((before, "absent.csv", "--fail-on", "any"), 2),
    ):
        assert ask("drift", *arguments).exit_code == code, arguments


def changed(path, source, **cells):
    pd.read_csv(source, dtype=str).assign(**cells).to_csv(path, index=False)
    return path


@pytest.fixture
def model(before, tmp_path):
    answer = ask("fit", before, "--output", tmp_path / "before.untie", "-q")
    assert answer.exit_code == 0, answer.output
    return tmp_path / "before.untie"


def with_model_or_without(before, model, new):
    yield ask("drift", before, new, "--fail-on", "any")
    yield ask("drift", new, "--model", model, "--fail-on", "any")


def test_what_is_not_compared_is_said(before, model, tmp_path):
    new = changed(tmp_path / "new.csv", before, country="there")
    for answer in with_model_or_without(before, model, new):
        assert answer.exit_code == 0
        left_out = "customer_id (looks like an id; names the rows), country (every row is 'here')"
        assert f"Not compared: {left_out}." in answer.stderr
    rows = pd.read_csv(before, dtype=str).drop(columns=["customer_id", "country"])
    rows.assign(extra="x").to_csv(tmp_path / "new.csv", index=False)
    for answer in with_model_or_without(before, model, tmp_path / "new.csv"):
        assert answer.exit_code == 0
        assert "lacks them: extra." in answer.stderr


def test_a_constant_is_compared_if_it_is_named(before, tmp_path):
    new = changed(tmp_path / "new.csv", before, country="there")
    answer = ask("drift", before, new, "--columns", "country,size", "--fail-on", "any")
    assert answer.exit_code == 1
    assert "New values: country=there. Lost values: country=here." in answer.stderr
