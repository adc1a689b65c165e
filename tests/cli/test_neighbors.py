"""``untie neighbors`` over files of every kind, read piece by piece, against the library."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

import untie
from command_cases import ask, refused, rows_of, write_people
from untie._engines import duck, parquet
from untie._engines.arrow import ArrowSource
from untie.explain import neighbors


@pytest.fixture
def people(tmp_path):
    return write_people(tmp_path / "people.csv")


@pytest.fixture
def frame(people):
    return pd.read_csv(people, dtype=str)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return a model of the people, which is made once."""
    folder = tmp_path_factory.mktemp("saved")
    path, table = folder / "m.untie", write_people(folder / "people.csv")
    ask("fit", table, "--k", 3, "--drop", "group", "-o", path, "-q")
    return path


@pytest.fixture
def model(saved, tmp_path):
    return Path(shutil.copy(saved, tmp_path))


@pytest.fixture(params=["csv", "parquet"])
def table(request, people, frame, monkeypatch):
    """Return a file whose rows are read a few at a time."""
    monkeypatch.setattr(duck, "BATCH_ROWS", 7)
    monkeypatch.setattr(parquet, "MOST_ROWS", 7)
    if request.param != "parquet":
        return people
    frame.to_parquet(people.with_suffix(".parquet"))
    return people.with_suffix(".parquet")


def test_like_the_rows_of_a_file(table, model, frame, tmp_path):
    frame.iloc[[7, 90, 7]].to_csv(tmp_path / "q.csv", index=False)
    call = ("neighbors", table, "--model", model, "-n", 5, "--keep", "customer_id,age")
    found = rows_of(ask(*call, "--like", tmp_path / "q.csv").stdout)
    encoder = untie.load_model(model)
    expected = neighbors(encoder, frame, frame.iloc[[7, 90, 7]], n=5)
    columns = pd.DataFrame(found).astype({"like": int, "rank": int, "row": int, "distance": float})
    assert columns["like"].tolist() == (expected["row"] + 1).tolist()
    assert columns["rank"].tolist() == expected["rank"].tolist()
    assert columns["row"].tolist() == (expected["position"] + 1).tolist()
    assert columns["distance"].tolist() == pytest.approx(expected["distance"].tolist())
    for line in found:
        cells = frame.loc[int(line["row"]) - 1]
        assert (line["customer_id"], line["age"]) == (cells["customer_id"], cells["age"])


@pytest.mark.parametrize("options", [(), ("--distinct",), ("--why",)])
def test_a_row_of_a_file_of_any_kind(table, people, options):
    call = ("--row", 37, "-n", 6, "--columns", "colour,size,age", *options, "-q")
    found = ask("neighbors", table, *call)
    assert found.exit_code == 0, found.output
    if "--why" not in options:
        assert "37" not in [line["row"] for line in rows_of(found.stdout)]
        assert len(rows_of(found.stdout)) == 6
    assert found.stdout == ask("neighbors", people, *call).stdout


def test_rows_are_never_all_in_memory(people, model, tmp_path, monkeypatch):
    def collect(self):
        raise AssertionError

    monkeypatch.setattr(ArrowSource, "collect", collect)
    for options in (["--model", model], ["--drop", "group"]):
        for what in (["--row", 3], ["--where", "colour=blue"], ["--row", 3, "--distinct"]):
            answer = ask("neighbors", people, *options, *what, "--keep", "customer_id")
            assert answer.exit_code == 0, answer.output


def test_rows_are_counted_on_the_terminal(people, frame, model, tmp_path, monkeypatch):
    counted = []

    def counting(table):
        counted.append(table.n_rows)
        return table

    monkeypatch.setattr("untie.cli.reading.counting_rows", counting)
    frame.to_parquet(tmp_path / "people.parquet")
    ask("neighbors", tmp_path / "people.parquet", "--model", model, "--like", people)
    assert 120 in counted


def test_learned_from_the_file_itself(people, frame, tmp_path):
    frame.iloc[:2].to_json(tmp_path / "q.json", orient="records")
    call = ("neighbors", people, "--drop", "group", "--like", tmp_path / "q.json", "-n", 1)
    found = json.loads(ask(*call, "--format", "json").stdout)
    assert [(line["like"], line["rank"], line["distance"]) for line in found] == [
        (1, 1, 0.0),
        (2, 1, 0.0),
    ]


