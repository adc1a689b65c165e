"""Weekday, month and hour out of a column of dates, as columns of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from untie._prepare.found_reading import as_read
from untie._prepare.look import Summary
from untie._prepare.numbers import PERIODS, read
from untie._prepare.readings import Reading
from untie._prepare.remarks import MOSTLY
from untie._prepare.rules import PARTS, DatePart


def check_parts(parts: object) -> tuple[str, ...]:
    """Return the parts of dates that the user asks for, or say which there are."""
    known = ", ".join(map(repr, PARTS))
    if isinstance(parts, str) or not isinstance(parts, Sequence):
        raise TypeError(f"date_parts must be a list of {known}, got {parts!r}.")
    for part in parts:
        if part not in PARTS:
            raise ValueError(f"There is no part of dates {part!r}; there are {known}.")
    return tuple(dict.fromkeys(parts))


def part_rules(seen: Summary, reading: Reading, parts: Sequence[str]) -> list[DatePart]:
    """Return what makes the parts of a column of dates; none if it has other values.

    A part that is the same in every row is left out.

    Parameters
    ----------
    seen : Summary
        The column's values.
    reading : Reading
        How its cells are read.
    parts : sequence of {"weekday", "month", "hour"}
        What is asked for.
    """
    plain = as_read(seen, reading)
    is_date = ~np.isnan(read(plain.values, PERIODS[0]))
    if not plain.values or plain.rows[is_date].sum() < MOSTLY * plain.rows.sum():
        return []
    rules = (DatePart(part, reading) for part in parts)
    return [rule for rule in rules if len(set(rule.labels(seen.values)) - {None}) > 1]


def part_name(column: str, part: str) -> str:
    """Return what the column of a part is called.

    Examples
    --------
    >>> part_name("bought", "weekday")
    'bought (weekday)'
    """
    return f"{column} ({part})"
