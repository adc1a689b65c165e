"""Spark frames: counted and transformed as streams of Arrow batches, where their executors are."""

from __future__ import annotations

import pickle
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np
from narwhals import dependencies

from untie._count.chunked import PiecePlace
from untie._engines.arrow import ArrowSource
from untie._engines.source import A, FrameTask, RowTask, Source, Task
from untie._table.names import refuse_repeated
from untie._util.messages import need

ORIGIN = "the Spark frame"

PIECE_BYTES = 2**26
"""A task gets this many bytes of Arrow at a time: a partition may be larger than memory."""

ROUNDS, FAN_IN = 2, 16
"""Results are added up by sixteens, twice, on the executors; the driver adds the few left."""

RESULTS = "branch int, number int, data binary"
"""Columns of results: where one is added next, its place there, and itself, packed."""


@dataclass(frozen=True, eq=False)
class SparkSource(Source):
    """A Spark frame.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The rows. Its columns have plain names, as Spark takes dots for parts of a name and does not
        tell capitals from small letters.
    names : list of str
        The names that the columns have for the user.
    """

    frame: Any
    names: list[str]
    origin: str = ORIGIN
    has_workers = True

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self.names

    @property
    def empty(self) -> Any:
        """A pandas frame with the columns and no rows."""
        return need("pandas", "spark").DataFrame(columns=self.columns, dtype=object)

    def select(self, columns: Sequence[str]) -> SparkSource:
        """Return some of the columns, in this order; the others are not read."""
        self.check(columns)
        plain = [self.frame.columns[self.columns.index(name)] for name in columns]
        return SparkSource(self.frame.select(*plain), list(columns))

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Refuse: the rows stay where they are."""
        self.check_streams()
        yield from ()

    def check_streams(self) -> None:
        """Refuse, and say what to do instead."""
        raise TypeError(
            "The rows of a Spark frame stay on its executors and can't be read here one after "
            "another. Pass .toPandas() of a sample, or a file with the rows: untie.scan(path)."
        )

    def map_frames(self, task: FrameTask, columns: Sequence[str]) -> Any:
        """Return a Spark frame with these columns; made when it is computed."""
        wanted, made = self.select(task.inputs(columns)), list(dict.fromkeys(columns))
        types = need("pyspark.sql.types", "spark")
        nothing = wanted.frame.limit(0).toArrow().rename_columns(wanted.names)  # reads no rows
        arrow = task(nothing, made).schema
        own = dict(zip(wanted.names, wanted.frame.schema.fields, strict=True))

        def field(name: str) -> Any:
            known = own.get(name)
            if known is not None and arrow.field(name).type == nothing.schema.field(name).type:
                return types.StructField(name, known.dataType, True, known.metadata)
            is_number = arrow.field(name).type == need("pyarrow", "spark").float64()
            return types.StructField(name, types.DoubleType() if is_number else types.StringType())

        remake = partial(_remake, task, wanted.names, made)
        with _without_pandas():
            return wanted.frame.mapInArrow(remake, types.StructType([field(n) for n in made]))

    def to_arrow(self) -> Any:
        """Refuse: what executors have is written by them."""
        raise TypeError(
            "A Spark frame is written by its executors: "
            "encoder.transform(frame).write.parquet(path)."
        )

    def add_up(self, task: Task[A]) -> A:
        """Run a task on every partition and add the results up, neighbors first.

        A result is a row of a frame, so Spark drops what a failed or repeated attempt made, as it
        does with all rows. The order of sums depends on the partitions' numbers alone.
        """
        with _without_pandas():
            results = self.frame.mapInArrow(partial(_run, task, self.names, PIECE_BYTES), RESULTS)
            for _ in range(ROUNDS):
                results = results.groupBy("branch").applyInArrow(_add_branch, RESULTS)
        rows = sorted(results.select("number", "data").collect())
        if not rows:  # no partition has rows
            return task(self.empty, PiecePlace(0))
        total = _sum(rows)
        if isinstance(total, Exception):
            raise total
        return total

    def map_rows(self, task: RowTask) -> Any:
        """Return the Spark frame with the task's columns added; made when it is computed."""
        pa, types = need("pyarrow", "spark"), need("pyspark.sql.types", "spark")
        nothing = pa.schema([(name, pa.null()) for name in self.names])
        names = _added(task, nothing, ()).schema.names[len(self.names) :]
        numbers = {"f4": types.FloatType, "f8": types.DoubleType, "i4": types.IntegerType}
        number = numbers[np.dtype(task.dtype).str[1:]]()
        kept = [
            types.StructField(name, field.dataType, field.nullable, field.metadata)
            for name, field in zip(self.names, self.frame.schema.fields, strict=True)
        ]
        schema = types.StructType([*kept, *(types.StructField(name, number) for name in names)])
        # Spark broadcasts a function of more than 1 MB, so the model goes to each executor once.
        with _without_pandas():
            return self.frame.mapInArrow(partial(_map_partition, task, self.names), schema)


