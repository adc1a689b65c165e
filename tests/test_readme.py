"""What the README leads to is there, and its commands work; pytest itself runs its examples."""

import re
from pathlib import Path

import pytest

from command_cases import ask

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PICTURE_BYTES = 150_000
"""A picture of the first screen must not keep readers waiting."""


def targets():
    links = re.findall(r"\]\(([^)#]+)", README)
    pictures = re.findall(r'(?:src|srcset)="([^"]+)"', README)
    return sorted({target for target in links + pictures if "://" not in target})


@pytest.mark.parametrize("target", targets())
def test_what_is_linked_is_there(target):
    assert (ROOT / target).is_file()


def test_pictures_are_small_and_there_are_two():
    pictures = [ROOT / target for target in targets() if target.endswith(".png")]
    assert len(pictures) == 2  # light and dark
    assert all(path.stat().st_size < PICTURE_BYTES for path in pictures)


PAGES = ("README.md", "docs/index.md", "docs/start/report.md")
FIRST = ("untie datasets housevotes -o votes.csv", "untie report votes.csv --label class")
"""The commands that a stranger types first."""


@pytest.mark.parametrize("page", PAGES)
def test_the_first_commands_are_the_same_on_every_page(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    typed = [line.removeprefix("$ ") for line in text.splitlines()]
    found = [line for line in typed if line.startswith(("untie datasets h", "untie report v"))]
    assert tuple(line.partition("#")[0].strip() for line in found) == FIRST
    assert "pip install 'untie-learn[pandas,report]'" in typed


def test_the_first_commands_can_be_followed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in FIRST:
        answer = ask(*command.split()[1:])
        assert answer.exit_code == 0, answer.output
    assert "There are 232 rows in votes.csv." in answer.stderr
    assert (tmp_path / "votes-report.html").is_file()
