"""What a model does not know of new rows is said."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from command_cases import ask, refused, rows_of, write_people


@pytest.fixture
def people(tmp_path):
    return write_people(tmp_path / "people.csv")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return a model of the people, which is made once."""
    folder = tmp_path_factory.mktemp("saved")
    path, table = folder / "m.untie", write_people(folder / "people.csv")
    ask("fit", table, "--k", 2, "--drop", "group", "-o", path, "-q")
    return path


@pytest.fixture
def model(saved, tmp_path):
    return Path(shutil.copy(saved, tmp_path))


@pytest.fixture
def new(people, tmp_path):
    rows = pd.read_csv(people, dtype=str)
    rows.loc[[3, 7, 9], "colour"] = ["purple", "teal", "purple"]
    rows.loc[7, "size"] = "tiny"
    rows.to_csv(tmp_path / "new.csv", index=False)
    return tmp_path / "new.csv"


SAID = (
    "colour: 2 values that the model does not know: 'purple' (2 rows), 'teal' (1 row)\n"
    "size: a value that the model does not know: 'tiny' (1 row)\n"
    "3 rows have a value that the model does not know, of 120 (2.5%)"
)


def test_outliers_tell_and_rank_them(model, new, people):
    answer = ask("outliers", new, "--all", "--model", model, "-n", 5)
    assert answer.stderr == f"{SAID}, which adds to their scores.\n"
    found = rows_of(answer.stdout)
    assert {row["row"] for row in found[:3]} == {"4", "8", "10"}
    assert found[0]["row"] == "8"
    assert "colour=teal (unknown): never seen in 120 rows" in found[0]["reason"]
    unusual = [row for row in found if row.pop("unusual") == "True"]
    assert found[0] in unusual
    assert rows_of(ask("outliers", new, "--model", model).stdout) == unusual
    assert ask("outliers", people, "--all", "--model", model, "-n", 5).stderr == ""


def test_shares_are_those_of_the_table_of_the_model(model, people, new, tmp_path):
    everything = rows_of(
        ask("outliers", people, "--drop", "group", "-n", 120, "-q", "--all").stdout
    )
    scores = [float(row["score"]) for row in everything]
    some = tmp_path / "some.csv"
    pd.read_csv(people, dtype=str).head(6).to_csv(some, index=False)
    found = rows_of(ask("outliers", some, "--all", "--model", model, "-n", 6).stdout)
    for row in found:
        share = sum(score >= float(row["score"]) - 1e-9 for score in scores) / 120
        assert float(row["share"]) == pytest.approx(share)
    assert (
        rows_of(ask("outliers", new, "--model", model, "-n", 1, "-q").stdout)[0]["share"] == "0.0"
    )


def test_where_no_row_is_unusual_it_is_said(tmp_path):
    rows = [[cell] * 2 for cell in "abcd"] * 30
    (tmp_path / "t.csv").write_text("x,y\n" + "\n".join(map(",".join, rows)))
    answer = ask("outliers", tmp_path / "t.csv")
    assert answer.stdout == "row,score,share,reason\n"
    said = (
        "None of 120 rows has an unusual combination of values; --all lists the highest scores.\n"
    )
    assert said in answer.stderr
    assert ask("outliers", tmp_path / "t.csv", "--format", "table").stdout == ""
    assert ask("outliers", tmp_path / "t.csv", "-q").stderr == ""
    found = rows_of(ask("outliers", tmp_path / "t.csv", "--all", "-n", 3).stdout)
    assert [row["unusual"] for row in found] == ["False"] * 3


HOW = [["--format", "csv"], ["--format", "json"], ["--output", "v.csv"]]


@pytest.fixture
def far(people, tmp_path):
    """Return new rows, one of them with an age that nobody had, and the ages that there were."""
    rows = pd.read_csv(people, dtype=str)
    seen = f"{rows.age.astype(int).min()} to {rows.age.astype(int).max()}"
    rows.loc[5, "age"] = "140"
    rows.to_csv(tmp_path / "far.csv", index=False)
    return tmp_path / "far.csv", seen


