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

import untie
from command_cases import ask
from lazy_sources import SOURCES
from untie import Preparer, TableClusterer, TableEncoder, count_table, load_model
from untie._table import orders
from untie._table.orders import declared_orders
from untie._table.table import read_table
from untie.explain import cluster_profile, weight_shares

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
    assert [positions is not None for positions in encoder._model.orders] == [True] * 3 + [False]
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


def no_range_is_read(value):
    assert not any(map(str.isdigit, value)), f"{value!r} is read, and its type has the order"


@pytest.mark.parametrize("frame", [*FRAMES, "array"])
def test_orders_of_prepared_tables_are_in_their_types(people, expected, frame, monkeypatch):
    table = (
        FRAMES[frame](people)
        if frame in FRAMES
        else list(zip(*people.to_pydict().values(), strict=True))
    )
    prepared = Preparer().fit_transform(table)
    monkeypatch.setattr(orders, "end_texts", no_range_is_read)
    encoder = TableEncoder(2).fit(prepared)
    for found, wanted in zip(encoder._model.orders, expected[2]._model.orders, strict=True):
        np.testing.assert_array_equal(found, wanted)
    if frame in FRAMES:
        clusters = TableClusterer(2, preparer=Preparer()).fit(table)
        assert sum(order is not None for order in clusters.encoder_._model.orders) == 3


@pytest.mark.parametrize("source", SOURCES)
def test_orders_of_lazily_prepared_tables_go_with_them(
    people, expected, source, monkeypatch, tmp_path
):
    if source == "batch reader":  # which can be read only once
        return
    lazy = SOURCES[source](people, tmp_path)
    prepared = expected[0].transform(lazy)
    monkeypatch.setattr(orders, "end_texts", no_range_is_read)
    encoder = TableEncoder(2).fit(prepared)
    np.testing.assert_allclose(encoder.similarity(expected[1]), expected[-1], rtol=0, atol=1e-9)


