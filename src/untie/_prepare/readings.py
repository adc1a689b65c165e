"""How the cells of a column are read before anything is done with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from untie._prepare.date_writing import DateWriting, find_date_writing
from untie._prepare.number_names import NumberNames
from untie._prepare.number_writing import PLAIN, NumberWriting, find_number_writing
from untie._prepare.numbers import as_date
from untie._util.types import Value

Writing = NumberWriting | DateWriting | NumberNames


@dataclass(frozen=True)
class Reading:
    """How cells are read.

    Parameters
    ----------
    missing : tuple of str
        Texts that stand for a missing cell.
    writing : NumberWriting, DateWriting, NumberNames or None
        How numbers or dates are written, if not plainly; or that plain numbers are names.

    Examples
    --------
    >>> Reading(("?",), NumberWriting(",", "")).read(["3,5", "?", "many", 7, None])
    [3.5, None, 'many', 7, None]
    """

    missing: tuple[str, ...] = ()
    writing: Writing | None = None

    def read(self, values: list[Value]) -> list[Value]:
        """Return what cells say; a text that is not written as the others stays."""
        if not self.missing and self.writing is None:
            return values
        absent = set(self.missing)
        return [self._read(value, absent) if isinstance(value, str) else value for value in values]

    def _read(self, text: str, absent: set[str]) -> Value:
        if text in absent or text.strip() in absent:
            return None
        found = None if self.writing is None else self.writing.read(text)
        return text if found is None else found


AS_IT_IS = Reading()


def find_writing(
    values: Sequence[Value], day_first: bool | None = None
) -> NumberWriting | DateWriting | None:
    """Return how a column of texts is written as numbers or dates; None if plainly, or as neither.

    Parameters
    ----------
    values : sequence
        The distinct values, without missing ones, in any order.
    day_first : bool, optional
        What the user says of dates.
    """
    texts = [value for value in values if isinstance(value, str)]
    if not texts or len(texts) < len(values) or all(map(as_date, texts)):
        return None
    dates = find_date_writing(texts, day_first)
    if dates is not None:
        return dates
    numbers = find_number_writing(texts)
    is_plain = numbers is None or (
        not numbers.has_unit and (numbers.decimal, numbers.thousands) == PLAIN
    )
    return None if is_plain else numbers
