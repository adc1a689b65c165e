import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import untie
from command_cases import ask, refused, rows_of, write_people
from untie._engines.arrow import ArrowSource
from untie._inputs import as_fitted
from untie.cli.options import Format
from untie.cli.reading import load
from untie.cli.showing import as_text, write_batches
from untie.cli.streaming import Assigned
from untie.explain import assignments


@pytest.fixture
def people(tmp_path):
    return write_people(tmp_path / "people.csv")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return a model of the people, which is made once."""
    folder = tmp_path_factory.mktemp("saved")
    path = folder / "people.untie"
    table = write_people(folder / "people.csv")
    answer = ask("cluster", table, "--k", 2, "--drop", "group", "--save", path)
    assert answer.exit_code == 0, answer.output
    assert f"The clusters are in {path}; untie assign puts new rows into them." in answer.stderr
    return path


@pytest.fixture
def model(saved, tmp_path):
    return Path(shutil.copy(saved, tmp_path))


@pytest.fixture
def new(people, tmp_path):
    """Return new rows: one with a value that is unknown, one like none, one with a gap."""
    rows = pd.read_csv(people, dtype=str).head(30).drop(columns=["customer_id", "country"])
    rows.loc[3, "colour"] = "purple"
    rows.loc[4, ["colour", "size", "shape"]] = ["teal", "tiny", "star"]
    rows.loc[5, "size"] = None
    path = tmp_path / "new.csv"
    rows.to_csv(path, index=False)
    return path


def test_the_rows_of_the_table_go_where_they_were(people, model):
    told = rows_of(ask("cluster", people, "--k", 2, "--drop", "group").stdout)
    again = rows_of(ask("assign", model, people).stdout)
    assert [row["cluster"] for row in again] == [row["cluster"] for row in told]
    assert {row["note"] for row in again} == {""}
    pipeline = untie.load_model(model)
    distances = pipeline.transform(pd.read_csv(people, dtype=str))
    own = distances[np.arange(120), [int(row["cluster"]) for row in again]]
    np.testing.assert_allclose([float(row["distance"]) for row in again], own)


def test_new_rows_have_a_distance_and_a_note(model, new):
    answer = ask("assign", model, new)
    assert answer.exit_code == 0, answer.output
    rows = rows_of(answer.stdout)
    names = ["cluster", "probability", "distance", "unknown", "note"]
    assert list(rows[0])[-5:] == names
    assert all(0.5 <= float(row["probability"]) <= 1 for row in rows)
    assert [row["unknown"] for row in rows[2:7]] == ["0", "1", "3", "1", "0"]
    assert rows[3]["note"] == "colour=purple (unknown)"
    assert rows[4]["note"].startswith("unlike any cluster: ")
    for cell in ("size=tiny (unknown)", "shape=star (unknown)", "colour=teal (unknown)"):
        assert cell in rows[4]["note"]
    assert "colour: 2 values that the model does not know: 'purple' (1 row)" in answer.stderr
    assert "shape: a value that the model does not know: 'star' (1 row)" in answer.stderr
    assert "3 rows have a value that the model does not know, of 30 (10.0%)." in answer.stderr
    assert "1 row is unlike any cluster, of 30" in answer.stderr


def test_people_see_how_many_went_where_and_which_are_like_none(model, new):
    shown = ask("assign", model, new, "--format", "table").stdout
    assert "30 rows in the clusters of people.untie" in shown
    assert "with unknown values" in shown
    assert "Rows unlike any cluster, the farthest first" in shown
    usual = ask("assign", model, new, "--format", "table", "-q")
    assert usual.stderr == ""


def test_cluster_with_a_model_is_assign(model, new, tmp_path):
    expected = ask("assign", model, new).stdout
    assert ask("cluster", new, "--model", model).stdout == expected
    output = tmp_path / "out.json"
    ask("assign", model, new, "--output", output)
    written = json.loads(output.read_text())
    assert [row["cluster"] for row in written] == [int(r["cluster"]) for r in rows_of(expected)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--k", "3"], "--k, --lazy, --save and --no-subclusters are for new clusters"),
        (["--save", "x.untie"], "--k, --lazy, --save and --no-subclusters are for new clusters"),
        (["--drop", "age"], "--drop is for learning; the model has its own"),
        (["--column-weight", "age=2"], "--column-weight is for learning"),
        (["--categorical", "age"], "--categorical is for learning"),
        (["--solver", "exact"], "--solver is for learning"),
        (["--label", "group"], "--weight and --label are for new clusters"),
        (["--bins", "4"], "--bins is for learning; the model has its own"),
        (["--max-categories", "9"], "--max-categories is for learning"),
        (["--day-first"], "--day-first is for learning"),
        (["--date-parts", "hour"], "--date-parts is for learning"),
    ],
)
def test_what_a_model_has_of_its_own_is_refused(model, new, given, message):
    assert message in refused("cluster", new, "--model", model, *given)


def test_a_model_without_clusters_is_refused(people, new, tmp_path):
    ask("fit", people, "--k", 2, "-o", tmp_path / "m.untie")
    line = refused("assign", tmp_path / "m.untie", new)
    assert "holds a TableEncoder without clusters; keep some with untie cluster FILE --save" in line


def test_a_column_that_is_not_there_is_named(model, new, tmp_path):
    pd.read_csv(new).drop(columns="shape").to_csv(tmp_path / "less.csv", index=False)
    assert "'shape'" in refused("assign", model, tmp_path / "less.csv")


def test_a_clusterer_that_python_saved(people, new, tmp_path):
    frame = pd.read_csv(people, dtype=str)
    clusterer = untie.TableClusterer(2, preparer=untie.Preparer(drop=["group"])).fit(frame)
    clusterer.save(tmp_path / "own.untie")
    found = rows_of(ask("assign", tmp_path / "own.untie", new).stdout)
    expected = assignments(
        clusterer, pd.read_csv(new, dtype=str).assign(customer_id="", country="")
    )
    assert [int(row["cluster"]) for row in found] == expected.cluster.tolist()
    assert [row["note"] for row in found] == expected.note.tolist()


def test_columns_with_the_names_of_ours_stay(model, new, tmp_path):
    path = tmp_path / "named.csv"
    pd.read_csv(new, dtype=str).assign(note="mine", cluster="old").to_csv(path, index=False)
    row = rows_of(ask("assign", model, path).stdout)[4]
    assert row["note"] == "mine"
    assert row["cluster"] == "old"
    assert list(row.values())[-1].startswith("unlike any cluster")


def test_what_is_saved_is_assigned(people, new, tmp_path):
    model, output = tmp_path / "own.untie", tmp_path / "out.csv"
    for call in (
        ("cluster", people, "--k", 2, "--drop", "group", "--save", model, "--solver", "exact"),
        ("assign", model, new, "--output", output),
        ("cluster", new, "--model", model),
    ):
        answer = ask(*call)
        assert answer.exit_code == 0, answer.stderr
    assert answer.stdout == output.read_text()


def test_save_that_can_not_be_written_is_told_before_the_work(people, tmp_path):
    said = refused("cluster", people, "--save", tmp_path / "no" / "m.untie")
    assert "does not exist; make it first" in said


def test_lazy_clusters_are_kept_too(people, model, new, tmp_path):
    call = ("cluster", people, "--k", 2, "--drop", "group", "--lazy", "-o", tmp_path / "out.csv")
    answer = ask(*call, "--save", tmp_path / "lazy.untie")
    assert answer.exit_code == 0, answer.output
    found = rows_of(ask("assign", tmp_path / "lazy.untie", new).stdout)
    expected = rows_of(ask("assign", model, new).stdout)
    assert [row["cluster"] for row in found] == [row["cluster"] for row in expected]


def in_pieces(path, size):
    """Return a file's rows as a lazy table, a few at a time."""
    table = untie.scan(path, types="text").collect()

    def read(columns):
        return table.select(list(columns)).to_batches(max_chunksize=size)

    return ArrowSource(table.schema, read, "the rows")


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_rows_that_come_in_pieces_go_where_all_at_once_go(model, new, size):
    whole, pieces = (Assigned(as_fitted(load(model))) for _ in range(2))
    expected = {name: list(cells) for name, cells in whole.add(in_pieces(new, 1).collect()).items()}
    found = pieces.beside(in_pieces(new, size)).collect().select(list(expected)).to_pydict()
    assert found == expected
    assert pieces.summary() == whole.summary()
    assert pieces.farthest == whole.farthest
    assert [row["row"] for row in pieces.farthest] == [5]
    assert pieces.unseen.unknown == whole.unseen.unknown
    assert pieces.said() == whole.said()


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "csv.gz", "parquet"])
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_rows_are_never_all_in_memory(model, new, tmp_path, monkeypatch, kind, ending):
    rows = pd.read_csv(new, dtype=str)
    given, output = tmp_path / f"given.{kind}", tmp_path / f"out.{ending}"
    {
        "csv": lambda: rows.to_csv(given, index=False),
        "tsv": lambda: rows.to_csv(given, index=False, sep="\t"),
        "jsonl": lambda: rows.to_json(given, orient="records", lines=True),
        "parquet": lambda: rows.to_parquet(given),
    }[kind]()
    expected = rows_of(ask("assign", model, new).stdout)
    monkeypatch.setattr(ArrowSource, "collect", None)
    answer = ask("assign", model, given, "--output", output)
    assert answer.exit_code == 0, answer.output
    assert "3 rows have a value that the model does not know, of 30 (10.0%)." in answer.stderr
    read = {
        "json": lambda: pd.read_json(output, orient="records"),
        "parquet": lambda: pd.read_parquet(output),
        "tsv": lambda: pd.read_csv(output, sep="\t"),
    }.get(ending, lambda: pd.read_csv(output))
    written = read()
    assert written["note"].fillna("").tolist() == [row["note"] for row in expected]
    np.testing.assert_allclose(written["distance"], [float(row["distance"]) for row in expected])
    assert written["shape"].tolist() == [row["shape"] for row in expected]


