import datetime as dt
import warnings
from decimal import Decimal

import pytest

from untie._table.vocabulary import HANDLE_UNKNOWN, Vocabulary, handle_unknown_values

KNOWN = Vocabulary(("A", "B"), (("a", "b", "c", "d"), (1, 2)))


def handle(unknown, how, vocabulary=KNOWN, when="transform"):
    """Return the warnings' texts."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        handle_unknown_values(unknown, vocabulary, how, when)
    assert all(warning.category is UserWarning for warning in caught)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("how", HANDLE_UNKNOWN)
def test_silent_when_all_is_known(how):
    assert handle([[], []], how) == []


@pytest.mark.parametrize("how", ["ignore", "infrequent_if_exist"])
@pytest.mark.parametrize("unknown", [["z"], ["z", 3], [None], ["z", None]])
def test_silent_when_asked(how, unknown):
    assert handle([unknown, []], how) == []


@pytest.mark.parametrize("when", ["fit", "transform"])
def test_error_names_value_column_and_remedy(when):
    message = (
        rf"Found unknown value 3 in column 'B' during {when}; known are 1, 2\. "
        r".*handle_unknown='ignore'"
    )
    with pytest.raises(ValueError, match=message):
        handle([[], [3]], "error", when=when)


def test_long_lists_are_cut():
    message = r"unknown value 'w', 'x', 'y', \.\.\. in column 'A'.*known are 'a', 'b', 'c', \.\.\."
    with pytest.raises(ValueError, match=message):
        handle([["w", "x", "y", "z"], []], "error")


def test_warn_warns_once_a_column():
    first, second = handle([["z"], [3]], "warn")
    assert first.startswith("Found unknown value 'z' in column 'A' during transform")
    assert second.startswith("Found unknown value 3 in column 'B'")


@pytest.mark.parametrize("how", ["ignore", "infrequent_if_exist"])
def test_values_of_another_kind_are_a_wrong_column(how):
    text, numbers = handle([[1], ["1", None]], how)
    assert text.startswith("Column 'A' holds 1, of type int, but was fitted on 'a', 'b', 'c', ...")
    assert "of type str" in text
    assert numbers.startswith("Column 'B' holds '1', None, of type str, but was fitted on 1, 2")


@pytest.mark.parametrize("number", [3.5, True, Decimal("3.5")])
def test_numbers_are_of_one_kind(number):
    assert handle([[], [number]], "ignore") == []


@pytest.mark.parametrize("value", ["a", 1, dt.date(2020, 1, 1)])
def test_missing_is_of_every_kind(value):
    only_missing = Vocabulary(("A",), ((None,),))
    assert handle([[value]], "ignore", only_missing) == []
    assert handle([[None]], "ignore", Vocabulary(("A",), ((value,),))) == []
