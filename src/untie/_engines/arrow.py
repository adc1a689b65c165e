"""Tables that come as Arrow record batches: files, queries, datasets, readers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals import dependencies

from untie._count.chunked import CountTask, PartialCount, count_gathered
from untie._engines.source import FrameTask, RowTask, Source
from untie._table.names import listed, refuse_repeated
from untie._table.orders import declared_orders, ordered_series
from untie._table.table import read_table
from untie._util.messages import need
from untie._util.scratch import Scratch
from untie._util.threads import map_ahead
from untie._util.types import Codes

BATCH_ROWS = 2**17
"""This many rows are read at a time, where the source lets us choose."""

PIECE_BYTES = 2**25
"""Each thread makes this many bytes of output at a time."""

Batches = Iterable[Any]
"""Arrow record batches; pyarrow has no types."""


@dataclass(frozen=True, eq=False, repr=False)
class ArrowSource(Source):
    """A lazy table: its columns are known, its rows are read when they are needed.

    Parameters
    ----------
    schema : pyarrow Schema
        Names and types of the columns.
    read : callable
        Takes names of columns and returns Arrow record batches with these, in this order.
    origin : str
        Where the rows come from, for messages.
    n_rows : int or None
        Number of rows, where it is known without reading them.
    is_one_shot : bool
        Whether the rows can be read only once.
    backend : str
        The library that frames for the user are made with.
    orders : mapping from names to texts
        Columns of text whose values have an order, with all of them in it.
    remarks : tuple of str
        What the user should know of how it is read.
    doubts : tuple of str
        Those remarks that are warnings: the table is not read as it is written.
    scratch : Scratch or None
        The folder of the copies of its files, which exists as long as this table.
    """

    schema: Any
    read: Callable[[Sequence[str]], Batches]
    origin: str
    n_rows: int | None = None
    is_one_shot: bool = False
    backend: str = "pyarrow"
    orders: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    scratch: Scratch | None = None

    def __post_init__(self) -> None:
        refuse_repeated(self.columns, self.origin)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.schema.names)

    @property
    def empty(self) -> Any:
        """A frame with the columns and no rows, of the user's library and with ordered types."""
        empty = self.schema.empty_table()
        ordered = [name for name in self.columns if name in self.orders]
        if self.backend == "polars":
            pl = need("polars")
            enums = {name: pl.Enum(self.orders[name]) for name in ordered}
            return pl.from_arrow(empty).cast(enums)
        nothing, arrow = np.empty(0, dtype=np.intp), nw.Implementation.PYARROW
        made = {name: ordered_series(nothing, self.orders[name], arrow) for name in ordered}
        columns = {name: empty[name] for name in self.columns}
        columns |= {name: series.to_native() for name, series in made.items()}
        return need("pyarrow").table(columns) if made else empty

    def select(self, columns: Sequence[str]) -> ArrowSource:
        """Return some of the columns, in this order; the others are not read."""
        self.check(columns)
        schema = need("pyarrow").schema([self.schema.field(name) for name in columns])
        return replace(self, schema=schema)

    def batches(self) -> Iterator[Any]:
        """Read the rows: Arrow record batches, each with some of them."""
        return iter(self.read(self.columns))

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the rows in order, as pyarrow tables."""
        arrow = need("pyarrow").Table  # as the frame libraries know no single batches
        source = self if columns is None else self.select(columns)
        return (arrow.from_batches([batch]) for batch in source.batches())

    def collect(self) -> Any:
        """Read all rows into a pyarrow Table."""
        pa = need("pyarrow")
        # Files may store a column by its distinct values, or as narrower numbers than others.
        pieces = [piece.cast(self.schema) for piece in self.pieces()]
        return pa.concat_tables([self.schema.empty_table(), *pieces])

    def count_up(self, task: CountTask) -> PartialCount:
        """Code batches in threads, and count several at once."""

        def placed() -> Iterator[tuple[Any, str]]:
            start = 0
            for piece in self.pieces():
                stop = start + piece.num_rows
                yield piece, f" of {self.origin}, rows {start:,} to {stop:,}"
                start = stop

        return count_gathered(task, map_ahead(lambda piece: task.code(*piece), placed()))

    def map_rows(
        self, task: RowTask, keep: Sequence[str] = (), form: str = "record batches"
    ) -> Any:
        """Return a reader of record batches, which are made as it is read.

        Parameters
        ----------
        task : RowTask
            What to make of each row.
        keep : sequence of str
            Columns of the table that come first, as they are.
        form : str
            What the user gets, for messages.
        """
        made = self._mapping(task, keep, form)
        return need("pyarrow").RecordBatchReader.from_batches(made.schema, made.batches())

    def map_parts(self, task: RowTask, keep: Sequence[str] = ()) -> MappedRows:
        """Return what `map_rows` returns, in parts of many rows that may be made side by side."""
        return self._mapping(task, keep, "files")

    def _mapping(self, task: RowTask, keep: Sequence[str], form: str) -> MappedRows:
        pa = need("pyarrow")
        task.check(form)
        features = self.own_columns(task.columns)
        self.check(keep, ", which keep names")
        names = task.names
        repeated = sorted(set(keep) & set(names))
        if repeated:
            raise ValueError(
                f"Column {repeated[0]!r} can't be kept, as a column of vectors has the same name; "
                "rename it in the source."
            )
        number = pa.from_numpy_dtype(task.dtype)
        kept = [self.schema.field(name) for name in keep]
        schema = pa.schema([*kept, *(pa.field(name, number) for name in names)])
        wanted = self.select(list(dict.fromkeys([*features.columns, *keep])))
        return MappedRows(task, wanted, features.columns, kept, schema)

    def map_frames(self, task: FrameTask, columns: Sequence[str]) -> ArrowSource:
        """Return a lazy table; of its columns, only those that are asked for are made."""
        wanted = self.select(task.inputs(columns))
        names = list(dict.fromkeys(columns))
        orders = declared_orders(read_table(task(wanted.empty, names), min_rows=0))
        fields = task(wanted.schema.empty_table(), names).schema
        # Rows yet to come may hold text that has no place in an order, so they are texts.
        pa = need("pyarrow")
        schema = pa.schema(
            field.with_type(pa.string()) if field.name in orders else field for field in fields
        )

        def read(names: Sequence[str]) -> Iterator[Any]:
            for piece in wanted.pieces(task.inputs(names)):
                made = task(piece, names)
                columns = [
                    made[name].cast(pa.string()) if name in orders else made[name] for name in names
                ]
                yield from pa.table(columns, list(names)).combine_chunks().to_batches()

        return replace(self, schema=schema, read=read, orders=orders)

    def remade(self, task: FrameTask, columns: Sequence[str]) -> ArrowSource:
        """Return the same as `map_frames`, whose rows are coded in threads."""
        return self.map_frames(task, columns)

    def to_arrow(self) -> ArrowSource:
        """Return the table itself."""
        return self

    def __repr__(self) -> str:
        rows = "" if self.n_rows is None else f", {self.n_rows:,} rows"
        return f"<lazy table of {self.origin}{rows}, columns {listed(self.columns)}>"


PART_BYTES = 2**26
"""A part has about this many bytes of numbers, if that is from 2^14 to 2^20 rows."""

PART_ROWS = (2**14, 2**20)

CodedPiece = tuple[Any, Codes]
"""Some rows as they came, and coded."""


@dataclass(frozen=True, eq=False)
class MappedRows:
    """What a task makes of the rows of a lazy table: record batches.

    Parameters
    ----------
    task : RowTask
        What to make of each row.
    source : ArrowSource
        The rows, with the columns that are needed.
    features : list of str
        Those that the task reads.
    kept : sequence of pyarrow fields
        Those that come first in the result, as they are.
    schema : pyarrow Schema
        The columns of the result.
    """

    task: RowTask
    source: ArrowSource
    features: list[str]
    kept: Sequence[Any]
    schema: Any

    def batches(self) -> Iterator[Any]:
        """Yield the batches; the next are made while their owner is busy with the last ones."""
        yield from map_ahead(self.compute, self._coded(self._step))

    def parts(self) -> Iterator[list[CodedPiece]]:
        """Yield the rows, many at a time; all parts but the last have the same number of rows."""
        fewest, most = PART_ROWS
        n_bytes = max(1, len(self.task.names)) * self.task.dtype.itemsize
        room = n_rows = min(most, max(fewest, PART_BYTES // n_bytes))
        part: list[CodedPiece] = []
        for piece, codes in self._coded(self._step):
            start = 0
            while piece.num_rows - start >= room:
                part.append(_sliced(piece, codes, start, start + room))
                yield part
                start, part, room = start + room, [], n_rows
            if start < piece.num_rows:
                part.append(_sliced(piece, codes, start, piece.num_rows))
                room -= piece.num_rows - start
        if part:
            yield part

    def compute(self, rows: CodedPiece) -> Any:
        """Return the record batch that the task makes of coded rows."""
        pa = need("pyarrow")
        piece, codes = rows
        cells = [piece.column(field.name).cast(field.type) for field in self.kept]
        arrays = map(pa.array, self.task.compute_columns(codes))
        return pa.RecordBatch.from_arrays([*cells, *arrays], schema=self.schema)

    @property
    def _step(self) -> int:
        """So many rows are made at a time."""
        row = max(1, len(self.task.names)) * self.task.dtype.itemsize
        return max(1, PIECE_BYTES // row)

    def _coded(self, step: int) -> Iterator[CodedPiece]:
        """Code pieces of the rows, one after another: unknown values are reported in order."""
        reported: set[str] = set()
        for batch in self.source.batches():
            for start in range(0, batch.num_rows, step):
                piece = batch.slice(start, step)
                yield piece, self.task.code(piece.select(self.features), reported)


def _sliced(piece: Any, codes: Codes, start: int, stop: int) -> CodedPiece:
    return piece.slice(start, stop - start), [column[start:stop] for column in codes]


def adopt_arrow(data: Any) -> ArrowSource | None:
    """Return a pyarrow Dataset or RecordBatchReader as a source."""
    if _is_of("pyarrow.dataset", "Dataset", data):
        return _adopt_dataset(data)
    if _is_of("pyarrow", "RecordBatchReader", data):
        return _adopt_reader(data)
    return None


def _is_of(module: str, name: str, data: Any) -> bool:
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(data, getattr(loaded, name))


def _adopt_dataset(dataset: Any) -> ArrowSource:
    def read(columns: Sequence[str]) -> Iterator[Any]:
        # Little is read ahead: each batch may come from a file with large rows.
        yield from dataset.to_batches(
            columns=list(columns), batch_size=BATCH_ROWS, batch_readahead=4, fragment_readahead=2
        )

    return ArrowSource(dataset.schema, read, "the dataset")


def _adopt_reader(reader: Any) -> ArrowSource:
    is_read = False

    def read(columns: Sequence[str]) -> Iterator[Any]:
        nonlocal is_read
        if is_read:
            raise ValueError(
                "The record batch reader was read before, and can be read only once; make a new "
                "one, or pass what it was made from (a dataset, a query, untie.scan of files)."
            )
        is_read = True
        for batch in reader:
            yield batch.select(list(columns))

    return ArrowSource(reader.schema, read, "the record batch reader", is_one_shot=True)


def adopt_polars(frame: Any) -> ArrowSource | None:
    """Return a polars LazyFrame as a source."""
    if not dependencies.is_polars_lazyframe(frame):
        return None
    pl = need("polars")
    need("pyarrow", "pyarrow", "Lazy frames of polars")  # polars would fail without a remedy
    if not hasattr(frame, "collect_batches"):
        raise ImportError(
            f"Polars {pl.__version__} can't give a LazyFrame in pieces; upgrade it (pip install "
            "'polars>=1.38.1'), or call .collect() on the frame if it fits in memory."
        )

    def read(columns: Sequence[str]) -> Iterator[Any]:
        # By selectors, as a name such as "^a$" would be a pattern.
        chosen = frame.select([pl.selectors.by_name(name) for name in columns])
        for piece in chosen.collect_batches(chunk_size=BATCH_ROWS):
            yield from piece.to_arrow().to_batches()

    names = pl.DataFrame(schema=frame.collect_schema()).to_arrow().schema
    return ArrowSource(names, read, "the LazyFrame", backend="polars")


Keys = Mapping[str, str | None]
"""The cells that a file's folders name; None is a missing one."""

