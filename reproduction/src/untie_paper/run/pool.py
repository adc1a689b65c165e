"""Worker processes that may die without taking the run along."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path

from untie_paper.run.start import interrupt_later, one_thread_each, process_context
from untie_paper.run.worker import Finished, Task, work

TICK = 0.5
"""Seconds after which a caller hears that nothing has happened."""


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
                # The caller stores it before the worker begins another: a kill at any moment
                # loses no more cells than there are workers.
                yield worker.collect()
                if worker.lives and waiting:
                    worker.give(*waiting.popleft())
                else:
                    worker.stop()
                    crew.remove(worker)
    finally:
        for worker in crew:
            worker.stop()


class _Worker:
    """A process that does one task at a time."""

    def __init__(self, log: Path) -> None:
        context = process_context(preload=work.__module__)
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(theirs, log), daemon=True)
        try:
            with one_thread_each(), interrupt_later():
                self._process.start()
            theirs.close()
        except BaseException:  # Ctrl-C that came meanwhile
            self.stop()
            raise
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
        if self._process.pid is not None:
            self._process.kill()
            self._process.join()
        self.connection.close()


def _cause_of_death(exit_code: int) -> str:
    if exit_code >= 0:
        return f"WorkerDied: the process ended with exit code {exit_code}"
    name = signal.Signals(-exit_code).name
    hint = " (out of memory?)" if name == "SIGKILL" else ""
    return f"WorkerDied: the process was ended by {name}{hint}"