def test_numbers_beyond_those_of_the_model_are_unusual_and_told(model, far, people):
    path, seen = far
    answer = ask("outliers", path, "--all", "--model", model, "-n", 1)
    assert answer.stderr == f"age: 1 row is outside {seen}, all that the model has seen: 140\n"
    found = rows_of(answer.stdout)[0]
    assert found["row"] == "6"
    assert f"age=140: outside {seen}, all that was seen in 120 rows" in found["reason"]
    assert "outside" not in ask("outliers", people, "--model", model, "-n", 1).output
    told = ask("neighbors", path, "--model", model, "--row", 1).stderr
    assert f"age: 1 row is outside {seen}" in told


@pytest.mark.parametrize("how", HOW)
def test_transform_tells_numbers_beyond_those_of_the_model(model, far, how, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, seen = far
    answer = ask("transform", model, path, *how)
    assert answer.stderr == f"age: 1 row is outside {seen}, all that the model has seen: 140\n"


@pytest.mark.parametrize("how", HOW)
def test_transform_tells_them(model, new, how, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = ask("transform", model, new, *how)
    assert answer.exit_code == 0, answer.output
    assert answer.stderr == f"{SAID}; it is neutral in their vectors.\n"
    assert ask("transform", model, new, *how, "-q").stderr == ""


def test_unknown_values_that_may_be_missing_cells_are_pointed_out(model, people, tmp_path):
    rows = pd.read_csv(people, dtype=str)
    rows.loc[[3, 7], ["colour", "size"]] = [["NA", "big"], ["red", "n/a"]]
    rows.to_csv(tmp_path / "gaps.csv", index=False)
    for call in (["outliers", "--model", model], ["transform", model]):
        told = ask(*call, tmp_path / "gaps.csv").stderr
        assert told.endswith("If these stand for missing cells, say so: --missing NA,n/a\n")
        told = ask(*call, tmp_path / "gaps.csv", "--missing", "NA,n/a").stderr
        assert "say so" not in told
        assert "'NA'" not in told


def test_a_column_of_the_model_that_is_absent_is_named(model, people, tmp_path):
    rows = pd.read_csv(people, dtype=str)
    rows.drop(columns="shape").to_csv(tmp_path / "less.csv", index=False)
    told = refused("outliers", tmp_path / "less.csv", "--model", model)
    assert "There is no column 'shape' of the model in the table; its columns are" in told


def test_all_that_is_shown_is_not_called_the_beginning(model, people, tmp_path):
    small = tmp_path / "small.csv"
    pd.read_csv(people, dtype=str).head(3).to_csv(small, index=False)
    narrow = tmp_path / "narrow.untie"
    ask("fit", people, "--k", 2, "--columns", "colour,size", "-o", narrow, "-q")
    whole = ask("transform", narrow, small, "--format", "table")
    assert whole.stdout.count("│") > 0
    assert "This is the beginning" not in whole.stderr
    assert "This is the beginning" in ask("transform", model, small, "--format", "table").stderr
    assert "This is the beginning" in ask("transform", narrow, people, "--format", "table").stderr


def test_many_columns_and_values_are_counted(tmp_path):
    known = pd.DataFrame({f"c{n}": ["a", "b"] * 20 for n in range(12)})
    new = pd.DataFrame({f"c{n}": [f"v{row}" for row in range(7)] for n in range(12)})
    for name, frame in (("known", known), ("new", new)):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    model = tmp_path / "m.untie"
    ask("fit", tmp_path / "known.csv", "--k", 2, "-o", model, "-q")
    said = ask("outliers", tmp_path / "new.csv", "--model", model, "-n", 1).stderr.splitlines()
    assert len(said) == 12
    assert said[0].endswith("'v3' (1 row), 'v4' (1 row), ... 2 more")
    assert said[10] == "... and 2 more columns with such values"


def test_results_and_remarks_are_kept_apart(model, new):
    answer = ask("transform", model, new)
    assert answer.exit_code == 0
    assert len(answer.stdout.splitlines()) == 121
    assert SAID in answer.stderr
