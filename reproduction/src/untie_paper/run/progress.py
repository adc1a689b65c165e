"""How far a run is, on a terminal and elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

_PRIOR = 2.0
"""Seconds of work for which the costs that jobs state are believed before any has ended."""

_EVERY = 10.0
"""Seconds between two lines where there is no terminal."""


@dataclass
class RunTally:
    """Counts of cells, and the time that the remaining ones will take.

    Attributes
    ----------
    n_cells, n_cached, n_workers : int
        Asked for, found on disk, and how many are computed at a time.
    together, alone : float
        The costs of what remains: side by side, and one at a time.
    clock : callable
        Seconds.
    """

    n_cells: int
    n_cached: int
    n_workers: int
    together: float
    alone: float
    clock: Callable[[], float] = time.monotonic
    n_computed: int = 0
    n_failed: int = 0
    _seconds: float = 0.0
    _cost: float = 0.0
    _last: float = field(init=False)

    def __post_init__(self) -> None:
        self._last = self.clock()

    @property
    def n_done(self) -> int:
        return self.n_cached + self.n_computed + self.n_failed

    def add(self, cost: float, seconds: float, *, alone: bool, failed: bool) -> None:
        """Count a cell that has ended."""
        self.alone -= cost if alone else 0.0
        self.together -= 0.0 if alone else cost
        if failed:  # how long it would have taken is not known
            self.n_failed += 1
        else:
            self.n_computed += 1
            self._seconds += seconds
            self._cost += cost
        self._last = self.clock()

    def remaining(self) -> float:
        """Return about how many seconds remain, from what done cells took and were thought to."""
        pace = (self._seconds + _PRIOR) / (self._cost + _PRIOR)
        estimate = pace * (self.together / self.n_workers + self.alone)
        return max(estimate - (self.clock() - self._last), 0.0)

    def __str__(self) -> str:
        parts = [f"{self.n_done} of {self.n_cells} cells"]
        if self.n_cached:
            parts.append(f"{self.n_cached} from the cache")
        if self.n_failed:
            parts.append(f"{self.n_failed} failed")
        return ", ".join(parts)


def in_words(seconds: float) -> str:
    """Return a time as a person would say it.

    Examples
    --------
    >>> from untie_paper.run.progress import in_words
    >>> in_words(3), in_words(47), in_words(200), in_words(5000)
    ('a few seconds', '50 s', '3 min', '1 h 23 min')
    """
    if seconds < 10:
        return "a few seconds"
    if seconds < 90:
        return f"{round(seconds, -1):.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


class Display:
    """Show a tally while a run goes on: a bar on a terminal, a line now and then elsewhere.

    Parameters
    ----------
    console : rich Console
        Where to.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._spoke = float("-inf")

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._bar = Progress(
                BarColumn(),
                TextColumn("{task.description}"),
                TimeElapsedColumn(),
                console=self._console,
                transient=True,
            )
            self._task = self._bar.add_task("")
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, tally: RunTally) -> None:
        """Bring the display up to date."""
        left = f"about {in_words(tally.remaining())} left"
        if self._bar is not None:
            self._bar.update(
                self._task,
                completed=tally.n_done,
                total=tally.n_cells,
                description=f"{tally}, {left}",
            )
        elif tally.n_done < tally.n_cells and time.monotonic() - self._spoke >= _EVERY:
            self._spoke = time.monotonic()
            self.say(f"{tally}, {left}")

    def say(self, line: str) -> None:
        """Print a line that stays."""
        with suppress(BrokenPipeError):  # nobody listens, which is no reason to stop
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)
