import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from untie._table.rows import check_weights, read_weights


def test_no_weights():
    assert check_weights(None, 3) == (None, None)


@pytest.mark.parametrize(
    "given",
    [
        [1, 2, 3],
        (1.0, 2.0, 3.0),
        np.array([1, 2, 3], dtype=np.int8),
        np.array([1, 2, 3], dtype=np.float32),
        pd.Series([1, 2, 3], index=[7, 8, 9]),
        pl.Series([1, 2, 3]),
        pa.array([1, 2, 3]),
    ],
    ids=lambda given: type(given).__module__.split(".")[0],
)
def test_weights_of_any_kind(given):
    weights, keep = check_weights(given, 3)
    assert weights.dtype == np.float64
    assert weights.tolist() == [1, 2, 3]
    assert keep is None


def test_one_number_is_every_rows_weight():
    weights, keep = check_weights(2, 3)
    assert weights.tolist() == [2, 2, 2]
    assert keep is None


@pytest.mark.parametrize("zero", [0, -0.0, False])
def test_rows_of_weight_zero_are_left_out(zero):
    weights, keep = check_weights([1, zero, 0.5], 3)
    assert weights.tolist() == [1, 0.5]
    assert keep.tolist() == [True, False, True]


def test_the_users_array_is_left_alone():
    given = np.array([1.0, 0.0])
    check_weights(given, 2)
    assert given.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1, 2], r"shape \(2,\), but the table has 3 rows"),
        ([1, 2, 3, 4], r"shape \(4,\), but the table has 3 rows"),
        ([[1], [2], [3]], r"shape \(3, 1\)"),
        ([], r"shape \(0,\)"),
        ([1, np.nan, 1], "row 1 is nan; it must be finite"),
        ([1, None, 1], "row 1 is nan; it must be finite"),
        ([1, 1, np.inf], "row 2 is inf; it must be finite"),
        ([1, 1, -0.5], r"row 2 is negative: -0\.5"),
        ([1, 1e308, 1], r"row 1 is 1e\+308, beyond 1e\+100; .*divide all weights"),
        ([0, 5e-324, 0], r"row 1, the largest, is 4.94066e-324, below 1e-300; multiply all"),
        ([0, 0, 0], "Every sample weight is zero"),
        (0, "Every sample weight is zero"),
        (-1, "row 0 is negative"),
        (["a", "b", "c"], "must hold one number per row: 'a' is none"),
        ([1, None, "c"], "must hold one number per row: 'c' is none"),
    ],
)
def test_bad_weights(given, message):
    with pytest.raises(ValueError, match=message):
        check_weights(given, 3)


def test_weights_that_are_words():
    with pytest.raises(ValueError, match=r"sample_weight must hold one number per row.*'heavy'"):
        check_weights(["heavy", "light"], 2)


@pytest.mark.parametrize("kind", ["datetime64[D]", "timedelta64[s]"])
def test_dates_are_no_weights(kind):
    with pytest.raises(ValueError, match="not dates or times"):
        read_weights(np.array([1, 2], dtype=kind), 2)
