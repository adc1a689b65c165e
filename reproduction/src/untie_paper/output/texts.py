"""Values of a table as text."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

MISSING = "\N{EN DASH}"
"""Shown where there is no value."""


def is_missing(value: Any) -> bool:
    """Tell whether there is no value: None or any library's mark for it."""
    import pandas as pd

    return value is None or value is pd.NA or value is pd.NaT or bool(np.all(value != value))


def is_number(value: Any) -> bool:
    """Tell whether a value is a finite number; truth values are not."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def is_text(value: Any) -> bool:
    """Tell whether there is a value that is not a number."""
    return not is_missing(value) and not is_number(value)


def decimals(value: float, digits: int) -> str:
    """Write a number with some decimals, and zero without a sign.

    Examples
    --------
    >>> decimals(-0.001, 2)
    '0.00'
    """
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def cell_text(value: Any, digits: int) -> str:
    """Write any value; whole numbers that are stored as such have no decimals.

    Examples
    --------
    >>> [cell_text(value, 1) for value in (3, 3.0, float("nan"), True, "a")]
    ['3', '3.0', '–', 'yes', 'a']
    """
    if is_missing(value):
        return MISSING
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, Integral):
        return str(int(value))
    return decimals(float(value), digits) if is_number(value) else str(value)


def label_parts(label: Any) -> list[str]:
    """Write the label of a row or column; those of several levels have several parts."""
    return [str(part) for part in (label if isinstance(label, tuple) else (label,))]


def label_text(label: Any) -> str:
    """Write a label in one piece."""
    return " / ".join(part for part in label_parts(label) if part)
