"""What a cell is known by: its function, its arguments and the code behind them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from untie_paper.run.experiment import Job
from untie_paper.run.source import function_fingerprint, package_fingerprint
from untie_paper.run.versions import numeric_versions


@dataclass(frozen=True)
class Key:
    """Jobs with equal keys are the same cell.

    Attributes
    ----------
    module, function : str
        Where the function is, and its name.
    arguments : str
        As JSON, sorted by name.
    fingerprint : str
        Of the code and of the versions of the libraries.
    """

    module: str
    function: str
    arguments: str
    fingerprint: str

    @property
    def digest(self) -> str:
        """Return the key as a name of a file."""
        content = json.dumps([self.module, self.function, self.arguments, self.fingerprint])
        return hashlib.sha256(content.encode()).hexdigest()[:32]


def job_key(job: Job) -> Key:
    """Return the key of a job.

    Examples
    --------
    >>> from untie_paper.run.experiment import Effort, Job
    >>> from untie_paper.run.keys import job_key
    >>> from untie_paper.run.versions import installed
    >>> first = job_key(Job(installed, {"library": "numpy"}))
    >>> first == job_key(Job(installed, {"library": "numpy"}, cost=9.0))
    True
    >>> first == job_key(Job(installed, {"library": "scipy"}))
    False
    """
    function = job.function
    where = _importable(function)
    code = [package_fingerprint(), function_fingerprint(function), numeric_versions()]
    fingerprint = hashlib.sha256(json.dumps(code).encode()).hexdigest()
    return Key(*where, _canonical(job.arguments, ".".join(where)), fingerprint)


def _importable(function: Callable[..., Any]) -> tuple[str, str]:
    """Return where a function is, if a worker can find it there."""
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None)
    if not module or not name or module == "__main__" or not name.isidentifier():
        raise TypeError(
            f"A job's function must stand at the top of a module that can be imported; "
            f"{function!r} does not."
        )
    return module, name


def _canonical(arguments: Mapping[str, Any], function: str) -> str:
    try:
        return json.dumps(dict(arguments), sort_keys=True, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"The arguments of a job are numbers, text, truth values and lists of them; those of "
            f"{function} are not: {error}. They are {dict(arguments)!r}."
        ) from error
