"""Warnings that point at the user's own line."""

from __future__ import annotations

import sys
import warnings

_INNER = ("untie", "sklearn")


class UnpreparedWarning(UserWarning):
    """Columns are learned from as they are that a `Preparer` would have changed or left out."""


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn as if from the first line outside this package and scikit-learn's wrappers."""
    level = 1
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_INNER):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
