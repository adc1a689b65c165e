"""Checks of parameters that estimators and functions share, and the rule for `random_state`.

`random_state=0`, the default everywhere, gives the same result for the same table each time; None
means the same. Another number gives other draws, and a RandomState is used as it is.
"""

import math
from numbers import Integral, Real
from typing import Any

from numpy.random import RandomState
from sklearn.utils import check_random_state


def check_one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Refuse a parameter that is none of the names allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {list(allowed)}, got {value!r}.")


def check_integer(name: str, value: Any, least: int = 1, wanted: str | None = None) -> int:
    """Return a parameter that is an integer, or refuse one that is not or is too small.

    Parameters
    ----------
    name : str
        The parameter's name.
    value : object
        What the user gave.
    least : int, default=1
        The smallest that is allowed.
    wanted : str, optional
        What it must be, if that is more than the number says.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < least:
        usual = "a positive integer" if least == 1 else f"an integer of at least {least}"
        raise ValueError(f"{name} must be {wanted or usual}, got {value!r}.")
    return int(value)


def check_number(name: str, value: Any, zero: bool = False) -> None:
    """Refuse a parameter that is not a finite number above 0 (or of at least 0, if `zero`)."""
    if not is_number(value) or value < 0 or (value == 0 and not zero):
        wanted = "at least 0" if zero else "above 0"
        raise ValueError(f"{name} must be a number {wanted}, got {value!r}.")


def is_number(value: Any) -> bool:
    """Tell a finite real number from anything else."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(float(value))


def draws_of(random_state: Any) -> RandomState:
    """Return where to draw from.

    Examples
    --------
    >>> draws_of(None).randint(100) == draws_of(0).randint(100)
    True
    """
    return check_random_state(0 if random_state is None else random_state)
