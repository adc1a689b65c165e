"""A table wherever it lies: the one interface that all engines have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from untie._count.parts import CountTask, PartialCount, count_pieces
from untie._count.tally import CountOptions, Tally
from untie._engines.tasks import A, FrameTask, RowTask, Task
from untie._table.frames import rows_at
from untie._table.names import check_names
from untie._table.table import read_table


class Source(ABC):
    """A table wherever it lies: in memory, in files, in a database, on a cluster.

    An engine is a subclass. It names its `columns`, has an `empty` frame of them, selects some,
    yields its rows in `pieces` and has a form of its own for what is made of rows (`map_rows`).
    Counting, learning and adding up then work. An engine with workers writes `add_up`, too.
    """

    origin: str
    """Where the rows come from, for messages."""

    is_lazy: bool = True
    """Whether rows are read when they are needed; otherwise they are all in memory."""

    is_one_shot: bool = False
    """Whether the rows can be read only once."""

    has_names: bool = True
    """Whether the columns came with names; those of an array get theirs here."""

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """Names of the columns."""

    @property
    @abstractmethod
    def empty(self) -> Any:
        """A frame in memory with the columns and no rows."""

    @abstractmethod
    def select(self, columns: Sequence[str]) -> Self:
        """Return some of the columns, in this order; the others are not read."""

    @abstractmethod
    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the rows in order, in frames that have at least these columns; all, if None."""

    @abstractmethod
    def map_rows(self, task: RowTask) -> Any:
        """Return what a task makes of every row, in the engine's form, made when it is needed."""

    def map_frames(self, task: FrameTask, columns: Sequence[str]) -> Any:
        """Return the user's form of a table with these columns, changed when they are needed."""
        raise TypeError(f"The cells of {self.origin} can't be changed where they are.")

    def to_arrow(self) -> Any:
        """Return the same table as one that gives Arrow record batches, which can be written."""
        raise TypeError(f"The rows of {self.origin} can't be written from here.")

    def add_up(self, task: Task[A]) -> A:
        """Run a task on every piece and add the results up, in order.

        Parameters
        ----------
        task : callable
            Takes a piece and its number.
        """
        total: A | None = None
        for number, piece in enumerate(self.pieces()):
            found = task(piece, number)
            total = found if total is None else total + found
        return task(self.empty, 0) if total is None else total

    def rows_at(self, positions: NDArray[np.intp]) -> Iterator[Any]:
        """Yield the rows at some positions, which are sorted, in frames; stop at the last.

        Raises
        ------
        ValueError
            When there is no such row.
        """
        start = done = 0
        for piece in self.pieces():
            if done == len(positions):
                return
            table = read_table(piece, min_rows=0)
            stop = start + table.n_rows
            found = int(np.searchsorted(positions, stop))
            if found > done:
                yield rows_at(table.source, positions[done:found] - start)
            start, done = stop, found
        if not start:
            raise ValueError("The table has no rows.")
        if done < len(positions):
            raise ValueError(
                f"There is no row {positions[done]}; the table has {start:,}, counted from 0."
            )

    def count(self, options: CountOptions) -> Tally:
        """Find the values, merge rare ones and count the pairs of the rest."""
        weight = self.check_weight(options.sample_weight)
        features = self.select([name for name in self.columns if name != weight])
        head = read_table(features.empty, min_rows=0)
        options = replace(options, sample_weight=weight)
        return count_pieces(self.count_up, head, options, self.origin, self.is_one_shot)

    def count_up(self, task: CountTask) -> PartialCount:
        """Add up the counts of every piece."""
        return self.add_up(task)

    def check(self, columns: Sequence[str], why: str = "") -> None:
        """Refuse columns that the table does not have."""
        check_columns(columns, self.columns, self.origin, why)

    def check_weight(self, sample_weight: Any) -> Any:
        """Return the name of the column of weights, if there is one."""
        if sample_weight is None:
            return None
        if not isinstance(sample_weight, str):
            raise TypeError(
                "sample_weight of a table that is read piece by piece must be the name of one of "
                f"its columns, got {type(sample_weight).__name__}."
            )
        self.check([sample_weight], ", which sample_weight names")
        return sample_weight

    def check_streams(self) -> None:  # noqa: B027  # most engines can
        """Raise an error if the rows can't be seen one after another, or changed where they are."""

    def own_columns(self, names: Sequence[str] | None, weight: Any = None) -> Self:
        """Return the columns that an encoder was fitted on, by name, and that of the weights."""
        if names is None:
            return self
        check_columns(names, self.columns, self.origin, owner="the encoder")
        if weight in names:
            raise ValueError(
                f"Column {weight!r} can't hold the weights, as the encoder was fitted on its "
                "values."
            )
        return self.select(list(names) if weight is None else [*names, weight])


def refuse_repeated(columns: Sequence[str], origin: str) -> None:
    """Refuse columns of the same name."""
    repeated = sorted(name for name, n in Counter(columns).items() if n > 1)
    if repeated:
        raise ValueError(
            f"Column names must be distinct; rename columns of {origin}, as these occur again: "
            f"{repeated}."
        )


def check_columns(
    columns: Sequence[str], present: Sequence[str], origin: str, why: str = "", owner: str = ""
) -> None:
    """Refuse columns that are not present."""
    check_names(columns, present, origin, why, "Rename or add the column there.", owner)
