"""One rule for `random_state`, wherever there is one.

None, the default everywhere, is the seed 0: the same table gives the same result each time. Another
number is another draw, to see how much a result depends on luck. A RandomState is drawn from, so
that a second call with it differs.
"""

from __future__ import annotations

from typing import Any

from numpy.random import RandomState
from sklearn.utils import check_random_state


def draws_of(random_state: Any) -> RandomState:
    """Return where to draw from.

    Examples
    --------
    >>> draws_of(None).randint(100) == draws_of(0).randint(100)
    True
    """
    draws: RandomState = check_random_state(0 if random_state is None else random_state)
    return draws
