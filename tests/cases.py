"""Slow oracles and makers of frames that several test files share."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse


def slow_counts(codes, sizes, weights=None):
    """Count pairs of values from the definition: for each row, each two of its cells."""
    offsets = [sum(sizes[:attribute]) for attribute in range(len(sizes))]
    n_rows = len(codes[0])
    weights = [1] * n_rows if weights is None else weights
    matrix = np.zeros((sum(sizes), sum(sizes)))
    for row in range(n_rows):
        positions = [
            offset + int(column[row])
            for column, size, offset in zip(codes, sizes, offsets, strict=True)
            if column[row] < size
        ]
        for a in positions:
            for b in positions:
                matrix[a, b] += weights[row]
    return matrix


def as_rows(columns):
    """Return a dict of columns as a list of rows."""
    return [list(row) for row in zip(*columns.values(), strict=True)]


def as_objects(columns):
    """Return a dict of columns as an array of objects."""
    array = np.empty((len(next(iter(columns.values()))), len(columns)), dtype=object)
    for position, cells in enumerate(columns.values()):
        array[:, position] = cells
    return array


def as_fields(columns):
    """Return a dict of columns as a structured array."""
    n_rows = len(next(iter(columns.values())))
    array = np.empty(n_rows, dtype=[(name, object) for name in columns])
    for name, cells in columns.items():
        for row, cell in enumerate(cells):  # one by one: a cell may be a tuple
            array[name][row] = cell
    return array


def _pandas(dtype):
    return lambda columns: pd.DataFrame({k: pd.Series(v, dtype=dtype) for k, v in columns.items()})


def _polars(dtype=None):
    return lambda columns: pl.DataFrame(
        {name: pl.Series(cells, dtype=dtype) for name, cells in columns.items()}
    )


def _pyarrow_dictionary(columns):
    # Two chunks with dictionaries of their own, as files that are read piece by piece have.
    halves = {
        name: (cells[: len(cells) // 2], cells[len(cells) // 2 :])
        for name, cells in columns.items()
    }
    return pa.table(
        {
            name: pa.chunked_array([pa.array(h, pa.string()).dictionary_encode() for h in both])
            for name, both in halves.items()
        }
    )


TEXT = {
    "plain strings": {
        "Texture": ["clear", "blurry", "blurry", "clear", "blurry", "clear"],
        "Root": ["straight", "straight", "curled", "slight", "curled", "slight"],
    },
    "missing": {
        "A": ["x", None, "y", "x", None, "y"],
        "B": [None, "u", "u", "v", "v", None],
        "C": ["p", "q", "p", "q", "q", "q"],
    },
    "nothing but missing in a column": {
        "A": [None, None, None, None],
        "B": ["u", "v", "v", "u"],
        "C": ["p", "p", "p", "q"],
    },
    "unicode": {
        "größe": ["é", "e\u0301", "漢字", "é", "😀", "漢字"],
        "ы": ["", " ", "", " ", "", ""],
    },
    "words that mean something elsewhere": {
        "A": ["nan", "None", "1", "1.0", "True", "nan"],
        "B": ["missing", None, "missing", "infrequent", None, "infrequent"],
    },
    "single column": {"A": ["x", "y", "y", "z", "x", "y"]},
    "one value in a column": {
        "A": ["x"] * 5,
        "B": ["u", "v", "v", "w", "w"],
        "C": ["p", "p", "q", "q", "q"],
    },
    "many values": {
        # more than one byte can tell apart
        "A": [f"v{i % 260}" for i in range(520)],
        "B": ["odd" if i % 2 else "even" for i in range(520)],
    },
    "ranges, which have an order": {
        "age": ["up to 25", "26 to 40", "over 40", None, "26 to 40", "up to 25", "over 40"],
        "born": [
            *("until 1999-12", "2000-01 to 2000-03", "after 2000-03", "2000-01 to 2000-03"),
            *("unknown", "until 1999-12", "after 2000-03"),
        ],
        "pet": ["cat", "dog", "cat", "cat", None, "dog", "dog"],
    },
    "a value in the last rows alone": {
        "A": ["x", "y"] * 10 + ["late", "late"],
        "B": ["u", "u", "v"] * 7 + [None],
    },
}
"""Tables of text, for every library and engine."""

TYPED = {
    "integers": {"A": [3, 1, 1, 20, 3, 1], "B": [0, 0, 1, 1, -1, 0]},
    "booleans": {"A": [True, False, True, True], "B": [False, False, True, False]},
    "fractions": {"A": [0.5, 1.0, 0.5, -2.5], "B": [1.0, 1.0, 2.0, 2.0]},
}
"""Tables with one type a column."""

EMPTY_ROWS = {
    "person": [None, *(f"p{row}" for row in range(38)), None],
    "drink": [None, *["wine", "beer"] * 19, None],
    "glass": [" ", *["stem", "mug"] * 18, "mug", None, ""],
    "meal": [None, *["fish", "pie", "fish", "pie", None] * 7, "fish", "pie", "pie", None],
}
"""A table whose first and last rows have no cells, in whatever way they lack them."""

ANY_FRAMES = {
    "structured": as_fields,
    "pandas object": _pandas(object),
    "pandas default": _pandas(None),
    "pandas category": _pandas("category"),
    "polars": _polars(),
    "pyarrow": lambda columns: pa.table({k: pa.array(v) for k, v in columns.items()}),
}
"""Makers of frames for columns of one type each."""

TEXT_FRAMES = {
    "pandas string[python]": _pandas("string[python]"),
    "pandas string[pyarrow]": _pandas("string[pyarrow]"),
    "polars categorical": _polars(pl.Categorical),
    "pyarrow dictionary": _pyarrow_dictionary,
}
"""Makers of frames for columns of text alone."""

MIXED_FRAMES = {
    "pandas object": _pandas(object),
    "pandas category": _pandas("category"),
    "polars object": _polars(pl.Object),
}
"""Makers of frames for columns whose cells have several types."""

NOT_TABLES = {
    "text": ("ab", TypeError, r"got the text 'ab'; .*pandas\.read_csv\('ab'\), or untie\.scan"),
    "path": (Path("a.parquet"), TypeError, r"pandas\.read_parquet\('a\.parquet'\), or untie\.scan"),
    "bytes": (b"ab", TypeError, "got bytes"),
    "dict": ({"a": ["x"]}, TypeError, "got dict"),
    "None": (None, TypeError, "got NoneType"),
    "number": (3, TypeError, "got int"),
    "object": (object(), TypeError, "got object"),
    "sparse matrix": (sparse.csr_matrix(np.eye(2)), TypeError, r"Sparse .* \.toarray\(\)"),
    "sparse array": (sparse.coo_array(np.eye(2)), TypeError, "Sparse"),
    "lazy frame": (pl.LazyFrame({"a": ["x"]}), TypeError, r"lazy; call \.collect\(\)"),
    "1-D array": (
        np.array(["a", "b"]),
        ValueError,
        r"Expected 2D array, got 1D .*reshape\(-1, 1\)",
    ),
    "1-D list": (["a", "b"], ValueError, "Expected 2D array, got 1D"),
    "pandas series": (pd.Series(["a"], dtype=object), ValueError, "to_frame"),
    "polars series": (pl.Series(["a"]), ValueError, "to_frame"),
    "pyarrow array": (pa.chunked_array([["a"]]), ValueError, "to_frame"),
    "3-D array": (np.zeros((2, 2, 2)), ValueError, "Expected 2D array, got 3D"),
    "ragged rows": ([["a"], ["a", "b"]], ValueError, r"different lengths: \[1, 2\]; pad"),
    "ragged array": (np.array([["a"], ["a", "b"]], dtype=object), ValueError, "got 1D"),
    "row without cells": ([["a"], "b"], ValueError, "got 1D"),
    "rows of dicts": ([{"a": 1}], ValueError, "Rows are dicts; make a frame of them"),
    "complex": (np.array([[1j]]), ValueError, "Complex data not supported"),
    "names twice": (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, "'a'"),
    "names twice as text": (pd.DataFrame([[1, 2]], columns=["1", 1]), ValueError, "'1'"),
    "arrow names twice": (pa.table([[1], [2]], names=["a", "a"]), ValueError, "'a'"),
}
"""What can't be read as a table: the data, and the error with its message."""

