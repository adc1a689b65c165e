"""Nearest rows, against all distances computed one by one."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import latent_classes, small_tables
from untie import UNTIE
from untie._learn import value_space
from untie.explain import neighbors, why_similar


def slow_neighbors(encoder, data, query, n, own=None):
    """Sort all rows by their distance to one; equally near ones by position."""
    rows, row = encoder.transform(data), encoder.transform(query)[0]
    distances = np.round(np.sqrt(np.square(rows - row).sum(axis=1)), 7)
    order = sorted((d, i) for i, d in enumerate(distances) if i != own)
    return [(i, d) for d, i in order[:n]]


@pytest.fixture(scope="module")
def table():
    return latent_classes(200, 3, 6, 4, seed=0)[0]


@pytest.mark.parametrize("solver", ["auto", "uniform"])
@pytest.mark.parametrize("block", [7, value_space.BLOCK_NUMBERS])
def test_positions(table, solver, block, monkeypatch):
    monkeypatch.setattr(value_space, "BLOCK_NUMBERS", block)
    encoder = UNTIE(3, solver=solver).fit(table)
    found = neighbors(encoder, table, [5, 150, 5], n=8)
    assert found.row.tolist() == [5] * 8 + [150] * 8 + [5] * 8
    assert found["rank"].tolist() == [*range(1, 9)] * 3
    for start, row in ((0, 5), (8, 150), (16, 5)):
        part = found.iloc[start : start + 8]
        expected = slow_neighbors(encoder, table, table.iloc[[row]], 8, own=row)
        assert part.position.tolist() == [i for i, _ in expected]
        np.testing.assert_allclose(part.distance, [d for _, d in expected], atol=1e-6)
        similarity = encoder.similarity(table.iloc[[row]], table)[0]
        np.testing.assert_allclose(part.similarity, similarity[part.position])


@given(small_tables(min_rows=2), st.integers(1, 15))
@pytest.mark.filterwarnings("ignore::UserWarning")  # random tables may be degenerate
def test_of_any_table(table, n):
    encoder = UNTIE(solver="uniform").fit(table)
    found = neighbors(encoder, table, 0, n=n)
    expected = slow_neighbors(encoder, table, table.iloc[[0]], n, own=0)
    assert len(found) == min(n, len(table) - 1)
    assert found.position.tolist() == [i for i, _ in expected]


def test_other_rows_may_be_near_themselves(table):
    encoder = UNTIE(3).fit(table)
    found = neighbors(encoder, table, table.iloc[3:5], n=1)
    assert found.row.tolist() == [0, 1]
    np.testing.assert_allclose(found.distance, 0, atol=1e-7)
    first = neighbors(encoder, table, 3, n=1).distance[0]
    assert first >= 0


def test_more_rows_than_are_looked_for_at_a_time(table):
    encoder = UNTIE(3).fit(table)
    found = neighbors(encoder, table, range(len(table)), n=2)
    assert len(found) == 400
    assert (found.row != found.position).all()


def test_frames_of_the_tables_library(table):
    frame = pl.DataFrame(table.to_dict("list"))
    encoder = UNTIE(3).fit(frame)
    found = neighbors(encoder, frame, np.array([1]), n=2)
    assert isinstance(found, pl.DataFrame)
    expected = neighbors(UNTIE(3).fit(table), table, 1, n=2)
    assert found["position"].to_list() == expected.position.tolist()


def test_bad_input(table):
    encoder = UNTIE(3).fit(table)
    with pytest.raises(ValueError, match="no row 200; the table has 200"):
        neighbors(encoder, table, 200)
    with pytest.raises(ValueError, match="no row -1"):
        neighbors(encoder, table, [0, -1])
    with pytest.raises(ValueError, match="n must be a positive integer"):
        neighbors(encoder, table, 0, n=0)
    with pytest.raises(ValueError, match="no rows"):
        neighbors(encoder, table.iloc[:0], 0)
    with pytest.raises(TypeError, match=r"lazy; call \.collect"):
        neighbors(encoder, pl.from_pandas(table).lazy(), 0)
    with pytest.raises(ValueError, match="feature names"):
        neighbors(encoder, table, pd.DataFrame({"other": ["a"]}))


def test_some_columns_alone(table):
    encoder = UNTIE(3).fit(table)
    query = table.iloc[[7]]
    found = neighbors(encoder, table, query, n=len(table), columns=["c1", "c4"])
    cells = table.loc[found.position, ["c1", "c4"]].to_numpy()
    is_same = (cells == query[["c1", "c4"]].to_numpy()).all(axis=1)
    n_same = is_same.sum()
    assert is_same[:n_same].all()
    assert found.position[:n_same].is_monotonic_increasing
    assert (found.distance[:n_same] == 0).all()
    parts = why_similar(encoder, query, table.iloc[[found.position[60]]])
    parts = parts[parts.column.isin(["c1", "c4"])]
    assert found.similarity[60] == pytest.approx(parts.contribution.sum())
    assert found.distance[60] == pytest.approx(np.sqrt(parts.distance.sum()))
    with pytest.raises(ValueError, match="no column 'q'"):
        neighbors(encoder, table, query, columns=["q"])
    with pytest.raises(ValueError, match="at least one name"):
        neighbors(encoder, table, query, columns=[])
