"""Ordered columns through every library, engine, file and estimator."""

from datetime import date, timedelta

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from lazy_sources import SOURCES
from untie import Preparer, TableClusterer, TableEncoder, count_table, load_model
from untie.explain import weight_shares

N = 240


@pytest.fixture(scope="module")
def people():
    """Two groups of rows with numbers, dates and categories, some of them missing."""
    rng = np.random.default_rng(3)
    group = rng.integers(0, 2, N)
    days = rng.normal(6000 + 9000 * group, 1500).astype(int)
    return pa.table(
        {
            "age": pa.array(
                [
                    None if hidden else float(age)
                    for age, hidden in zip(
                        np.round(rng.normal(30 + 30 * group, 5), 1),
                        rng.random(N) < 0.1,
                        strict=True,
                    )
                ]
            ),
            "born": pa.array([date(1950, 1, 1) + timedelta(days=int(day)) for day in days]),
            "fare": pa.array(rng.lognormal(2 + 2 * group, 0.3)),
            "pet": pa.array(
                np.array(["cat", "dog", "none"])[
                    np.where(rng.random(N) < 0.7, group, rng.integers(0, 3, N))
                ].tolist()
            ),
        }
    )


@pytest.fixture(scope="module")
def expected(people):
    """What is learned from the table in memory: the preparer, the encoder and all similarities."""
    preparer = Preparer().fit(people)
    prepared = preparer.transform(people)
    encoder = TableEncoder(2, preparer=None).fit(prepared)
    assert [positions is not None for positions in encoder.model_.orders] == [True] * 3 + [False]
    return preparer, prepared, encoder, encoder.similarity(prepared)


FRAMES = {
    "pandas": lambda table: table.to_pandas(),
    "pandas arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "pyarrow": lambda table: table,
}


