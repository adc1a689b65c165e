"""Threads: how many may be used, work on several of them, and products with the same bits.

A BLAS library cuts a product into parts by the number of threads, which changes its rounding, so
learning uses one BLAS thread. Work that takes time outside BLAS (histograms, look-ups, hash tables,
decoding of files) releases the interpreter's lock, so threads are enough.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from importlib import import_module
from threading import Lock, RLock
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from joblib import cpu_count
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[Any]:
    """Return a context in which matrices are multiplied on one thread."""
    return _LIMITER


class _Limiter:
    """Limit BLAS while anybody is inside; threads of the user may come and go in any order."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._n_inside = 0
        self._limit: Any = None

    def unlock(self) -> None:
        self._lock = Lock()

    def __enter__(self) -> None:
        with self._lock:
            if self._n_inside == 0:
                self._limit = _controller().limit(limits=1, user_api="blas")
            self._n_inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0:
                self._limit.restore_original_limits()


P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


def one_at_a_time(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Decorate a method that changes its object: calls from several threads wait for each other.

    Methods decorated so share one lock per object, which a thread may take again. The locks are
    kept beside the objects, which can then be pickled, copied and cloned.

    Examples
    --------
    >>> class Counter:
    ...     n = 0
    ...
    ...     @one_at_a_time
    ...     def add(self, number):
    ...         self.n = self.n + number
    >>> counter = Counter()
    >>> counter.add(2)
    >>> counter.n
    2
    """

    @wraps(method)
    def waiting(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with _LOCKS.of(self):
            return method(self, *args, **kwargs)

    return waiting


class _Locks:
    """A lock for each object, as long as the object lives."""

    def __init__(self) -> None:
        self.unlock()

    def unlock(self) -> None:
        self._guard = Lock()
        self._locks: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    def of(self, owner: object) -> AbstractContextManager[Any]:
        with self._guard:
            return self._locks.setdefault(owner, RLock())


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


_LIMITER = _Limiter()
_LOCKS = _Locks()


def _unlock_in_child() -> None:
    """Give a forked child new locks: the threads that held the parent's do not exist in it."""
    _LIMITER.unlock()
    _LOCKS.unlock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_unlock_in_child)

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
