"""How many cores may be used, and work on several of them at once.

Threads, not processes: what takes time here (histograms, look-ups, hash tables, the decoding of
files) is done outside the interpreter's lock, so threads keep every core busy, and there is no
data to send, no worker to lose and nothing left behind. Results come in the order of the work, and
no sum depends on how many threads there are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from typing import TypeVar

from joblib import cpu_count
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

PARALLEL_CELLS = 200_000
"""Threads cost more than they save on tables with fewer cells than this."""

A = TypeVar("A")
B = TypeVar("B")

_IS_ALONE: ContextVar[bool] = ContextVar("_IS_ALONE", default=False)


def n_threads() -> int:
    """Return how many threads may be used here.

    What ``joblib.parallel_config(n_jobs=...)`` says; if it says nothing, the cores that this
    process may use, or fewer where OpenMP may use fewer (OMP_NUM_THREADS, threadpoolctl). One
    inside a worker, of joblib or our own, as its siblings have the other cores.
    """
    backend, n_jobs = get_active_backend()
    if _IS_ALONE.get() or backend.nesting_level:
        return 1
    if n_jobs is None:
        limits = [library["num_threads"] for library in _openmp().info()]
        return max(1, min([cpu_count(), *limits]))
    return max(1, n_jobs if n_jobs > 0 else cpu_count() + 1 + n_jobs)


def pays(n_cells: int) -> bool:
    """Tell whether a table with this many cells is worth threads."""
    return n_cells >= PARALLEL_CELLS


@contextmanager
def alone() -> Iterator[None]:
    """Use one thread inside, or in the function decorated, as many others run beside it."""
    token = _IS_ALONE.set(True)
    try:
        yield
    finally:
        _IS_ALONE.reset(token)


def in_threads(function: Callable[[A], B], items: Sequence[A], worth: bool = True) -> list[B]:
    """Return the function of every item; in threads, if the work is worth them."""
    return list(map_ahead(function, items, worth and len(items) > 1))


def map_ahead(
    function: Callable[[A], B], items: Iterable[A], worth: bool = True, ahead: int = 2
) -> Iterator[B]:
    """Yield the function of every item, in order, while threads work on those that follow.

    Items are drawn in the caller's thread, and no more than `ahead` are drawn beyond those that the
    threads work on, so neither items nor results pile up.
    """
    n = n_threads() if worth else 1
    if n < 2:
        yield from map(function, items)
        return
    waiting: deque[Future[B]] = deque()
    with ThreadPoolExecutor(n, initializer=_IS_ALONE.set, initargs=(True,)) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) >= n + ahead:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # an error, or nobody wants the rest
            for future in waiting:
                future.cancel()


@cache
def _openmp() -> ThreadpoolController:
    # It comes with scikit-learn, and tells of its limits only once it is loaded.
    import_module("sklearn.utils")
    return ThreadpoolController().select(user_api="openmp")
