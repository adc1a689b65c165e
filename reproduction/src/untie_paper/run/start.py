"""How worker processes are started, so that they compute on one thread and don't hear Ctrl-C."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
"""Libraries read these once, when they are loaded."""


def process_context(preload: str) -> Any:
    """Return how processes are started: never as copies of this one, whose threads hold locks.

    Where the system can, they are copies of a process that does nothing but load the module
    `preload`, so that the place of a dead one is filled at once.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([preload])
    return context


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Let a process that is started here compute on one thread."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextmanager
def interrupt_later() -> Iterator[None]:
    """Let a process that is started here not hear Ctrl-C, and this one hear it afterwards.

    A terminal sends it to all processes. Between a process that exists and one that is known here,
    it would leave one that nobody stops.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # Ctrl-C is the main thread's
        return
    late: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: late.append(number))
    try:
        with _interrupt_blocked():
            yield
    finally:
        signal.signal(signal.SIGINT, before)
    if late:
        signal.raise_signal(signal.SIGINT)


@contextmanager
def _interrupt_blocked() -> Iterator[None]:
    """Block the signal: processes that are started here inherit that."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker  # not on Windows

    # It is started with the first process, and would lift the block in between.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
