"""Any frame or array -> named columns."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals import dependencies
from narwhals.exceptions import DuplicateError
from scipy import sparse

from untie._table.names import refuse_repeated
from untie._util.types import AnyArray

READERS = {".parquet": "read_parquet", ".pq": "read_parquet", ".xlsx": "read_excel"}
"""What of pandas reads files with these endings; of the others, most are read by read_csv."""


NO_ROWS = (
    "The table has no rows: 0 sample(s){} while a minimum of 1 is required. Look at the filter, or "
    "at the file that it came from."
)
"""The field is for the table's shape, where it is known."""


NO_WEIGHT = "Every sample weight is zero; at least one row must count."


class NoRowsError(ValueError):
    """A table has no rows, or none that counts."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table read from any library.

    Parameters
    ----------
    names : tuple of str
        The columns' names; ``x0``, ``x1``, ... for an array.
    columns : tuple of narwhals Series or arrays of shape (n_rows,)
        The cells.
    n_rows : int
        Number of rows.
    backend : str
        The library that frames for the user are made with.
    source : frame or array
        What the columns were taken from.
    """

    names: tuple[str, ...]
    columns: tuple[Any, ...]
    n_rows: int
    backend: str
    source: Any

    @property
    def has_names(self) -> bool:
        """Whether the columns came with names: in a frame or a structured array."""
        return not isinstance(self.source, np.ndarray) or self.is_structured

    @property
    def is_structured(self) -> bool:
        """Whether the columns are the fields of a structured array."""
        return isinstance(self.source, np.ndarray) and self.source.dtype.names is not None


def read_table(data: Any, min_rows: int = 1) -> Table:
    """Take a pandas, polars or pyarrow table, an array (plain or structured) or a list of rows.

    Raises
    ------
    TypeError, ValueError
        When `data` is not a table; the message says what to pass instead.
    """
    if sparse.issparse(data):
        raise TypeError(
            "Sparse data was passed, but a table of categories is required: pass the table "
            "itself, or .toarray() if its zeros are a category."
        )
    if _is_record_batch(data):
        data = nw.from_arrow(data, backend="pyarrow")
    try:
        frame = nw.from_native(data, pass_through=True)
    except DuplicateError as error:
        raise ValueError(f"Column names must be distinct; rename columns. {error}") from None
    if dependencies.is_into_series(data):
        raise ValueError(
            "A series is one column; pass a table: series.to_frame() if it is the only column, or "
            "df.iloc[[0]] for one row of a frame."
        )
    if not isinstance(frame, nw.DataFrame):
        _refuse_lazy(data)
    table = _read_frame(frame) if isinstance(frame, nw.DataFrame) else _read_array(data)
    shape = (table.n_rows, len(table.names))
    if table.n_rows < min_rows and isinstance(data, Iterator):
        raise NoRowsError(
            f"The {type(data).__name__} has no rows left, and may have been read before; pass a "
            "list of its rows: list(rows)."
        )
    if table.n_rows < min_rows:
        raise NoRowsError(NO_ROWS.format(f" (shape={shape})"))
    if not table.names:
        raise ValueError(
            f"The table has no columns: 0 feature(s) (shape={shape}) while a minimum of 1 is "
            "required. Look at the selection, or at the file that it came from."
        )
    return table


def library_of(data: Any) -> str | None:
    """Return the library of a frame, in memory or lazy; None for what has no library for frames.

    Where that makes no frames for the user (Dask, Spark, modin), it is pandas.

    Examples
    --------
    >>> import pandas as pd
    >>> library_of(pd.DataFrame({"a": [1]}))
    'pandas'
    >>> library_of([[1]]) is None
    True
    """
    if _is_record_batch(data):
        return "pyarrow"
    with suppress(DuplicateError):  # which `read_table` explains
        frame = nw.from_native(data, pass_through=True)
        if isinstance(frame, nw.DataFrame | nw.LazyFrame):
            kind = frame.implementation
            if kind.is_polars() or kind.is_pyarrow():
                return kind.value
            if kind.is_pandas_like() or kind.is_dask() or kind.is_spark_like():
                return "pandas"
    return None


def _is_record_batch(data: Any) -> bool:
    return hasattr(data, "to_struct_array") and hasattr(data, "schema")


def array_names(n_columns: int) -> tuple[str, ...]:
    """Return the names that the columns of an array get, as in scikit-learn."""
    return tuple(f"x{column}" for column in range(n_columns))


