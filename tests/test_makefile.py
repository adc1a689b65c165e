"""`make help` names all that can be made."""

import re
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).parents[1] / "Makefile"

if not MAKEFILE.exists():  # an sdist has none
    pytest.skip("there is no Makefile", allow_module_level=True)

TEXT = MAKEFILE.read_text()


def test_help_names_every_target_and_no_other():
    (phony,) = re.findall(r"^\.PHONY: (.+)$", TEXT, re.M)
    helped = re.findall(r'^\t@echo "make (\S+)', TEXT, re.M)
    assert sorted(helped) == sorted(set(phony.split()) - {"help"})
    assert set(phony.split()) <= set(re.findall(r"^([\w-]+):", TEXT, re.M))


def needed_by(target):
    """Return the targets that a target makes first."""
    (needed,) = re.findall(rf"^{target}:(.*)$", TEXT, re.M)
    return needed.split()


def test_the_oldest_versions_are_tried_after_all_others_and_not_by_whoever_looks_in():
    assert needed_by("test") == ["lint", "test-newest"]
    run = MAKEFILE.parent / ".ci/run"
    if run.exists():
        made = re.findall(r"^CI=true make (\S+)$", run.read_text(), re.M)
        assert made == ["test", "test-oldest"]
