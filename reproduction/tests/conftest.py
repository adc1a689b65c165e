"""Fixtures and settings that the library's tests have, too."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import pytest
from hypothesis import settings

from cases import melon_table

settings.register_profile("few", deadline=None, max_examples=12, derandomize=True)
settings.register_profile("many", deadline=None, max_examples=120, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "few"))


@pytest.fixture
def melons():
    """Return the paper's toy table; values stand in alphabetical order in all oracles."""
    return melon_table()
