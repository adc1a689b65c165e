"""Checks of parameters that every estimator and function shares."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any


def check_one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Refuse a parameter that is none of the names allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {list(allowed)}, got {value!r}.")


def check_integer(name: str, value: Any, least: int, wanted: str) -> None:
    """Refuse a parameter that is no integer or too small; `wanted` says what it must be."""
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < least:
        raise ValueError(f"{name} must be {wanted}, got {value!r}.")


def check_number(name: str, value: Any, zero: bool = False) -> None:
    """Refuse a parameter that is no finite number above 0, or at least 0."""
    if not is_number(value) or value < 0 or (value == 0 and not zero):
        wanted = "at least 0" if zero else "above 0"
        raise ValueError(f"{name} must be a number {wanted}, got {value!r}.")


def is_number(value: Any) -> bool:
    """Tell a finite real number from anything else."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(float(value))
