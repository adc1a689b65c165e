"""Folders whose names are cells, such as year=2024/month=05 -> files, and columns of them."""

from __future__ import annotations

import os
import re
import urllib.parse
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from untie._engines.arrow import ArrowSource
from untie._engines.endings import KINDS, suffix_of
from untie._util.extras import need

Keys = Mapping[str, str | None]
"""The cells that a file's folders name; None is a missing one."""

MISSING = "__HIVE_DEFAULT_PARTITION__"
"""What a folder of missing cells is called."""

MOST_FILES = 100_000
"""A folder with more files is refused, before memory is full of names."""

ReadFile = Callable[[int, Sequence[str]], Iterator[Any]]
"""Takes a file's number and names of its columns and gives record batches."""

_KEY = re.compile(r"([^=]+)=(.*)", re.DOTALL)


def is_partitioned(folder: str) -> bool:
    """Tell whether a folder has folders such as year=2024."""
    with os.scandir(folder) as entries:
        return any(entry.is_dir() and _KEY.fullmatch(entry.name) for entry in entries)


def partition_files(folder: str) -> list[tuple[str, Keys]]:
    """Return the files below a folder, in order, and the cells that their folders name."""
    found: list[tuple[str, Keys]] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        keys = _keys(os.path.relpath(place, folder))
        found += [
            (os.path.join(place, name), keys)
            for name in sorted(names)
            if not name.startswith((".", "_")) and suffix_of(name) in KINDS
        ]
        if len(found) > MOST_FILES:
            raise ValueError(f"{folder!r} has more than {MOST_FILES:,} files; name a part of it.")
    if not found:
        raise FileNotFoundError(f"{folder!r} has no files that end in {', '.join(KINDS)}.")
    first = found[0]
    for path, keys in found:
        if list(keys) != list(first[1]):
            raise ValueError(
                f"The folders of {path!r} name the columns {list(keys)}, those of {first[0]!r} "
                f"{list(first[1])}; they must be the same."
            )
    return sorted(found, key=lambda pair: pair[0])


def _keys(place: str) -> Keys:
    """Return the cells that a path names.

    Examples
    --------
    >>> _keys(os.path.join("year=2024", "city=S%C3%A3o Paulo"))
    {'year': '2024', 'city': 'São Paulo'}
    """
    matches = (_KEY.fullmatch(part) for part in place.split(os.sep))
    pairs = ((match[1], match[2]) for match in matches if match)
    return {
        urllib.parse.unquote(name): None if cell == MISSING else urllib.parse.unquote(cell)
        for name, cell in pairs
    }


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
