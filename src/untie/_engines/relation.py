"""A table that is read piece by piece, wherever it lies: the one form that the engines share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from untie._table.names import check_names
from untie._table.table import Table
from untie._util.extras import need

BATCH_ROWS = 2**17
"""Rows read at a time, where the source lets us choose."""

Batches = Iterable[Any]
"""Arrow record batches; pyarrow has no types."""


class LazyTable(Protocol):
    """What every table has that is not in memory."""

    @property
    def origin(self) -> str:
        """Where the rows come from, for messages."""

    @property
    def is_one_shot(self) -> bool:
        """Whether the rows can be read only once."""

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""

    def select(self, columns: Sequence[str]) -> Self:
        """Return some of the columns, in this order; the others are not read."""

    def check(self, columns: Sequence[str], why: str = "") -> None:
        """Refuse columns that the table does not have."""


@dataclass(frozen=True, eq=False, repr=False)
class Relation:
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
    """

    schema: Any
    read: Callable[[Sequence[str]], Batches]
    origin: str
    n_rows: int | None = None
    is_one_shot: bool = False
    backend: str = "pyarrow"

    def __post_init__(self) -> None:
        refuse_repeated(self.columns, self.origin)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.schema.names)

    def select(self, columns: Sequence[str]) -> Relation:
        """Return the relation of some of the columns, in this order; the others are not read."""
        self.check(columns)
        pa = need("pyarrow")
        schema = pa.schema([self.schema.field(name) for name in columns])
        return Relation(schema, self.read, self.origin, self.n_rows, self.is_one_shot, self.backend)

    def batches(self) -> Iterator[Any]:
        """Read the rows: Arrow record batches, each with some of them."""
        return iter(self.read(self.columns))

    def collect(self) -> Any:
        """Read all rows into a pyarrow Table."""
        pa = need("pyarrow")
        # Files may store a column by its distinct values, or as narrower numbers than others.
        pieces = [pa.Table.from_batches([batch]).cast(self.schema) for batch in self.batches()]
        return pa.concat_tables([self.schema.empty_table(), *pieces])

    def check(self, columns: Sequence[str], why: str = "") -> None:
        """Refuse columns that the relation does not have."""
        check_columns(columns, self.columns, self.origin, why)

    def as_table(self, n_rows: int = 0) -> Table:
        """Return a table with these names and no cells, for what needs names alone."""
        empty = self.schema.empty_table()
        if self.backend == "polars":
            empty = need("polars").from_arrow(empty)
        return Table(tuple(self.columns), (), n_rows, self.backend, empty)

    def __repr__(self) -> str:
        rows = "" if self.n_rows is None else f", {self.n_rows:,} rows"
        return f"<lazy table of {self.origin}{rows}, columns {_listed(self.columns)}>"


def refuse_repeated(columns: Sequence[str], origin: str) -> None:
    """Refuse columns of the same name."""
    repeated = sorted(name for name, n in Counter(columns).items() if n > 1)
    if repeated:
        raise ValueError(
            f"Column names must be distinct; rename columns of {origin}, as these occur again: "
            f"{repeated}."
        )


def check_columns(columns: Sequence[str], present: Sequence[str], origin: str, why: str) -> None:
    """Refuse columns that are not present."""
    check_names(columns, present, origin, why, "Rename or add the column there.")


def _listed(names: Sequence[str], n_shown: int = 12) -> str:
    shown = ", ".join(repr(name) for name in names[:n_shown])
    more = len(names) - n_shown
    return f"{shown} and {more} more" if more > 0 else shown
