"""Learned arrays -> frames with names, in the library of the user's table."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import chain
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from untie._table.column_codes import whole_characters
from untie._table.vocabulary import Vocabulary, number_repeats
from untie._util.checks import check_one_of
from untie._util.messages import installing
from untie._util.types import AnyArray, FloatArray, IntArray, Value

LIBRARIES = ("pandas", "polars", "pyarrow")
"""The libraries that frames are made with, the preferred one first."""

NUMPY = "numpy"
"""The name for structured arrays, which hold tables where no library for frames is installed."""


def make_frame(backend: str, columns: Mapping[str, Any]) -> Any:
    """Return a frame of the given library, or of the next one that is installed; see `usable`."""
    library: Any = usable(backend)
    if library == NUMPY:
        return structured(columns)
    try:
        return nw.from_dict(columns, backend=library).to_native()
    except UnicodeEncodeError:
        return make_frame(library, _whole_characters(columns))


def usable(backend: str) -> str:
    """Return a library if it is installed, else the first other one that is, else "numpy"."""
    for library in () if backend == NUMPY else dict.fromkeys((backend, *LIBRARIES)):
        with suppress(ImportError):
            import_module(library)
            return library
    return NUMPY


def asked_library(frame: str | None) -> str:
    """Return the library that a user asks for by its name; None takes what is installed.

    Raises
    ------
    ValueError
        When no frames are made with that library.
    ImportError
        When it is not installed.
    """
    if frame is None:
        return usable(LIBRARIES[0])
    check_one_of("frame", frame, (*LIBRARIES, NUMPY))
    if usable(frame) != frame:
        raise ImportError(
            f"frame={frame!r} needs {frame}: {installing(frame)}; or pass frame='numpy'."
        )
    return frame


def structured(columns: Mapping[str, Any]) -> AnyArray:
    """Return a structured array: one field per column, numbers as such and all else as objects."""
    fields = {name: _field(cells) for name, cells in columns.items()}
    # As a dict, since the other form renames a column without a name.
    formats = [field.dtype for field in fields.values()]
    dtype = np.dtype({"names": list(fields), "formats": formats})
    table = np.empty(len(next(iter(fields.values()), ())), dtype=dtype)
    for name, field in fields.items():
        table[name] = field
    return table


def _field(cells: Any) -> AnyArray:
    """Return cells as an array; a number that is missing among others is NaN."""
    if isinstance(cells, np.ndarray) and (cells.dtype != object or cells.dtype.metadata):
        return cells
    cells = list(cells)
    types = set(map(type, cells))
    has_missing = type(None) in types
    if types - {type(None)} and all(issubclass(t, Real | np.bool_ | None) for t in types):
        numbers = np.array(cells, dtype=float if has_missing else None)
        if numbers.dtype.kind in "biuf" and not (has_missing and bool in types):
            return numbers
    return np.fromiter(cells, dtype=object, count=len(cells))


def _whole_characters(columns: Mapping[str, Any]) -> dict[str, Any]:
    r"""Write half a character as ``\ud800``, as frames hold whole ones alone."""

    def whole(cell: Any) -> Any:
        return whole_characters(cell) if isinstance(cell, str) else cell

    names = number_repeats([whole(name) for name in columns])
    kept = (
        [whole(cell) for cell in cells]
        if getattr(cells, "dtype", None) in (None, object)
        else cells
        for cells in columns.values()
    )
    return dict(zip(names, kept, strict=True))


def columns_of(frame: Any) -> dict[str, list[Any]]:
    """Return a frame of any library, or a structured array, as lists."""
    if isinstance(frame, np.ndarray):
        return {name: frame[name].tolist() for name in frame.dtype.names}
    data = nw.from_native(frame, eager_only=True)
    return {name: data[name].to_list() for name in data.columns}


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a frame, each as a mapping of its columns."""
    columns = columns_of(frame)
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def rows_at(frame: Any, positions: IntArray) -> Any:
    """Return some rows of a frame or array."""
    if isinstance(frame, np.ndarray):
        return frame[positions]
    return nw.from_native(frame, eager_only=True)[positions.tolist(), :].to_native()


CODED = (nw.String, nw.Boolean, nw.Float32, nw.Float64)
"""Types of cells, besides integers, that `coded_once` turns into categories."""


def coded_once(frame: Any) -> Any:
    """Return the same table with texts and numbers as categories, which are read fast again.

    As types they have no order. A polars frame stays as it is, as does an array.
    """
    data = nw.from_native(frame, pass_through=True, eager_only=True)
    if not isinstance(data, nw.DataFrame) or data.implementation.is_polars():
        return frame
    schema = data.schema.items()
    plain = [name for name, dtype in schema if dtype in CODED or dtype.is_integer()]
    if data.implementation.is_pyarrow():  # with_columns takes minutes for 10,000 columns
        columns = {name: data[name].to_native() for name in data.columns}
        columns |= {name: columns[name].dictionary_encode() for name in plain}
        return type(frame).from_pydict(columns)
    coded = [data[name].cast(nw.Categorical) for name in plain]
    return data.with_columns(*coded).to_native() if coded else frame


def value_arrays(values: Sequence[Sequence[Value]]) -> list[NDArray[np.object_]]:
    """Return each attribute's values as an array of objects."""
    arrays = [np.empty(len(entries), dtype=object) for entries in values]
    for array, entries in zip(arrays, values, strict=True):
        for position, value in enumerate(entries):  # one by one: a value may be a tuple
            array[position] = value
    return arrays


def value_vectors(
    backend: str, vocabulary: Vocabulary, vectors: FloatArray, names: Sequence[str]
) -> Any:
    """Return attribute, value and one column per dimension."""
    labels = [vocabulary.labels(attribute) for attribute in range(len(vocabulary.columns))]
    pairs = zip(vocabulary.columns, labels, strict=True)
    attributes = [whole_characters(column) for column, own in pairs for _ in own]
    values = list(chain.from_iterable(labels))
    names = number_repeats(["column", "value", *names])
    columns = dict(zip(names, [attributes, values, *vectors.T], strict=True))
    return make_frame(backend, columns)


def square(backend: str, labels: Sequence[str], values: FloatArray) -> Any:
    """Return a square frame whose rows and columns have the same labels.

    pandas has them as its index; the other libraries, which have none, as a first column.
    """
    columns = dict(zip(labels, values.T, strict=True))
    library = usable(backend)
    if library != "pandas":
        return make_frame(library, {number_repeats([*labels, "value"])[-1]: labels, **columns})
    frame = make_frame(library, columns)
    frame.index = list(labels)
    return frame
