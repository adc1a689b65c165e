"""What a model's file says of itself, and the file in the newest format."""

import json

import pandas as pd
import pytest

from command_cases import ask, refused, rows_of
from saved_models import MODELS
from untie import TableEncoder, save_model
from untie._persistence import formats
from untie._persistence.container import read_file, write_file
from untie._persistence.models import Loaded
from untie.cli.model_files import describe


@pytest.fixture(scope="module")
def model():
    clusterer, table = MODELS["pipeline"]()
    return clusterer.fit(table)


@pytest.fixture
def path(model, tmp_path):
    save_model(model, tmp_path / "people.untie")
    return tmp_path / "people.untie"


def test_info_tells_what_the_file_holds(path):
    (found,) = json.loads(ask("info", path, "--format", "json").stdout)
    assert found["estimator"] == "Preparer -> TableClusterer"
    assert found["format"] == found["newest_format"] == formats.FORMAT
    assert set(found["versions"]) >= {"untie", "python", "numpy", "scikit-learn"}
    assert found["columns"] == ["person", "age", "paid", "born", "pet", "home"]
    assert (found["rows"], found["n_columns"], found["n_columns_used"]) == (48, 6, 5)
    assert (found["k"], found["k_was_chosen"], found["stability"]) == (2, False, None)
    assert found["self_check"] == "as where it was saved"
    (row,) = rows_of(ask("info", path).stdout)
    assert row["columns"] == "person, age, paid, born, pet, home"
    assert "saved" in ask("info", path, "--format", "table").stdout


@pytest.mark.parametrize(
    ("name", "k", "is_chosen"),
    [("clusterer", 2, True), ("preparer", None, None), ("kmodes", 2, 0)],
)
def test_info_of_other_models(name, k, is_chosen):
    model, table = MODELS[name]()
    found = describe(Loaded(model.fit(table), 1, {}, ["vectors can't be compared"]))
    assert (found["k"], found["k_was_chosen"]) == (k, is_chosen)
    assert (found["stability"] is not None) == (name == "clusterer")
    assert found["self_check"] == "vectors can't be compared"


def test_many_columns_are_counted(tmp_path):
    rows = [[f"{n % (j + 2)}" for j in range(15)] for n in range(30)]
    names = [f"c{j}" for j in range(15)]
    TableEncoder(2).fit(pd.DataFrame(rows, columns=names)).save(tmp_path / "wide.untie")
    shown = ask("info", tmp_path / "wide.untie", "--format", "table").stdout
    assert "c11 and 3 more" in shown


def test_a_file_in_the_newest_format_stays(path, tmp_path):
    before = path.read_bytes()
    assert "it stays as it is" in ask("upgrade", path).stderr
    answer = ask("upgrade", path, "--output", tmp_path / "new.untie")
    assert answer.stderr.startswith(f"{tmp_path / 'new.untie'}: format")
    assert path.read_bytes() == (tmp_path / "new.untie").read_bytes() == before
    assert "is read by this command" in refused("upgrade", path, "--output", path)
    assert "is no name for a model" in refused("upgrade", path, "--output", tmp_path / "a.csv")


def test_an_older_file_is_written_anew(path, monkeypatch):
    def forward(content, _):
        content["steps"] = content.pop("stages")

    saved = read_file(path)
    saved.content["stages"] = saved.content.pop("steps")
    write_file(path, saved.content, saved.arrays, "0.0.1")
    monkeypatch.setattr(formats, "FORMAT", 2)
    monkeypatch.setattr(formats, "UPGRADES", {1: forward})
    (found,) = json.loads(ask("info", path, "--format", "json").stdout)
    assert (found["format"], found["newest_format"]) == (1, 2)
    assert ask("upgrade", path).stderr == f"{path}: format 2, from format 1\n"
    (found,) = json.loads(ask("info", path, "--format", "json").stdout)
    assert (found["format"], found["versions"]["untie"]) == (2, "0.0.1")


@pytest.mark.filterwarnings("default:The model in")
def test_a_model_that_answers_otherwise_is_told(path, tmp_path):
    saved = read_file(path)
    labels = saved.arrays["check/2/labels"]
    saved.arrays["check/2/labels"] = 1 - labels
    write_file(path, saved.content, saved.arrays)
    (found,) = json.loads(ask("info", path, "--format", "json").stdout)
    assert found["self_check"] == "20 of 20 rows are in another cluster"
    told = ask("upgrade", path, "-o", tmp_path / "new.untie").stderr
    assert "untie: note: The model in" in told
    assert read_file(tmp_path / "new.untie").content == read_file(path).content


@pytest.mark.parametrize("command", ["info", "upgrade"])
def test_a_bad_file_is_told_in_one_line_and_stays(command, path):
    whole = path.read_bytes()[:-7]
    path.write_bytes(whole)
    told = refused(command, path)
    assert "is damaged" in told
    assert told.count("\n") == 1
    assert path.read_bytes() == whole