def test_json_in_pieces_is_the_json_of_all_rows(model, new, capsys):
    source = in_pieces(new, 7)
    write_batches(source.batches(), Format.json)
    assert capsys.readouterr().out == as_text(source.collect().to_pydict(), Format.json)
    write_batches([], Format.json)
    assert capsys.readouterr().out == "[]\n"


def test_a_file_that_breaks_off_leaves_the_old_one(model, new, tmp_path):
    output, broken = tmp_path / "out.csv", tmp_path / "broken.csv"
    output.write_text("old")
    broken.write_text(new.read_text() + "one,cell,too,many,in,this,line,and,more\n")
    line = refused("assign", model, broken, "--output", output)
    assert "line 32, has 9 cells" in line
    assert output.read_text() == "old"
    assert not list(tmp_path.glob(".out*"))


def test_rows_of_which_nothing_is_known_are_unlike_any(model, new, tmp_path):
    rows = pd.read_csv(new, dtype=str)
    rows.loc[:2] = None
    rows.loc[3, "colour"] = "nothing is known of the row"  # a cell is no finding
    rows.to_csv(tmp_path / "blank.csv", index=False)
    answer = ask("assign", model, tmp_path / "blank.csv")
    found = rows_of(answer.stdout)
    for row in found[:3]:
        assert row["note"].startswith("unlike any cluster: ")
        assert row["note"].endswith("nothing is known of the row")
    assert not any("nothing is known" in row["note"] for row in found[4:])
    assert "of 3 nothing is known, as all cells are missing or unknown." in answer.stderr


