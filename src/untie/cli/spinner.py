"""Something that moves for whoever waits longer than a moment."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from untie._util.progress import PATIENCE


@contextmanager
def waiting(what: str, quiet: bool) -> Iterator[None]:
    """Show what is done on the terminal, if it takes more than a second.

    Parameters
    ----------
    what : str
        What is done.
    quiet : bool
        Whether to show nothing.
    """
    if quiet or not sys.stderr.isatty():
        yield
        return
    status = Console(stderr=True).status(f"{what} ...")
    timer = threading.Timer(PATIENCE, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()


def bar(names: Iterable[str], quiet: bool) -> Iterator[str]:
    """Give names one after another, and show on the terminal how many are done."""
    names = list(names)
    if quiet or not sys.stderr.isatty():
        yield from names
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(names))
        for name in names:
            progress.update(task, description=name)
            yield name
            progress.advance(task)
