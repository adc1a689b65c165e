"""Every extra has a job that `make extras` tries it with, on a terminal."""

import ast
import importlib.util
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
JOBS = ROOT / "tools/extra_jobs.py"

if not JOBS.exists():  # an sdist has none
    pytest.skip("there are no tools", allow_module_level=True)


def tool(name):
    """Return a module of the tools."""
    spec = importlib.util.spec_from_file_location(name, JOBS.with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_extra_has_a_job():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    tree = ast.parse(JOBS.read_text())
    (table,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and node.target.id == "JOBS"
    )
    assert {key.value for key in table.keys} == {"", *project["optional-dependencies"]}


@pytest.mark.parametrize("extra", ["pandas", "polars", "pyarrow", "files", "excel", "onnx"])
def test_jobs_work_where_everything_is_installed(extra, monkeypatch, tmp_path):
    jobs = tool("extra_jobs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(jobs, "PAUSE", 0.0)
    jobs.JOBS[extra]()


def test_jobs_run_on_a_terminal(tmp_path):
    extras = tool("extras")
    script = "import sys; print(sys.stdin.isatty(), sys.stdout.isatty(), sys.stderr.isatty())"
    assert extras.run_on_terminal([sys.executable, "-c", script], tmp_path).split() == ["True"] * 3
    with pytest.raises(extras.FailedError, match="ZeroDivisionError"):
        extras.run_on_terminal([sys.executable, "-c", "1 / 0"], tmp_path)
