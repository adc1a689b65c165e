"""Weekday, month and hour out of dates."""

from datetime import date, datetime, timedelta

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import untie
from untie import Preparer, TableEncoder, load_model, save_model

START = datetime(2024, 1, 1, 8)  # a Monday
TIMES = [START + timedelta(hours=7 * n) for n in range(300)]
NAMES = ["when (weekday)", "when (month)", "when (hour)"]


def table(cells):
    return pd.DataFrame({"when": cells, "x": ["a", "b", "c"] * 100})


@pytest.mark.parametrize(
    "cells",
    [
        TIMES,
        [time.isoformat() for time in TIMES],
        [f"{time:%d/%m/%Y %H:%M}" for time in TIMES],
        [f"{time:%m/%d/%Y %I:%M %p}" for time in TIMES],
    ],
)
def test_parts_are_columns(cells):
    preparer = Preparer(date_parts=["weekday", "month", "hour"], bins=5).fit(table(cells))
    assert preparer.columns_ == ("when", *NAMES, "x")
    assert preparer.get_feature_names_out().tolist() == ["when", *NAMES, "x"]
    found = preparer.transform(table(cells))
    assert list(found.columns) == ["when", *NAMES, "x"]
    assert found["when (weekday)"].tolist() == [f"{time:%A}" for time in TIMES]
    assert found["when (month)"].tolist() == [f"{time:%B}" for time in TIMES]
    assert found["when (hour)"].tolist() == [f"{time.hour} h" for time in TIMES]
    assert preparer.notes_[0].reason.endswith(
        "also made into 'when (weekday)', 'when (month)', 'when (hour)'"
    )
    assert len(preparer.notes_) == 2


def test_a_part_that_is_always_the_same_is_left_out():
    days = [date(2024, 1, 1) + timedelta(days=7 * n) for n in range(300)]
    preparer = Preparer(date_parts=("weekday", "month", "hour")).fit(table(days))
    assert preparer.columns_ == ("when", "when (month)", "x")


def test_other_columns_have_no_parts():
    frame = pd.DataFrame({"n": np.arange(300) % 50, "x": ["a", "b", "c"] * 100})
    assert Preparer(date_parts=["month"]).fit(frame).columns_ == ("n", "x")


def test_cells_that_are_no_dates():
    cells = [*(time.isoformat() for time in TIMES[:-20]), *["soon"] * 10, *[None] * 10]
    preparer = Preparer(date_parts=["weekday"]).fit(table(cells))
    found = preparer.transform(table(cells))["when (weekday)"].tolist()
    assert found[-20:-10] == ["soon"] * 10
    assert pd.isna(found[-10:]).all()


def test_every_engine_and_the_model(tmp_path):
    cells = [time.isoformat() for time in TIMES]
    frame = table(cells)
    preparer = Preparer(date_parts=["weekday", "hour"], bins=5).fit(frame)
    expected = preparer.transform(frame, keep=["x"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    lazy = untie.scan(tmp_path / "t.csv", types="text")
    streamed = clone(preparer).fit(lazy)
    assert streamed.notes_ == preparer.notes_
    source = streamed.transform(lazy)
    assert source.columns == list(expected.columns)
    assert source.collect().to_pydict() == expected.to_dict("list")
    only = source.select(["when (hour)"]).collect().to_pydict()
    assert only == {"when (hour)": expected["when (hour)"].tolist()}
    assert preparer.transform(pl.from_pandas(frame)).to_dict(as_series=False) == expected.to_dict(
        "list"
    )
    spread = preparer.transform(dd.from_pandas(frame, npartitions=2)).compute()
    assert spread.to_dict("list") == expected.to_dict("list")
    pipeline = make_pipeline(clone(preparer), TableEncoder(2, preparer=None)).fit(frame)
    save_model(pipeline, tmp_path / "m.untie")
    again = load_model(tmp_path / "m.untie")
    assert np.array_equal(again.transform(frame), pipeline.transform(frame))
    assert again[0].date_parts == preparer.date_parts


def test_names_of_an_array():
    rows = np.array([[time.isoformat(), "ab"[n % 2]] for n, time in enumerate(TIMES)], dtype=object)
    preparer = Preparer(date_parts=["month"]).fit(rows)
    assert preparer.columns_ == ("x0", "x0 (month)", "x1")
    names = preparer.get_feature_names_out(["day", "letter"]).tolist()
    assert names == ["day", "day (month)", "letter"]


def test_mistakes():
    frame = table(TIMES)
    with pytest.raises(ValueError, match="no part of dates 'year'; there are 'weekday', 'month'"):
        Preparer(date_parts=["year"]).fit(frame)
    with pytest.raises(TypeError, match="date_parts must be a list"):
        Preparer(date_parts="month").fit(frame)
    with pytest.raises(ValueError, match=r"has a column 'when \(month\)' already; rename it"):
        Preparer(date_parts=["month"]).fit(frame.assign(**{"when (month)": "x"}))
