"""Odd tables, for property tests: cells of every type, in every library and engine."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

from cases import as_objects, as_rows

TEXTS = [
    "",
    " ",
    "a",
    "A",
    "nan",
    "None",
    "1",
    "1.0",
    "True",
    "é",
    "e\u0301",
    "漢",
    "😀",
    "a=b",
    "0",
]
BIG = [0, 1, -1, 2**31, -(2**63), 2**63 - 1, 2**53 + 1]
FRACTIONS = [0.0, -0.0, 0.5, 1.0, 0.1 + 0.2, 0.3, 5e-324, 1e-300, 1.7e308, -1.7e308, 2.0**53]
INSTANTS = [datetime(2024, 10, 27, tzinfo=UTC) + timedelta(minutes=30 * n) for n in range(6)]

KINDS = {
    "text": (pa.string(), TEXTS),
    "categories": (pa.dictionary(pa.int32(), pa.string()), TEXTS),
    "integers": (pa.int64(), BIG),
    "small integers": (pa.int8(), [0, 1, -1, 127, -128]),
    "long integers": (pa.uint64(), [0, 1, 2**63, 2**64 - 1]),
    "fractions": (pa.float64(), FRACTIONS),
    "short fractions": (pa.float32(), [0.0, 0.5, 1.5, -2.0, 2.0**100]),
    "booleans": (pa.bool_(), [True, False]),
    "days": (
        pa.date32(),
        [date(1, 1, 1), date(1969, 12, 31), date(2024, 2, 29), date(9999, 12, 31)],
    ),
    "times": (pa.timestamp("us"), [datetime(1969, 12, 31, 23), datetime(2024, 1, 1, 0, 0, 0, 5)]),
    "instants": (pa.timestamp("us", "Europe/Berlin"), INSTANTS),
    "durations": (pa.duration("us"), [timedelta(0), timedelta(-1), timedelta(microseconds=1)]),
    "constant": (pa.string(), ["same"]),
    "nothing": (pa.string(), [None]),
}
"""Types that every library and engine has, with values that are easily mistaken for one another."""

OBJECTS = [
    *(0, 1, True, False, 1.0, "1", "True", 10**400, Decimal("1.0"), Decimal("1E+1000000")),
    *(b"1", ("a", 1), frozenset({1}), date(2024, 1, 1), datetime(2024, 1, 1), INSTANTS[2]),
    *(np.float32(0.5), np.int8(1), np.datetime64("2024-01-01", "ns"), "a\ud800", float("inf")),
]
"""Values that stand in one column only where cells may be anything."""

MISSING = [None, float("nan"), np.nan, pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("NaN")]


@st.composite
def typed_tables(draw, min_rows=1, max_rows=16, max_columns=4, kinds=tuple(KINDS)):
    """Draw an Arrow table with one type per column, missing cells, equal rows and constants."""
    n_rows = draw(st.integers(min_rows, max_rows))
    columns = {}
    for number in range(draw(st.integers(1, max_columns))):
        type_, values = KINDS[draw(st.sampled_from(kinds))]
        few = draw(st.lists(st.sampled_from(values), min_size=1, max_size=4))
        if draw(st.booleans()):
            few = [*few, None]
        cells = draw(st.lists(st.sampled_from(few), min_size=n_rows, max_size=n_rows))
        columns[f"c{number}"] = pa.array(cells, type_)
    table = pa.table(columns)
    if draw(st.booleans()):
        table = pa.concat_tables([table, table.slice(0, draw(st.integers(0, n_rows)))])
    return table


@st.composite
def object_tables(draw, min_rows=1, max_rows=16, max_columns=3):
    """Draw columns whose cells may be anything that Python calls a value."""
    n_rows = draw(st.integers(min_rows, max_rows))
    columns = {}
    for number in range(draw(st.integers(1, max_columns))):
        pool = st.sampled_from([*OBJECTS, *MISSING] if draw(st.booleans()) else OBJECTS)
        few = draw(st.lists(pool, min_size=1, max_size=6))
        places = draw(st.lists(st.integers(0, len(few) - 1), min_size=n_rows, max_size=n_rows))
        columns[f"x{number}"] = [few[place] for place in places]
    return columns


def weights_of(n_rows):
    """Draw whole weights, not all of them 0."""
    return st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows).filter(any)


def _pandas(table):
    """Convert a table; integers beside missing cells become floats where those are exact."""
    frame = table.to_pandas()
    whole = table.to_pandas(integer_object_nulls=True)
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_integer(column.type) and column.null_count:
            numbers = column.drop_null().to_pylist()
            if any(float(number) != number for number in numbers):
                frame[name] = whole[name]
    return frame


def _unused_categories(table):
    frame = table.to_pandas(types_mapper=pd.ArrowDtype)
    for name in frame.columns:
        cells = pd.Series(as_objects({name: table[name].to_pylist()})[:, 0], dtype=object)
        if pa.types.is_string(table[name].type):
            known = list(dict.fromkeys(cells.dropna()))
            frame[name] = pd.Categorical(cells, ["not there", *known])
    return frame


FRAMES = {
    "polars": pl.from_arrow,
    "polars enums": lambda table: pl.from_arrow(table).with_columns(
        pl.col(pl.Categorical).cast(pl.String)
    ),
    "pandas": _pandas,
    "pandas with Arrow's types": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas objects": lambda table: pd.DataFrame(
        {
            name: pd.Series(as_objects({name: cells.to_pylist()})[:, 0], dtype=object)
            for name, cells in zip(table.column_names, table.columns, strict=True)
        }
    ),
    "pandas with unused categories": _unused_categories,
    "batches": lambda table: table.to_reader(max_chunksize=3),
}
"""Other libraries' forms of an Arrow table, in memory or as a stream."""

OBJECT_FRAMES = {
    "rows": as_rows,
    "numpy": as_objects,
    "pandas": lambda columns: pd.DataFrame(
        {k: pd.Series(as_objects({k: v})[:, 0], dtype=object) for k, v in columns.items()}
    ),
    "polars": lambda columns: pl.DataFrame(
        {k: pl.Series(k, v, dtype=pl.Object) for k, v in columns.items()}
    ),
}
"""Forms of columns whose cells may be anything."""