def test_unknown_values_are_told_of_both_files(model, frame, tmp_path):
    queries, rows = frame.iloc[[7, 90]].copy(), frame.copy()
    queries["colour"] = ["purple", "red"]
    rows.loc[3, "size"] = "tiny"
    queries.to_csv(tmp_path / "q.csv", index=False)
    rows.to_csv(tmp_path / "t.csv", index=False)
    call = ("neighbors", tmp_path / "t.csv", "--model", model, "--like", tmp_path / "q.csv")
    answer = ask(*call)
    assert answer.exit_code == 0
    told = (
        "colour: a value that the model does not know: 'purple' (1 row)\n"
        f"1 row has a value that the model does not know, of 2 (50.0%), in {tmp_path}/q.csv; it is "
        "neutral in their distances.\n"
        "size: a value that the model does not know: 'tiny' (1 row)\n"
        "1 row has a value that the model does not know, of 120 (0.8%); it is neutral in their "
        "distances.\n"
    )
    assert answer.stderr == told
    assert ask(*call, "-q").stderr == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--like", "q.csv", "--row", 1], "Say what to look for"),
        (["--like", "q.csv", "--why"], "--why is for --row and --where"),
        (["--like", "absent.csv"], "There is no file 'absent.csv'"),
        (["--like", "q.csv", "--keep", "id"], "which --keep names"),
        (["--like", "q.csv", "--output", "q.csv"], "is read by this command"),
        (["--like", "few.csv"], "no columns 'age', 'colour'"),
        (["--like", "q.csv", "-n", 0], "-n"),
        (["--row", 1000], "no row 1,000; the table has 120 rows, the last of which is row 120."),
    ],
)
def test_mistakes(people, frame, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    frame.iloc[:2].to_csv("q.csv", index=False)
    frame.iloc[:2][["size"]].to_csv("few.csv", index=False)
    before = (tmp_path / "q.csv").read_bytes()
    assert message in refused("neighbors", people, *options)
    assert (tmp_path / "q.csv").read_bytes() == before


@pytest.fixture
def crew(tmp_path):
    """Return a file of people, two of whom have one name."""
    names = [
        f"{first} {last}"
        for first in ["Ann", "Bo", "Cy", "Di", "Ed", "Fay", "Gus", "Hal"]
        for last in "ABCDEFGHIJ"
    ]
    rows = pd.DataFrame({"name": names, "role": ["cook", "pilot"] * 40, "deck": ["1", "2"] * 40})
    rows["hue"] = (["red"] * 3 + ["blue"]) * 20
    rows.loc[79, "name"] = "Ann B"
    rows.to_csv(tmp_path / "crew.csv", index=False)
    return tmp_path / "crew.csv"


def test_rows_are_asked_for_by_their_names(crew):
    call = ("neighbors", crew, "-n", 2)
    found = rows_of(ask(*call, "--where", "name=Bo C").stdout)
    assert found == rows_of(ask(*call, "--row", 13).stdout)
    assert [line["name"] for line in found] == ["Ann A", "Ann C"]
    assert [line["row"] for line in found] == ["1", "3"]
    shown = ask(*call, "--where", "name=Bo C", "--format", "table").stdout
    assert "Rows most like row 13, Bo C" in shown
    said = refused(*call, "--where", "name=Ann B", "-q")
    assert (
        said
        == "untie: 2 rows have the name 'Ann B': rows 2, 80; name one by its number: --row 2.\n"
    )
    assert "no row 'Bo X' in the column 'name'; did you mean 'Bo " in refused(
        *call, "--where", "name=Bo X", "-q"
    )
    by_role = rows_of(ask(*call, "--row-names", "role", "--row", 13).stdout)
    assert "name" not in by_role[0]
    assert {line["role"] for line in by_role} <= {"cook", "pilot"}
    plain = rows_of(ask(*call, "--row-names", "none", "--row", 13).stdout)
    assert list(plain[0])[:2] == ["row", "similarity"]


def test_a_model_knows_what_names_rows_unless_told_otherwise(crew, tmp_path):
    ask("fit", crew, "-o", tmp_path / "m.untie", "-q")
    call = ("neighbors", crew, "--model", tmp_path / "m.untie", "--row", 1, "-n", 1)
    assert list(rows_of(ask(*call).stdout)[0])[:2] == ["row", "name"]
    assert list(rows_of(ask(*call, "--row-names", "deck").stdout)[0])[:2] == ["row", "deck"]
    assert list(rows_of(ask(*call, "--row-names", "none").stdout)[0])[:2] == ["row", "similarity"]
    assert "which --row-names names" in refused(*call, "--row-names", "nam")
    assert "Invalid value for '--row'" in ask(*call[:4], "--row", 0).output
