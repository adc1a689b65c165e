"""The interface of all engines, and the tasks that they run."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from untie._count.chunked import CountTask, PartialCount, PiecePlace, count_pieces
from untie._count.tally import CountOptions, Tally
from untie._table.frames import rows_at
from untie._table.names import ADD_COLUMN, check_names
from untie._table.rows import column_weights
from untie._table.table import NO_ROWS, NoRowsError, read_table
from untie._util.messages import Row, message, need
from untie._util.types import Codes, IntArray


class Additive(Protocol):
    """What adds up with ``+``."""

    def __add__(self, other: Self, /) -> Self: ...


A = TypeVar("A", bound=Additive)

Task = Callable[[Any, PiecePlace], A]
"""Takes a piece of a table, which is a frame in memory, and its place; can be sent to a worker."""


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


@dataclass(frozen=True)
class PartRows:
    """How many rows the partitions of a table have; ``+`` adds those of other pieces.

    Parameters
    ----------
    sizes : mapping of int to int
        Number of rows of each partition.
    n_counting : int
        Number of rows of all partitions whose weight is not 0.

    Examples
    --------
    >>> found = PartRows({2: 5}, 5) + PartRows({0: 3}, 3) + PartRows({2: 1, 1: 4}, 5)
    >>> found.total, found.starts
    (13, {0: 0, 1: 3, 2: 7})
    """

    sizes: Mapping[int, int]
    n_counting: int

    def __add__(self, other: "PartRows") -> "PartRows":
        both = {part: self.sizes.get(part, 0) + n for part, n in other.sizes.items()}
        return PartRows({**self.sizes, **both}, self.n_counting + other.n_counting)

    @property
    def total(self) -> int:
        """Number of rows of the table."""
        return sum(self.sizes.values())

    @property
    def starts(self) -> dict[int, int]:
        """The number, in the table, of the first row of each partition."""
        parts = sorted(self.sizes)
        return dict(zip(parts, accumulate((self.sizes[p] for p in parts), initial=0), strict=False))


def _count_rows(weight: str | None, piece: Any, place: PiecePlace) -> PartRows:
    cells = read_table(piece, min_rows=0)
    n = n_counting = cells.n_rows
    if weight is not None:
        found = column_weights(cells.columns[0], n, weight, " can't hold the weights")
        n_counting = int(np.count_nonzero(found))
    return PartRows({place.part: n}, n_counting)


def check_same_columns(columns: Sequence[Sequence[str]], paths: Sequence[str]) -> None:
    """Name a file whose columns are not those of the first, in whatever order."""
    for own, path in zip(columns[1:], paths[1:], strict=True):
        differing = sorted(set(own) ^ set(columns[0]))
        if differing:
            name = differing[0]
            has, lacks = (path, paths[0]) if name in own else (paths[0], path)
            raise ValueError(
                f"The files have different columns: {has!r} has {name!r}, {lacks!r} does not. "
                'Scan files of one kind, or choose columns that all have: untie.scan(sql="SELECT '
                "... FROM read_parquet('*.parquet', union_by_name = true)\"), or read_csv."
            )


def one_schema(schemas: Sequence[Any], paths: Sequence[str]) -> Any:
    """Return the schema that holds the rows of all files, or name the file that differs."""
    pa = need("pyarrow")
    check_same_columns([schema.names for schema in schemas], paths)
    result = without_dictionaries(schemas[0])
    for schema, path in zip(schemas[1:], paths[1:], strict=True):
        try:
            result = pa.unify_schemas(
                [result, without_dictionaries(schema)], promote_options="permissive"
            )
        except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
            raise ValueError(
                f"{path!r} has a column of another type than {paths[0]!r}: {error}. Convert the "
                "file, or cast the column in a query: untie.scan(sql=...)."
            ) from error
    return result


def without_dictionaries(schema: Any) -> Any:
    """Forget which columns are stored by their distinct values: files may differ in that."""
    pa = need("pyarrow")
    return pa.schema(
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in (field.remove_metadata() for field in schema)
    )


class Source(ABC):
    """A table wherever it is: in memory, in files, in a database, on a cluster.

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

    has_workers: bool = False
    """Whether the rows are where its workers are: tasks go there, and only results come back."""

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

    def remade(self, task: FrameTask, columns: Sequence[str]) -> "Source":
        """Return a table with these columns, changed where and when they are needed."""
        return RemadeSource(self, task, list(dict.fromkeys(columns)))

    def to_arrow(self) -> Any:
        """Return the same table as one that gives Arrow record batches, which can be written."""
        raise TypeError(f"The rows of {self.origin} can't be written from here.")

    def add_up(self, task: Task[A]) -> A:
        """Run a task on every piece and add the results up, in order.

        Parameters
        ----------
        task : callable
            Takes a piece and its place.
        """
        total: A | None = None
        start = 0
        for piece in self.pieces():
            found = task(piece, PiecePlace(0, start))
            total = found if total is None else total + found
            start += read_table(piece, min_rows=0).n_rows
        return task(self.empty, PiecePlace(0)) if total is None else total

    def count_rows(self, column: str, is_weight: bool = False) -> PartRows:
        """Count the rows of each partition in a pass that reads a single column.

        If it holds the weights of the rows, those of weight 0 do not count.
        """
        task = partial(_count_rows, column if is_weight else None)
        return self.select([column]).add_up(task)

    def rows_at(self, positions: IntArray) -> Iterator[Any]:
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
            raise NoRowsError(NO_ROWS.format(""))
        if done < len(positions):
            said = "There is no {0}; the table has {1:,} rows, the last of which is {2}."
            raise ValueError(message(said, Row(int(positions[done])), start, Row(start - 1)))

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
        check_weight_column(weight, names)
        return self.select(list(names) if weight is None else [*names, weight])


