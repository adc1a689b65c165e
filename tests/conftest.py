"""Shared fixtures, and settings that must stand before other imports."""

import os

# scikit-learn's array API check runs only with this, and scipy reads it once, on import.
os.environ["SCIPY_ARRAY_API"] = "1"
# Threads that wait shall sleep: each process of the tests has as many as there are cores, and by
# default they turn in circles. OpenMP reads it once, on import.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import pandas as pd
import pytest
from hypothesis import settings

from budget import Budget
from cases import melon_table
from fuzz.figures import figure

settings.register_profile("few", deadline=None, max_examples=12, derandomize=True)
settings.register_profile("many", deadline=None, max_examples=120, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "few"))


def pytest_configure(config):
    """Measure the work of all tests; `TEST_BUDGET` makes too much of it an error."""
    config.pluginmanager.register(Budget(bool(os.environ.get("TEST_BUDGET"))))


@pytest.fixture
def melons() -> pd.DataFrame:
    """Return the paper's toy table; values stand in alphabetical order in all oracles."""
    return melon_table()


def pytest_terminal_summary(terminalreporter):
    """Tell how much the fuzzer tried, as the notes of a release do."""
    results = [*terminalreporter.stats.get("passed", ()), *terminalreporter.stats.get("failed", ())]
    line = figure(report for report in results if report.when == "call")
    if line:
        terminalreporter.write_line(line)
