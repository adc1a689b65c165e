import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from untie_paper.evaluation._labels import read_labels

WORDS = ["b", "a", "b", "c"]

KINDS = {
    "list": WORDS,
    "tuple": tuple(WORDS),
    "array": np.array(WORDS),
    "object array": np.array(WORDS, dtype=object),
    "integers": np.array([7, -1, 7, 9]),
    "floats": [0.5, 0.1, 0.5, 2.0],
    "booleans and text": [True, "x", True, "y"],
    "pandas": pd.Series(WORDS, index=[5, 5, 1, 0]),
    "pandas category": pd.Series(pd.Categorical(WORDS, categories=["z", "c", "b", "a"])),
    "pandas index": pd.Index(WORDS),
    "polars": pl.Series(WORDS),
    "polars categorical": pl.Series(WORDS, dtype=pl.Categorical),
    "pyarrow": pa.chunked_array([WORDS[:2], WORDS[2:]]),
    "pyarrow array": pa.array(WORDS),
    "tuples": [(1, 2), (3,), (1, 2), ()],
}


@pytest.mark.parametrize("kind", KINDS)
def test_any_kind_of_labels(kind):
    codes = read_labels(KINDS[kind], "y")
    assert codes.dtype == np.intp
    assert sorted(set(codes.tolist())) == [0, 1, 2]
    assert codes[0] == codes[2]
    assert len({codes[0], codes[1], codes[3]}) == 3


MISSING = {
    "None": ["a", None],
    "NaN": [1.0, np.nan],
    "array": np.array([1.0, np.nan]),
    "pandas": pd.Series(["a", pd.NA]),
    "category": pd.Series(pd.Categorical(["a", None])),
    "polars": pl.Series(["a", None]),
    "pyarrow": pa.chunked_array([["a", None]]),
    "masked": np.ma.array([1, 2], mask=[False, True]),
}


@pytest.mark.parametrize("kind", MISSING)
def test_a_missing_label_is_an_error(kind):
    with pytest.raises(ValueError, match="y_true, row 1: the label is missing"):
        read_labels(MISSING[kind], "y_true")


BAD = {
    "text": ("abc", TypeError, "y must be a list"),
    "number": (3, TypeError, "y must be a list"),
    "None": (None, TypeError, "y must be a list"),
    "dict": ({"a": 1}, TypeError, "y must be a list"),
    "empty": ([], ValueError, "y is empty"),
    "two columns": (np.zeros((2, 2)), ValueError, r"one dimension, got shape \(2, 2\)"),
    "frame": (pd.DataFrame({"a": [1]}), ValueError, r"one dimension, got shape \(1, 1\)"),
    "lists inside": ([["a"], ["b"]], TypeError, "row 0"),
    "length": ([1, 2, 3], ValueError, "y has 3 labels for 4 objects"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_labels(case):
    labels, error, message = BAD[case]
    with pytest.raises(error, match=message):
        read_labels(labels, "y", 4 if case == "length" else None)
