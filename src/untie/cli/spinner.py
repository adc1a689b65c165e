"""A line on the terminal while the command works longer than a moment."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

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

from untie._engines.arrow import ArrowSource

PATIENCE = 1.0
"""The line appears after this many seconds."""

_line: list[Progress] = []
"""The line on the terminal, where `waiting` shows one."""


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
    texts = (TextColumn("{task.description} ..."), TextColumn("{task.fields[rows]}"))
    spinner = _progress(SpinnerColumn(), *texts, TimeElapsedColumn())
    spinner.add_task(what, total=None, rows="")
    timer = threading.Timer(PATIENCE, spinner.start)
    timer.daemon = True
    timer.start()
    _line.append(spinner)
    try:
        yield
    finally:
        _line.remove(spinner)
        timer.cancel()
        timer.join()
        spinner.stop()


def counting_rows(table: ArrowSource) -> ArrowSource:
    """Return a lazy table whose rows are counted in the line on the terminal as they are read."""

    def read(columns: Sequence[str]) -> Iterator[Any]:
        done = 0
        for batch in table.read(columns):
            yield batch
            done += batch.num_rows
            for spinner in _line:
                of_all = "" if table.n_rows is None else f" of {table.n_rows:,}"
                spinner.update(spinner.task_ids[0], rows=f"{done:,}{of_all} rows")

    return replace(table, read=read)


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
