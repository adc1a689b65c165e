"""What runs at every commit is what `make lint` runs, on the files that it is meant for."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / ".pre-commit-config.yaml"

if not CONFIG.exists():  # an sdist has none
    pytest.skip("there are no hooks", allow_module_level=True)

HOOKS = CONFIG.read_text()


def test_hooks_check_style_with_the_version_that_make_lint_installs():
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]["lint"]
    (rev,) = re.findall(r"ruff-pre-commit\n\s+rev: v([\d.]+)", HOOKS)
    assert f"ruff=={rev}" in lint


def test_hooks_check_types_in_the_environment_of_make_lint():
    assert re.search(r"id: mypy\n.*\n\s+entry: \.venv/bin/mypy\n", HOOKS)


def test_what_hooks_leave_out_is_there():
    (left_out,) = re.findall(r"^exclude: (.+)$", HOOKS, re.M)
    patterns = left_out.split("|")
    files = [
        str(path.relative_to(ROOT))
        for folder in ("docs", "src", "tests")
        for path in (ROOT / folder).rglob("*")
    ]
    files += [path.name for path in ROOT.iterdir()]
    for pattern in patterns:
        assert any(re.search(pattern, file) for file in files), pattern