NESTED = {
    "list of rows": [["a"], [["b"]]],
    "rows of lists": [[["a"], ["b"]], [["c"], ["d"]]],
    "pandas": pd.DataFrame({"x0": pd.Series(["a", ["b"]], dtype=object)}),
    "pandas arrow": pd.DataFrame(
        {"x0": pd.Series([["a"]], dtype=pd.ArrowDtype(pa.list_(pa.string())))}
    ),
    "polars list": pl.DataFrame({"x0": [None, ["b"]]}),
    "polars struct": pl.DataFrame({"x0": [{"k": 1}]}),
    "polars array": pl.DataFrame({"x0": pl.Series([[1]], dtype=pl.Array(pl.Int64, 1))}),
    "pyarrow list": pa.table({"x0": pa.array([None, ["b"]])}),
    "pyarrow struct": pa.table({"x0": pa.array([{"k": 1}])}),
    "pyarrow map": pa.table({"x0": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64()))}),
}
"""Tables with a list or a dict inside a cell of column x0, row 0 or 1."""


def melon_table():
    """Return the paper's toy table; values stand in alphabetical order in all oracles."""
    slight = "slightly curled"
    return pd.DataFrame(
        {
            "Texture": ["clear", "blurry", "blurry", "clear", "blurry", "clear"],
            "Color": ["white", "yellow", "yellow", "green", "green", "black"],
            "Root": ["straight", "straight", "curled", slight, "curled", slight],
        }
    )
