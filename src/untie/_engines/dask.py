"""Dask frames: counted and transformed partition by partition, where their workers are."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import add, call
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from untie._engines.partition import A, Task
from untie._engines.relation import check_columns
from untie._engines.transform import own_columns, refuse_other_outputs
from untie._util.extras import need
from untie._util.parallel import alone

if TYPE_CHECKING:
    from untie.encoder import UNTIE


@dataclass(frozen=True, eq=False)
class DaskTable:
    """A Dask frame as the other engines' tables are.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        The rows.
    """

    frame: Any
    origin: str = "the Dask frame"
    is_one_shot: bool = False

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.frame.columns)

    @property
    def empty(self) -> Any:
        """A pandas frame with the columns and no rows."""
        return self.frame._meta

    def select(self, columns: Sequence[str]) -> DaskTable:
        """Return some of the columns, in this order; the others are not read."""
        self.check(columns)
        return DaskTable(self.frame[list(columns)])

    def check(self, columns: Sequence[str], why: str = "") -> None:
        """Refuse columns that the frame does not have."""
        check_columns(columns, self.columns, self.origin, why)

    def add_up(self, task: Task[A]) -> A:
        """Run a task on every partition and add the results up, neighbours first.

        The shape of the tree depends on the number of partitions alone, never on which worker is
        done first, so that sums of fractions are the same each time.
        """
        delayed = need("dask", "dask").delayed
        run, plus, sent = delayed(call), delayed(add), _send(task)
        parts = [run(sent, part, number) for number, part in enumerate(self.frame.to_delayed())]
        while len(parts) > 1:
            pairs = [parts[start : start + 2] for start in range(0, len(parts), 2)]
            parts = [plus(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
        return parts[0].compute()


def as_dask(data: Any) -> DaskTable | None:
    """Return a Dask frame as a table in partitions, or None if the data is none."""
    if isinstance(data, DaskTable):
        return data
    if isinstance(data, nw.LazyFrame):
        data = data.to_native()
    return DaskTable(data) if nw.dependencies.is_dask_dataframe(data) else None


def transform_dask(encoder: UNTIE, table: DaskTable) -> Any:
    """Return a Dask frame with the rows' vectors; they are made when it is computed.

    Parameters
    ----------
    encoder : UNTIE
        Fitted; what it learns later does not change the frame.
    table : DaskTable
        Rows with the columns seen in `fit`, and perhaps others.
    """
    refuse_other_outputs(encoder, "Dask frames")
    features = own_columns(encoder, table)
    run = partial(_transform_partition, encoder)
    pipe = need("dask.utils", "dask").methodcaller("pipe")
    return features.frame.map_partitions(pipe, _send(run), meta=run(features.empty))


def _send(function: Callable[..., Any]) -> Any:
    """Return a function, as it is now, as a task of its own, so that it is sent only once.

    It travels as bytes: a worker that can't import what it refers to, such as this package, then
    fails the task and says so. Otherwise it would fail to read its orders and go, and the client
    would wait for it for ever.
    """
    data = need("cloudpickle", "dask").dumps(function)
    return need("dask", "dask").delayed(pickle.loads, pure=True)(data)


@alone()
def _transform_partition(encoder: UNTIE, partition: Any) -> Any:
    import pandas as pd

    vectors = encoder.model_.lookup.rows(encoder.codes(partition), encoder.dtype)
    names = encoder.get_feature_names_out().tolist()
    return pd.DataFrame(vectors, index=partition.index, columns=names)