def test_orders_of_partitions_prepared_by_dask(people, expected, monkeypatch):
    frame = dd.from_pandas(FRAMES["pandas"](people), npartitions=3)
    prepared = expected[0].transform(frame)
    assert prepared["age"].dtype == FRAMES["pandas"](expected[1])["age"].dtype
    assert prepared.compute()["age"].cat.ordered
    monkeypatch.setattr(orders, "end_texts", no_range_is_read)
    encoder = TableEncoder(2).fit(prepared)
    np.testing.assert_allclose(encoder.similarity(expected[1]), expected[-1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_library_asked_for_has_the_orders(people, expected, library):
    for frame in FRAMES.values():
        preparer = Preparer().set_output(transform=library)
        prepared = preparer.fit_transform(frame(people))
        assert type(prepared).__module__.startswith(library)
        found = declared_orders(read_table(prepared))
        assert found == {name: preparer.ranges(name) for name in ("age", "born", "fare")}


def other_text(people):
    """Return the table with text among the numbers of a column, which are text then."""
    ages = ["unknown" if n % 20 == 7 else str(a) for n, a in enumerate(people["age"].to_pylist())]
    return people.set_column(0, "age", pa.array(ages).cast(pa.string()))


@pytest.mark.parametrize("frame", FRAMES)
def test_text_among_numbers_has_no_place(people, frame):
    table = FRAMES[frame](other_text(people))
    preparer = Preparer(missing=["None"]).fit(table)
    prepared = preparer.transform(table)
    assert set(declared_orders(read_table(prepared))) == {"born", "fare"}
    encoder = TableEncoder(2).fit(prepared)
    values = encoder.vocabulary_.values[0]
    places = dict(zip(values, encoder._model.orders[0].tolist(), strict=True))
    assert places.pop("unknown") == places.pop(None) == -1
    assert sorted(places, key=places.get) == list(preparer.ranges("age"))


@pytest.mark.parametrize("source", ["memory", "lazy", "dask"])
def test_text_that_was_not_there_before(people, source, tmp_path):
    """It stays as it is in new rows, and has no place."""
    new = other_text(people)
    known = Preparer().fit(people)
    rows = {
        "memory": lambda: new,
        "lazy": lambda: SOURCES["parquet file"](new, tmp_path),
        "dask": lambda: dd.from_pandas(new.to_pandas(), npartitions=2),
    }[source]()
    prepared = known.transform(rows)
    encoder = TableEncoder(2).fit(prepared)
    places = dict(zip(encoder.vocabulary_.values[0], encoder._model.orders[0], strict=True))
    assert places["unknown"] == -1


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
    assert expected._model.orders[0].tolist() == list(range(7))
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
    assert len(loaded._model.orders) == 4
    for kept, given in zip(loaded._model.orders, encoder._model.orders, strict=True):
        np.testing.assert_array_equal(kept, given)
    np.testing.assert_array_equal(loaded.similarity(prepared), similarity)
    assert loaded._model.coarse.counts.sizes == encoder._model.coarse.counts.sizes
    shares = [weight_shares(model, by="coupling") for model in (encoder, loaded)]
    assert shares[0].equals(shares[1])
    more = loaded.partial_fit(prepared)  # the same rows once more
    assert more.counts_.n == 2 * N
    np.testing.assert_array_equal(more._model.orders[0], encoder._model.orders[0])


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


@pytest.fixture(scope="module")
def answers():
    """Two groups of rows that answer five questions from 1 to 6, and a region from 1 to 6."""
    rng = np.random.default_rng(5)
    group = rng.integers(0, 2, 600)[:, None]
    cells = np.clip(np.round(rng.normal(2.6 + 1.8 * group, 1.2, (600, 5))), 1, 6)
    table = pd.DataFrame(cells, columns=["A1", "A2", "A3", "E1", "E2"])
    table.loc[::9, "A1"] = np.nan
    return table.assign(region=rng.integers(1, 7, 600), age=rng.integers(18, 80, 600))


def ordered_columns(encoder):
    pairs = zip(encoder.vocabulary_.columns, encoder._model.orders, strict=True)
    return [name for name, order in pairs if order is not None]


SCALES = ["A1", "A2", "A3", "E1", "E2"]


def test_answers_on_a_scale_have_an_order(answers):
    encoder = TableEncoder(2).fit(answers)
    assert ordered_columns(encoder) == [*SCALES, "age"]
    notes = {note.column: note.reason for note in encoder.preparer_.notes_}
    assert [name for name in notes if notes[name] == "its 6 numbers have an order"] == SCALES
    order = dict(zip(encoder.vocabulary_.values[1], encoder._model.orders[1], strict=True))
    assert [order[number] for number in range(1, 7)] == list(range(6))
    named = TableEncoder(2, ordered=SCALES).fit(answers)
    np.testing.assert_array_equal(named.transform(answers), encoder.transform(answers))
    assert ordered_columns(TableEncoder(2, ordered=False).fit(answers)) == []


def test_scales_are_the_same_in_every_form(answers, tmp_path):
    expected = TableEncoder(2).fit(answers)
    text = answers.map(lambda cell: None if pd.isna(cell) else str(int(cell)))
    shuffled = answers[answers.columns[::-1]].sample(frac=1, random_state=0)
    for table in (text, shuffled, answers.convert_dtypes(), pl.from_pandas(answers)):
        assert set(ordered_columns(TableEncoder(2).fit(table))) == {*SCALES, "age"}
    for source in SOURCES:
        if source == "batch reader":
            continue
        (tmp_path / source).mkdir()
        lazy = SOURCES[source](pa.Table.from_pandas(answers), tmp_path / source)
        found = TableEncoder(2).fit(lazy)
        assert found.preparer_.notes_ == expected.preparer_.notes_
        assert ordered_columns(found) == [*SCALES, "age"]


def test_shares_of_votes_in_steps_are_one_scale(tmp_path):
    """As the columns r1 to r10 of a table of movies: 0, 4.5, 14.5, ..., 94.5, 100."""
    rng = np.random.default_rng(0)
    steps = np.array([0, 4.5, 14.5, 24.5, 34.5, 44.5, 64.5, 84.5, 94.5, 100])
    taste = rng.normal(size=600)[:, None]
    places = np.clip(np.round(3 + 2 * taste + rng.normal(size=(600, 5))), 0, 9).astype(int)
    table = pd.DataFrame(steps[places], columns=[f"r{place}" for place in range(1, 6)])
    table = table.assign(kind=rng.choice(list("abc"), 600))
    encoder = TableEncoder(2, random_state=0).fit(table)
    assert ordered_columns(encoder) == [f"r{place}" for place in range(1, 6)]
    notes = {note.column: note.reason for note in encoder.preparer_.notes_}
    assert notes["r1"] == f"its {table.r1.nunique()} numbers have an order"
    table.to_csv(tmp_path / "t.csv", index=False)
    lines = ask("cluster", tmp_path / "t.csv", "--k", 2).stderr.splitlines()
    said = [line for line in lines if "have an order" in line]
    assert said == [
        "r1, r2, r3, r4, r5: numbers that have an order; --categorical NAMES takes it away"
    ]


def test_the_order_of_scales_can_be_taken_away(answers):
    encoder = TableEncoder(2, preparer=Preparer(categorical=["A*"])).fit(answers)
    assert ordered_columns(encoder) == ["age"]  # two columns are too few for a scale
    assert all(note.reasons == {} for note in encoder.preparer_.notes_[:3])
    encoder = TableEncoder(2, preparer=Preparer(categorical=["A1"])).fit(answers)
    assert ordered_columns(encoder) == ["A2", "A3", "E1", "E2", "age"]
    encoder = TableEncoder(2, ordered={"A*": False, "A1": None}).fit(answers)
    assert ordered_columns(encoder) == ["A1", "age"]  # E1 and E2 alone share nothing
    clusters = TableClusterer(2, preparer=Preparer(categorical=["E1"])).fit(answers)
    profile = cluster_profile(clusters, answers)
    assert "to" not in "".join(map(str, profile[profile["column"] == "E1"]["value"]))


def test_patterns_of_orders_and_weights(answers):
    grades = answers.assign(G1=answers["region"], G2=answers["region"][::-1].to_numpy())
    encoder = TableEncoder(2, ordered=["G?"], column_weights={"A*": 0, "A2": 3, "E1": 2})
    encoder.fit(grades)
    assert ordered_columns(encoder) == ["A2", "E1", "E2", "age", "G1", "G2"]
    plain = TableEncoder(
        2, ordered=["G1", "G2"], column_weights={"A1": 0, "A2": 3, "A3": 0, "E1": 2}
    )
    np.testing.assert_array_equal(plain.fit_transform(grades), encoder.transform(grades))
    rows = Preparer().fit_transform(grades)
    unprepared = TableEncoder(
        2, preparer=None, ordered=["G?"], column_weights=encoder.column_weights
    )
    np.testing.assert_array_equal(unprepared.fit_transform(rows), encoder.transform(grades))
    for parameters in ({"ordered": ["Z*"]}, {"column_weights": {"Z*": 2}}):
        with pytest.raises(ValueError, match=r"no column 'Z\*' in the table, which (ord|col)"):
            TableEncoder(2, **parameters).fit(grades)


def test_notes_and_learning_count_copies_of_a_scale_alike(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"q{place}": rng.integers(1, 6, 300) for place in range(3)})
    said = "its 5 numbers have an order"
    words = frame.q0.map(dict(enumerate("abcde", 1)))
    for table, n in (
        (frame.assign(again=frame.q0), 0),
        (frame.assign(turned=6 - frame.q0), 0),
        (pd.concat([words.rename("word"), frame, frame.q1.rename("more")], axis=1), 0),
        (frame.assign(other=rng.integers(1, 6, 300)), 4),
        (frame.assign(other=rng.integers(1, 6, 300), again=frame.q0), 5),
    ):
        encoder = TableEncoder(2).fit(table)
        notes = {note.column for note in encoder.preparer_.notes_ if note.reason == said}
        assert notes == set(ordered_columns(encoder))
        assert len(notes) == n
        table.to_parquet(tmp_path / "t.parquet", row_group_size=70)
        lazy = untie.scan(tmp_path / "t.parquet")
        assert Preparer().fit(lazy).notes_ == encoder.preparer_.notes_