ReadFile = Callable[[int, Sequence[str]], Iterator[Any]]
"""Takes a file's number and names of its columns and gives record batches."""


def with_keys(
    schema: Any,
    read_file: ReadFile,
    keys: Sequence[Keys],
    origin: str,
    n_rows: int | None = None,
) -> ArrowSource:
    """Return the rows of files, one file after another, with the columns that their folders name.

    Parameters
    ----------
    schema : pyarrow Schema
        The files' own columns.
    read_file : callable
        Reads one of them.
    keys : sequence of mappings
        The cells that the folders of each file name.
    origin, n_rows
        See `ArrowSource`.
    """
    pa = need("pyarrow")
    own, more = list(schema.names), list(keys[0])
    both = sorted(set(own) & set(more))
    if both:
        raise ValueError(
            f"{origin}: the column {both[0]!r} is in the files and in the names of their folders; "
            "name the files with a pattern, such as 'folder/**/*.parquet', to have the files' own."
        )

    def read(columns: Sequence[str]) -> Iterator[Any]:
        wanted = [name for name in columns if name in own] or own[:1]
        for number, cells in enumerate(keys):
            for batch in read_file(number, wanted):
                arrays = [
                    batch.column(name) if name in own else _repeated(cells[name], batch.num_rows)
                    for name in columns
                ]
                yield pa.RecordBatch.from_arrays(arrays, names=list(columns))

    fields = [*schema, *(pa.field(name, pa.string()) for name in more)]
    return ArrowSource(pa.schema(fields), read, origin, n_rows)


def _repeated(cell: str | None, n: int) -> Any:
    """Return a column that has one cell again and again, which takes no room for its text."""
    pa = need("pyarrow")
    codes = pa.array(np.zeros(n, dtype=np.int32), mask=np.full(n, cell is None))
    return pa.DictionaryArray.from_arrays(codes, pa.array([cell or ""], pa.string()))
