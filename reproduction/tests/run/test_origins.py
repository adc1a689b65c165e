import json
import platform
import subprocess
from pathlib import Path

import pytest

from untie_paper.run.origins import commit, machine, provenance, versions


def git(folder, *arguments):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    package = tmp_path / "src" / "package"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    return package


def test_commit_of_a_checkout(checkout):
    head = git(checkout, "rev-parse", "HEAD")
    assert len(head) == 40
    assert commit(checkout) == head
    (checkout.parent / "beside.txt").write_text("not of the package")
    assert commit(checkout) == head
    (checkout / "__init__.py").write_text("changed = 1")
    assert commit(checkout) == f"{head}-dirty"


def test_new_files_of_the_package_make_it_dirty(checkout):
    (checkout / "new.py").write_text("")
    assert commit(checkout).endswith("-dirty")


def test_changes_of_the_evaluation_count_too(checkout):
    evaluation = checkout.parent / "evaluation"
    evaluation.mkdir()
    assert commit(checkout, evaluation) == git(checkout, "rev-parse", "HEAD")
    (evaluation / "new.py").write_text("")
    assert commit(checkout, evaluation).endswith("-dirty")
    assert not commit(checkout).endswith("-dirty")


def test_a_package_that_another_repository_does_not_track_has_no_commit(checkout):
    installed = checkout.parent / "venv"
    installed.mkdir()
    (installed / "__init__.py").write_text("")
    assert commit(installed) is None


def test_no_repository_no_commit(tmp_path):
    assert commit(tmp_path) is None


def test_no_git_no_commit(checkout, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert commit(checkout) is None


def test_everything_that_matters_is_there_and_nothing_about_the_user():
    cells = {"computed": 1, "from_cache": 2, "failed": 0, "seconds": 3.5}
    record = provenance({"effort": "quick"}, "2026-01-01", "abc", cells, ["abc", "older", None])
    assert record["commits_of_cells"] == {"abc": 1, "older": 1, "not a checkout": 1}
    assert record["settings"] == {"effort": "quick"}
    assert record["cells"] == cells
    assert record["versions"] == versions()
    assert record["versions"]["python"] == platform.python_version()
    assert set(record["machine"]) == set(machine())
    assert record["machine"]["cores"] >= 1
    assert record["machine"]["processor"]
    text = json.dumps(record)
    assert platform.node() not in text
    assert str(Path.home()) not in text
    assert str(Path.cwd()) not in text
