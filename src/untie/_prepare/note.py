"""What was done to a column, in words."""

from __future__ import annotations

from dataclasses import dataclass

KEPT, BINNED, GROUPED, LEFT_OUT = "kept", "binned", "grouped", "left out"


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
