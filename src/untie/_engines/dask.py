"""Dask frames: counted and transformed partition by partition, where their workers are."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import add, call
from typing import Any

from narwhals import dependencies

from untie._count.chunked import PiecePlace
from untie._engines.source import A, FrameTask, RowTask, Source, Task
from untie._util.messages import need
from untie._util.threads import alone


@dataclass(frozen=True, eq=False)
class DaskSource(Source):
    """A Dask frame.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        The rows.
    """

    frame: Any
    origin: str = "the Dask frame"
    has_workers = True

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.frame.columns)

    @property
    def empty(self) -> Any:
        """A pandas frame with the columns and no rows."""
        return self.frame._meta

    def select(self, columns: Sequence[str]) -> DaskSource:
        """Return some of the columns, in this order; the others are not read."""
        self.check(columns)
        return DaskSource(self.frame[list(columns)])

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the partitions as pandas frames, one at a time."""
        frame = self.frame if columns is None else self.select(columns).frame
        return (part.compute() for part in frame.to_delayed())

    def add_up(self, task: Task[A]) -> A:
        """Run a task on every partition and add the results up, neighbors first.

        The shape of the tree depends on the number of partitions alone, never on which worker is
        done first, so that sums of fractions are the same each time.
        """
        delayed = need("dask", "dask").delayed
        run, plus, sent = delayed(call), delayed(add), _send(task)
        pieces = enumerate(self.frame.to_delayed())
        parts = [run(sent, part, PiecePlace(number)) for number, part in pieces]
        while len(parts) > 1:
            pairs = [parts[start : start + 2] for start in range(0, len(parts), 2)]
            parts = [plus(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
        return parts[0].compute()

    def map_rows(self, task: RowTask) -> Any:
        """Return a Dask frame with the rows' index, or a series; made when it is computed."""
        task.check("Dask frames")
        features = self.own_columns(task.columns)
        run = partial(_map_partition, task)
        pipe = need("dask.utils", "dask").methodcaller("pipe")
        return features.frame.map_partitions(pipe, _send(run), meta=run(features.empty))

    def map_frames(self, task: FrameTask, columns: Sequence[str]) -> Any:
        """Return a Dask frame; made when it is computed."""
        chosen, names = self.select(task.inputs(columns)), list(dict.fromkeys(columns))
        return chosen.frame.map_partitions(task, names, meta=task(chosen.empty, names))

    def to_arrow(self) -> Any:
        """Refuse: what workers have is written by them."""
        raise TypeError(
            "A Dask frame is written by its workers: encoder.transform(frame).to_parquet(path)."
        )


def adopt_dask(data: Any) -> DaskSource | None:
    """Return a Dask frame as a source."""
    return DaskSource(data) if dependencies.is_dask_dataframe(data) else None


def _send(function: Callable[..., Any]) -> Any:
    """Return a function, as it is now, as a task of its own, so that it is sent only once.

    It travels as bytes: a worker that can't import what it refers to, such as this package, then
    fails the task and says so. Otherwise it would fail to read its orders and go, and the client
    would wait for it for ever.
    """
    data = need("cloudpickle", "dask").dumps(function)
    return need("dask", "dask").delayed(pickle.loads, pure=True)(data)


@alone()
def _map_partition(task: RowTask, partition: Any) -> Any:
    import pandas as pd

    found = task.compute(task.code(partition))
    if found.ndim == 1:
        return pd.Series(found, index=partition.index, name=task.names[0])
    return pd.DataFrame(found, index=partition.index, columns=task.names)