def adopt_spark(data: Any) -> SparkSource | None:
    """Return a Spark frame as a source."""
    is_spark = dependencies.is_pyspark_dataframe, dependencies.is_pyspark_connect_dataframe
    if not any(check(data) for check in is_spark):
        return None
    columns = list(data.columns)
    refuse_repeated(columns, ORIGIN)
    return SparkSource(data.toDF(*(f"c{number}" for number in range(len(columns)))), columns)


@contextmanager
def _without_pandas() -> Iterator[None]:
    """Silence what Spark says of new releases of pandas, as Arrow functions do not touch it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield


def _remake(
    task: FrameTask, columns: list[str], names: list[str], batches: Iterator[Any]
) -> Iterator[Any]:
    """Make columns of the batches of a partition; those with an order come as their texts."""
    pa = need("pyarrow", "spark")
    for batch in batches:
        made = task(pa.Table.from_batches([batch]).rename_columns(columns), names)
        arrays = [
            cells.cast(pa.string()) if pa.types.is_dictionary(cells.type) else cells
            for cells in made.columns
        ]
        yield from pa.table(arrays, names).combine_chunks().to_batches()


def _map_partition(task: RowTask, columns: list[str], batches: Iterator[Any]) -> Iterator[Any]:
    renamed = (batch.rename_columns(columns) for batch in batches)
    first = next(renamed, None)
    if first is not None:
        yield from _added(task, first.schema, [first], renamed)


def _added(task: RowTask, schema: Any, *batches: Iterable[Any]) -> Any:
    """Return a reader of all columns of some batches, and of what a task makes of their rows."""

    def read(columns: Sequence[str]) -> Iterator[Any]:
        for some in batches:
            yield from (batch.select(list(columns)) for batch in some)

    source = ArrowSource(schema, read, ORIGIN, is_one_shot=True)
    return source.map_rows(task, schema.names, "Spark frames")


def _run(
    task: Task[Any], columns: list[str], piece_bytes: int, batches: Iterator[Any]
) -> Iterator[Any]:
    """Run a task on a partition, piece by piece; no rows, no result."""
    number = need("pyspark", "spark").TaskContext.get().partitionId()
    pieces = _placed(_pieces(batches, piece_bytes), number)
    outcomes = (_try(task, piece.rename_columns(columns), place) for piece, place in pieces)
    first = next(outcomes, None)
    if first is not None:
        yield _row(number, reduce(_plus, outcomes, first)).to_batches()[0]


def _pieces(batches: Iterator[Any], piece_bytes: int) -> Iterator[Any]:
    pa = need("pyarrow", "spark")
    waiting: list[Any] = []
    n_bytes = 0
    for batch in batches:
        waiting.append(batch)
        n_bytes += batch.nbytes
        if n_bytes >= piece_bytes:
            yield pa.Table.from_batches(waiting)
            waiting, n_bytes = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _placed(pieces: Iterator[Any], number: int) -> Iterator[tuple[Any, PiecePlace]]:
    row = 0
    for piece in pieces:
        yield piece, PiecePlace(number, row)
        row += piece.num_rows


def _add_branch(results: Any) -> Any:
    number = results.column("branch")[0].as_py()
    rows = zip(
        results.column("number").to_pylist(), results.column("data").to_pylist(), strict=True
    )
    return _row(number, _sum(sorted(rows)))


def _row(number: int, outcome: Any) -> Any:
    packed = zlib.compress(pickle.dumps(outcome), level=1)  # counts are mostly small and alike
    columns = {"branch": [number // FAN_IN], "number": [number], "data": [packed]}
    pa = need("pyarrow", "spark")
    types = {"branch": pa.int32(), "number": pa.int32(), "data": pa.binary()}
    return pa.table(columns, pa.schema(types))


def _sum(rows: Iterable[tuple[int, bytes]]) -> Any:
    return reduce(_plus, (pickle.loads(zlib.decompress(data)) for _, data in rows))


def _plus(first: Any, second: Any) -> Any:
    for outcome in (first, second):
        if isinstance(outcome, Exception):
            return outcome
    return _try(add, first, second)


def _try(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return a result or, where the table is at fault, the error, for the driver to raise.

    Raised here, it would make Spark try again in vain, and come as text in a longer one.
    """
    try:
        return function(*arguments)
    except (TypeError, ValueError) as error:
        return error
