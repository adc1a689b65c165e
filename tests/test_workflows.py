"""What runs on others' machines is pinned by commit, and may do no more than it must."""

import re
import tomllib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / ".github/workflows"

if not FOLDER.exists():  # an sdist has none
    pytest.skip("there are no workflows", allow_module_level=True)

WORKFLOWS = sorted(FOLDER.glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit_with_their_version(path):
    used = re.findall(r"uses: (.+)", path.read_text())
    assert used
    for action in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_nothing_is_allowed_but_by_a_job(path):
    text = path.read_text()
    assert re.search(r"^permissions: \{\}$", text, re.M)
    jobs = text.partition("\njobs:\n")[2]
    n_jobs = len(re.findall(r"^  \w+:$", jobs, re.M))
    assert n_jobs == len(re.findall(r"^    permissions:$", jobs, re.M))
    assert n_jobs == len(re.findall(r"^    timeout-minutes: \d+$", jobs, re.M))


def test_one_pin_per_action():
    pins = {}
    for path in WORKFLOWS:
        for name, commit in re.findall(r"uses: (\S+)@([0-9a-f]+)", path.read_text()):
            assert pins.setdefault(name, commit) == commit, name


def test_only_publishing_proves_who_it_is():
    holding = {p.stem for p in WORKFLOWS if "id-token: write" in p.read_text()}
    assert holding == {"docs", "release"}
    assert not any("secrets." in p.read_text() for p in WORKFLOWS)


def jobs():
    """Yield the text of each job of all workflows."""
    for path in WORKFLOWS:
        yield from re.split(r"^(?=  \w+:$)", path.read_text().partition("\njobs:\n")[2], flags=re.M)


def made():
    """Return what is made, by the name of the target."""
    return {target: job for job in jobs() for target in re.findall(r"run: make (\S+)", job)}


def test_all_that_must_hold_is_run_somewhere():
    targets = {"lint", "lint-platforms", "test-newest", "test-paper", "test-oldest", "extras"}
    targets |= {"docs", "release-check"}
    assert made().keys() == targets
    known = re.findall(r"^([\w-]+):", (FOLDER.parents[1] / "Makefile").read_text(), re.M)
    assert targets <= set(known)


@pytest.mark.parametrize("target", ["test-newest", "extras", "release-check"])
def test_what_tries_spark_has_java(target):
    assert re.search(r'setup-java@.*\n.*\n.*\n\s+java-version: "17"', made()[target])


def test_newest_libraries_are_tried_with_every_python_that_is_promised():
    project = tomllib.loads((FOLDER.parents[1] / "pyproject.toml").read_text())["project"]
    promised = re.findall(r":: (3\.\d+)", "\n".join(project["classifiers"]))
    (tried,) = re.findall(r"python: \[(.+)\]", made()["test-newest"])
    assert tried.replace('"', "").split(", ") == promised
    assert project["requires-python"] == f">={promised[0]}"


def test_fast_tests_run_on_windows_and_macos():
    (job,) = (job for job in jobs() if "matrix.system" in job)
    assert "system: [windows-latest, macos-latest]" in job
    makefile = (FOLDER.parents[1] / "Makefile").read_text(encoding="utf-8")
    (fast,) = re.findall(r"^test-fast:.*\n\t\$\(PYTEST\) -m '(.*)'$", makefile, re.M)
    assert f'-m "{fast}"' in job
    assert 'PYTHONUTF8: "1"' in job  # for the tests: the library names its encodings


def test_nothing_of_an_event_is_pasted_into_a_command():
    for job in jobs():
        assert not re.search(r"run:.*\$\{\{", job)
