"""Checks of parameters that estimators and functions share, and the rule for `random_state`.

`random_state=0`, the default everywhere, gives the same result for the same table each time; None
means the same. Another number gives other draws, and a RandomState is used as it is.
"""

import math
from collections.abc import Callable
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from typing import Any, ParamSpec

from numpy.random import RandomState
from sklearn.utils import check_random_state

LONGEST_VALUE = 60
"""A value that takes more characters is not repeated in the remedy."""

P = ParamSpec("P")


def knows_owners(**owners: type) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Make `__init__` say which other estimator has a parameter that this one does not have.

    Its signature stays as it is, and with it what scikit-learn reads off it.

    Parameters
    ----------
    **owners : class
        Estimators that may have it, by the parameter that takes them.

    Examples
    --------
    >>> from untie import TableClusterer
    >>> TableClusterer(ordered=["size"])
    Traceback (most recent call last):
    ...
    TypeError: TableClusterer has no parameter 'ordered', but TableEncoder has: \
TableClusterer(encoder=TableEncoder(ordered=['size'])).
    """

    def decorate(init: Callable[P, None]) -> Callable[P, None]:
        own = signature(init).parameters

        @wraps(init)
        def checked(*args: P.args, **given: P.kwargs) -> None:
            for name in [name for name in given if name not in own]:
                having = {key: one for key, one in owners.items() if _takes(one, name)}
                if not having:
                    continue
                this, value = type(args[0]).__name__, repr(given[name])
                value = value if len(value) <= LONGEST_VALUE else "..."
                ways = [f"{this}({k}={one.__name__}({name}={value}))" for k, one in having.items()]
                names = " and ".join(one.__name__ for one in having.values())
                have = "has" if len(having) == 1 else "have"
                raise TypeError(
                    f"{this} has no parameter {name!r}, but {names} {have}: {' or '.join(ways)}."
                )
            init(*args, **given)

        return checked

    return decorate


def _takes(estimator: Any, name: str) -> bool:
    return name in signature(estimator.__init__).parameters


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
