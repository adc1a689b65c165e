"""What was done to a column, in words."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

KEPT, BINNED, GROUPED, LEFT_OUT = "kept", "binned", "grouped", "left out"

_FEW_NUMBERS = re.compile(r"its (\d+) numbers are categories; UNTIE\(.*?\) keeps their order(; )?")


@dataclass(frozen=True)
class Note:
    """What was done to a column and why.

    Parameters
    ----------
    column : str
        The column's name.
    action : {"kept", "binned", "grouped", "left out"}
        What was done to it.
    reason : str
        Why or how; empty where there is nothing to say.

    See Also
    --------
    Preparer : Has one per column, as `notes_`.

    Examples
    --------
    >>> print(Note("customer", "left out", "looks like an id"))
    customer: left out, looks like an id
    >>> print(Note("age", "binned", "into 5 ranges"))
    age: binned into 5 ranges
    """

    column: str
    action: str
    reason: str = ""

    def __str__(self) -> str:
        mark = "" if not self.reason else " " if self.action == BINNED else ", "
        return f"{self.column}: {self.action}{mark}{self.reason}"


def said_of_few_numbers(column: str, n: int) -> str:
    """Return that the numbers of a column are taken for names, and how to have their order."""
    return f"its {n} numbers are categories; UNTIE(ordered=[{column!r}]) keeps their order"


def without_few_numbers(note: Note) -> tuple[Note, int]:
    """Return a note without what `said_of_few_numbers` says, and how many numbers; 0 if none.

    Examples
    --------
    >>> note = Note("grade", "kept", said_of_few_numbers("grade", 5) + "; read as missing: '?'")
    >>> without_few_numbers(note)
    (Note(column='grade', action='kept', reason="read as missing: '?'"), 5)
    """
    found = _FEW_NUMBERS.match(note.reason)
    if found is None:
        return note, 0
    return replace(note, reason=note.reason[found.end() :]), int(found[1])