def test_numbers_beyond_those_of_the_model_are_said(model, people, new, tmp_path):
    ages = pd.read_csv(people)["age"]
    seen = f"{ages.min()} to {ages.max()}"
    rows = pd.read_csv(new, dtype=str)
    rows.loc[[0, 1, 2], "age"] = ["140", "-5.5", str(ages.max())]
    rows.to_csv(tmp_path / "old.csv", index=False)
    answer = ask("assign", model, tmp_path / "old.csv")
    found = rows_of(answer.stdout)
    assert found[0]["note"].endswith(f"age=140 (outside {seen})")
    assert found[1]["note"].endswith(f"age=-5.5 (outside {seen})")
    assert "outside" not in found[2]["note"]
    line = f"age: 2 rows are outside {seen}, all that the model has seen: 140, -5.5"
    assert line in answer.stderr
    assert "outside" not in ask("assign", model, people).stderr


def test_clusters_that_were_no_finding_are_said_to_be_none(tmp_path):
    rng = np.random.default_rng(0)
    noise = pd.DataFrame({name: rng.choice(list("xyz"), 200) for name in "abcd"})
    noise.to_csv(tmp_path / "noise.csv", index=False)
    told = ask("cluster", tmp_path / "noise.csv", "--save", tmp_path / "noise.untie")
    assert "No groups found" in told.stderr
    answer = ask("assign", tmp_path / "noise.untie", tmp_path / "noise.csv")
    assert "No groups were found in the table that noise.untie was made of" in answer.stderr


def test_the_same_number_is_known_however_it_is_written(tmp_path):
    rows = pd.DataFrame({"income": ["7500.0", "15000.0"] * 60, "town": ["a", "b"] * 60})
    rows.to_csv(tmp_path / "floats.csv", index=False)
    rows["income"] = rows["income"].str.removesuffix(".0")
    rows.to_csv(tmp_path / "whole.csv", index=False)
    ask("cluster", tmp_path / "floats.csv", "--k", 2, "--save", tmp_path / "m.untie")
    answer = ask("assign", tmp_path / "m.untie", tmp_path / "whole.csv")
    assert {row["unknown"] for row in rows_of(answer.stdout)} == {"0"}
