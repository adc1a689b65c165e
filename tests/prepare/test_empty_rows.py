"""Rows without cells, and rows of totals: nothing is learned from the first, both are named."""

import re
import warnings

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import untie
from cases import ANY_FRAMES, EMPTY_ROWS, TEXT_FRAMES, as_rows
from command_cases import ask, rows_of
from lazy_sources import SOURCES, as_arrow
from untie import Preparer, TableClusterer, TableEncoder, choose_k, explain, make_report

SAID = r"2 rows are empty: every cell is missing or blank \(row 0, row 39\)\."
FULL = {name: cells[1:-1] for name, cells in EMPTY_ROWS.items()}
NUMBERS = ["cluster_centers_", "inertia_"]


@pytest.fixture(scope="module")
def expected():
    """Return what is learned from the rows that have cells."""
    return TableClusterer(2).fit(pd.DataFrame(FULL))


def fitted(data, **more):
    """Learn from a table, whose rows without cells are named."""
    with pytest.warns(
        UserWarning,
        match=f"^{SAID} They get the weight 0, and their clusters",
    ):
        return TableClusterer(2, **more).fit(data)


@pytest.mark.parametrize("make", {**ANY_FRAMES, **TEXT_FRAMES, "rows": as_rows}.values())
def test_nothing_is_learned_from_them_in_any_frame(make, expected):
    found = fitted(make(EMPTY_ROWS))
    for name in NUMBERS:
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name))
    assert found.labels_.shape == (40,)
    assert found.labels_[1:-1].tolist() == expected.labels_.tolist()


@pytest.mark.parametrize("make", [m for name, m in SOURCES.items() if name != "batch reader"])
def test_nothing_is_learned_from_them_in_any_lazy_table(make, expected, tmp_path):
    table = as_arrow(EMPTY_ROWS)
    found = fitted(make(table, tmp_path))
    for name in NUMBERS:
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name))
    labels = found.predict(pd.DataFrame(FULL))
    assert labels.tolist() == expected.labels_.tolist()


def test_nothing_is_learned_from_them_on_the_workers_of_dask(expected):
    frame = dd.from_pandas(pd.DataFrame(EMPTY_ROWS), npartitions=3)
    np.testing.assert_allclose(fitted(frame).cluster_centers_, expected.cluster_centers_)


def test_weights_of_the_other_rows_count(tmp_path):
    weights = np.arange(40) % 3 + 1.0
    frame = pd.DataFrame(EMPTY_ROWS)
    expected = TableClusterer(2).fit(pd.DataFrame(FULL), sample_weight=weights[1:-1])
    with pytest.warns(UserWarning, match=SAID):
        found = TableClusterer(2).fit(frame, sample_weight=weights)
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_)
    weighted = frame.assign(w=weights, weight=weights)
    weighted.to_parquet(tmp_path / "t.parquet")
    lazy = untie.scan(tmp_path / "t.parquet")
    expected = TableClusterer(2, preparer=Preparer(drop=["weight"])).fit(
        weighted[1:-1], sample_weight="w"
    )
    with pytest.warns(UserWarning, match=SAID):
        found = TableClusterer(2, preparer=Preparer(drop=["weight"])).fit(lazy, sample_weight="w")
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_)
    zeros = np.r_[0.0, np.ones(38), 0.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # whoever has left them out need not be told
        TableClusterer(2).fit(frame, sample_weight=zeros)


def test_what_is_said_of_the_clusters_is_that_of_the_others(expected, tmp_path):
    frame, full = pd.DataFrame(EMPTY_ROWS), pd.DataFrame(FULL)
    found = fitted(frame)
    assert str(explain.verdict(found, frame)) == str(explain.verdict(expected, full))
    pd.testing.assert_frame_equal(
        explain.cluster_profile(found, frame), explain.cluster_profile(expected, full)
    )
    assert choose_k(found, frame).table().equals(choose_k(expected, full).table())
    frame.to_parquet(tmp_path / "t.parquet")
    lazy = untie.scan(tmp_path / "t.parquet")
    assert choose_k(fitted(lazy), lazy).k == choose_k(expected, full).k
    page = make_report(frame, found).to_markdown()
    assert "- Rows: 40\n- Rows that are learned from: 38\n" in page
    assert "sum of weights" not in page


@pytest.mark.filterwarnings("default:2 rows are empty")
def test_they_are_told_by_the_command(tmp_path):
    pd.DataFrame(EMPTY_ROWS).to_csv(tmp_path / "t.csv", index=False)
    answer = ask("cluster", tmp_path / "t.csv", "--k", 2)
    assert "2 rows are empty: every cell is missing or blank (row 1, row 40)." in answer.stderr
    assert len(rows_of(answer.stdout)) == 40
    table = ask("cluster", tmp_path / "t.csv", "--k", 2, "--format", "table").stdout
    assert "weight" not in table
    assert sum(map(int, re.findall(r"│ +\d │ +(\d+) │", table))) == 38


def test_rows_with_a_cell_and_rows_of_few_columns_are_learned_from():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = pd.DataFrame(EMPTY_ROWS).assign(person=[f"p{row}" for row in range(40)])
        assert TableEncoder(2).fit(frame).counts_.n_rows == 40
        few = pd.DataFrame(EMPTY_ROWS)[["drink", "meal"]]
        assert TableEncoder(2).fit(few).counts_.n_rows == 40
        bare = TableEncoder(2, preparer=None).fit(pd.DataFrame(EMPTY_ROWS))
        assert bare.counts_.n_rows == 40


def test_a_table_of_nothing_else_is_refused():
    frame = pd.DataFrame([[None] * 4] * 9, columns=list("abcd"), dtype=object)
    with pytest.raises(ValueError, match=r"No column is left .* all cells are missing"):
        TableClusterer().fit(frame)


def sales(last, n=30):
    """Return a table of sales, with something in the last row."""
    rows = {"region": ["north", "south", "east"] * (n // 3), "units": list(range(1, n + 1))}
    rows |= {"price": [9.5 + row % 7 for row in range(n)], "paid": ["yes", "no"] * (n // 2)}
    return pd.DataFrame({name: [*cells, last[name]] for name, cells in rows.items()})


TOTAL = {"region": "Total", "units": 465, "price": 11.0, "paid": None}


@pytest.mark.filterwarnings("default:The table seems to end")
@pytest.mark.parametrize("word", ["Total", "GRAND TOTAL:", "sum", "All"])
def test_a_row_of_totals_is_named(word, tmp_path):
    said = rf"row 30 has {word!r}, and the sums of all other rows in 'units'\. It counts"
    frame = sales({**TOTAL, "region": word})
    with pytest.warns(UserWarning, match=said):
        TableEncoder(2).fit(frame)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=10)
    with pytest.warns(UserWarning, match=said):
        TableEncoder(2).fit(untie.scan(tmp_path / "t.parquet"))
    empty = pd.DataFrame({name: [*frame[name], None] for name in frame})
    with pytest.warns(UserWarning, match=said):
        Preparer().fit(empty)
    frame.to_csv(tmp_path / "t.csv", index=False)
    answer = ask("cluster", tmp_path / "t.csv", "--k", 2)
    assert f"in a total: row 31 has {word!r}, and the sums of all other rows in" in answer.stderr


@pytest.mark.parametrize(
    "last",
    [
        {**TOTAL, "region": "west"},
        {**TOTAL, "units": 464},
        {"region": "All", "units": 12, "price": 11.0, "paid": "no"},
        {**TOTAL, "units": None},
    ],
)
def test_other_last_rows_are_not_called_totals(last):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Preparer().fit(sales(last))
