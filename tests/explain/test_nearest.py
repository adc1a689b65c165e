"""Nearest rows, against all distances computed one by one."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazy_sources import SOURCES, batch_reader, parquet_file
from tables import encoder_of, latent_classes, small_tables
from untie import UNTIE, TableEncoder, load_model
from untie._learn import nearest
from untie._table.frames import columns_of
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
@pytest.mark.parametrize("block", [7, nearest.BLOCK_NUMBERS])
def test_positions(table, solver, block, monkeypatch):
    monkeypatch.setattr(nearest, "BLOCK_NUMBERS", block)
    encoder = encoder_of(3, solver=solver).fit(table)
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
    encoder = TableEncoder(3, preparer=None).fit(table)
    found = neighbors(encoder, table, table.iloc[3:5], n=1)
    assert found.row.tolist() == [0, 1]
    np.testing.assert_allclose(found.distance, 0, atol=1e-7)
    first = neighbors(encoder, table, 3, n=1).distance[0]
    assert first >= 0


def test_more_rows_than_are_looked_for_at_a_time(table):
    encoder = TableEncoder(3, preparer=None).fit(table)
    found = neighbors(encoder, table, range(len(table)), n=2)
    assert len(found) == 400
    assert (found.row != found.position).all()


def test_frames_of_the_tables_library(table):
    frame = pl.DataFrame(table.to_dict("list"))
    encoder = TableEncoder(3, preparer=None).fit(frame)
    found = neighbors(encoder, frame, np.array([1]), n=2)
    assert isinstance(found, pl.DataFrame)
    expected = neighbors(TableEncoder(3, preparer=None).fit(table), table, 1, n=2)
    assert found["position"].to_list() == expected.position.tolist()


def test_bad_input(table):
    encoder = TableEncoder(3, preparer=None).fit(table)
    with pytest.raises(ValueError, match="no row 200; the table has 200"):
        neighbors(encoder, table, 200)
    with pytest.raises(ValueError, match="no row -1"):
        neighbors(encoder, table, [0, -1])
    with pytest.raises(ValueError, match="n must be a positive integer"):
        neighbors(encoder, table, 0, n=0)
    with pytest.raises(ValueError, match="no rows"):
        neighbors(encoder, table.iloc[:0], 0)
    with pytest.raises(ValueError, match="rows is empty"):
        neighbors(encoder, table, range(0))
    with pytest.raises(ValueError, match="no rows"):
        neighbors(encoder, table.iloc[:0], table.iloc[:1])
    with pytest.raises(TypeError, match=r"lazy; call \.collect"):
        neighbors(encoder, table, pl.from_pandas(table).lazy())
    with pytest.raises(ValueError, match="feature names"):
        neighbors(encoder, table, pd.DataFrame({"other": ["a"]}))


@pytest.fixture(scope="module")
def encoder(table):
    return TableEncoder(3, preparer=None).fit(pa.Table.from_pandas(table))


def same(found, expected):
    """Tell whether two frames, of whatever libraries, have the same cells to the last bit."""
    return columns_of(found) == columns_of(expected)


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("distinct", [False, True])
def test_lazy_tables(encoder, table, make, distinct, tmp_path):
    arrow, queries = pa.Table.from_pandas(table), table.iloc[[5, 150, 5]]
    source = make(arrow, tmp_path)
    found = neighbors(encoder, source, queries, n=8, distinct=distinct)
    assert same(found, neighbors(encoder, arrow, queries, n=8, distinct=distinct))


@pytest.mark.parametrize("make", [m for m in SOURCES.values() if m is not batch_reader])
def test_positions_in_lazy_tables(encoder, table, make, tmp_path):
    arrow = pa.Table.from_pandas(table)
    source = make(arrow, tmp_path)
    assert same(neighbors(encoder, source, [150, 5, 150]), neighbors(encoder, arrow, [150, 5, 150]))
    with pytest.raises(ValueError, match="no row 200; the table has 200"):
        neighbors(encoder, source, [3, 200])


def test_other_columns_of_lazy_tables_are_left_alone(encoder, table, tmp_path):
    arrow = pa.Table.from_pandas(table)
    wide = arrow.select(arrow.column_names[::-1]).append_column("id", pa.array(range(200)))
    found = neighbors(encoder, parquet_file(wide, tmp_path), 7)
    assert same(found, neighbors(encoder, arrow, 7))


@pytest.mark.integration
def test_dask_frames(encoder, table):
    frame = dd.from_pandas(table, npartitions=7)
    for distinct in (False, True):
        found = neighbors(encoder, frame, [150, 5], distinct=distinct)
        expected = neighbors(encoder, pa.Table.from_pandas(table), [150, 5], distinct=distinct)
        assert same(found, expected)


def test_more_queries_than_one_pass_takes(encoder, table, tmp_path, monkeypatch):
    arrow = pa.Table.from_pandas(table)
    expected = neighbors(encoder, arrow, range(100), n=3)
    monkeypatch.setattr(nearest, "TABLE_BYTES", 20_000)
    assert same(neighbors(encoder, parquet_file(arrow, tmp_path), range(100), n=3), expected)
    with pytest.raises(ValueError, match="several passes over the record batch reader"):
        neighbors(encoder, batch_reader(arrow, tmp_path), arrow)


def test_positions_in_what_is_read_once(encoder, table, tmp_path):
    with pytest.raises(ValueError, match="can't be named by position"):
        neighbors(encoder, batch_reader(pa.Table.from_pandas(table), tmp_path), 3)


@given(small_tables(min_rows=2), st.integers(1, 15), st.integers(1, 5))
@pytest.mark.filterwarnings("ignore::UserWarning")  # random tables may be degenerate
def test_distinct_rows_of_any_table_in_pieces(table, n, step):
    encoder = UNTIE(solver="uniform").fit(table)
    first = ~table.duplicated() & (table != table.iloc[0]).any(axis=1)
    expected = slow_neighbors(encoder, table, table.iloc[[0]], len(table))
    expected = [position for position, _ in expected if first[position]][:n]
    arrow = pa.Table.from_pandas(table)
    batches = pa.RecordBatchReader.from_batches(arrow.schema, arrow.to_batches(step))
    found = neighbors(encoder, batches, table.iloc[[0]], n=n, distinct=True)
    assert found.position.tolist() == expected


def test_an_unknown_value_in_a_query_is_neutral(table):
    encoder = TableEncoder(3, preparer=None).fit(table)
    query = table.iloc[[7]].assign(c1="never seen")
    found = neighbors(encoder, table, query, n=20)
    expected = slow_neighbors(encoder, table, query, 20)
    assert found.position.tolist() == [i for i, _ in expected]
    # It is as far from each value as two of the table's are on average.
    more = np.square(found.distance) - np.square([d for _, d in expected])
    values = encoder.transform(table) - encoder.transform(table.assign(c1="never seen"))
    np.testing.assert_allclose(more, np.square(values).sum(axis=1).mean(), atol=1e-5)


def gaps(share, seed=0):
    """Return a table of four classes with a number, some of its cells missing."""
    rng = np.random.default_rng(seed)
    table, _ = latent_classes(300, 3, 5, 4, seed=seed)
    table = table.astype(object).assign(number=rng.integers(0, 50, 300).astype(float))
    for name in ("c1", "number"):
        table.loc[rng.random(300) < share, name] = None
    return table


def expected_distances(encoder, table, row):
    """Return squared distances of a row to all, the mean over what missing cells may be."""
    total = np.zeros(len(table))
    space = encoder._model.space
    for place, codes in enumerate(encoder._codes(table)):
        blank = encoder.vocabulary_.positions[place].get(None)
        values = space.vectors(place, codes)
        known = values if blank is None else values[codes != blank]
        if blank is not None:
            whole, own = (np.square(part - part.mean(0)).sum(1).mean() for part in (values, known))
            scale = min(1.0, np.sqrt(whole / own))
            values, known = values * scale, known * scale
        for other, code in enumerate(codes):
            left = known if codes[row] == blank else values[[row]]
            right = known if code == blank else values[[other]]
            total[other] += np.square(left[:, None] - right[None]).sum(axis=2).mean()
    return total


def test_a_missing_cell_counts_as_any_known_value():
    table = gaps(0.4)[:80]
    encoder = TableEncoder(3, preparer=None).fit(table)
    for row in range(0, 80, 13):
        expected = np.sqrt(expected_distances(encoder, table, row))
        found = neighbors(encoder, table, row, n=79).sort_values("position")
        np.testing.assert_allclose(found.distance, np.delete(expected, row), rtol=1e-6)
        assert (found.sort_values("rank").distance.diff().dropna() >= -1e-9).all()


def test_missing_cells_of_columns_of_very_many_values(monkeypatch):
    monkeypatch.setattr("untie._learn.memory.LARGE", 30)
    table = gaps(0.3)[:120]
    table["many"] = [f"v{number % 45}" if number % 7 else None for number in range(120)]
    encoder = UNTIE(3, solver="uniform").fit(table.astype(object))
    for row in (0, 7, 8):
        expected = np.sqrt(expected_distances(encoder, table, row))
        found = neighbors(encoder, table, row, n=119).sort_values("position")
        np.testing.assert_allclose(found.distance, np.delete(expected, row), rtol=1e-6)


def test_missing_cells_do_not_bring_rows_together():
    table = gaps(0.5)
    encoder = TableEncoder().fit(table)
    is_blank = table["number"].isna() & table["c1"].isna()
    rows = np.flatnonzero(is_blank)
    found = neighbors(encoder, table, rows, n=10)
    assert is_blank.to_numpy()[found.position].mean() < is_blank.mean() + 0.05


def test_missing_cells_in_lazy_tables_and_saved_models(tmp_path):
    table = gaps(0.3)
    arrow = pa.Table.from_pandas(table)
    encoder = TableEncoder(3).fit(arrow)
    expected = neighbors(encoder, arrow, [3, 7], n=20)
    assert same(neighbors(encoder, parquet_file(arrow, tmp_path), [3, 7], n=20), expected)
    encoder.save(tmp_path / "model")
    assert same(neighbors(load_model(tmp_path / "model"), arrow, [3, 7], n=20), expected)


def test_neutral_missing_cells_are_treated_alike():
    table = gaps(0.5)
    encoder = TableEncoder(missing="neutral").fit(table)
    is_blank = table["number"].isna() & table["c1"].isna()
    found = neighbors(encoder, table, np.flatnonzero(is_blank), n=10)
    assert is_blank.to_numpy()[found.position].mean() < is_blank.mean() + 0.05


def test_some_columns_alone(table):
    encoder = TableEncoder(3, preparer=None).fit(table)
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
