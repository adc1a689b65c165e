"""What fits learn stays what it was: see `fits.py`."""

import json

import pytest

from fits import FILE, GROUPS, all_fits, differences

EXPECTED = json.loads(FILE.read_text())


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
@pytest.mark.filterwarnings("default")
def test_fits_are_those_of_before(group):
    found = all_fits([group])
    expected = {name: fit for name, fit in EXPECTED.items() if name in found}
    assert expected
    assert differences(found, expected) == []


def test_every_fit_is_compared():
    assert len(EXPECTED) > 100
