"""Cells of CSV files that spreadsheets would run as formulas."""

from __future__ import annotations

MARK = "'"
"""What stands before a cell that would be a formula; spreadsheets then take it for text."""

STARTS = "=+-@\t\r"
"""What a formula may begin with."""


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
