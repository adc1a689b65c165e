"""Cells of CSV files that spreadsheets would run as formulas."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MARK = "'"
"""What stands before a cell that would be a formula; spreadsheets then take it for text."""

STARTS = "=+-@\t\r"
"""What a formula may begin with."""

_wanted: ContextVar[bool] = ContextVar("safe cells are wanted", default=False)


@contextmanager
def made_safe(wanted: bool = True) -> Iterator[None]:
    """Write no cells that spreadsheets would run, for a while."""
    token = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(token)


def are_wanted() -> bool:
    """Tell whether cells are to be made safe."""
    return _wanted.get()


def defused(text: str) -> str:
    """Return a cell that no spreadsheet runs; a number stays as it is.

    Examples
    --------
    >>> defused("=1+1"), defused("-5"), defused("-5 degrees"), defused("plain")
    ("'=1+1", '-5', "'-5 degrees", 'plain')
    """
    if not text or text[0] not in STARTS:
        return text
    try:
        float(text)
    except ValueError:
        return MARK + text
    return text
