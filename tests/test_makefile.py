"""`make help` names all that can be made, and CI runs every test in one environment or another."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).parents[1] / "Makefile"

if not MAKEFILE.exists():  # an sdist has none
    pytest.skip("there is no Makefile", allow_module_level=True)

TEXT = MAKEFILE.read_text()

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


def test_help_names_every_target_and_no_other():
    (phony,) = re.findall(r"^\.PHONY: (.+)$", TEXT, re.M)
    helped = re.findall(r'^\t@echo "make (\S+)', TEXT, re.M)
    assert sorted(helped) == sorted(set(phony.split()) - {"help"})
    assert set(phony.split()) <= set(re.findall(r"^([\w-]+):", TEXT, re.M))


def commands_of(target):
    """Return the commands that make would run for a target where nothing has been made."""
    arguments = ["make", "--dry-run", "--always-make", target, "TORCH=torch"]
    outer = {name for name in os.environ if name.startswith(("MAKE", "MFLAGS"))}
    own = {name: value for name, value in os.environ.items() if name not in outer}
    found = subprocess.run(
        arguments, cwd=MAKEFILE.parent, env=own, capture_output=True, text=True, check=True
    )
    return found.stdout.replace("\\\n", " ").splitlines()


def runs_of_pytest(target):
    """Return the folder of the environment and the arguments of each run of the tests."""
    found = [re.search(r"(\S+)/bin/python -m pytest(.*)", line) for line in commands_of(target)]
    return [(match[1], match[2].split()) for match in found if match]


def installed_for(target):
    lines = [line for line in commands_of(target) if "pip install" in line]
    return {word.strip("'") for line in lines for word in line.split()}


def test_ci_runs_the_tests_of_the_library_of_the_paper_and_of_the_oldest_versions():
    run = MAKEFILE.parent / ".ci/run"
    if not run.exists():
        pytest.skip("there is no .ci/run")
    made = re.findall(r"^CI=true make (\S+)$", run.read_text(), re.M)
    assert made == ["test", "test-paper", "test-oldest"]
    assert "make java postgres" in run.read_text().splitlines()  # whose tests are not skipped there


@pytest.mark.integration
@needs_make
def test_make_test_checks_style_and_runs_all_tests_without_torch():
    commands = commands_of("test")
    encodings = "ruff check --preview --select PLW1514"  # files are opened with one
    for tool in ("ruff check", encodings, "ruff format --check", "mypy"):
        assert any(f"/bin/{tool}" in command for command in commands), tool
    ((folder, arguments),) = runs_of_pytest("test")
    assert folder == ".venv"
    assert arguments == ["-n", "2", "--dist", "worksteal"]  # so the folders of pyproject.toml
    installed = installed_for("test")
    assert "./reproduction" in installed
    assert not any("torch" in word or "deep" in word for word in installed)


@pytest.mark.integration
@needs_make
def test_types_are_checked_for_windows_and_macos():
    checked = [re.findall(r"mypy --platform (\w+)", line) for line in commands_of("lint-platforms")]
    assert [platform for found in checked for platform in found] == ["win32", "darwin"]


@pytest.mark.integration
@needs_make
def test_make_test_paper_runs_the_tests_of_the_reproduction_with_torch():
    ((folder, arguments),) = runs_of_pytest("test-paper")
    assert folder == ".venv-paper"
    assert arguments[-2:] == ["reproduction/tests", "reproduction/src"]
    assert "-m" not in arguments  # nothing is left out but what pyproject.toml leaves out
    assert {"torch", "./reproduction[deep]"} <= installed_for("test-paper")


@pytest.mark.integration
@needs_make
@pytest.mark.parametrize("target", ["demo", "test-fast", "test-oldest", "lint", "coverage", "docs"])
def test_only_the_reproduction_has_torch(target):
    assert not any("torch" in word or "deep" in word for word in installed_for(target))


def test_torch_is_a_fixed_version():
    assert re.search(r"^TORCH \?= torch==[\d.]+$", TEXT, re.M)


def test_no_test_of_the_library_needs_torch():
    needing = re.compile(r"""importorskip\(["']torch|^\s*(import|from) torch""", re.M)
    tests = MAKEFILE.parent / "tests"
    assert [path.name for path in tests.rglob("*.py") if needing.search(path.read_text())] == []


@pytest.mark.integration
@needs_make
def test_make_bench_has_the_peers_and_leaves_the_hold_out_alone():
    assert any(word.startswith("stepmix==") for word in installed_for("bench"))
    runs = [command for command in commands_of("bench") if "benchmarks/mixed.py" in command]
    assert runs
    assert not any("hold_out.py" in command for command in runs)
