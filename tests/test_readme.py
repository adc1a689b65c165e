"""What the README leads to is there; its examples are run by pytest itself."""

import re
from pathlib import Path

import pytest

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
