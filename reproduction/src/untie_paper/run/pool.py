"""Worker processes that may die without taking the run along.

The processes are loky's, which comes with joblib. There, a worker that dies takes all others of its
executor along; so that it fails its own cell only, every worker has an executor of its own.
"""

from __future__ import annotations

import re
import signal
import sys
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import Pipe
from pathlib import Path

from joblib.externals.loky import BrokenProcessPool, ProcessPoolExecutor

from untie_paper.run.worker import Finished, Lifeline, Task, attempt, one_line, settle

TICK = 0.5
"""Seconds after which a caller hears that nothing has happened."""

_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
}
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
    busy: dict[Future[Finished], tuple[int, _Worker]] = {}
    lifeline, ours = Pipe(duplex=False)
    idle = crew = [_Worker(lifeline, log) for _ in range(min(n_workers, len(tasks)))]
    # In a thread that hears no Ctrl-C, so that the start of a process is never cut in two.
    calm = ThreadPoolExecutor(1, initializer=_hear_nothing)
    with _quiet(), lifeline, ours, calm:
        try:
            while waiting or busy:
                while waiting and idle:
                    worker, *idle = idle
                    number, task = waiting.popleft()
                    future = calm.submit(worker.begin, number, task).result()
                    busy[future] = number, worker
                done, _ = wait(busy, TICK, FIRST_COMPLETED)
                if not done:
                    yield None
                for future in done:
                    number, worker = busy.pop(future)
                    # The caller stores it before the worker begins another: a kill at any moment
                    # loses no more cells than there are workers.
                    yield _finished(number, future)
                    idle = [*idle, worker]
        finally:
            calm.submit(_stop, crew)


class _Worker:
    """A process that does one task at a time; if it dies, the next task has another."""

    def __init__(self, lifeline: Lifeline, log: Path) -> None:
        self._arguments = lifeline, log
        self._executor = self._make()

    def _make(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, initializer=settle, initargs=self._arguments, env=_ONE_THREAD)

    def begin(self, number: int, task: Task) -> Future[Finished]:
        try:
            return self._executor.submit(attempt, number, task)
        except BrokenProcessPool:
            self._executor = self._make()
            return self._executor.submit(attempt, number, task)

    def stop(self) -> None:
        self._executor.shutdown(kill_workers=True)


def _stop(crew: Sequence[_Worker]) -> None:
    for worker in crew:
        worker.stop()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep to ourselves what is no news: that loky replaced a worker that had grown by much."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning, module=r"joblib\.externals\.loky")
        yield


def _hear_nothing() -> None:
    """Block Ctrl-C in a thread; processes that are started there inherit that."""
    if sys.platform != "win32":  # which has no such signals
        from multiprocessing import resource_tracker

        # It is started with the first process, and would lift the block in between.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _finished(number: int, future: Future[Finished]) -> Finished:
    error = future.exception()
    if error is None:
        return future.result()
    # loky says how a process ended in the message alone: {EXIT(7)} or {SIGKILL(-9)}.
    found = re.search(r"\{(\w+)\((-?\d+)\)", str(error))
    if found is None:
        return Finished(number, error=one_line(error))
    name, code = found.groups()
    if int(code) >= 0:
        return Finished(number, error=f"WorkerDied: the process ended with exit code {code}")
    hint = " (out of memory?)" if name == "SIGKILL" else ""
    return Finished(number, error=f"WorkerDied: the process was ended by {name}{hint}")
