"""The versions that `make test-oldest` tries are the bounds that pyproject.toml promises."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]

NOT_TRIED = {"spark"}
"""Extras that are too large for one more environment."""

NOT_OURS = {"click", "pyparsing"}

BOUND = re.compile(r"([a-z0-9-]+)(?:\[.*\])?>=([\d.]+)")


def promised():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(r for e in extras.keys() - NOT_TRIED for r in extras[e])]
    return {BOUND.fullmatch(r).groups() for r in wanted if not r.startswith("untie-learn[")}


def tried():
    pins = re.findall(r"^([a-z0-9-]+)==([\d.]+)", (ROOT / "tests/oldest.txt").read_text(), re.M)
    return {(name, version) for name, version in pins if name not in NOT_OURS}


def without_zeros(versions):
    return {(name, re.sub(r"(\.0)+$", "", version)) for name, version in versions}


def test_the_versions_tried_are_the_bounds_promised():
    assert without_zeros(tried()) == without_zeros(promised())
