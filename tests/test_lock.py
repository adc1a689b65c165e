"""The lock file is one that pyproject.toml allows, and names no place to fetch from."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements-dev.lock"
EXTRAS, GROUPS = ("all", "dask", "spark"), ("dev", "docs")

if not LOCK.exists():  # an sdist has none
    pytest.skip("there is no lock file", allow_module_level=True)

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PINS = [
    Requirement(line.removesuffix("\\"))
    for line in LOCK.read_text().splitlines()
    if re.match(r"[a-z0-9]", line)
]


def wanted():
    """Return what the package, its extras and the developers' groups ask for."""
    project, groups = PYPROJECT["project"], PYPROJECT["dependency-groups"]
    waiting = [*project["dependencies"], f"{project['name']}[{','.join(EXTRAS)}]"]
    waiting += [{"include-group": group} for group in GROUPS]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += groups[one["include-group"]]
        elif (requirement := Requirement(one)).name == project["name"]:
            waiting += [r for e in requirement.extras for r in project["optional-dependencies"][e]]
        else:
            yield requirement


def pins_of(name, python):
    environment = default_environment() | {
        "python_version": python,
        "python_full_version": f"{python}.0",
    }
    return [
        pin
        for pin in PINS
        if canonicalize_name(pin.name) == canonicalize_name(name)
        and (pin.marker is None or pin.marker.evaluate(environment))
    ]


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
def test_every_requirement_has_one_version_that_satisfies_it(python):
    asked = list(wanted())
    assert len(asked) > 30
    for requirement in asked:
        (pin,) = pins_of(requirement.name, python)
        (version,) = (specifier.version for specifier in pin.specifier)
        assert requirement.specifier.contains(version, prereleases=True), (requirement, version)


def test_every_line_is_a_version_or_its_hash():
    for line in LOCK.read_text().splitlines():
        text = line.strip().removesuffix("\\").strip()
        pin = r"[a-z0-9._-]+(\[[a-z0-9,-]+\])?==[^ ]+( ; .+)?"
        assert re.fullmatch(rf"#.*|{pin}|--hash=sha256:[0-9a-f]{{64}}", text), line
        assert "/" not in line, line  # no address, and no path


def test_every_version_has_a_hash():
    blocks = re.split(r"\n(?=[a-z0-9])", LOCK.read_text().partition("\n")[2])
    assert all("--hash=sha256:" in block for block in blocks if "==" in block)
