"""The steps of a fit, reported on request."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stage(what: str, is_told: bool) -> Iterator[None]:
    """Report on standard error that a step begins and how long it took.

    Parameters
    ----------
    what : str
        What is done.
    is_told : bool
        Whether to report it.
    """
    if not is_told:
        yield
        return
    print(f"{what} ...", file=sys.stderr, flush=True)
    start = time.monotonic()
    yield
    print(f"{what}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