def table_of_names(names: Sequence[str]) -> Table:
    """Return an empty table with these columns: an array, structured unless the names are its."""
    empty: AnyArray = np.empty((0, len(names)))
    if tuple(names) != array_names(len(names)):
        empty = np.empty(0, {"names": list(names), "formats": [object] * len(names)})
    return Table(tuple(names), (), 0, "pandas", empty)


def _refuse_lazy(data: Any) -> None:
    """Refuse a lazy table where all rows are needed, and name the method that loads it."""
    for method in ("toArrow", "collect", "compute", "to_arrow_table", "to_table", "read_all"):
        if hasattr(data, method):
            kind = getattr(data, "origin", type(data).__name__)
            raise TypeError(f"{kind} is lazy; call .{method}() on it first.")


def _read_frame(frame: nw.DataFrame[Any]) -> Table:
    names = tuple(str(name) for name in frame.columns)
    refuse_repeated(names)
    implementation = frame.implementation
    if implementation.is_polars() or implementation.is_pyarrow():
        columns = tuple(frame.iter_columns())
        return Table(names, columns, len(frame), implementation.value, frame.to_native())
    pandas = nw.from_native(frame.to_pandas(), eager_only=True)
    return Table(names, tuple(pandas.iter_columns()), len(pandas), "pandas", pandas.to_native())


def _read_array(data: Any) -> Table:
    array = _as_array(data)
    if array.dtype.kind == "c":
        raise ValueError(
            "Complex data not supported: pass one column for each part, binned if it is continuous."
        )
    if array.dtype.names is not None and array.ndim == 1:
        return _read_fields(array)
    if array.ndim != 2:
        raise ValueError(_explain_shape(array))
    columns = tuple(array[:, column] for column in range(array.shape[1]))
    return Table(array_names(len(columns)), columns, len(array), "pandas", array)


def _read_fields(array: AnyArray) -> Table:
    names = array.dtype.names or ()
    for name in names:
        if array[name].ndim > 1 or array[name].dtype.names is not None:
            raise ValueError(
                f"Column {name!r} of the structured array holds several values per cell "
                f"({array.dtype[name]}); make each of them a column."
            )
    return Table(names, tuple(array[name] for name in names), len(array), "pandas", array)


def _as_array(data: Any) -> AnyArray:
    if isinstance(data, np.ma.MaskedArray):
        array = np.array(data.data, dtype=object)
        array[np.ma.getmaskarray(data)] = None
        return array
    if isinstance(data, str | os.PathLike):
        raise TypeError(_explain_path(os.fspath(data)))
    is_array = isinstance(data, np.ndarray) or hasattr(data, "__array__")
    if isinstance(data, bytes | dict) or not (is_array or isinstance(data, Iterable)):
        raise TypeError(
            f"A table is required, got {type(data).__name__}: pass a pandas, polars or "
            "pyarrow table, a 2-D array or a list of rows."
        )
    if is_array:
        return np.asarray(data)
    return _array_of_rows(list(data))


def _array_of_rows(rows: list[Any]) -> AnyArray:
    if not all(isinstance(row, list | tuple) or getattr(row, "shape", ()) for row in rows):
        return np.asarray(rows, dtype=object)
    lengths = sorted({len(row) for row in rows}) or [0]
    if len(lengths) > 1:
        raise ValueError(
            f"The rows have different lengths: {lengths}; pad the short ones with None, which "
            "is a value of its own."
        )
    # As objects and cell by cell, so that numpy neither turns the row ["a", 1] into
    # ["a", "1"] nor takes a tuple in a cell apart.
    cells = chain.from_iterable(rows)
    n_cells = len(rows) * lengths[0]
    return np.fromiter(cells, dtype=object, count=n_cells).reshape(len(rows), lengths[0])


def _explain_path(path: str) -> str:
    """Return how to read a file that was passed instead of its rows."""
    reader = READERS.get(os.path.splitext(path)[1].lower(), "read_csv")
    return (
        f"A table is required, got the text {path!r}; if it is a file, read it first: "
        f"pandas.{reader}({path!r}), or untie.scan({path!r}) if it is larger than memory."
    )


def _explain_shape(array: AnyArray) -> str:
    if array.ndim == 1 and len(array) and isinstance(array[0], dict):
        return (
            "Rows are dicts; make a frame of them, such as pandas.DataFrame(rows), or pass lists "
            "of their values: [list(row.values()) for row in rows]."
        )
    return (
        f"Expected 2D array, got {array.ndim}D array instead: shape={array.shape}. Reshape "
        "your data with .reshape(-1, 1) if it has a single column, or .reshape(1, -1) if it "
        "is a single row."
    )
