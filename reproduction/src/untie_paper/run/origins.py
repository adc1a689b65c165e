"""Where figures come from: code, versions, machine and settings; nothing about who ran it."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import joblib

import untie
from untie_paper.run.source import PACKAGE
from untie_paper.run.versions import installed

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "matplotlib", "torch")
NO_COMMIT = "not a checkout"


def now() -> str:
    """Return the time, to the second, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def versions() -> dict[str, str | None]:
    """Return the versions of Python and of all that figures may depend on."""
    found = {library: installed(library) for library in _LIBRARIES}
    return {"python": platform.python_version(), "untie": untie.__version__, **found}


def machine() -> dict[str, Any]:
    """Return what computes: no names of hosts or users."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": joblib.cpu_count(),
        "memory_gib": _memory(),
        "threads_per_cell": 1,
    }


def commit(*packages: Path) -> str | None:
    """Return the commit that the first package runs from, or None if it runs from no checkout.

    Parameters
    ----------
    *packages : Path
        Their folders; `untie` and the evaluation if there are none. ``-dirty`` is appended where
        files of any are not those of the commit.
    """
    packages = packages or (PACKAGE, Path(__file__).parents[1])
    # A package that is installed in a folder inside some other repository is not tracked there.
    if _git(packages[0], "ls-files", "--error-unmatch", "__init__.py") is None:
        return None
    head = _git(packages[0], "rev-parse", "HEAD")
    changed = [_git(package, "status", "--porcelain", "--", ".") for package in packages]
    return f"{head}-dirty" if head and any(changed) else head


def provenance(
    settings: Mapping[str, Any],
    start: str,
    commit: str | None,
    cells: Mapping[str, Any],
    commits: Iterable[str | None],
) -> dict[str, Any]:
    """Return what stands beside the results.

    Parameters
    ----------
    settings : mapping
        What the user asked for.
    start : str
        When the run began.
    commit : str or None
        What the run computed with.
    cells : mapping
        How many were computed, found and failed, and how long they took.
    commits : iterable
        Of each cell that was used: those on disk may be older than this run, if no code that they
        depend on has changed since.
    """
    return {
        "commit": commit or NO_COMMIT,
        "settings": dict(settings),
        "start": start,
        "end": now(),
        "cells": dict(cells),
        "commits_of_cells": dict(Counter(c or NO_COMMIT for c in commits)),
        "versions": versions(),
        "machine": machine(),
    }


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        answer = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return answer.stdout.strip()


def _processor() -> str:
    """Return the model; Linux keeps it in a file."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or "unknown"


def _memory() -> float | None:
    if sys.platform == "win32":  # which does not say so
        return None
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):  # not on every system
        return None
    return round(size / 2**30, 1)
