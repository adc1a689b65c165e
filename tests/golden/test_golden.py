"""What fits learn stays what it was: see `fits.py`."""

import json

import pytest

from fits import FILE, GROUPS, commands, differences, summaries

EXPECTED = json.loads(FILE.read_text())

STARTS_PROCESSES = pytest.param(commands, marks=pytest.mark.integration)


@pytest.mark.parametrize(
    "group",
    [STARTS_PROCESSES if group is commands else group for group in GROUPS],
    ids=lambda group: group.__name__,
)
@pytest.mark.filterwarnings("default", "ignore::sklearn.exceptions.ConvergenceWarning")
def test_fits_are_those_of_before(group):
    found = summaries([group])
    expected = {name: fit for name, fit in EXPECTED.items() if name in found}
    assert expected
    assert differences(found, expected) == []


def test_every_fit_is_compared():
    assert len(EXPECTED) > 100
