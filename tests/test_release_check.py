"""What `make release-check` makes of a tag, a README and what pip-audit answers."""

import importlib.util
import json
from pathlib import Path

import pytest

import untie
from untie._util.about import DISTRIBUTION

SCRIPT = Path(__file__).parents[1] / "tools/release_check.py"

if not SCRIPT.exists():  # an sdist has none
    pytest.skip("there are no tools", allow_module_level=True)

_spec = importlib.util.spec_from_file_location("release_check", SCRIPT)
release_check = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(release_check)

FINE = {"name": "numpy", "version": "2.4.0", "vulns": []}
WEAK = {"name": "scipy", "version": "1.13.0", "vulns": [{"id": "X-2026-1"}]}
UNKNOWN = {"name": "narwhals", "skip_reason": "not found on PyPI"}


@pytest.fixture
def findings():
    return release_check.Findings()


def audit(monkeypatch, findings, answers, said=""):
    """Let pip-audit answer, or say something and write nothing."""

    def run(call, folder):
        if answers is not None:
            Path(call[-1]).write_text(json.dumps({"dependencies": answers}))
        return 1, said

    monkeypatch.setattr(release_check, "run", run)
    release_check.audit(Path("bin"), findings)
    return findings.bad


def test_what_is_known_to_be_fine_passes(monkeypatch, findings, capsys):
    assert audit(monkeypatch, findings, [FINE]) == []
    assert capsys.readouterr().out == "ok    pip-audit (1 packages)\n"


@pytest.mark.parametrize(
    ("answers", "told"),
    [([FINE, WEAK], "scipy 1.13.0: X-2026-1"), ([FINE, UNKNOWN], "narwhals: not found on PyPI")],
)
def test_a_weakness_and_a_package_that_was_not_looked_at_are_found(
    monkeypatch, findings, capsys, answers, told
):
    assert audit(monkeypatch, findings, answers) == ["pip-audit"]
    assert told in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("answers", "said", "why"),
    [
        ([UNKNOWN], "", "its service knows none of the packages"),
        (None, "requests.exceptions.ConnectionError: Max retries", "its service can't be reached"),
    ],
)
def test_without_an_answer_it_says_that_nothing_was_asked(
    monkeypatch, findings, capsys, answers, said, why
):
    assert audit(monkeypatch, findings, answers, said) == []
    assert capsys.readouterr().out == f"-     pip-audit: not done, as {why}\n"


def test_any_other_failure_of_pip_audit_is_found(monkeypatch, findings):
    assert audit(monkeypatch, findings, None, "No module named pip") == ["pip-audit"]


@pytest.mark.parametrize(
    ("tag", "heading", "bad"),
    [
        ("v1.2.0", "1.2.0 (2026-11-30)", []),
        ("v1.2.1", "1.2.0 (2026-11-30)", ["the tag"]),
        ("v1.2.0", "1.2.0 (unreleased)", ["the changelog"]),
        ("", "1.2.0 (unreleased)", []),
    ],
)
def test_a_tag_needs_its_version_and_a_date(monkeypatch, tmp_path, findings, tag, heading, bad):
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## {heading}\n")
    monkeypatch.setattr(release_check, "ROOT", tmp_path)
    release_check.check_tag(tag, "1.2.0", findings)
    assert findings.bad == bad


def test_links_that_need_files_beside_them_are_found():
    text = '[a](docs/a.md) [b](https://b.org) [c](#c)\n<img src="d.png"><a href="http://e.org">'
    assert release_check.relative_targets(text) == ["docs/a.md", "d.png"]


def test_the_name_and_the_version_are_read_from_the_source():
    assert release_check.about() == (DISTRIBUTION, untie.__version__)
