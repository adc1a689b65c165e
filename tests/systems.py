"""What not every system has: marks of tests that need it."""

import os

import pytest

posix = pytest.mark.skipif(
    os.name != "posix", reason="needs named pipes, forks, terminals or limits, as POSIX has them"
)
