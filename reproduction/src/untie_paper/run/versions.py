"""The versions of the libraries that numbers come from."""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version

NUMERIC = ("numpy", "scipy", "scikit-learn")
"""Libraries that every cell depends on."""

OPTIONAL = ("torch",)
"""Libraries that a cell depends on if it loads them.

They are no part of a cell's key: whoever installs torch after a run needs the cells of the deep
methods only. A cell that used another version than the one that is installed is computed again.
"""


@cache
def installed(library: str) -> str | None:
    """Return a library's version, or None where there is none.

    Examples
    --------
    >>> from untie_paper.run.versions import installed
    >>> installed("no such library") is None
    True
    """
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def numeric_versions() -> dict[str, str | None]:
    """Return the versions that every cell depends on."""
    return {library: installed(library) for library in NUMERIC}


def optional_versions() -> dict[str, str | None]:
    """Return the versions of those optional libraries that this process has loaded."""
    return {library: installed(library) for library in OPTIONAL if library in sys.modules}
