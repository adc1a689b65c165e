"""What every source gives: named columns of strings, the label among them."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from os import PathLike
from typing import Any, Protocol

Columns = dict[str, list[str]]
"""The cells of each column; the column `LABEL` holds the classes."""

DataHome = str | PathLike[str] | None

LABEL = "class"
MISSING = "?"


class DataSource(Protocol):
    """Where a data set comes from."""

    def read(self, name: str, data_home: DataHome) -> Columns:
        """Return the data set of that name."""
        ...


def parse(lines: Iterable[str]) -> Columns:
    """Read comma-separated lines, a header first; a ValueError says what is wrong with them."""
    reader = csv.reader(lines, strict=True)
    header = next(reader, [])
    if LABEL not in header:
        raise ValueError(f"its first line names no column {LABEL!r} (it has {header[:5]})")
    if header == [LABEL]:
        raise ValueError(f"it has no column but {LABEL!r}")
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise ValueError(f"the columns {repeated} occur more than once")
    rows = []
    for row in reader:
        if len(row) == len(header):
            rows.append(row)
        elif row:  # an empty line is no row
            raise ValueError(
                f"line {reader.line_num} has {len(row)} cells, the header has {len(header)}"
            )
    if not rows:
        raise ValueError("it has no rows")
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def to_frames(columns: Columns) -> tuple[Any, Any]:
    """Return the attributes as a DataFrame, and the label as a series."""
    import pandas as pd

    table = pd.DataFrame(columns)
    return table.drop(columns=LABEL), table[LABEL]
