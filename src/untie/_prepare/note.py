"""What was done to a column, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

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
    said : str
        Why or how; empty where there is nothing to say.
    few_numbers : int
        How many numbers there are that are kept as categories, without their order; 0 if none.
    many_values : int
        How many values a column has that has too many; 0 where none are merged for that.
    read_as_missing : tuple of str
        The texts that are read as missing cells.
    not_missing : tuple of str
        Texts that may stand for missing cells and are values.
    is_constant : bool
        Whether the column was left out as all cells are the same, or missing.

    Attributes
    ----------
    reason : str
        All that is to be said: of few numbers, and `said`.

    See Also
    --------
    Preparer : Has one per column, as `notes_`.

    Examples
    --------
    >>> print(Note("customer", "left out", "looks like an id"))
    customer: left out, looks like an id
    >>> print(Note("age", "binned", "into 5 ranges"))
    age: binned into 5 ranges
    >>> Note("grade", "kept", few_numbers=5).reason
    "its 5 numbers are categories; TableEncoder(ordered=['grade']) keeps their order"
    """

    column: str
    action: str
    said: str = ""
    few_numbers: int = 0
    many_values: int = 0
    read_as_missing: tuple[str, ...] = ()
    not_missing: tuple[str, ...] = ()
    is_constant: bool = False

    @property
    def reason(self) -> str:
        """All that is to be said: of few numbers, and `said`."""
        few = said_of_few_numbers(self.column, self.few_numbers) if self.few_numbers else ""
        return joined(few, self.said)

    def __str__(self) -> str:
        reason = self.reason
        mark = "" if not reason else " " if self.action == BINNED else ", "
        return f"{self.column}: {self.action}{mark}{reason}"

    def also(self, said: str) -> Note:
        """Return the note with something more that is said at its end."""
        return replace(self, said=joined(self.said, said))

    def to_list(self) -> list[Any]:
        """Return the note as plain data: its texts, and what else it knows, if that is anything."""
        facts = {
            name: list(fact) if isinstance(fact, tuple) else fact
            for name, fact in asdict(self).items()
            if fact and name not in ("column", "action", "said")
        }
        return [self.column, self.action, self.said, *([facts] if facts else [])]

    @classmethod
    def from_list(cls, content: Sequence[Any]) -> Note:
        """Undo `to_list`."""
        column, action, said, *more = content
        facts: dict[str, Any] = {
            name: tuple(fact) if isinstance(fact, list) else fact
            for name, fact in (more[0] if more else {}).items()
        }
        return cls(column, action, said, **facts)


def joined(*reasons: str) -> str:
    """Return several reasons as one; those that are empty say nothing."""
    return "; ".join(reason for reason in reasons if reason)


def said_of_few_numbers(column: str, n: int) -> str:
    """Return that the numbers of a column are taken for names, and how to have their order."""
    return f"its {n} numbers are categories; TableEncoder(ordered=[{column!r}]) keeps their order"
