import numpy as np
import pytest

from untie._util.checks import check_integer, check_number, check_one_of


@pytest.mark.parametrize("value", [3, np.int8(3)])
def test_an_integer_is_returned(value):
    found = check_integer("n", value, 3)
    assert found == 3
    assert type(found) is int


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: check_integer("n", 0), "n must be a positive integer, got 0."),
        (lambda: check_integer("n", True), "n must be a positive integer, got True."),
        (lambda: check_integer("n", "3"), "n must be a positive integer, got '3'."),
        (lambda: check_integer("n", 2.0, 2), "n must be an integer of at least 2, got 2.0."),
        (
            lambda: check_integer("n", 0, 1, "a number or None"),
            "n must be a number or None, got 0.",
        ),
        (lambda: check_number("tau", 0), "tau must be a number above 0, got 0."),
        (lambda: check_number("tau", -1, zero=True), "tau must be a number at least 0, got -1."),
        (lambda: check_number("tau", np.inf), "tau must be a number above 0, got inf."),
        (lambda: check_one_of("by", 1, ("a", "b")), "by must be one of ['a', 'b'], got 1."),
    ],
)
def test_what_is_wrong_is_named(check, message):
    with pytest.raises(ValueError, match="must be") as error:
        check()
    assert str(error.value) == message


def test_what_is_right_passes():
    check_number("tau", 0, zero=True)
    check_number("tau", np.float32(0.5))
    check_one_of("by", "a", ("a", "b"))
