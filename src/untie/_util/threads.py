"""What threads may do at the same time: products of matrices, and changes of one object.

How a BLAS library cuts a product into parts, and so its rounding, depends on the number of its
threads. Besides, it wakes them all for every product, which costs more than it saves for matrices
of a few hundred rows, and far more on a busy machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, wraps
from threading import Lock, RLock
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

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


def one_at_a_time(
    method: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[S, P], R]:
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
