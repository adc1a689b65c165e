"""The formats of model files: the present one, those that were released, and the way up.

The first line of a file is the same in every format: a mark, the number of the format, the version
of untie that wrote it and a checksum. What follows may change with the format. A file of an older
format is brought to the present one, a step at a time, before anything in it is checked, so the
descriptions of estimators know the present format alone.
"""

from collections.abc import Callable
from typing import Any

FORMAT = 1
"""The format that is written. Once it is in a release, a change to what files hold raises it."""

RELEASED = 0
"""The newest format that a release has written; 0 before the first. Set it when you release."""

Upgrade = Callable[[dict[str, Any], dict[str, Any]], None]
"""Changes the text of a file, as JSON has it, and its arrays by their places, into those of the
next format. Who wrote them is unknown: it must take nothing for granted, and may raise any error.
"""

UPGRADES: dict[int, Upgrade] = {}
"""What makes of a file of each older format one of the next; format 2 adds the step from 1 here."""


def to_present(number: int, content: Any, arrays: dict[str, Any]) -> None:
    """Change what a file of an older format holds into what one of the present format holds.

    Parameters
    ----------
    number : int
        The file's format, at most the present one.
    content : dict
        The file's text, as JSON has it.
    arrays : dict of str to arrays
        The file's arrays by their places.
    """
    if not isinstance(content, dict):
        raise ValueError("its text is no object")
    for step in range(number, FORMAT):
        UPGRADES[step](content, arrays)
