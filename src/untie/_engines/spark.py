"""Spark frames: counted and transformed as streams of Arrow batches, where their executors are."""

from __future__ import annotations

import pickle
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals import dependencies

from untie._engines.partition import A, Task
from untie._engines.relation import Relation, check_columns, refuse_repeated
from untie._engines.transform import stream_vectors
from untie._util.extras import need

if TYPE_CHECKING:
    from untie.encoder import UNTIE

ORIGIN = "the Spark frame"

PIECE_BYTES = 2**26
"""Bytes of Arrow that a task is given at a time: a partition may be larger than memory."""

ROUNDS, FAN_IN = 2, 16
"""Results are added up by sixteens, twice, on the executors; the driver adds the few left."""

RESULTS = "branch int, number int, data binary"
"""Columns of results: where one is added next, its place there, and itself, packed."""


@dataclass(frozen=True, eq=False)
class SparkTable:
    """A Spark frame as the other engines' tables are.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The rows. Its columns have plain names, as Spark takes dots for parts of a name and does not
        tell capitals from small letters.
    columns : list of str
        The names that the columns have for the user.
    """

    frame: Any
    columns: list[str]
    origin: str = ORIGIN
    is_one_shot: bool = False

    @property
    def empty(self) -> Any:
        """A pandas frame with the columns and no rows."""
        return need("pandas", "spark").DataFrame(columns=self.columns, dtype=object)

    def select(self, columns: Sequence[str]) -> SparkTable:
        """Return some of the columns, in this order; the others are not read."""
        self.check(columns)
        plain = [self.frame.columns[self.columns.index(name)] for name in columns]
        return SparkTable(self.frame.select(*plain), list(columns))

    def check(self, columns: Sequence[str], why: str = "") -> None:
        """Refuse columns that the frame does not have."""
        check_columns(columns, self.columns, self.origin, why)

    def add_up(self, task: Task[A]) -> A:
        """Run a task on every partition and add the results up, neighbours first.

        A result is a row of a frame, so Spark drops what a failed or repeated attempt made, as it
        does with all rows. The order of sums depends on the partitions' numbers alone.
        """
        with _without_pandas():
            results = self.frame.mapInArrow(partial(_run, task, self.columns, PIECE_BYTES), RESULTS)
            for _ in range(ROUNDS):
                results = results.groupBy("branch").applyInArrow(_add_branch, RESULTS)
        rows = sorted(results.select("number", "data").collect())
        if not rows:  # no partition has rows
            return task(self.empty, 0)
        total = _sum(rows)
        if isinstance(total, Exception):
            raise total
        return total


def as_spark(data: Any) -> SparkTable | None:
    """Return a Spark frame as a table in partitions, or None if the data is none."""
    if isinstance(data, SparkTable):
        return data
    if isinstance(data, nw.LazyFrame):
        data = data.to_native()
    is_spark = dependencies.is_pyspark_dataframe, dependencies.is_pyspark_connect_dataframe
    if not any(check(data) for check in is_spark):
        return None
    columns = list(data.columns)
    refuse_repeated(columns, ORIGIN)
    return SparkTable(data.toDF(*(f"c{number}" for number in range(len(columns)))), columns)


def transform_spark(encoder: UNTIE, table: SparkTable) -> Any:
    """Return the Spark frame with the vectors' columns added; they are made when it is computed.

    Parameters
    ----------
    encoder : UNTIE
        Fitted; what it learns later does not change the frame.
    table : SparkTable
        Rows with the columns seen in `fit`, and perhaps others.
    """
    pa, types = need("pyarrow", "spark"), need("pyspark.sql.types", "spark")
    encoder = copy(encoder)  # learning replaces its parts, and leaves those of the copy
    nothing = pa.schema([(name, pa.null()) for name in table.columns])
    names = _vectors(encoder, nothing, ()).schema.names[len(table.columns) :]
    number = types.FloatType() if np.dtype(encoder.dtype) == np.float32 else types.DoubleType()
    kept = [
        types.StructField(name, field.dataType, field.nullable, field.metadata)
        for name, field in zip(table.columns, table.frame.schema.fields, strict=True)
    ]
    schema = types.StructType([*kept, *(types.StructField(name, number) for name in names)])
    # Spark broadcasts a function of more than 1 MB, so the model goes to each executor once.
    with _without_pandas():
        return table.frame.mapInArrow(partial(_transform, encoder, table.columns), schema)


@contextmanager
def _without_pandas() -> Iterator[None]:
    """Silence what Spark says of new releases of pandas, as Arrow functions do not touch it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield


def _transform(encoder: UNTIE, columns: list[str], batches: Iterator[Any]) -> Iterator[Any]:
    renamed = (batch.rename_columns(columns) for batch in batches)
    first = next(renamed, None)
    if first is not None:
        yield from _vectors(encoder, first.schema, [first], renamed)


def _vectors(encoder: UNTIE, schema: Any, *batches: Iterable[Any]) -> Any:
    """Return a reader of all columns of some batches, and of their rows' vectors."""

    def read(columns: Sequence[str]) -> Iterator[Any]:
        for some in batches:
            yield from (batch.select(list(columns)) for batch in some)

    relation = Relation(schema, read, ORIGIN, is_one_shot=True)
    return stream_vectors(encoder, relation, schema.names, "Spark frames")


def _run(
    task: Task[Any], columns: list[str], piece_bytes: int, batches: Iterator[Any]
) -> Iterator[Any]:
    """Run a task on a partition, piece by piece; no rows, no result."""
    number = need("pyspark", "spark").TaskContext.get().partitionId()
    pieces = _pieces(batches, piece_bytes)
    outcomes = (_try(task, piece.rename_columns(columns), number) for piece in pieces)
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