@pytest.mark.parametrize("frame", FRAMES)
def test_frames(people, expected, frame):
    table = FRAMES[frame](people)
    preparer = Preparer().fit(table)
    for column in ("age", "born", "fare"):
        assert preparer.ranges(column) == expected[0].ranges(column)
    assert len(preparer.ranges("fare")) == 29  # an odd number, and eight rows each
    prepared = preparer.transform(table)
    found = TableEncoder(2, preparer=None).fit(prepared).similarity(prepared)
    np.testing.assert_allclose(found, expected[-1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("source", SOURCES)
def test_lazy_tables(people, expected, source, tmp_path):
    """Both the table as it comes and the prepared one."""
    folders = [tmp_path / name for name in ("raw", "prepared")]
    for folder in folders:
        folder.mkdir()
    if source != "batch reader":  # which can be read only once
        raw = Preparer().fit(SOURCES[source](people, folders[0]))
        assert raw.ranges("age") == expected[0].ranges("age")
    prepared = expected[1]
    encoder = TableEncoder(2, preparer=None).fit(SOURCES[source](prepared, folders[1]))
    np.testing.assert_allclose(encoder.similarity(prepared), expected[-1], rtol=0, atol=1e-9)


def test_dask(people, expected):
    prepared = FRAMES["pandas"](expected[1])
    with dask.config.set({"dataframe.convert-string": False}):
        encoder = TableEncoder(2, preparer=None).fit(dd.from_pandas(prepared, npartitions=3))
    np.testing.assert_allclose(encoder.similarity(prepared), expected[-1], rtol=0, atol=1e-9)


def test_named_columns_on_lazy_tables(people, tmp_path):
    grades = pa.table({"grade": np.arange(60) % 7, "pet": ["cat", "dog", "dog"] * 20})
    expected = TableEncoder(2, ordered=["grade"], preparer=None).fit(grades)
    assert expected.model_.orders[0].tolist() == list(range(7))
    for source in SOURCES:
        folder = tmp_path / source
        folder.mkdir()
        found = TableEncoder(2, ordered=["grade"], preparer=None).fit(
            SOURCES[source](grades, folder)
        )
        np.testing.assert_allclose(found.similarity(grades), expected.similarity(grades))


def test_chunks_add_up(expected):
    prepared = FRAMES["pandas"](expected[1])
    grown = TableEncoder(2, preparer=None)
    for start in range(0, N, 70):
        grown.partial_fit(prepared[start : start + 70])
    np.testing.assert_allclose(grown.similarity(prepared), expected[-1], rtol=0, atol=1e-9)
    counted = count_table(prepared[:100]) + count_table(prepared[100:])
    found = TableEncoder(2, preparer=None).fit_counts(counted)
    np.testing.assert_allclose(found.similarity(prepared), expected[-1], rtol=0, atol=1e-9)


def test_weights_are_repeated_rows(expected):
    prepared = FRAMES["pandas"](expected[1])
    weights = np.random.default_rng(0).integers(0, 4, N)
    weighted = TableEncoder(2, preparer=None).fit(prepared, sample_weight=weights)
    repeated = TableEncoder(2, preparer=None).fit(prepared.loc[prepared.index.repeat(weights)])
    np.testing.assert_allclose(
        weighted.similarity(prepared), repeated.similarity(prepared), rtol=0, atol=1e-9
    )


def test_files_keep_the_orders(expected, tmp_path):
    _, prepared, encoder, similarity = expected
    encoder.save(tmp_path / "model.untie")
    loaded = load_model(tmp_path / "model.untie")
    assert len(loaded.model_.orders) == 4
    for kept, given in zip(loaded.model_.orders, encoder.model_.orders, strict=True):
        np.testing.assert_array_equal(kept, given)
    np.testing.assert_array_equal(loaded.similarity(prepared), similarity)
    assert loaded.model_.coarse.counts.sizes == encoder.model_.coarse.counts.sizes
    shares = [weight_shares(model, by="coupling") for model in (encoder, loaded)]
    assert shares[0].equals(shares[1])
    more = loaded.partial_fit(prepared)  # the same rows once more
    assert more.counts_.n == 2 * N
    np.testing.assert_array_equal(more.model_.orders[0], encoder.model_.orders[0])


@pytest.mark.parametrize("ordered", [False, ["age"], {"age": [1, 2, 3]}])
def test_files_keep_what_was_asked_for(ordered, tmp_path):
    table = pd.DataFrame({"age": [1, 2, 3] * 4, "pet": ["cat", "dog"] * 6})
    TableEncoder(2, ordered=ordered, preparer=None).fit(table).save(tmp_path / "model.untie")
    loaded = load_model(tmp_path / "model.untie")
    assert loaded.ordered == ordered
    assert clone(loaded).fit(table).ordered == ordered


def test_the_order_has_its_share_of_the_weight(expected):
    shares = weight_shares(expected[2], by="coupling")
    found = dict(zip(shares["coupling"].to_pylist(), shares["share"].to_pylist(), strict=True))
    assert found["order"] == pytest.approx(0.8 * 3 / 4)


def test_passive_columns_beside_ordered_ones():
    """Orders are those of the columns that are learned from, wherever the passive ones stand."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "quiet": rng.choice(["up to 5", "6 to 9", "over 9"], 80),
            "loud": rng.choice(["up to 1", "1 to 2", "2 to 3", "over 3"], 80),
            "pet": rng.choice(["cat", "dog"], 80),
        }
    )
    encoder = TableEncoder(2, column_weights={"quiet": 0}, preparer=None).fit(table)
    expected = TableEncoder(2, preparer=None).fit(table.drop(columns="quiet"))
    for by in ("coupling", "kernel"):
        found, own = weight_shares(encoder, by=by), weight_shares(expected, by=by)
        assert found[by].tolist() == own[by].tolist()
        np.testing.assert_allclose(found["share"], own["share"])
    np.testing.assert_allclose(
        encoder.similarity(table), expected.similarity(table.drop(columns="quiet")), atol=1e-9
    )


def test_clusters_through_a_pipeline(people):
    """A change of a number that keeps the order, or turns it round, changes no cluster."""
    table = people.to_pandas()
    expected = TableClusterer(preparer=Preparer(), random_state=0).fit(table)
    assert expected.n_clusters_ == 2
    assert expected.k_choice_.found_clusters
    for changed in (np.exp(table["fare"] / 20), -table["fare"], table["fare"].rank() / 7):
        found = TableClusterer(2, preparer=Preparer(), random_state=0)
        found.fit(table.assign(fare=changed))
        np.testing.assert_array_equal(found.labels_, expected.labels_)
    pipeline = make_pipeline(Preparer(), TableEncoder(2, preparer=None)).fit(table)
    assert pipeline.transform(table).shape[0] == N
