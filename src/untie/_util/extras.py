"""Libraries that are installed only where they are asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from untie._util.about import DISTRIBUTION


def installing(extra: str) -> str:
    """Return the command that installs an extra, for messages."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def need(module: str, extra: str = "files", what: str = "Files and lazy tables") -> Any:
    """Import a module of an extra, or say how to install it; `what` is what needs it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} need {module.split('.')[0]}: {installing(extra)}.") from error
