"""A bar on the terminal for whoever waits longer than a moment."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 1.0
"""A bar appears after this many seconds."""


_makes_room: list[Callable[[], None]] = []
"""What clears the line when a bar is to appear there."""


@contextmanager
def giving_way(clear: Callable[[], None]) -> Iterator[None]:
    """Call a function before a bar appears, as there is one line for what moves."""
    _makes_room.append(clear)
    try:
        yield
    finally:
        _makes_room.remove(clear)


@contextmanager
def hidden() -> Iterator[None]:
    """Show no bars for a while."""
    global PATIENCE
    usual, PATIENCE = PATIENCE, math.inf
    try:
        yield
    finally:
        PATIENCE = usual


@contextmanager
def stage(what: str, is_told: bool) -> Iterator[None]:
    """Say on standard error what begins and how long it took, if it is to be told.

    Parameters
    ----------
    what : str
        What is done.
    is_told : bool
        Whether to say so.
    """
    if not is_told:
        yield
        return
    print(f"{what} ...", file=sys.stderr, flush=True)
    start = time.monotonic()
    yield
    print(f"{what}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)


def watch(batches: Iterable[Any], n_rows: int | None, what: str) -> Iterator[Any]:
    """Pass record batches on and show how many rows have gone by, if somebody looks.

    Parameters
    ----------
    batches : iterable of record batches
        The rows.
    n_rows : int or None
        How many there will be, where that is known.
    what : str
        What is done with them.
    """
    if not sys.stderr.isatty():
        yield from batches
        return
    bar = None
    start = time.monotonic()
    done = 0
    try:
        for batch in batches:
            yield batch
            done += batch.num_rows
            if bar is None and time.monotonic() - start >= PATIENCE:
                bar = _bar(n_rows, what)
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done)
    finally:
        if bar is not None:
            bar.stop()


def _bar(n_rows: int | None, what: str) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    for clear in _makes_room:
        clear()
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} rows"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,  # rows may go there, into a file
    )
    bar.add_task(what, total=n_rows)
    bar.start()
    return bar
