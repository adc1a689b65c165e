"""Tables in memory: frames of any library, arrays, lists of rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import narwhals.stable.v2 as nw

from untie._count.tally import CountOptions, Tally, tally_table
from untie._engines.arrow import ArrowSource
from untie._engines.source import FrameTask, RowTask, Source
from untie._table.rows import split_weights
from untie._table.table import Table, read_table
from untie._util.messages import need


@dataclass(frozen=True, eq=False)
class MemorySource(Source):
    """A table in memory, as it is: one piece.

    Parameters
    ----------
    data : frame, array or list of rows
        The rows.
    """

    data: Any
    origin: str = "the table"
    is_lazy = False

    @cached_property
    def table(self) -> Table:
        """The columns, read."""
        return read_table(self.data)

    @property
    def has_names(self) -> bool:  # type: ignore[override]  # a constant elsewhere
        """Whether the columns had names before they were read."""
        return self.table.has_names

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.table.names)

    @property
    def empty(self) -> Any:
        """A frame or array with the columns and no rows."""
        return self.table.source[:0]

    def select(self, columns: Sequence[str]) -> Self:
        """Return some of the columns; those of an array have the names that it got here."""
        self.check(columns)
        if self.table.is_structured:
            return replace(self, data=self.table.source[list(columns)])
        places = [self.columns.index(name) for name in columns]  # a frame's names may not be text
        frame = nw.from_native(self.table.source, eager_only=True, pass_through=True)
        chosen = frame[:, places]
        return replace(self, data=nw.to_native(chosen, pass_through=True))

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the table itself."""
        yield self.data

    def count(self, options: CountOptions) -> Tally:
        """Count the rows where they are, in one pass; the result has them, too."""
        data, weights = split_weights(self.data, options.sample_weight)
        return tally_table(read_table(data), replace(options, sample_weight=weights))

    def map_rows(self, task: RowTask) -> Any:
        """Return an array."""
        return task.compute(task.code(self.data))

    def map_frames(self, task: FrameTask, columns: Sequence[str]) -> Any:
        """Return a frame."""
        return task(self.data, columns)

    def check_weight(self, sample_weight: Any) -> Any:
        """Return the weights as they are: an array, or a column's name."""
        return sample_weight

    def own_columns(self, names: Sequence[str] | None, weight: Any = None) -> Self:
        """Return the table as it is: an estimator refuses columns that it does not know."""
        return self

    def to_arrow(self) -> ArrowSource:
        """Return a frame's rows as Arrow has them."""
        frame = nw.from_native(self.data, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            raise TypeError(
                f"sink needs rows with names of columns, got {type(self.data).__name__}: pass a "
                "path, a lazy table or a frame."
            )
        need("pyarrow")
        table = frame.to_arrow()
        return ArrowSource(
            table.schema,
            lambda columns: table.select(list(columns)).to_batches(),
            f"the {frame.implementation.value} frame",
            table.num_rows,
        )
