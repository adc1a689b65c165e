"""Dask frames: counted and transformed partition by partition, where their workers are."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from operator import add
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from untie.core.parallel import alone
from untie.engines.extra import need
from untie.engines.partition import A, Task
from untie.engines.relation import check_columns
from untie.engines.transform import own_columns, refuse_other_outputs

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
        run, plus = delayed(task, traverse=False), delayed(add)
        parts = [run(part, number) for number, part in enumerate(self.frame.to_delayed())]
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
    encoder = copy(encoder)  # learning replaces its parts, and leaves those of the copy
    # One task of its own, so that the model is sent once and not with every partition.
    sent = need("dask", "dask").delayed(encoder, traverse=False)
    meta = _transform_partition(features.empty, encoder)
    return features.frame.map_partitions(_transform_partition, sent, meta=meta)


@alone()
def _transform_partition(partition: Any, encoder: UNTIE) -> Any:
    import pandas as pd

    vectors = encoder._fitted.lookup.rows(encoder._encode(partition), encoder.dtype)
    names = encoder.get_feature_names_out().tolist()
    return pd.DataFrame(vectors, index=partition.index, columns=names)
