"""Something that moves for whoever waits longer than a moment."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from untie._util.progress import PATIENCE, giving_way


@contextmanager
def waiting(what: str, quiet: bool) -> Iterator[None]:
    """Show on the terminal what is done and for how long, if it takes more than a second.

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
    columns = (SpinnerColumn(), TextColumn("{task.description} ..."), TimeElapsedColumn())
    spinner = _progress(*columns)
    spinner.add_task(what, total=None)
    timer = threading.Timer(PATIENCE, spinner.start)
    timer.daemon = True
    timer.start()

    def stop() -> None:
        timer.cancel()
        timer.join()
        spinner.stop()

    try:
        with giving_way(stop):
            yield
    finally:
        stop()


def bar(names: Iterable[str], quiet: bool) -> Iterator[str]:
    """Give names one after another, and show on the terminal how many are done."""
    names = list(names)
    if quiet or not sys.stderr.isatty():
        yield from names
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with _progress(*columns) as progress:
        task = progress.add_task("", total=len(names))
        for name in names:
            progress.update(task, description=name)
            yield name
            progress.advance(task)


def _progress(*columns: ProgressColumn) -> Progress:
    """Return a line on standard error that goes away; standard output may be a file of rows."""
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, redirect_stdout=False)
