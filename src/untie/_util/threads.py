"""Keep linear algebra on one thread, where its last bits are part of what is learned.

How a BLAS library cuts a product into parts, and so its rounding, depends on the number of its
threads. Besides, it wakes them all for every product, which costs more than it saves for matrices
of a few hundred rows, and far more on a machine that is busy.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from threading import Lock
from typing import Any

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


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


_LIMITER = _Limiter()
