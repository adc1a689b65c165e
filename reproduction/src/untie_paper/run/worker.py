"""What a worker process does: it settles, and attempts one job after another."""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import re
import signal
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from untie_paper.run.versions import optional_versions

if sys.platform == "win32":
    from multiprocessing.connection import PipeConnection

    Lifeline = PipeConnection
else:
    from multiprocessing.connection import Connection

    Lifeline = Connection

_FOLDERS = re.compile(r"(?<![\w:/.~])/(?:[^\s/:'\"]+/)+")
"""The folders of an absolute path: results are published, and whose machine it was is not."""


@dataclass(frozen=True)
class Task:
    """A job as a worker gets it: the function by name, so that a broken module fails there."""

    module: str
    function: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Finished:
    """What became of a task.

    Attributes
    ----------
    task : int
        Its position among the tasks.
    seconds : float
        How long it took.
    result : dict
        What the function returned, as JSON keeps it; empty if it failed.
    error : str
        One line; empty if it came out.
    versions : dict
        Of the optional libraries that were loaded.
    """

    task: int
    seconds: float = 0.0
    result: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    versions: dict[str, str | None] = field(default_factory=dict)


def settle(lifeline: Lifeline, log: Path) -> None:
    """Make a new process a worker: it does not hear Ctrl-C, speaks to a file, ends with its run.

    Parameters
    ----------
    lifeline : Lifeline
        Whose other end only the run holds, and the system closes however the run ends.
    log : Path
        Where output goes.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run itself stops its workers
    _speak_to(log)
    threading.Thread(target=_end_after, args=(lifeline,), daemon=True).start()


def attempt(number: int, task: Task) -> Finished:
    """Run a task; whatever goes wrong is part of the answer."""
    start = time.perf_counter()
    try:
        function = getattr(importlib.import_module(task.module), task.function)
        start = time.perf_counter()  # imports are not the job's work
        result = function(**task.arguments)
        seconds = time.perf_counter() - start
        return Finished(number, seconds, _through_json(result), versions=optional_versions())
    except BaseException as error:  # a job that calls sys.exit fails too
        _write_traceback(task)
        return Finished(number, time.perf_counter() - start, error=one_line(error))


def one_line(error: BaseException) -> str:
    r"""Return the kind of an error and its message; of paths only the last part.

    Examples
    --------
    >>> from untie_paper.run.worker import one_line
    >>> one_line(FileNotFoundError("No such\n  file: '/home/me/zoo.csv'"))
    "FileNotFoundError: No such file: 'zoo.csv'"
    """
    message = _FOLDERS.sub("", " ".join(str(error).split()))
    return f"{type(error).__name__}: {message}".removesuffix(": ")


def _through_json(result: Any) -> dict[str, Any]:
    """Return a result as it will be read from disk, so that the first run sees what others see."""
    if not isinstance(result, Mapping):
        raise TypeError(f"a job must return a mapping, not {type(result).__name__}")
    return dict(json.loads(json.dumps(dict(result), default=_from_numpy)))


def _from_numpy(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} can't be stored as JSON; return numbers and text")


def _write_traceback(task: Task) -> None:
    heading = f"{task.module}.{task.function} {json.dumps(dict(task.arguments), default=repr)}"
    with suppress(OSError):  # a full disk is noticed where results are stored
        # In one piece, because several workers write to one file.
        sys.stderr.write(f"{heading}\n{traceback.format_exc()}\n")
        sys.stderr.flush()


def _speak_to(log: Path) -> None:
    """Send all output to a file, that of C libraries and of crashes too."""
    with log.open("ab", buffering=0) as file:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    faulthandler.enable(file=2)


def _end_after(lifeline: Lifeline) -> None:
    """Stop when the run was killed and could not say so."""
    wait([lifeline])
    os._exit(1)
