"""What is done with the rows of a table: small objects that whoever asks makes, and engines run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from untie._util.types import Codes


class Additive(Protocol):
    """What adds up with ``+``."""

    def __add__(self, other: Self, /) -> Self: ...


A = TypeVar("A", bound=Additive)

Task = Callable[[Any, int], A]
"""Takes a piece of a table, which is a frame in memory, and its number; can be sent to a worker."""


class FrameTask(Protocol):
    """Takes a frame and names of columns, and returns a frame with these; can be sent to a worker.

    Several columns may be made of one.
    """

    def __call__(self, frame: Any, names: Sequence[str], /) -> Any: ...

    def inputs(self, names: Sequence[str], /) -> list[str]:
        """Return the columns of the frame that these are made of."""


class RowTask(Protocol):
    """Maps each row to numbers, as vectors or labels are; can be sent to a worker.

    In two steps: unknown values are reported while rows are coded, in their order; the rest may be
    done in threads.
    """

    @property
    def columns(self) -> list[str] | None:
        """The columns that are read, by name; None is all of them, in their order."""

    @property
    def names(self) -> list[str]:
        """Names of the result's columns."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the result's numbers."""

    def check(self, form: str) -> None:
        """Raise an error if the user asked for another form of the result than the engine's."""

    def code(self, frame: Any, reported: set[str] | None = None) -> Codes:
        """Code rows; `reported` are columns whose unknown values need not be named again."""

    def compute(self, codes: Codes) -> Any:
        """Return the numbers of coded rows; a single column may be a flat array."""

    def compute_columns(self, codes: Codes) -> Sequence[Any]:
        """Return the same as one array per name."""
