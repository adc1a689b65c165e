"""Worker processes that may die without taking the run along."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from untie.paper.run.worker import Finished, Task, work

TICK = 0.5
"""Seconds after which a caller hears that nothing has happened."""

_ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
"""Libraries read these once, when they are loaded."""


def run_tasks(tasks: Sequence[Task], n_workers: int, log: Path) -> Iterator[Finished | None]:
    """Run tasks in their order and yield what becomes of them as it comes.

    Close the iterator to stop all workers at once.

    Parameters
    ----------
    tasks : sequence of Task
        Started in this order.
    n_workers : int
        How many run at a time.
    log : Path
        Where output and tracebacks go.

    Yields
    ------
    Finished or None
        None where nothing has finished for a while.
    """
    waiting = deque(enumerate(tasks))
    crew: list[_Worker] = []
    try:
        while waiting or crew:
            while waiting and len(crew) < n_workers:
                crew.append(_Worker(log))
                crew[-1].give(*waiting.popleft())
            ready = wait([worker.connection for worker in crew], timeout=TICK)
            if not ready:
                yield None
            for worker in [worker for worker in crew if worker.connection in ready]:
                finished = worker.collect()
                if worker.lives and waiting:
                    worker.give(*waiting.popleft())
                else:
                    worker.stop()
                    crew.remove(worker)
                yield finished
    finally:
        for worker in crew:
            worker.stop()


class _Worker:
    """A process that does one task at a time."""

    def __init__(self, log: Path) -> None:
        context = _context()
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(theirs, log), daemon=True)
        with _one_thread_each(), _no_interrupt():
            self._process.start()
        theirs.close()
        self._number = -1
        self.lives = True

    def give(self, number: int, task: Task) -> None:
        self._number = number
        with suppress(OSError):  # if it has just died, `collect` finds out
            self.connection.send((number, task))

    def collect(self) -> Finished:
        try:
            return self.connection.recv()
        except (EOFError, OSError):
            self.lives = False
            self._process.join()
            return Finished(self._number, error=_cause_of_death(self._process.exitcode or 0))

    def stop(self) -> None:
        self._process.kill()
        self._process.join()
        self.connection.close()


def _context() -> Any:
    """Return how processes are started: never as copies of this one, whose threads hold locks.

    Where the system can, they are copies of a process that does nothing but load the package, so
    that the place of a dead one is filled at once.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([work.__module__])
    return context


def _cause_of_death(exit_code: int) -> str:
    if exit_code >= 0:
        return f"WorkerDied: the process ended with exit code {exit_code}"
    name = signal.Signals(-exit_code).name
    hint = " (out of memory?)" if name == "SIGKILL" else ""
    return f"WorkerDied: the process was ended by {name}{hint}"


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let a process that is started here compute on one thread."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            del os.environ[name]
            if value is not None:
                os.environ[name] = value


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Let a process that is started here not hear Ctrl-C, which its terminal sends to all."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
