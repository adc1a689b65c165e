"""Keep the linear algebra of many small matrices on one thread.

A BLAS library wakes all its threads for every product; for matrices of a few hundred rows that
costs more than it saves, and far more on a machine that is busy.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

SMALL = 500
"""Matrices up to this size are faster on one thread."""


def one_thread(n_rows: int) -> AbstractContextManager[Any]:
    """Return a context in which matrices of so many rows are multiplied on one thread."""
    if n_rows > SMALL:
        return nullcontext()
    return _controller().limit(limits=1, user_api="blas")


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