@dataclass(frozen=True, eq=False)
class RemadeSource(Source):
    """A table whose columns are made of another's, piece by piece, where these are.

    Parameters
    ----------
    base : Source
        The other.
    task : FrameTask
        Makes the columns.
    names : list of str
        Those to make.
    """

    base: Source
    task: FrameTask
    names: list[str]

    @property
    def origin(self) -> str:  # type: ignore[override]  # a constant elsewhere
        """Where the rows come from."""
        return self.base.origin

    @property
    def has_workers(self) -> bool:  # type: ignore[override]  # a constant elsewhere
        """Whether the rows are where its workers are."""
        return self.base.has_workers

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self.names

    @property
    def empty(self) -> Any:
        """A frame with the columns and no rows."""
        return self.task(self._inputs.empty, self.names)

    @property
    def _inputs(self) -> Source:
        return self.base.select(self.task.inputs(self.names))

    def select(self, columns: Sequence[str]) -> "RemadeSource":
        """Return some of the columns, in this order; the others are not made."""
        self.check(columns)
        return replace(self, names=list(columns))

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the rows in order, in frames that have at least these columns; all, if None."""
        source = self if columns is None else self.select(columns)
        return (source.task(piece, source.names) for piece in source._inputs.pieces())

    def check_streams(self) -> None:
        """Raise an error if the rows can't be seen one after another."""
        self.base.check_streams()

    def add_up(self, task: Task[A]) -> A:
        """Run a task on every piece, once its columns are made, and add the results up."""
        make, names = self.task, self.names

        def run(piece: Any, place: PiecePlace) -> A:
            return task(make(piece, names), place)

        return self._inputs.add_up(run)

    def map_rows(self, task: RowTask) -> Any:
        """Refuse: what estimators make of rows, they make of the user's table."""
        raise TypeError(f"Pass {self.origin} itself: the rows of a part of it have no own form.")


def check_weight_column(weight: Any, columns: Sequence[str]) -> None:
    """Refuse weights in a column that was learned from."""
    if isinstance(weight, str) and weight in columns:
        said = "Column {0} can't hold the weights, as the model was fitted on its values; name "
        more = "another one in {sample_weight}, or fit again without this one."
        raise ValueError(message(said + more, repr(weight)))


def check_columns(
    columns: Sequence[str], present: Sequence[str], origin: str, why: str = "", owner: str = ""
) -> None:
    """Refuse columns that are not present."""
    check_names(columns, present, origin, why, ADD_COLUMN, owner)
