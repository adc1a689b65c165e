"""Keep the linear algebra of many small matrices on one thread.

A BLAS library wakes all its threads for every product; for matrices of a few hundred rows that
costs more than it saves, and far more on a machine that is busy.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

SMALL = 500
"""Matrices with at most this many rows are faster on one thread."""


def one_thread(n_rows: int) -> AbstractContextManager[Any]:
    """Return a context in which matrices are multiplied on one thread, if they are small."""
    return nullcontext() if n_rows > SMALL else _LIMITER


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
