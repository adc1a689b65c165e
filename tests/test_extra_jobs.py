"""Every extra has a job that `make extras` tries it with."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
JOBS = ROOT / "tools/extra_jobs.py"

if not JOBS.exists():  # an sdist has none
    pytest.skip("there are no tools", allow_module_level=True)


def test_every_extra_has_a_job():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    tree = ast.parse(JOBS.read_text())
    (table,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and node.target.id == "JOBS"
    )
    assert {key.value for key in table.keys} == {"", *project["optional-dependencies"]}
