"""Libraries that are installed only where they are asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def need(module: str, extra: str = "files") -> Any:
    """Import a module of an extra, or say how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"Files and lazy tables need {module.split('.')[0]}: pip install 'untie[{extra}]'."
        ) from error
